"""Tables on disk, of every size: mapped by the next process, within a quota, made again when damaged or outdated."""

import gc
import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import weakref
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from cli_runner import assert_one_line, run, run_python
from conftest import PATIENCE
from ttt_fast import (
    ContestConfig,
    Environment,
    TableSizeError,
    TrainingConfig,
    TrainingRun,
    UsageError,
    as_policy,
    contest,
    induced_table,
    save_policy,
    solution_of,
    table_of,
    tables,
    train,
)
from ttt_fast.agents import simple_players
from ttt_fast.analysis import induced
from ttt_fast.games import api
from ttt_fast.learners import start_training
from ttt_fast.policies import best_response, heuribot
from ttt_fast.policies.files import npz
from ttt_fast.tables import loaded, store

SPEC, OTHER, THIRD = "connect4:columns=3,rows=3,length=3", "connect4:columns=4,rows=2,length=2", "connect4:columns=1"
BOARD, AGENT = "connect4:columns=4,rows=4", "centre-first"
WITH_AGENT = f"{BOARD} with {AGENT} as X"


class Kept:
    """A store of one test; `made` counts what is enumerated since `new`, which forgets what this process has."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.patch, self.made = folder, monkeypatch, 0
        for module, name in ((loaded, "enumerate_game"), (induced, "enumerated")):
            monkeypatch.setattr(module, name, partial(self.counted, getattr(module, name)))
        monkeypatch.setattr(store, "folder", lambda: self.folder)
        monkeypatch.delenv(store.QUOTA_VARIABLE)

    def counted(self, make, *given):
        self.made += 1
        return make(*given)

    def new(self):
        self.made = 0
        for name in ("_tables", "_strong", "_too_large"):
            self.patch.setattr(loaded, name, type(getattr(loaded, name))())

    def table(self, spec=SPEC):
        self.new()
        return table_of(spec, 10_000)

    def fixed(self, agent=AGENT, seat=1, **options):
        self.new()
        return induced_table(agent, seat, BOARD, **options).table

    def specs(self):
        return [one.table for one in store.tables_on_disk()]

    def path(self):
        (path,) = self.folder.glob("*.table")
        return path

    def describe(self, **changes):
        place = self.path() / "table.json"
        place.write_text(json.dumps({**json.loads(place.read_text()), **changes}))

    def remove(self):
        for path in self.folder.glob("*.table"):
            shutil.rmtree(path)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr(induced, "KEPT_POSITIONS", 0)
    found = Kept(tmp_path, monkeypatch)
    found.new()
    yield found
    found.new()


@pytest.fixture
def all_large(monkeypatch):
    for module, name, most in ((loaded, "MAX_STATES", 20), (loaded, "SOLVED_STATES", 20), (store, "SMALL_BYTES", 0)):
        monkeypatch.setattr(module, name, most)


@pytest.fixture(params=["small", "large", "fixed"])
def table(kept, request):
    """A function that makes or opens a table in a new process."""
    if request.param == "large":
        request.getfixturevalue("all_large")
    return kept.fixed if request.param == "fixed" else kept.table


def assert_same(found, expected):
    assert found.fixed == expected.fixed and found.game == expected.game
    solved = zip(solution_of(found), tables.solve(expected), strict=True)
    for here, array in [*((getattr(found, name), array) for name, array in expected.arrays().items()), *solved]:
        np.testing.assert_array_equal(here, array)
        assert here.dtype == array.dtype and type(here) is np.ndarray and not here.flags.writeable


def test_the_next_process_maps_a_table(kept, table):
    first, path = table(), kept.path()
    assert kept.made == 1
    again = table()
    assert not kept.made and again is not first and isinstance(again.key.base, np.memmap) and kept.path() == path
    assert_same(again, first)


def test_what_is_on_disk_changes_no_limit(kept, all_large):
    texts = set()
    for _ in range(2):
        kept.new()
        with pytest.raises(TableSizeError, match=r"at most 20 states, .*; --exact, or table_of\(game, max_states\)"):
            table_of(SPEC)
        first = kept.table()
        assert table_of(SPEC) is table_of(SPEC, 10_000) is first
        for ask in (kept.fixed, partial(induced_table, AGENT, 1, BOARD)):
            with pytest.raises(TableSizeError) as caught:
                ask(max_positions=500)
            texts.add(str(caught.value))
            assert kept.fixed(max_positions=998) is induced_table(AGENT, 1, BOARD).table
    assert len(texts) == 1


def test_the_next_process_neither_makes_anything_nor_loads_numba(kept):
    texts = [as_policy(name).signature for name in ("heuribot", "default")]
    texts.append(induced_table("default", "o").policy.signature)
    code = f"""
import sys
from pathlib import Path
from ttt_fast import as_policy, induced_table, tables
from ttt_fast.analysis import induced
from ttt_fast.policies import heuribot
from ttt_fast.tables import loaded, store
store.folder = lambda: Path({str(kept.folder)!r})
def refuse(*arguments): raise AssertionError("made again")
loaded.enumerate_game = loaded.solve = heuribot._classify = induced.enumerated = refuse
print(tables.table_of("tic-tac-toe").num_states, tables.solution_of("tic-tac-toe").distance[0])
print(as_policy("heuribot").signature, as_policy("default").signature)
print(induced_table("default", "o").policy.signature, "numba" in sys.modules)
"""
    done = run_python("-c", code)
    assert (done.err, done.text.split()) == ("", ["5478", "9", *texts, "False"])


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def replaced(make, path):
    path.unlink()
    make(path)


MKFIFO = getattr(os, "mkfifo", os.mkdir)  # Windows has no pipes in folders
DAMAGE = {
    "a bit": ("key.npy", flipped, "key changed since the table was written"),
    "a short column": ("edge_child.npy", cut, "mmap length is greater than file"),
    "another column": ("player.npy", lambda path: np.save(path, np.zeros(9, np.int8)), "player changed since"),
    "another type": ("edge_action.npy", lambda path: np.save(path, np.load(path).view(np.int8)), "edge_action changed"),
    "a missing column": ("status.npy", Path.unlink, "status.npy is missing, or is not a regular file"),
    "a pipe": ("key.npy", partial(replaced, MKFIFO), "key.npy is missing, or is not a regular file"),
    "a folder": ("player.npy", partial(replaced, os.mkdir), "player.npy is missing, or is not a regular file"),
    "a short description": ("table.json", cut, "delimiter"),
    "a deep description": ("table.json", partial(Path.write_text, data="[" * 100_000), "recursion"),
    "another description": ("table.json", partial(Path.write_text, data="[]"), "is not a mapping"),
    "a pipe for it": ("table.json", partial(replaced, MKFIFO), "table.json is missing, or is not a regular file"),
}


@pytest.mark.parametrize(("name", "damage", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_table_is_made_again_with_one_warning(kept, table, monkeypatch, name, damage, reason):
    first = table()
    damage(kept.path() / name)
    pattern = f"^the kept table of connect4:[^\n]* is damaged and is made again: [^\n]*{reason}[^\n]*$"
    with pytest.warns(UserWarning, match=pattern) as told:
        again = table()
    assert len(told) == kept.made == 1
    assert_same(again, first)
    assert table() and not kept.made


@pytest.mark.parametrize("change", [{"rules": 99}, {"sources": "0"}, {"fixed": [1, AGENT, "0" * 64]}, {"start": [0]}])
def test_a_table_of_another_version_or_agent_is_made_again(kept, table, change):
    first = table()
    kept.describe(**change)
    assert_same(table(), first)
    assert kept.made == 1 and table() and not kept.made


@pytest.mark.parametrize(
    "make", [getattr(os, "mkfifo", Path.touch), Path.touch, lambda path: path.symlink_to("nowhere")]
)
def test_what_is_no_folder_makes_room_for_the_table(kept, table, make):
    table()
    path = kept.path()
    store.remove(path)
    make(path)
    assert kept.specs() == [] and table() and kept.made == 1
    assert table() and not kept.made


def last(state):
    return api.legal_actions(state)[-1]


def test_versions_agents_and_files_have_their_own_tables(kept, monkeypatch, tmp_path_factory):
    path, sizes = tmp_path_factory.mktemp("files") / "one.npz", []
    kept.fixed(), kept.fixed(seat=2), kept.fixed("random")
    for agent in ("minimax:tie=first", "random"):
        save_policy(path, as_policy(agent, BOARD))
        sizes.append(kept.fixed(str(path)).num_states)
    monkeypatch.setattr(induced, "package_version", lambda: "0.0.0")
    kept.fixed()
    assert sizes[0] < sizes[1] and sum(" with " in spec for spec in kept.specs()) == 6
    assert kept.fixed(last) and sum(" with " in spec for spec in kept.specs()) == 6  # no text determines a function


def failing(*given, **more):
    raise OSError(28, "no space left")


def in_a_file(kept):
    (kept.folder / "file").touch()
    kept.folder = kept.folder / "file"


def no_room(kept):
    full = store.shutil.disk_usage(kept.folder)._replace(free=1000)
    kept.patch.setattr(store.shutil, "disk_usage", lambda path: full)


OBSTACLES = {
    "no folder": lambda kept: setattr(kept, "folder", kept.folder / "missing"),
    "in a file": in_a_file,
    "read-only": lambda kept: kept.patch.setattr(tempfile, "mkdtemp", failing),  # the superuser may write anywhere
    "no room": no_room,
    "full": lambda kept: kept.patch.setattr(store.np, "save", failing),
}


@pytest.mark.parametrize("obstacle", OBSTACLES.values(), ids=OBSTACLES)
def test_a_store_that_cannot_be_written_only_costs_time(kept, table, obstacle):
    expected, folder = table(), kept.folder
    store.remove(kept.path())
    obstacle(kept)
    for _ in range(2):
        assert_same(table(), expected)
        assert kept.made == 1 and as_policy("default", SPEC).is_exact
    assert {path.name for path in folder.iterdir()} <= {"file"}


def test_the_quota_removes_what_was_used_longest_ago(kept, monkeypatch):
    kept.table(THIRD)
    monkeypatch.setattr(store, "SMALL_BYTES", store.tables_on_disk()[0].bytes)
    kept.fixed(), kept.table(OTHER), kept.table()
    for seconds, one in enumerate(store.tables_on_disk()[::-1], 1):
        os.utime(one.path / "table.json", (seconds, seconds))
    kept.fixed()  # the use of a table counts
    size = sum(one.bytes for one in store.tables_on_disk() if one.table != THIRD)
    monkeypatch.setenv(store.QUOTA_VARIABLE, str(size / 1e9))
    kept.table("connect4:columns=4,rows=3,length=2")
    assert OTHER not in kept.specs() and {THIRD, WITH_AGENT} < {*kept.specs()}
    monkeypatch.setenv(store.QUOTA_VARIABLE, "0")
    kept.remove()
    assert kept.table() and kept.fixed() and kept.table(THIRD) and kept.specs() == [THIRD]


@pytest.mark.parametrize("wrong", ["x", "-1", "nan"])
def test_a_wrong_quota_is_one_line_before_the_work(kept, all_large, monkeypatch, wrong):
    monkeypatch.setenv(store.QUOTA_VARIABLE, wrong)
    said = f"expected a number of gigabytes in TTT_FAST_TABLES_GB, got '{wrong}'"
    with pytest.raises(UsageError, match=said):
        kept.table()
    assert_one_line(run("info", "tables"), 2, said)
    assert_one_line(run("exact", AGENT, "random", "--fixed-seat", "x", "--game", BOARD), 2, said)
    assert kept.made == 0


WRITER = f"""
import sys
from pathlib import Path
from ttt_fast.tables import store, table_of
store.folder = lambda: Path(sys.argv[1])
save = store.np.save
def stop(*given, **more):
    print("writing", flush=True)
    sys.stdin.readline()
    save(*given, **more)
store.np.save = stop
print(table_of({SPEC!r}).num_states)
"""


def writer(kept):
    words = [sys.executable, "-c", WRITER, kept.folder]
    found = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert found.stdout.readline() == "writing\n"
    return found


def test_what_killed_commands_left_is_removed(kept, all_large):
    with writer(kept) as process:
        (new,) = kept.folder.iterdir()
        kept.table()
        assert kept.specs() == [SPEC] and new.exists() and store.leftovers() == []  # somebody may be writing
        process.kill()
    os.utime(new / "lock", (1, 1))
    assert store.leftovers() == [new]
    kept.table(OTHER)
    assert store.leftovers() == [] and not new.exists() and len(kept.specs()) == 2


def test_two_processes_that_write_at_once(kept):
    both = [writer(kept), writer(kept)]
    found = {process.communicate("\n" * 99, timeout=PATIENCE)[0].split()[-1] for process in both}
    assert found == {str(kept.table().num_states)} and not kept.made
    assert kept.specs() == [SPEC] and store.leftovers() == []


def received(queue, text):
    policy = pickle.loads(text)
    queue.put((policy.table.fixed, policy.table.arrays(), policy.edge_probabilities))


def test_pickles_of_tables_with_a_fixed_seat(kept):
    policies = [induced_table(agent, 1, BOARD).policy for agent in (last, AGENT)]
    (text, short), table = map(pickle.dumps, policies), policies[1].table
    assert pickle.loads(short).table is table and len(pickle.dumps(table)) < 2000
    kept.new()
    opened = pickle.loads(short).table
    assert opened is not table and not kept.made
    assert_same(opened, table)
    kept.remove()
    kept.new()
    with pytest.raises(TableSizeError, match="expected the table of 'centre-first' on disk, to which a pickled object"):
        pickle.loads(short)
    for policy, sent in ((policies[0], text), (policies[1], pickle.dumps(policies[1]))):  # neither is on disk
        context = multiprocessing.get_context("spawn")
        queue = context.Queue()
        process = context.Process(target=received, args=(queue, sent))
        process.start()
        fixed, arrays, chances = queue.get(timeout=PATIENCE)
        process.join()
        assert fixed == policy.table.fixed and np.array_equal(chances, policy.edge_probabilities)
        assert all(np.array_equal(arrays[name], array) for name, array in policy.table.arrays().items())


def test_the_command(kept):
    kept.table(), kept.fixed()
    rows = run("info", "tables", "--format", "json").json()["rows"]
    assert [row["table"] for row in rows] == [WITH_AGENT, SPEC]
    assert rows[1]["states"] == table_of(SPEC).num_states and rows[0]["bytes"] > 1000
    assert "0.00 GB" in run("info", "tables").text and run("info", "tables").text.count(str(kept.folder)) == 1
    assert [row["table"] for row in run("info", "tables", "--game", SPEC, "-f", "json").json()["rows"]] == [SPEC]
    lost = kept.folder / "lost.table"
    lost.mkdir()
    os.utime(lost, (1, 1))
    assert run("info", "tables", "clear", "--game", BOARD).err.startswith("removed 1 table, ") and lost.exists()
    assert "removed 1 table, 0.00 GB, and 1 folder that commands left unfinished" in run("info", "tables", "clear").err
    assert list(kept.folder.iterdir()) == []
    text = " ".join(run("info", "tables").text.split())
    assert text == f"no tables in {kept.folder}, which may hold 20 GB"


@pytest.mark.parametrize("spec", ["heuribot", "heuribot:as=coded", "default"])
def test_what_is_derived_from_a_table_is_read_and_made_again(kept, monkeypatch, spec):
    first, made = as_policy(spec).signature, []
    (base,) = (path for path in kept.folder.iterdir() if path.stem == table_of("tic-tac-toe").game.file_name)
    (path,) = (path for path in kept.folder.iterdir() if path != base)
    for module, name in ((heuribot, "_classify"), (simple_players, "_fill_win_or_block")):
        inner = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, inner=inner: (made.append(1), inner(*given))[1])

    def again():
        made.clear(), kept.new()
        assert as_policy(spec).signature == first
        return len(made)

    assert again() == 0
    flipped(path / "actions.npy")
    with pytest.warns(UserWarning, match="^the kept table of .* of tic-tac-toe is damaged and is made again: actions"):
        assert again() == 1
    store.remove(base)
    for change in ({"source": "0"}, {"table": "0"}):
        kept.describe(**change)
        assert (again(), again()) == (1, 0)
        store.remove(base)


def test_a_large_table_is_released_when_another_one_comes(kept, all_large, monkeypatch):
    """It is the same object as long as it is in use."""
    monkeypatch.setattr(best_response, "_BY_PLIES", 0)
    for ask in (lambda: table_of(SPEC, 10_000), lambda: induced_table(AGENT, 1, BOARD).table):
        table = weakref.ref(ask())
        used = ask()
        assert used is table() and table_of(OTHER, 10_000) and ask() is used
        if used.fixed is not None:
            induced = induced_table(AGENT, 1, BOARD)
            assert induced.best_value == 1 and induced.refutation and induced.outcome("default").fractions
            del induced
        del used
        table_of(OTHER, 10_000)
        gc.collect()
        assert table() is None


def test_what_is_computed_about_a_table_goes_with_it(kept, all_large):
    """Symmetries, the default opponent, samples, a learner's opponents and measures, the environment of one game."""
    table = weakref.ref(used := table_of(SPEC, 10_000))
    agents = as_policy("default", used), as_policy("random", used)
    first = tables.symmetry_of(used)
    assert first is tables.symmetry_of(used) is tables.symmetry_of(SPEC)
    contest(*agents, ContestConfig(1000, game=SPEC))
    train(start_training({"game": SPEC, "opponent": "random", "episodes": 10}))
    Environment(SPEC).reset()
    del used, agents
    table_of(OTHER, 10_000)
    gc.collect()
    assert table() is None


def test_a_run_over_a_large_table_is_read_by_the_next_process(kept, all_large, tmp_path_factory, monkeypatch):
    path = tmp_path_factory.mktemp("run") / "q.npz"
    train(start_training(TrainingConfig(game=SPEC, exact=True, episodes=1000)), checkpoint=path)
    kept.new()
    monkeypatch.setattr(npz, "MAX_FILE_BYTES", 100)  # a game of millions of states has files beyond the usual limit
    assert TrainingRun.load(path).config.exact and not kept.made
    assert run("score", path, "--game", SPEC).code == 0
