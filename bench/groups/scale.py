"""Tables of ten and a hundred million states: what an edge costs, beside plain loops; memory."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from baselines import scale as plain
from groups.timing import CHILD_IMPORTS, Effort, Group, Rows, one_core, seconds_row, take_turns, value_row
from ttt_fast.algorithms.episodes import Episodes
from ttt_fast.algorithms.tabular import interleaved
from ttt_fast.core.plain import frozen
from ttt_fast.evaluate.exact_fractions import exact_fractions
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.best_response import best_response
from ttt_fast.policies.policy import Policy
from ttt_fast.running.timing import Candidate, timed
from ttt_fast.tables import Solution, StateTable, solve
from ttt_fast.tables.enumeration import enumerate_game
from ttt_fast.tables.store import QUOTA_VARIABLE

FOUR = "tic-tac-toe:rows=4,columns=4,length=4"
HUGE = "connect4:columns=6,rows=4"
SIZES = (
    "tic-tac-toe", "connect4:columns=4,rows=4,length=3", "connect4:columns=4,rows=4", "connect4:columns=4,rows=5",
    "connect4:columns=5,rows=4", FOUR, HUGE,
)  # fmt: skip
EPISODES = 200_000


def scale(effort: Effort) -> Rows:
    """Measure the questions over rising sizes, then 4x4 beside plain loops, and memory."""
    with one_core():
        return [*_sizes(), *_beside_plain_loops(effort), *_memory()]


def _sizes() -> Rows:
    """Return nanoseconds an edge of each question for each game."""
    rows: Rows = []
    for spec in SIZES:
        game = parse_game(spec)
        seconds, table = _fastest(lambda game=game: enumerate_game(game, 10**9), 1 if spec == HUGE else 3)
        uniform, edges = Policy.uniform(table), table.num_edges
        told = f"{table.num_states:,} states, {edges:,} edges"
        rows.append(seconds_row(f"table of {spec}", seconds, told))
        questions: dict[str, Callable[[], Any]] = {
            "table": lambda: None,
            "uniform v uniform": partial(exact_outcome, uniform, uniform),
            "best response to uniform": partial(best_response, uniform, 1),
            "solution": partial(solve, table),
        }
        for name, ask in questions.items():
            spent = seconds if name == "table" else _fastest(ask, 3)[0]
            row = value_row(f"ns an edge, {name}, {edges:,} edges", spent / edges * 1e9, spec)
            rows.append(row)
        del table, uniform, questions
    return rows


def _fastest(ask: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the least seconds of some calls, the first of which may compile, and the last result."""
    found, spent = ask(), []
    for _ in range(repeats):
        box: list[Any] = []
        del found
        spent.append(timed(lambda box=box: box.append(ask())))
        found = box.pop()
    return min(spent), found


def _beside_plain_loops(effort: Effort) -> Rows:
    """Return the rates of 4x4, four in a row, each beside a plain loop over the same arrays."""
    table = enumerate_game(parse_game(FOUR), 10**8)
    uniform = Policy.uniform(table)
    drawn = frozen(np.repeat(1 / np.maximum(np.diff(table.edge_start), 1), np.diff(table.edge_start)))
    floats = Policy.from_probabilities(table, drawn, "floats")
    calls = partial(Candidate, unit="calls", units=1)
    pairs = [
        [
            calls(name="ttt_fast: 4x4, uniform v uniform", run=lambda: exact_outcome(uniform, uniform)),
            calls(
                name="plain loop: 4x4, uniform v uniform", run=lambda: plain.uniform_reach(table.edges, _zeros(table))
            ),
        ],
        [
            calls(name="ttt_fast: 4x4, two policies of floats", run=lambda: exact_outcome(floats, floats)),
            calls(
                name="plain loop: 4x4, two policies of floats",
                run=lambda: plain.float_reach(table.edges, drawn, drawn, _zeros(table)),
            ),
        ],
        [
            calls(name="ttt_fast: 4x4, full solution", run=lambda: solve(table)),
            calls(name="plain loop: 4x4, full solution", run=lambda: plain.full_solution(table.edges, _empty(table))),
        ],
        _learners(table, uniform),
    ]
    rows = [row for pair in pairs for row in take_turns(pair, effort, pair[-1].name)]
    seconds, found = _fastest(lambda: exact_fractions(uniform, uniform), 3)
    return [*rows, seconds_row("4x4, uniform v uniform as fractions", seconds, ", ".join(map(str, found)))]


def _zeros(table: StateTable) -> Any:
    return np.zeros(table.num_states)


def _empty(table: StateTable) -> Solution:
    states, edges = table.num_states, table.num_edges
    return Solution(
        np.empty(states, np.int8), np.empty(states, np.int16), np.empty(edges, np.bool_), np.empty(edges, np.bool_)
    )


def _learners(table: StateTable, uniform: Policy) -> list[Candidate]:
    """Return Q-learning as X against random: several episodes in turn, and one after the other."""
    problem = interleaved.interleaved_problem(table, 1, uniform, np.array([1.0, 0.0, -1.0]), 1.0)
    lanes, counts = interleaved.make_lanes(interleaved.LANES), np.zeros(3, np.int64)
    episodes = Episodes(0, np.full(EPISODES, 0.1), np.full(EPISODES, 0.2))
    values, updated, streams = np.zeros((2, table.num_edges)), np.zeros(table.num_edges, np.bool_), [0, 0]

    def in_turn() -> None:
        streams[0] += 1
        stream = np.uint64(streams[0])
        interleaved.learn_interleaved(problem, values[0], updated, episodes, stream, lanes, counts)

    def in_order() -> None:
        streams[1] += 1
        plain.learn_in_order(table.edges, values[1], EPISODES, 0.1, 0.2, np.uint64(streams[1]))

    return [
        Candidate("ttt_fast: 4x4, Q-learning v random, 32 episodes in turn", "episodes", EPISODES, in_turn),
        Candidate("straightforward kernel: 4x4, Q-learning v random", "episodes", EPISODES, in_order),
    ]


_CHILD = """
import time
from pathlib import Path
import numpy as np
from groups.timing import own_peak_bytes
from ttt_fast.core import jit
from ttt_fast.core.plain import frozen
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import store, table_of
from ttt_fast.tables.enumeration import enumerate_game
jit.load()
spec, what, made, like, folder = sys.argv[1:]
store.folder = lambda: Path(folder)
small = Policy.uniform(enumerate_game(parse_game(like), 10**6))
exact_outcome(small, small)
started = time.perf_counter()
table = table_of(spec, 10**9) if made == "made" else store.open_table(parse_game(spec))[0]
opened = time.perf_counter() - started
counts = np.diff(table.edge_start)
def floats():
    chances = np.empty(table.num_edges)
    for states, edges in table.blocks():
        of = counts[states]
        chances[edges] = np.repeat(1 / np.maximum(of, 1), of)
    return Policy.from_probabilities(table, frozen(chances), "floats")
def choice():
    last = np.maximum(table.edge_start[1:], 1) - 1
    return Policy.from_actions(table, table.edge_action[last], "last")
x, o = {"floats": (floats, floats), "uniform": (lambda: Policy.uniform(table),) * 2,
        "choice": (choice, lambda: Policy.uniform(table))}[what]
x, o = x(), o()
started = time.perf_counter()
exact_outcome(x, o)
spent = time.perf_counter() - started
print(opened, spent, own_peak_bytes())
"""


def _memory() -> Rows:
    """Return seconds and peak memory of processes that make or open a table and evaluate a pair of policies."""
    rows: Rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, QUOTA_VARIABLE: "20"}
        for spec, like in (
            (FOUR, "tic-tac-toe:rows=2,columns=3,length=2"),
            (HUGE, "connect4:columns=3,rows=3,length=3"),
        ):
            for what, made in (("uniform", "made"), ("uniform", "opened"), ("choice", "opened"), ("floats", "opened")):
                words = [sys.executable, "-c", CHILD_IMPORTS + _CHILD, spec, what, made, like, folder]
                done = subprocess.run(words, capture_output=True, check=True, text=True, env=environment)
                opened, spent, peak = map(float, done.stdout.split())
                how = "makes its table" if made == "made" else "opens its table from disk, with its check"
                rows += [
                    seconds_row(f"{spec}: a process {how}", opened, f"before a pair of {what} policies"),
                    seconds_row(f"{spec}: a pair of {what} policies, exact", spent, "in that process"),
                    value_row(f"{spec}: peak GB with {what} policies", peak / 1e9, f"a process that {how}"),
                ]
    return rows


SCALE = Group("scale", "Exact evaluation at ten and a hundred million states, one thread", scale)
