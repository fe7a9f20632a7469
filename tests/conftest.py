"""Shared fixtures: the tables, and the reference answers, each computed once."""

import os
import signal
import sys
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

import reference
from ttt_fast import Policy, StateTable, as_policy, exact_outcome, parse_game, regret, solution_of, table_of
from ttt_fast.core import jit
from ttt_fast.games import api
from ttt_fast.games.registry import OTHERS
from ttt_fast.tables import Solution
from ttt_fast.tables.enumeration import enumerate_game
from ttt_fast.tables.state_table import index_of_code
from ttt_fast.tables.store import QUOTA_VARIABLE

# Modules of the tests and of the many processes that they start are compiled once, whatever the surroundings say.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# The same examples in every run, no time limit (a first call may compile), and no folder left in the checkout.
# `--hypothesis-profile=thorough -m hypothesis` tries more.
settings.register_profile("thorough", deadline=None, derandomize=True, database=None)
settings.register_profile("suite", settings.get_profile("thorough"), max_examples=40)
settings.load_profile("suite")

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = REPOSITORY.parent / "shared"
"""Published files that are not part of the repository (CONTRIBUTING lists them); tests check more where it exists."""
WITH_PROVEN = find_spec("ttt_fast.proven") is not None
"""Whether the wing `proven` is there: the package and its tests do without it."""
PATIENCE = 900
"""Seconds that tests wait before they give up: far more than anything takes, on a loaded machine and compiling too."""


def examples(number):
    """The number of examples of a property that needs more than others: fewer in the quick suite."""
    return number if settings.get_current_profile_name() == "thorough" else number * 2 // 5


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """Let the processes that tests start be ended by signals, where the suite itself runs in the background."""
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.fixture(scope="session", autouse=True)
def _no_large_tables_left() -> None:
    """Leave no large table on the disk; the tests of these set the quota themselves."""
    os.environ[QUOTA_VARIABLE] = "0"


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> None:
    """Compile something before the first test: commands say so on stderr when they are the first of a version."""
    enumerate_game(parse_game("connect4:columns=2,rows=2,length=2"), 100)


@pytest.fixture(scope="module", autouse=True)
def _no_games_of_others() -> None:
    """Begin each module without games that documents or other modules have added."""
    OTHERS.clear()


@pytest.fixture(scope="session")
def table() -> StateTable:
    return table_of("tic-tac-toe")


@pytest.fixture(scope="session")
def solution(table: StateTable) -> Solution:
    return solution_of(table)


@pytest.fixture(scope="session")
def reference_states() -> list[reference.Board]:
    return reference.all_states()


def mean_regret(policy: Policy, opponent: Policy, seat: int) -> float:
    """The minimax value that the policy gives away in one game against `opponent`, on average."""
    reach = exact_outcome(*((policy, opponent) if seat == 1 else (opponent, policy))).reach
    return float((reach * regret(policy))[policy.table.player == seat].sum())


def random_states(starts, count: int, seed: int, most: int) -> list:
    """Ongoing states of random games from some starts in turn, after fewer plies than `most`."""
    import numpy as np

    generator, found = np.random.default_rng(seed), []
    while len(found) < count:
        state = starts[len(found) % len(starts)]
        for _ in range(int(generator.integers(0, most))):
            following = api.play(state, int(api.random_action(state, np.uint64(generator.integers(0, 2**63)))))
            if api.status(following) != api.ONGOING:
                break
            state = following
        found.append(state)
    return found


def random_policy(seed: int, zeros: float = 0.3) -> Policy:
    """A stochastic policy with random rows, some of whose entries are zero."""
    import numpy as np

    generator = np.random.default_rng(seed)
    table = table_of("tic-tac-toe")
    raw = generator.random(table.child.shape) * table.legal_action_mask
    thinned = raw * (generator.random(raw.shape) > zeros)
    empty = thinned.sum(axis=1) == 0
    thinned[empty] = raw[empty]
    sums = thinned.sum(axis=1, keepdims=True)
    return Policy.from_probabilities(table, thinned / np.where(sums > 0, sums, 1), f"random-rows-{seed}")


@pytest.fixture(scope="session")
def agent():
    """`as_policy`, remembering what it has parsed."""
    known: dict[str, Policy] = {}

    def parse(spec: str) -> Policy:
        if spec not in known:
            known[spec] = as_policy(spec)
        return known[spec]

    return parse


def as_strategy(policy: Policy) -> reference.Strategy:
    """A policy as the reference knows players: exact fractions where it has them, else its floats."""
    index, weights, probabilities = index_of_code(policy.table), policy.weights, policy.probabilities

    def play(board: reference.Board) -> dict[int, Fraction]:
        state = index[sum(mark * 3**cell for cell, mark in enumerate(board))]
        if weights is None:
            return {a: float(p) for a, p in enumerate(probabilities[state]) if p > 0}
        total = int(weights[state].sum())
        return {a: Fraction(int(w), total) for a, w in enumerate(weights[state]) if w}

    return play


COMPILED: list[str] = []
"""The kernels that this process has compiled, since the disk did not hold them, or that its workers have; those that
are kept on the disk."""


def note_compilations() -> None:
    """Note from now on which kernels numba compiles."""
    from numba.core import event

    class Compilations(event.Listener):
        def on_start(self, event):
            dispatcher = event.data["dispatcher"]
            if type(dispatcher._cache).__name__ == "SourcesCache":
                function = dispatcher.py_func
                COMPILED.append(f"{function.__module__}.{function.__qualname__}{event.data['args']}")

        def on_end(self, event):
            pass

    event.register("numba:compile", Compilations())


def pytest_configure(config):
    config.pluginmanager.register(Workers(config), "workers")
    jit.when_loaded(note_compilations)


def pytest_addoption(parser):
    parser.addoption("--compiled-log", help="file to which the names of the compiled kernels are written")


class Workers:
    """Brings together what the worker processes have compiled; one line at the end of a run."""

    def __init__(self, config):
        self.config = config

    def pytest_sessionfinish(self):
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["compiled"] = COMPILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        COMPILED.extend(getattr(node, "workeroutput", {}).get("compiled", []))

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.write_line(f"{len(COMPILED)} kernels compiled")
        if path := self.config.getoption("--compiled-log"):
            Path(path).write_text("".join(f"{line}\n" for line in sorted(COMPILED)), encoding="utf-8")


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of a module; they are skipped where the extra `browser-tests` is missing."""
    from browser_client import opened_browser

    with opened_browser() as opened:
        yield opened
