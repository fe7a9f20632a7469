"""Exact results of an agent in one seat of Connect 4, from the positions that it leaves; beside dictionaries in Python.

Each board of 7x6 is measured in a process of its own, with all tables anew: the scripted rule on one core, the shipped
n-tuples at one ply on all cores.
"""

import os
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

from baselines import induced as plain
from groups.timing import CHILD_IMPORTS, Effort, Group, Rows, one_core, seconds_row, value_row
from ttt_fast.agents.shipped import WEIGHTS

PLAIN_BOARD = "connect4:columns=6,rows=5"
_CHILD = """
import os, time, ttt_fast
from pathlib import Path
from groups.timing import own_peak_bytes
from ttt_fast import induced_table
from ttt_fast.tables import store
agent, seat, game, cores, folder = sys.argv[1:]
if cores == "one":
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
store.folder = lambda: Path(folder)
small = induced_table("centre-first", seat, "connect4:columns=5,rows=4")
small.outcome("random").fractions, small.best_value, small.refutation
try:
    induced_table(agent, seat, game, max_positions=100)  # compiles the kernels of the agent
except ttt_fast.TableSizeError:
    pass
def timed(ask):
    started = time.perf_counter()
    found = ask()
    return found, time.perf_counter() - started
induced, made = timed(lambda: induced_table(agent, seat, game))
outcome, spent = timed(lambda: induced.outcome("random"))
fractions, exactly = timed(lambda: outcome.fractions)
value, responded = timed(lambda: induced.best_value)
line, refuted = timed(lambda: induced.refutation)
print(induced.positions, made, spent + exactly, responded, refuted, own_peak_bytes(), value, fractions.x_wins,
      line.moves if line else "none")
"""


def induced(effort: Effort) -> Rows:
    """Measure the rule in both seats and the n-tuples as X, then the rule on a small board beside dictionaries.

    Each table is made by one process, and opened by a second one.
    """
    rows: Rows = []
    for agent, name, seat, cores in (
        ("centre-first", "the rule", "x", "one"),
        ("centre-first", "the rule", "o", "one"),
        (str(WEIGHTS / "connect4.npz"), "n-tuples at one ply", "x", "all"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, "-c", CHILD_IMPORTS + _CHILD, agent, seat, "connect4", cores, folder]
            environment = {**os.environ, "TTT_FAST_TABLES_GB": "20"}
            first, again = (
                subprocess.run(words, capture_output=True, check=True, text=True, env=environment).stdout.split()
                for _ in range(2)
            )
        positions, *figures, value, fraction, line = first
        made, spent, responded, refuted, peak = map(float, figures)
        opened, spent_again = map(float, again[1:3])
        what, on = f"7x6, {name} as {seat.upper()}", f"{cores} core{'s' if cores == 'all' else ''}"
        rows += [
            value_row(f"{what}: positions", float(positions), "not terminal, both seats"),
            seconds_row(f"{what}: table made", made, on),
            seconds_row(f"{what}: outcome against random", spent, f"X wins {fraction}"),
            seconds_row(f"{what}: table and outcome", made + spent, on),
            seconds_row(f"{what}: table and outcome, again", opened + spent_again, "the table is on disk"),
            seconds_row(f"{what}: value of the best response", responded, f"value {value}"),
            seconds_row(f"{what}: shortest refutation", refuted, line),
            value_row(f"{what}: peak GB", peak / 1e9, "of the process"),
        ]  # fmt: skip
    return [*rows, *_beside_dictionaries(effort)]


def _beside_dictionaries(effort: Effort) -> Rows:
    """Return the seconds of the rule's outcome on a small board, and of the same by dictionaries."""
    from ttt_fast import Policy, exact_outcome
    from ttt_fast.agents.convert import as_spec
    from ttt_fast.agents.resolve import resolve
    from ttt_fast.analysis.fixed_seats import Limits, enumerated
    from ttt_fast.analysis.induced import InducedTable
    from ttt_fast.games.registry import parse_game
    from ttt_fast.tables.state_table import FixedSeat

    game = parse_game(PLAIN_BOARD)
    agent, limits = resolve(as_spec("centre-first"), game), Limits.default()

    def x_wins() -> Fraction:
        induced = InducedTable(enumerated(agent, FixedSeat(1, "centre-first", ""), limits))
        found = exact_outcome(induced.policy, Policy.uniform(induced.table)).fractions
        assert found is not None
        return found.x_wins

    ways = {"ttt_fast": x_wins, "dictionaries in Python": lambda: plain.outcome(6, 5)[0]}
    spent: dict[str, list[float]] = {name: [] for name in ways}
    with one_core():
        x_wins()
        for _ in range(effort.repeats):
            for name, way in ways.items():
                started = time.perf_counter()
                found = way()
                spent[name].append(time.perf_counter() - started)
    medians = {name: sorted(of)[len(of) // 2] for name, of in spent.items()}
    ratio = medians["dictionaries in Python"] / medians["ttt_fast"]
    return [
        *(
            seconds_row(f"{PLAIN_BOARD}, the rule as X: {name}", one, f"X wins {found}")
            for name, one in medians.items()
        ),
        value_row("dictionaries in Python take", ratio, "times as long"),
    ]


INDUCED = Group("induced", "Exact results with a fixed seat, Connect 4", induced)
