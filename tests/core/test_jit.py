"""Decorators record, the first compiled call loads numba, and a second process uses what the first one compiled."""

import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ttt_fast
from ttt_fast.core import cache, jit
from ttt_fast.games import api

PACKAGE = Path(ttt_fast.__file__).resolve().parent


@pytest.mark.parametrize("decorator", [jit.kernel, jit.kernel_without_overlap, jit.inlined_kernel])
def test_options_of_every_kernel(decorator):
    jit.load()
    options = decorator(lambda: 0).targetoptions
    assert options["nogil"] and options["nopython"] and options["error_model"] == "python"
    assert not options.get("fastmath")


def test_a_plain_pass_writes_into_the_arrays():
    def double(numbers, pair, out):
        for place in range(len(numbers)):
            out[place] = numbers[place] * 2 + pair[1][place]
        return len(numbers)

    numbers, out = np.arange(3), np.zeros(3)
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    assert jit.run_plain(double, (numbers, (0, frozen), out)) == 3
    assert out.tolist() == [0, 3, 6] and numbers.tolist() == [0, 1, 2]


RECORDS = """
import sys
import numpy as np
from ttt_fast.core import bits, jit
from ttt_fast.core.bits import popcount
from ttt_fast.core.compilation import compiling
held = popcount

@jit.kernel(plain=True)
def total(numbers):
    found = 0
    for place in range(len(numbers)):
        found += popcount(numbers[place])
    return found

@jit.kernel
def later(word):
    return popcount(word)

few, many = np.array([1, 3, 7]), np.full(300_000, 3)
compiling.plain_elements = 1_000_000
assert total(many) == 600_000 and "numba" not in sys.modules
assert isinstance(total, jit.Kernel) and total(few) == 6 and popcount(7) == 3 and "numba" not in sys.modules
inner = bits.popcount.py_func
assert later(7) == 3 and "numba" in sys.modules
assert inner(7) == 3  # a plain form that was running may go on
assert not isinstance(total, jit.Kernel) and not isinstance(bits.popcount, jit.Kernel)
assert held(7) == 3 and total(few) == 6 and total.signatures

@jit.kernel
def latest(word):
    return popcount(word)

assert not isinstance(latest, jit.Kernel) and latest(5) == 2
"""
"""A module outside of the package: it records, loads, and decorates once more."""


def in_a_process(code, tmp_path, *, status=0, **settings):
    """Run code in a new process, from a file; no NUMBA_CACHE_DIR and no cache folder of the user but those given."""
    script = tmp_path / "script.py"
    script.write_text(code, encoding="utf-8")
    environment = {key: text for key, text in os.environ.items() if not key.startswith(("NUMBA_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", str(script)],
        env={**environment, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == status, done.stderr
    assert done.stderr == "" or status
    return done.stdout.splitlines()


@pytest.mark.parametrize("compiled", ["0", "1"])
def test_records_run_plain_and_become_dispatchers(tmp_path, compiled):
    code = RECORDS if compiled == "1" else RECORDS.replace(" and total.signatures", "")
    settings = {} if compiled == "1" else {"NUMBA_DISABLE_JIT": "1"}
    in_a_process(code, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"), **settings)


WHILE_LOADING = """
import threading
from ttt_fast.core import jit

@jit.kernel(plain=int)
def during(number):
    return int(number)

class Made:
    pass

def make():
    caller.start()
    caller.join(0.5)
    assert caller.is_alive() and answers == []  # it waits
    assert during(7) == 7  # the loading itself does not
    return Made()

answers = []
jit.intrinsic(lambda number: number, make)

@jit.kernel
def later(number):
    return number + 2

caller = threading.Thread(target=lambda: answers.append(later(1)))
assert later(3) == 5
caller.join()
assert answers == [3]
"""


def test_a_thread_that_calls_a_record_while_another_one_loads_waits(tmp_path):
    in_a_process(WHILE_LOADING, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))


SOLVE = """
from ttt_fast.agents.convert import as_policy
from ttt_fast.core import jit
jit.load()
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.best_response import best_response
from ttt_fast.policies.best_response import _respond
from ttt_fast.tables import enumeration, solution, solve
table = enumeration.enumerate_game(parse_game("tic-tac-toe"), 10_000)
print(int(solve(table).value.sum()), repr(best_response(as_policy("random"), 1).value[0]))
print(sum(sum(one.stats.cache_misses.values()) for one in (solution._solve, enumeration._expand, _respond)))
"""


HIT = """
import sys
import numpy as np
from ttt_fast.core import jit
from ttt_fast.core.bits import popcount
from ttt_fast.core.compilation import compiling

compiling.with_scipy = False  # as commands set it

@jit.kernel
def filled(count):
    found = np.zeros(count, np.int64)
    for one in range(count):
        found[one] = popcount(one)
    return found

print(filled(8).sum())
print("numba.np.arraymath" in sys.modules, isinstance(popcount, jit.Kernel), isinstance(filled, jit.Kernel))
assert "scipy.linalg" not in sys.modules
print(jit.cache_folder())
"""


def test_a_hit_loads_neither_the_other_kernels_nor_the_registries(tmp_path):
    """Its arrays are allocated by numba's runtime, which is registered for it."""
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert in_a_process(HIT, tmp_path, **settings)[:2] == ["12", "True False False"]  # a miss loads all
    assert in_a_process(HIT, tmp_path, **settings)[:2] == ["12", "False True False"]


WITHOUT_SCIPY = """
import sys
import numpy as np
from ttt_fast.core import jit
from ttt_fast.core.compilation import compiling

if "LEFT_OUT" in __import__("os").environ:
    compiling.with_scipy = False

@jit.kernel
def total(numbers):
    return numbers.sum()

@jit.kernel
def product(one, other):
    return np.dot(one, other)

assert total(np.arange(4)) == 6
print("scipy.linalg" in sys.modules)
print(product(np.eye(2), np.full((2, 2), 3.0)).sum(), "scipy.linalg" in sys.modules)
"""


@pytest.mark.slow
def test_scipy_is_left_out_until_a_product_of_matrices_is_compiled(tmp_path):
    pytest.importorskip("scipy")
    assert in_a_process(WITHOUT_SCIPY, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "a")) == ["True", "12.0 True"]
    found = in_a_process(WITHOUT_SCIPY, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "b"), LEFT_OUT="1")
    assert found == ["False", "12.0 True"]


PLAYED = """
import numpy as np
from ttt_fast.core import jit
from ttt_fast.games.registry import parse_game
from ttt_fast.search.rollouts import rollout, rollout_evaluator

@jit.kernel
def played_out(state, stream, leaf):
    return rollout(state, stream, leaf)

def answer(found):
    for game in ("ultimate", "ultimate:closed=stay"):
        found.append(int(played_out(parse_game(game).initial_state, np.uint64(5), rollout_evaluator())[0]))
    found.append(sum(played_out.stats.cache_misses.values()))
"""
ANSWERS = """
import importlib, multiprocessing, os, pkgutil, threading
import ttt_fast.games, ttt_fast.algorithms, ttt_fast.search, ttt_fast.values
from played import answer

def in_a_thread():
    found = []
    thread = threading.Thread(target=answer, args=(found,))
    thread.start()
    thread.join()
    return found

if __name__ == "__main__":
    if "ALL" in os.environ:
        for package in (ttt_fast.games, ttt_fast.values, ttt_fast.search, ttt_fast.algorithms):
            for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
                importlib.import_module(module.name)
    print(in_a_thread())
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(in_a_thread))
"""


@pytest.mark.slow
@pytest.mark.parametrize("first", ["few", "all"])
def test_an_entry_does_not_depend_on_imports_threads_or_processes(tmp_path, first):
    """How Ultimate is played out stands in a module that neither its rules nor the rollouts import."""
    folder = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    (tmp_path / "played.py").write_text(PLAYED)
    alone, spawned = in_a_process(ANSWERS, tmp_path, **folder, **({"ALL": "1"} if first == "all" else {}))
    *known, compiled = json.loads(alone)
    assert compiled == 2 and json.loads(spawned) == [*known, 0]
    other = {"ALL": "1"} if first == "few" else {}
    assert in_a_process(ANSWERS, tmp_path, **folder, **other) == [str([*known, 0])] * 2


def test_each_implementation_is_known_wherever_its_function_and_its_type_are():
    """Else what a kernel does would depend on what has been imported."""
    for package in ("games", "search", "algorithms", "external", "values"):
        for found in pkgutil.walk_packages([str(PACKAGE / package)], f"ttt_fast.{package}."):
            importlib.import_module(found.name)
    strangers = set()
    for (function, kind), record in api._IMPLEMENTATIONS.items():
        homes = {one.__module__.removeprefix("ttt_fast.") for one in (function, kind) if one is not None}
        if kind is not None and not kind.__module__.startswith("ttt_fast."):
            continue  # a test's own, and where it is, so are its rules
        reached = {name for home in homes for name in cache.reached_modules(home)}
        noted = {} if kind is None else jit._elsewhere.get(kind, {})
        implementing = record.py_func.__module__
        assert implementing == noted.get(function.__module__, implementing)
        if implementing.removeprefix("ttt_fast.") not in reached and function.__module__ not in noted:
            strangers.add(implementing.removeprefix("ttt_fast."))
    assert strangers == {"games.defaults"}  # which `ttt_fast.games` imports


PROMPT = """
import numpy as np
from typing import NamedTuple
from ttt_fast.core import jit
from ttt_fast.games import api

class Pile(NamedTuple):
    left: int

@api.implements(api.play, Pile)
def play(state, action):
    return Pile(state.left - action - TAKEN)

@jit.kernel
def twice(state, action):
    return api.play(api.play(state, action), action)

print(twice(Pile(20), 1).left)
"""


@pytest.mark.slow
def test_code_typed_at_a_prompt_is_compiled_anew(tmp_path):
    """The same lines may call something else in the next session."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for taken, left in ((1, "16\n"), (3, "12\n")):
        code = f"TAKEN = {taken}\n" + PROMPT
        done = subprocess.run(
            [sys.executable, "-"], input=code, env=settings, capture_output=True, text=True, check=False, timeout=900
        )
        assert (done.stdout, done.stderr) == (left, "")
    assert not list(tmp_path.rglob("*twice*"))


@pytest.fixture
def copied(tmp_path):
    """A copy of the package, to be edited."""
    folder = tmp_path / "site" / "ttt_fast"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.slow
def test_a_read_only_installation_without_a_home_works(copied, tmp_path):
    (copied / "__pycache__").write_text("", encoding="utf-8")  # no folder can be made here
    (tmp_path / "file").write_text("", encoding="utf-8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    settings = {"XDG_CACHE_HOME": str(tmp_path / "file" / "folder"), "TMPDIR": str(temporary)}
    answer, _, folder = in_a_process(HIT, tmp_path, PYTHONPATH=str(copied.parent), **settings)
    assert answer == "12" and Path(folder).parent.parent == temporary


@pytest.mark.slow
def test_only_what_a_kernel_reaches_compiles_it_again(copied, tmp_path):
    """numba alone would go on using an old helper: the caller's file has not changed."""

    def edit(module, old, new):
        path = copied / module
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def run():
        return tuple(in_a_process(SOLVE, tmp_path, PYTHONPATH=str(copied.parent)))

    before = run()
    assert before[1] == "3"
    for elsewhere in ("studies/engine/pages.py", "cli/main.py", "algorithms/tabular/q_learning.py", "search/perft.py"):
        edit(elsewhere, '"""', '"""A word more.  ')
    assert run() == (before[0], "0")
    old = "states += 1"
    edit("tables/enumeration.py", old, old + " + 0")
    assert run() == (before[0], "2")  # it and what it calls, but not the solution, which does not import it
