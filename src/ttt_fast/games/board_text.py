"""A board as text, in spans with named styles: a terminal colours them, and joined they are plain text.

Free cells show the numbers of their moves, (X) marks the last move, and [X] a cell of the winning line.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

from ttt_fast.games.board import FREE, SIDE, Board, Place

Style = Literal["", "x", "o", "x last", "o last", "faint", "strong", "note", "open"]
"""Marks of X and O, last moves of Ultimate, frames and free cells, signs, notes and legal moves, open boards."""
_MARKS: dict[str, Style] = {"X": "x", "O": "o"}
_LAST: dict[str, Style] = {"X": "x last", "O": "o last"}
_NOTES_IN_A_LINE = 4


class Span(NamedTuple):
    """A text and its style."""

    text: str
    style: Style = ""


class Drawing(tuple[Span, ...]):
    """The spans of a board, which print as plain text."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the plain text, with a newline after each line."""
        return "".join(span.text for span in self)


def drawn(board: Board, notes: Mapping[int, str]) -> Drawing:
    """Return a board as text, with short notes for some actions in or below the board.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> lines = str(drawn(game.board(game.parse_position("XX.OO....")), {2: "wins"})).splitlines()
    >>> lines[0], lines[2]
    ('   X    │   X    │ 2 wins ', '   O    │   O    │   5    ')
    """
    return Drawing(_PAINTERS[board.kind](board, notes))


def _sides(board: Board, place: Place) -> str:
    """Return the characters on either side of a cell."""
    return "[]" if place in board.line else "()" if place == board.last else "  "


def _cells(board: Board, notes: Mapping[int, str]) -> Iterator[Span]:
    """Yield rows of cells; free cells show their numbers and notes."""
    numbers = {action: f"{action} {notes.get(action, '')}".strip() for action in board.legal}
    width, columns = 2 + max([1, *map(len, numbers.values())]), len(board.rows[0])
    for place in board.places:
        row, column = place
        if row and not column:
            yield Span("┼".join(["─" * width] * columns) + "\n", "faint")
        mark, sides = board.mark(place), _sides(board, place)
        shown = numbers.get(board.number_of(place), "·") if mark == FREE else mark
        yield Span(f"{sides[0] + shown + sides[1]:^{width}}", _MARKS.get(mark, "faint"))
        yield Span("\n" if column + 1 == columns else "│", "faint")


def _columns(board: Board, notes: Mapping[int, str]) -> Iterator[Span]:
    """Yield rows of stones in a frame of constant width, then the column digits and the notes."""
    columns = range(len(board.rows[0]))
    for row, marks in enumerate(board.rows):
        yield Span("│", "faint")
        sides = [_sides(board, (row, column)) for column in columns]
        for column, mark in enumerate(marks):
            left, right = sides[column - 1][1] if column else " ", sides[column][0]
            between = (left + right).strip() if left + right != "][" else " "
            yield Span(between or " ", "strong")
            yield Span("·" if mark == FREE else mark, _MARKS.get(mark, "faint"))
        yield Span(sides[-1][1], "strong")
        yield Span("│\n", "faint")
    yield Span("└" + "─" * (2 * len(columns) + 1) + "┘\n", "faint")
    for column in columns:
        yield Span(" " if column else "  ")
        yield Span(board.moves[column], "strong" if column in board.legal else "faint")
    yield Span("\n")
    known = [f"{board.moves[column]}: {note}" for column, note in notes.items()]
    width = max(map(len, known), default=0)
    for first in range(0, len(known), _NOTES_IN_A_LINE):
        line = "   ".join(f"{note:<{width}}" for note in known[first : first + _NOTES_IN_A_LINE])
        yield Span(f"  {line.rstrip()}\n", "note")


def _boards(board: Board, notes: Mapping[int, str]) -> Iterator[Span]:
    """Yield nine boards of nine cells; a playable cell shows its number or note, and each board has a title line."""
    width = max([1, *map(len, notes.values())])
    for row, marks in enumerate(board.rows):
        if row and row % SIDE == 0:
            yield Span("┼".join(["─" * (SIDE * width + 4)] * SIDE) + "\n", "faint")
        if row % SIDE == 0:
            for column in range(SIDE):
                yield _title(board, row + column, SIDE * width + 4)
                yield Span("│" if column < SIDE - 1 else "\n", "faint")
        for column in range(len(marks)):
            if column % SIDE == 0:
                yield Span("│" if column else "", "faint")
                yield Span("(" if width == 1 and (row, column) == board.last else " ")
            yield from _nested_cell(board, (row, column), notes, width)
        yield Span("\n")


def _nested_cell(board: Board, place: Place, notes: Mapping[int, str], width: int) -> Iterator[Span]:
    """Yield a cell of a small board and the space after it; in narrow cells, it holds a bracket of the last move."""
    (row, column), mark, action = place, board.mark(place), board.number_of(place)
    if action in board.legal:
        yield Span(f"{notes.get(action, str(action % 9 + 1)):^{width}}", "note")
    else:
        styles = _LAST if place == board.last else _MARKS
        yield Span(" " * ((width - 1) // 2))
        yield Span("·" if mark == FREE else mark, styles.get(mark, "faint"))
        yield Span(" " * (width // 2))
    before_last = (row, column + 1) == board.last and (column + 1) % SIDE
    yield Span(" " if width > 1 else ")" if place == board.last else "(" if before_last else " ")


def _title(board: Board, number: int, width: int) -> Span:
    """Return the line above a small board: `[5]` if it is open to the next move, `3 = X` if X has won it."""
    actions, winner = range(9 * number, 9 * number + 9), board.small.winners[number]
    is_open = any(action in actions for action in board.legal)
    name = f"[{number + 1}]" if is_open else str(number + 1)
    if winner in _MARKS:
        return Span(f"{f'{name} = {winner}':^{width}}", _MARKS[winner])
    is_full = all(board.mark(place) != FREE for place in board.places if board.number_of(place) in actions)
    return Span(f"{f'{name} full' if is_full else name:^{width}}", "open" if is_open else "faint")


def _text(board: Board, notes: Mapping[int, str]) -> Iterator[Span]:
    """Yield the text of a position, then the notes line by line."""
    yield Span(board.text.replace("/", "\n") + "\n")
    for action, note in notes.items():
        yield Span(f"{board.moves[action]}: {note}\n", "note")


_PAINTERS: dict[str, Callable[[Board, Mapping[int, str]], Iterator[Span]]] = {
    "cells": _cells, "columns": _columns, "boards": _boards, "text": _text
}  # fmt: skip
