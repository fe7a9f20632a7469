"""Rows of `ttt-fast perft`: counts of lines and their rate, beside a line of progress."""

import time
from typing import Any

from ttt_fast.games.api import GameState
from ttt_fast.games.registry import Game
from ttt_fast.report.console import progress
from ttt_fast.search.perft import perft, perft_by_action

LONG_SECONDS = 60.0
"""A count that may take longer is announced."""
_WARM_DEPTHS = (2, 4)  # compile and load what is timed afterwards
_MOMENT = 0.05  # seconds: shorter counts say little about longer ones
_CENTURY = 100 * 365.25 * 86_400.0


def perft_rows(game: Game, start: GameState, depth: int, threads: int | None) -> tuple[list[dict[str, Any]], bool]:
    """Return depth, leaves, seconds and leaves a second, for 1 to `depth` plies or until no line is left.

    And whether these are all of them: after Ctrl-C they are those that had been counted by then.
    """
    rows: list[dict[str, Any]] = []
    while len(rows) < depth and (not rows or rows[-1]["leaves"]):
        plies = len(rows) + 1
        began = time.perf_counter()
        try:
            leaves = sum(_counted(start, plies, threads, f"{game.spec}, {plies} plies").values())
        except KeyboardInterrupt:
            if not rows:
                raise
            return rows, False
        seconds = time.perf_counter() - began
        rate = leaves / seconds
        rows.append(
            {"game": game.spec, "depth": plies, "leaves": leaves, "seconds": seconds, "leaves_per_second": rate}
        )
    return rows, True


def move_rows(game: Game, start: GameState, depth: int, threads: int | None) -> list[dict[str, Any]]:
    """Return the number of lines of `depth` plies that begin with each move."""
    counts = _counted(start, depth, threads, f"{game.spec}, {depth} plies")
    return [{"move": game.format_moves([action]), "leaves": leaves} for action, leaves in counts.items()]


def forecast_seconds(start: GameState, depth: int, threads: int | None) -> float:
    """Return about how many seconds it takes to count the lines of `depth` plies.

    Shorter lines are counted until that takes a moment; each further ply is taken to have as many times the lines of
    the one before as the last one that was counted.
    """
    for plies in _WARM_DEPTHS:
        perft(start, plies, threads)
    lines, seconds = 1, 0.0
    for plies in range(1, depth + 1):
        began = time.perf_counter()
        found = perft(start, plies, threads)
        seconds = time.perf_counter() - began
        if seconds > _MOMENT or not found:
            return seconds * (found / lines) ** (depth - plies)
        lines = found
    return seconds


def long_time(seconds: float) -> str:
    """Return a time of a minute and more in words.

    Examples
    --------
    >>> long_time(7200), long_time(1e30)
    ('2 hours', 'more than a century')
    """
    if seconds > _CENTURY:
        return "more than a century"
    for unit, size in (("year", _CENTURY / 100), ("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= size or unit == "minute":
            number = int(seconds / size)
            return f"{number} {unit}" + "s" * (number != 1)
    raise AssertionError


def _counted(start: GameState, depth: int, threads: int | None, title: str) -> dict[int, int]:
    """Return the lines by first action, with a line of progress for a person."""
    with progress(100, "%", title) as update:

        def show(done: int, total: int) -> None:
            update(100 * done // total, f"{done} of {total} subtrees")

        return perft_by_action(start, depth, threads, show)
