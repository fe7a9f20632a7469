"""Connect 4 positions solved: batches, the plain solver's node counts, the empty board with one and two threads."""

from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from baselines.connect_four import solve_plain
from groups.timing import Effort, Group, Rows, compile_row, one_core, seconds_row, take_turns, value_row
from ttt_fast.games.registry import parse_game
from ttt_fast.running.timing import Candidate
from ttt_fast.search.connect_four.answers import read_lines
from ttt_fast.search.connect_four.solver import Solver, solve_positions

ROOT = Path(__file__).resolve().parent.parent.parent
TEST_SETS = {"Test_L3_R1": "51.3", "Test_L2_R1": "449.1"}
"""P. Pons' test sets and the mean number of nodes of his solver, as printed."""
TABLE_MB = 64
EMPTY_BOARD_TURNS = 5
_PART = "connect4_scores.txt"


def position_files() -> dict[str, Path]:
    """Return the test sets where they lie in `shared` beside the repository, else the part in `tests/data`."""
    whole = {name: ROOT.parent / "shared" / "data" / "connect4" / name for name in TEST_SETS}
    if all(path.is_file() for path in whole.values()):
        return whole
    return {_PART: ROOT / "tests" / "data" / _PART}


def solving(effort: Effort) -> Rows:
    """Measure batches and long searches; every score is compared with the published one on the way."""
    with one_core():
        rows = batches(effort)
    empty = empty_board()
    kernels = "from ttt_fast.search.connect_four.solver import load_kernels; load_kernels()"
    return [*rows, *empty, compile_row(kernels)]


def batches(effort: Effort) -> Rows:
    """Measure the solver with one thread and an empty table for each batch; count the nodes of the plain one."""
    game, rows, counts = parse_game("connect4"), [], []
    for name, path in position_files().items():
        lines = read_lines(game, path)
        positions = np.array([line.words for line in lines], np.uint64)
        expected = np.array([line.expected for line in lines])

        def ours(positions: NDArray[np.uint64] = positions) -> NDArray[np.int64]:
            return solve_positions(positions).scores

        timed = take_turns([Candidate(f"ttt_fast: {name}", "positions", len(lines), ours)], effort)
        rows += timed
        fast, slow = solve_positions(positions), solve_plain(positions)
        assert (fast.scores == expected).all() and (slow.scores == expected).all()
        printed = f"; {TEST_SETS[name]} are published" if name in TEST_SETS else ""
        each = f"{len(lines):,} positions, every score as in the file"
        counts += [
            value_row(f"{name}: µs a position", 1e6 / timed[0]["per_second"], f"ttt_fast, {each}"),
            value_row(f"{name}: mean nodes", float(fast.nodes.mean()), "ttt_fast"),
            value_row(f"{name}: mean nodes of the plain solver", float(slow.nodes.mean()), f"P. Pons' rules{printed}"),
        ]
    return [*rows, *counts]


def empty_board() -> Rows:
    """Measure the whole game with one thread and with two, in turns, each with an empty table."""
    spent: dict[int, list[float]] = {1: [], 2: []}
    nodes: dict[int, list[int]] = {1: [], 2: []}
    for _ in range(EMPTY_BOARD_TURNS):
        for threads in spent:
            solved = Solver(table_mb=TABLE_MB, threads=threads, book=False).score((0, 0))
            assert solved.score == 1
            spent[threads].append(solved.seconds)
            nodes[threads].append(solved.nodes)
    rows = [
        seconds_row(
            f"empty board, {threads} thread{'s' * (threads > 1)}",
            median(spent[threads]),
            f"median of {EMPTY_BOARD_TURNS} runs, table of {TABLE_MB} MiB, {median(nodes[threads]):,} nodes, score +1",
        )
        for threads in spent
    ]
    ratios = [one / two for one, two in zip(spent[1], spent[2], strict=True)]
    note = f"median of the ratios of {EMPTY_BOARD_TURNS} turns; from {min(ratios):.2f} to {max(ratios):.2f}"
    return [*rows, value_row("two threads are so many times as fast as one", median(ratios), note)]


SOLVING = Group("solving", "Connect 4 positions solved", solving)
