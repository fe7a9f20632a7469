"""A board, or a whole game on one board, as an SVG picture without any library."""

from collections.abc import Sequence
from html import escape
from typing import Any

from ttt_fast.analysis.board import Place, board_of
from ttt_fast.core.errors import UsageError
from ttt_fast.core.text import printable
from ttt_fast.games import api
from ttt_fast.games.game import COLUMNS, FREE, SIDE, Game

CELL, MARGIN, CAPTION = 48, 16, 22
"""Pixels: side of a cell, space around the board, height of a line of text."""
_COLOURS = {"X": "#c0392b", "O": "#2166ac"}
_INK, _LINE, _WON = "#222222", "#9a9a9a", "#fff2b3"
_FONT = 'font-family="sans-serif"'


def board_svg(game: Game, start: Any, actions: Sequence[int] = (), title: str = "") -> str:
    """Return a position as SVG, or a game: its last position, with the number of the move on each mark.

    Parameters
    ----------
    game, start
        A position.
    actions
        The moves that follow it.
    title
        A line below the board; it is the title of the picture, too.

    Raises
    ------
    UsageError
        If the game has no board of cells.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> picture = board_svg(game, game.initial_state, [4, 0], "two moves")
    >>> picture.startswith("<svg "), picture.count("<circle "), ">2</text>" in picture
    (True, 1, True)
    """
    state, numbers, title = start, dict[Place, int](), printable(title)  # XML forbids control characters
    for number, action in enumerate(actions, start=1):
        state = api.play(state, action)
        moved = board_of(game, state, action)
        if moved is not None and moved.last is not None:
            numbers[moved.last] = number
    board = board_of(game, state)
    if board is None:
        raise UsageError(f"expected a game with a board of cells for a picture, got {game.spec!r}")
    grid, is_stone = board.rows, board.kind == COLUMNS
    width, height = CELL * len(grid[0]) + 2 * MARGIN, CELL * len(grid) + 2 * MARGIN + (CAPTION if title else 0)
    parts = [_cell(place, place in board.line) for place in _places(grid)]
    if is_stone:
        parts += [_stone(place, grid) for place in _places(grid)]
    else:
        parts += [*_rules(grid), *(_mark(place, grid) for place in _places(grid))]
    parts += [_number(place, number, is_stone) for place, number in numbers.items()]
    if title:
        parts.append(_text(width / 2, height - MARGIN / 2, title, 14, _INK))
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{escape(title or game.spec)}</title>'
    ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, ground, *filter(None, parts), "</svg>", ""])


def _places(grid: Sequence[str]) -> list[Place]:
    return [(row, column) for row, cells in enumerate(grid) for column in range(len(cells))]


def _corner(place: Place) -> Place:
    return MARGIN + CELL * place[1], MARGIN + CELL * place[0]


def _cell(place: Place, is_won: bool) -> str:
    x, y = _corner(place)
    return f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{_WON}"/>' if is_won else ""


def _stone(place: Place, grid: Sequence[str]) -> str:
    """Return a stone of Connect 4, or the hole where one may come."""
    (x, y), mark = _corner(place), grid[place[0]][place[1]]
    fill = _COLOURS.get(mark, "#ffffff")
    return f'<circle cx="{x + CELL / 2:g}" cy="{y + CELL / 2:g}" r="{0.42 * CELL:g}" fill="{fill}" stroke="{_LINE}"/>'


def _mark(place: Place, grid: Sequence[str]) -> str:
    """Return a cross or a ring."""
    (x, y), mark, inner = _corner(place), grid[place[0]][place[1]], 2 * CELL // 7
    stroke = f'stroke="{_COLOURS.get(mark, _LINE)}" stroke-width="5" fill="none"'
    if mark == FREE:
        return ""
    if mark == "O":
        return f'<circle cx="{x + CELL / 2:g}" cy="{y + CELL / 2:g}" r="{CELL / 2 - inner + 1:g}" {stroke}/>'
    side = CELL - 2 * inner
    crossed = f"M{x + inner} {y + inner}l{side} {side}m0 {-side}l{-side} {side}"
    return f'<path d="{crossed}" stroke-linecap="round" {stroke}/>'


def _rules(grid: Sequence[str]) -> list[str]:
    """Return the lines between cells; those between the boards of Ultimate are thick."""
    rows, columns = len(grid), len(grid[0])
    is_nested = rows == columns == SIDE * SIDE
    lines = []
    for index in range(1, max(rows, columns)):
        wide = 3 if is_nested and index % SIDE == 0 else 1
        at, stroke = MARGIN + CELL * index, f'stroke="{_INK if wide > 1 else _LINE}" stroke-width="{wide}"'
        if index < columns:
            lines.append(f'<path d="M{at} {MARGIN}v{CELL * rows}" {stroke}/>')
        if index < rows:
            lines.append(f'<path d="M{MARGIN} {at}h{CELL * columns}" {stroke}/>')
    return lines


def _number(place: Place, number: int, is_stone: bool) -> str:
    """Return the number of a move: in the middle of a stone, in the corner of a cell."""
    x, y = _corner(place)
    if is_stone:
        return _text(x + CELL / 2, y + CELL / 2 + 5, str(number), 15, "#ffffff")
    return _text(x + CELL - 8, y + 11, str(number), 10, _INK)


def _text(x: float, y: float, text: str, size: int, colour: str) -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="middle"'
    return f'<text {place} font-size="{size}" fill="{colour}" {_FONT}>{escape(text)}</text>'
