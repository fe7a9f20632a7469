"""Rows and progress of `ttt-fast solve`: positions, their scores, and the score of each move."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ttt_fast.errors import BoardError, FileFormatError, UsageError
from ttt_fast.games.registry import Game
from ttt_fast.report.console import message_console, rich_table, si_number
from ttt_fast.report.tables import render
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.solver import Solver, Words, check_positions, plies_to_end, solve_positions

VALUES = {1: "win", 0: "draw", -1: "loss"}
"""What a score means for the player to move."""
_SECONDS_BETWEEN_LINES = 0.2


class Line(NamedTuple):
    """A line of a file of positions: its number, the moves, the words, and the score that stands behind them."""

    number: int
    text: str
    words: Words
    expected: int | None


def board_size(game: Game) -> BoardSize:
    """Return the board of a game of Connect 4; raise UsageError for other games."""
    length = getattr(game.initial_state, "length", None)
    if game.spec.partition(":")[0] != "connect4" or length != 4:
        raise UsageError(f"expected connect4 with four in a row, the game that is solved here, got {game.spec!r}")
    return BoardSize(game.num_actions, int(game.initial_state.rows))  # type: ignore[attr-defined]


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
        If a line is no such thing; the message has its number.
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


def position_rows(
    game: Game, lines: Sequence[Line], weak: bool, table_mb: float | None, threads: int
) -> tuple[list[dict[str, Any]], float]:
    """Return a row for each position (value, score, plies to the end, nodes), and the seconds of all."""
    size = board_size(game)
    with status_line(f"{len(lines):,} positions") as update:
        solved = solve_positions(
            np.array([line.words for line in lines], np.uint64).reshape(-1, 2),
            size,
            weak=weak,
            table_mb=table_mb,
            threads=threads,
            on_progress=lambda done, nodes: update(nodes, f"{done:,} solved"),
        )
    rows = []
    for line, score, nodes in zip(lines, solved.scores.tolist(), solved.nodes.tolist(), strict=True):
        ply = line.words[1].bit_count()
        row = {"position": line.text, "ply": ply, **_judged(score, ply, size, weak), "nodes": nodes}
        if line.expected is not None:
            truth = max(-1, min(1, line.expected)) if weak else line.expected
            row |= {"expected": line.expected, "as_expected": truth == score}
        rows.append(row)
    return rows, solved.seconds


def single_row(game: Game, text: str, words: Words, weak: bool, solver: Solver) -> dict[str, Any]:
    """Return the row of one position: value, score, plies to the end, nodes, seconds."""
    with status_line(text or "empty board") as update:
        solved = solver.score(
            words, weak=weak, on_progress=lambda now: update(now.nodes, f"score {now.lower} to {now.upper}")
        )
    ply = words[1].bit_count()
    row = {"position": text, "ply": ply, **_judged(solved.score, ply, board_size(game), weak)}
    return row | {"nodes": solved.nodes, "seconds": solved.seconds}


def action_rows(
    game: Game, text: str, words: Words, weak: bool, best_only: bool, solver: Solver
) -> tuple[list[dict[str, Any]], int, float]:
    """Return a row for each legal action (or each best one), the nodes of all, and the seconds."""
    with status_line(text or "empty board") as update:
        solved = solver.action_scores(
            words,
            weak=weak,
            best_only=best_only,
            on_progress=lambda now: update(now.nodes, f"score {now.lower} to {now.upper}"),
        )
    size, ply = board_size(game), words[1].bit_count()
    rows = []
    for one in solved.actions:
        if one.score is not None:
            row = {"position": text, "action": game.format_moves([one.action])}
            rows.append(row | _judged(one.score, ply, size, weak) | {"best": one.is_best})
    return rows, solved.nodes, solved.seconds


def solve_report(game: Game, words: Words, rows: Sequence[dict[str, Any]]) -> str:
    """Return the report of one position: the board, who is to move, and the rows."""
    state = game.initial_state._replace(own=words[0], occupied=words[1])  # type: ignore[attr-defined]
    board = game.format_position(state).replace("/", "\n")
    digits = game.format_moves(range(game.num_actions))
    mover = "XO"[words[1].bit_count() % 2]
    shown = [{key: value for key, value in row.items() if key != "position"} for row in rows]
    return render([f"{board}\n{digits}\n", f"{mover} to move", rich_table(shown)])


class StatusUpdate(Protocol):
    """Told how many nodes have been visited, and a short text about how the search stands."""

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
