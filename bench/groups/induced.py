"""Exact results of an agent in one seat of Connect 4, from the positions that it leaves; beside dictionaries in Python.

Each board of 7x6 is measured in a process of its own, with all tables anew: the scripted rule on one core, the shipped
n-tuples at one ply on all cores.
"""

import os
import subprocess
import sys
import tempfile
import time

from baselines import induced as plain
from groups.timing import CHILD_IMPORTS, Effort, Group, Rows, one_core, seconds_row, value_row
from ttt_fast.agents.shipped import WEIGHTS

PLAIN_BOARD = "connect4:columns=6,rows=5"
_CHILD = """
import os, time, ttt_fast
from pathlib import Path
from groups.timing import own_peak_bytes
from ttt_fast import exact_outcome, induced_table
from ttt_fast.tables import large
agent, seat, game, cores, folder, with_table = sys.argv[1:]
if cores == "one":
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
large.folder = lambda: Path(folder)
small = induced_table("centre-first", seat, "connect4:columns=5,rows=4")
small.outcome("random"), small.best_value, small.refutation
try:
    induced_table(agent, seat, game, max_positions=100)  # compiles the kernels of the agent
except ttt_fast.TableSizeError:
    pass
exact_outcome(*(small.policy, "random")[:: 1 if seat == "x" else -1])
def timed(ask):
    started = time.perf_counter()
    found = ask()
    return found, time.perf_counter() - started
induced, enumerated = timed(lambda: induced_table(agent, seat, game))
outcome, spent = timed(lambda: induced.outcome("random"))
value, responded = timed(lambda: induced.best_value)
line, refuted = timed(lambda: induced.refutation)
table = timed(lambda: induced.table)[1] if with_table == "yes" else 0.0
print(induced.positions, enumerated, spent, table, responded, refuted, own_peak_bytes(), value,
      outcome.fractions.x_wins, line.moves if line else "none")
"""


def induced(effort: Effort) -> Rows:
    """Measure the rule in both seats and the n-tuples as X, then the rule on a small board beside dictionaries."""
    rows: Rows = []
    for agent, name, seat, cores, table in (
        ("centre-first", "the rule", "x", "one", "yes"),
        ("centre-first", "the rule", "o", "one", "yes"),
        (str(WEIGHTS / "connect4.npz"), "n-tuples at one ply", "x", "all", "no"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            words = [agent, seat, "connect4", cores, folder, table]
            environment = {**os.environ, "TTT_FAST_TABLES_GB": "20" if cores == "all" else "0"}
            done = subprocess.run(
                [sys.executable, "-c", CHILD_IMPORTS + _CHILD, *words],
                capture_output=True, check=True, text=True, env=environment,
            )  # fmt: skip
        positions, *figures, value, fraction, line = done.stdout.split()
        enumerated, spent, made, responded, refuted, peak = map(float, figures)
        what, on = f"7x6, {name} as {seat.upper()}", f"{cores} core{'s' if cores == 'all' else ''}"
        whole = "table and outcome" if table == "yes" else "positions and outcome"
        rows += [
            value_row(f"{what}: positions", float(positions), "not terminal, both seats"),
            seconds_row(f"{what}: positions enumerated", enumerated, on),
            seconds_row(f"{what}: outcome against random", spent, f"X wins {fraction}"),
            *([seconds_row(f"{what}: induced table", made, on)] if table == "yes" else []),
            seconds_row(f"{what}: {whole}", enumerated + spent + made, on),
            seconds_row(f"{what}: value of the best response", responded, f"value {value}"),
            seconds_row(f"{what}: shortest refutation", refuted, line),
            value_row(f"{what}: peak GB", peak / 1e9, "of the process"),
        ]  # fmt: skip
    return [*rows, *_beside_dictionaries(effort)]


def _beside_dictionaries(effort: Effort) -> Rows:
    """Return the seconds of the rule's outcome on a small board, and of the same by dictionaries."""
    from ttt_fast.agents.sources import source_of
    from ttt_fast.analysis.levels import Limits, make_levels
    from ttt_fast.evaluate.levels import level_outcome
    from ttt_fast.games.registry import parse_game

    game = parse_game(PLAIN_BOARD)
    source, limits = source_of("centre-first", game), Limits.default()
    spent: dict[str, list[float]] = {"ttt_fast": [], "dictionaries in Python": []}
    with one_core():
        level_outcome(make_levels(source, game, 1, limits))
        for _ in range(effort.repeats):
            for name in spent:
                started = time.perf_counter()
                if name == "ttt_fast":
                    found = level_outcome(make_levels(source, game, 1, limits)).fractions
                    assert found is not None
                    x_wins = found.x_wins
                else:
                    x_wins = plain.outcome(6, 5)[0]
                spent[name].append(time.perf_counter() - started)
    medians = {name: sorted(of)[len(of) // 2] for name, of in spent.items()}
    ratio = medians["dictionaries in Python"] / medians["ttt_fast"]
    return [
        *(
            seconds_row(f"{PLAIN_BOARD}, the rule as X: {name}", one, f"X wins {x_wins}")
            for name, one in medians.items()
        ),
        value_row("dictionaries in Python take", ratio, "times as long"),
    ]


INDUCED = Group("induced", "Exact results with a fixed seat, Connect 4", induced)
