"""Rows of `ttt-fast perft`: counts of lines and their rate, beside a line of progress."""

import time
from typing import Any

from ttt_fast.games.api import GameState
from ttt_fast.games.registry import Game
from ttt_fast.report.console import progress
from ttt_fast.search.perft import perft, perft_by_action

_WARM_DEPTHS = (2, 4)  # compile and load what is timed afterwards


def perft_rows(game: Game, start: GameState, depth: int, threads: int | None) -> list[dict[str, Any]]:
    """Return depth, leaves, seconds and leaves a second, for 1 to `depth` plies or until no line is left."""
    for plies in _WARM_DEPTHS:
        perft(start, plies, threads)
    rows: list[dict[str, Any]] = []
    while len(rows) < depth and (not rows or rows[-1]["leaves"]):
        plies = len(rows) + 1
        began = time.perf_counter()
        leaves = sum(_counted(start, plies, threads, f"{game.spec}, {plies} plies").values())
        seconds = time.perf_counter() - began
        rate = leaves / seconds
        rows.append(
            {"game": game.spec, "depth": plies, "leaves": leaves, "seconds": seconds, "leaves_per_second": rate}
        )
    return rows


def move_rows(game: Game, start: GameState, depth: int, threads: int | None) -> list[dict[str, Any]]:
    """Return the number of lines of `depth` plies that begin with each move."""
    counts = _counted(start, depth, threads, f"{game.spec}, {depth} plies")
    return [{"move": game.format_moves([action]), "leaves": leaves} for action, leaves in counts.items()]


def _counted(start: GameState, depth: int, threads: int | None, title: str) -> dict[int, int]:
    """Return the lines by first action, with a line of progress for a person."""
    with progress(100, "%", title) as update:

        def show(done: int, total: int) -> None:
            update(100 * done // total, f"{done} of {total} subtrees")

        return perft_by_action(start, depth, threads, show)
