"""The study as a command runs it: solve the empty board of each size, compare, write the table and the page."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ttt_fast.core.manifest import available_cores, environment
from ttt_fast.running.chunks import run_chunks
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import plies_to_end
from ttt_fast.search.connect_four.solver import SolvedActions, Solver, load_kernels
from ttt_fast.studies.connect4.page import page
from ttt_fast.studies.connect4.published import last_stone, outcome
from ttt_fast.studies.page import Progress, Row, Rows, write_study

SIZES = (
    *((4, height) for height in range(4, 11)),
    *((5, height) for height in range(4, 9)),
    *((6, height) for height in range(4, 8)),
    *((7, height) for height in range(4, 7)),
    (8, 4),
)
"""Width and height of the boards: those that take at most half a minute each."""
QUICK_CELLS = 25
TABLE_MB = 64.0


class SolvedBoard(NamedTuple):
    """A board and the answer for its first move."""

    size: BoardSize
    solved: SolvedActions


def solve_board(size: BoardSize) -> SolvedBoard:
    """Solve the empty board with a table of its own and one thread, so that the nodes are the same in every run."""
    return SolvedBoard(size, Solver(size, table_mb=TABLE_MB).action_scores((0, 0), best_only=True))


def board_row(board: SolvedBoard) -> Row:
    """Return the row of a board: its score, the best first moves, the last stone, beside what is published.

    Examples
    --------
    >>> board_row(solve_board(BoardSize(5, 4)))["best_first_moves"]
    '2 3 4'
    """
    (width, height), solved = board
    best = [one for one in solved.actions if one.is_best]
    score = best[0].score
    assert score is not None
    last, value = plies_to_end(score, 0, board.size), (score > 0) - (score < 0)
    known, known_last = outcome(width, height), last_stone(width, height)
    return {
        "width": width, "height": height, "value": value, "score": score, "stones_at_the_end": last,
        "best_first_moves": " ".join(str(one.action + 1) for one in best), "nodes": solved.nodes,
        "published_value": known, "published_stones": known_last,
        "verdict": "equal" if (value, last) == (known, known_last) else "different",
    }  # fmt: skip


def sizes_of(quick: bool) -> list[BoardSize]:
    """Return the boards of the study, the largest first: the last ones to start are then short."""
    sizes = [BoardSize(*size) for size in SIZES]
    return sorted((one for one in sizes if not quick or one.cells <= QUICK_CELLS), key=lambda one: -one.cells)


def run(folder: Path, *, quick: bool = False, threads: int | None = None, on_progress: Progress | None = None) -> Rows:
    """Write the report to `folder` and return a row for every board.

    Parameters
    ----------
    folder
        Gets README.md and boards.csv, the same bits on every run, and timing.json with the seconds of each board.
    quick
        Boards of at most 25 cells: for a first look.
    threads
        Boards that are solved at the same time (default: all cores); each by one thread.
    on_progress
        Told in words what has been done.
    """
    sizes, used = sizes_of(quick), threads or available_cores()
    load_kernels()
    started, boards = time.perf_counter(), []
    for board in run_chunks(lambda index: solve_board(sizes[index]), 0, len(sizes), used):
        boards.append(board)
        if on_progress is not None:
            on_progress(f"{board.size.width}x{board.size.height}, {board.solved.seconds:.1f} s")
    timing = {
        "environment": environment(), "threads": used, "seconds": time.perf_counter() - started,
        "seconds_of_boards": _seconds(boards),
    }  # fmt: skip
    rows = [board_row(board) for board in sorted(boards, key=lambda board: board.size)]
    write_study(folder, {"boards": rows}, page(rows, quick=quick, table_mb=TABLE_MB), timing)
    return rows


def _seconds(boards: Sequence[SolvedBoard]) -> dict[str, float]:
    return {f"{board.size.width}x{board.size.height}": round(board.solved.seconds, 3) for board in sorted(boards)}
