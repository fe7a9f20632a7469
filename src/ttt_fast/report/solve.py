"""Rows and progress of `ttt-fast solve`: positions, their scores, and the score of each move."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ttt_fast.core.errors import BoardError, FileFormatError
from ttt_fast.games.registry import Game
from ttt_fast.report.console import message_console, rich_table, si_number
from ttt_fast.report.tables import render, rows_report
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import Words, board_size, check_positions, plies_to_end
from ttt_fast.search.connect_four.solver import DEFAULT_TABLE_MB, Solver, solve_positions
from ttt_fast.search.connect_four.workers import SearchProgress

VALUES = {1: "win", 0: "draw", -1: "loss"}
"""The meaning of a score for the player to move."""
_SECONDS_BETWEEN_LINES = 0.2


class Line(NamedTuple):
    """A line of a file of positions: its number, the moves, the words, and the score behind them."""

    number: int
    text: str
    words: Words
    expected: int | None


class Question(NamedTuple):
    """The question: the game, weak or strong, the actions (all, best, none), and the means."""

    game: Game
    weak: bool
    actions: str
    table_mb: float | None
    threads: int


class Answer(NamedTuple):
    """Rows, the number of their positions, the cost, and the function that makes the text for a terminal."""

    rows: list[dict[str, Any]]
    positions: int
    nodes: int
    seconds: float
    shown: Callable[[], str]


def read_words(game: Game, text: str) -> Words:
    """Return the position of moves (`4453`) or of rows of marks, in a game that has not ended.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> read_words(parse_game("connect4"), "44")
    (2097152, 6291456)
    """
    state: Any = game.parse_position(text) if "/" in text else game.state_after(text)
    words = (int(state.own), int(state.occupied))
    try:
        check_positions(np.array([words], np.uint64), board_size(game))
    except BoardError:
        raise BoardError(f"expected a position of a game that has not ended, got {text!r}") from None
    return words


def read_lines(game: Game, path: Path) -> list[Line]:
    """Return the positions of a file: one a line, perhaps with its score behind it; `#` begins a remark.

    Raises
    ------
    FileFormatError
        If a line is no position; the message has its number.
    """
    lines = []
    try:
        content = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FileFormatError(f"{path}: expected lines of moves, got something that is no text") from None
    for number, line in enumerate(content.splitlines(), 1):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        if len(fields) > 2 or (len(fields) == 2 and not fields[1].lstrip("-").isdecimal()):
            raise FileFormatError(f"{path}, line {number}: expected moves and perhaps a score, got {line!r}")
        try:
            words = read_words(game, fields[0])
        except BoardError as error:
            raise BoardError(f"{path}, line {number}: {error}") from None
        lines.append(Line(number, fields[0], words, int(fields[1]) if len(fields) == 2 else None))
    return lines


def _judged(score: int, ply: int, size: BoardSize, weak: bool) -> dict[str, Any]:
    value = VALUES[(score > 0) - (score < 0)]
    if weak:
        return {"value": value}
    return {"score": score, "value": value, "plies": plies_to_end(score, ply, size)}


def answer_lines(asked: Question, lines: Sequence[Line]) -> Answer:
    """Return a row for each line of a file: value, score, plies to the end, nodes, and whether that is expected."""
    size = board_size(asked.game)
    with status_line(f"{len(lines):,} positions") as update:
        solved = solve_positions(
            np.array([line.words for line in lines], np.uint64).reshape(-1, 2),
            size,
            weak=asked.weak,
            table_mb=asked.table_mb,
            threads=asked.threads,
            on_progress=lambda done, nodes: update(nodes, f"{done:,} solved"),
        )
    rows = []
    for line, score, nodes in zip(lines, solved.scores.tolist(), solved.nodes.tolist(), strict=True):
        ply = line.words[1].bit_count()
        row = {"position": line.text, "ply": ply, **_judged(score, ply, size, asked.weak), "nodes": nodes}
        if line.expected is not None:
            truth = max(-1, min(1, line.expected)) if asked.weak else line.expected
            row |= {"expected": line.expected, "as_expected": truth == score}
        rows.append(row)
    return Answer(rows, len(rows), int(solved.nodes.sum()), solved.seconds, lambda: rows_report(rows))


def answer_position(asked: Question, text: str, words: Words) -> Answer:
    """Return a row for each legal action or each best one, or the row of the position itself."""
    size, ply = board_size(asked.game), words[1].bit_count()
    solver = Solver(size, table_mb=asked.table_mb or DEFAULT_TABLE_MB, threads=asked.threads)
    rows: list[dict[str, Any]]
    with status_line(text or "empty board") as update:

        def show(now: SearchProgress) -> None:
            update(now.nodes, f"score {now.lower} to {now.upper}")

        if asked.actions == "none":
            one = solver.score(words, weak=asked.weak, on_progress=show)
            nodes, seconds = one.nodes, one.seconds
            row = {"position": text, "ply": ply, **_judged(one.score, ply, size, asked.weak)}
            rows = [row | {"nodes": nodes, "seconds": seconds}]
        else:
            best_only = asked.actions == "best"
            found, nodes, seconds = solver.action_scores(words, weak=asked.weak, best_only=best_only, on_progress=show)
            rows = [
                {"position": text, "action": asked.game.format_moves([action]),
                 **_judged(score, ply, size, asked.weak), "best": is_best}
                for action, score, is_best in found
                if score is not None
            ]  # fmt: skip
    return Answer(rows, 1, nodes, seconds, lambda: _solve_report(asked.game, words, rows))


def _solve_report(game: Game, words: Words, rows: Sequence[dict[str, Any]]) -> str:
    """Return the report of one position: the board, who is to move, and the rows."""
    state = game.initial_state._replace(own=words[0], occupied=words[1])  # type: ignore[attr-defined]
    board = game.format_position(state).replace("/", "\n")
    digits = game.format_moves(range(game.num_actions))
    mover = "XO"[words[1].bit_count() % 2]
    shown = [{key: value for key, value in row.items() if key != "position"} for row in rows]
    return render([f"{board}\n{digits}\n", f"{mover} to move", rich_table(shown)])


class StatusUpdate(Protocol):
    """Called with the number of nodes visited, and a short text about the state of the search."""

    def __call__(self, nodes: int, status: str) -> None:
        """Show the new state."""


@contextmanager
def status_line(label: str) -> Iterator[StatusUpdate]:
    """Show nodes, nodes a second and seconds on standard error while a search goes on; silent when no terminal."""
    console = message_console()
    if not console.is_terminal:
        yield lambda nodes, status: None
        return
    started = last = time.monotonic()

    def update(nodes: int, status: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            rate = si_number(nodes / (now - started))
            shown.update(f"{label}: {si_number(nodes)} nodes, {rate} nodes/s, {now - started:.0f} s, {status}")

    with console.status(f"{label} ...") as shown:
        yield update
    sys.stderr.flush()
