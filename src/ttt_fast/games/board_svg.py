"""SVG pictures of a board, or of a whole game on one board, for files and notebooks; no library is needed."""

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap

from ttt_fast.core.errors import UsageError, printable
from ttt_fast.games.board import FREE, SIDE, Board, Note, Place

CELL, MARGIN, CAPTION = 48, 16, 22
"""Pixels: side of a cell, margin around the board, height of a line of text."""
_LETTER = 8
"""Pixels: width of a letter of the caption, more than the average."""
_COLOURS = {"X": "#c0392b", "O": "#2166ac"}
_INK, _LINE, _WON = "#222222", "#9a9a9a", "#fff2b3"
_SHADE, _LOSS = "#14655a", "#a5213a"
_FONT = 'font-family="sans-serif"'


def board_svg(boards: Sequence[Board], name: str, title: str = "", notes: Mapping[int, Note] | None = None) -> str:
    """Return the last of a sequence of boards as SVG; marks placed within the sequence carry their move numbers.

    Parameters
    ----------
    boards
        The boards of a line of play, or a single board.
    name
        The name of the game.
    title
        A text below the board, also used as the title of the picture (default: the name of the game).
    notes
        Notes for some actions.

    Raises
    ------
    UsageError
        If the game has no board of cells.
    """
    board, title = boards[-1], printable(title)  # XML forbids control characters
    if not board.rows:
        raise UsageError(f"expected a game with a board of cells for a picture, got {name!r}")
    grid, is_stone = board.rows, board.kind == "columns"
    width = CELL * len(grid[0]) + 2 * MARGIN
    lines = wrap(title, (width - MARGIN) // _LETTER)
    height = CELL * len(grid) + 2 * MARGIN + CAPTION * len(lines)
    numbers = {one.last: number for number, one in enumerate(boards) if number and one.last is not None}
    parts = [_cell(place) for place in board.places if place in board.line]
    if is_stone:
        parts += [_stone(place, board.mark(place)) for place in board.places]
    else:
        parts += [*_rules(grid), *(_mark(place, board.mark(place)) for place in board.places)]
    parts += [_number(place, number, is_stone) for place, number in numbers.items()]
    parts += [part for action, note in (notes or {}).items() for part in _note(board, action, note)]
    first = height - MARGIN / 2 - CAPTION * len(lines)
    parts += [_text(width / 2, first + CAPTION * row, line, 14, _INK) for row, line in enumerate(lines, 1)]
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{escape(title or name)}</title>'
    ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, ground, *filter(None, parts), "</svg>", ""])


def board_html(board: Board, name: str, notes: Mapping[int, Note] | None = None) -> str:
    """Return a board as HTML for a notebook: its picture, or its text and notes if it has no cells."""
    if board.rows:
        return board_svg([board], name, "", notes)
    lines = [board.text, *(f"{board.moves[action]}: {note[0]}" for action, note in (notes or {}).items())]
    return "<pre>" + escape("\n".join(lines)) + "</pre>"


def _corner(place: Place) -> Place:
    return MARGIN + CELL * place[1], MARGIN + CELL * place[0]


def _cell(place: Place) -> str:
    """Return the background of a cell of the winning line."""
    x, y = _corner(place)
    return f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{_WON}"/>'


def _stone(place: Place, mark: str) -> str:
    """Return a stone of Connect 4, or an empty hole."""
    (x, y), fill = _corner(place), _COLOURS.get(mark, "#ffffff")
    return f'<circle cx="{x + CELL / 2:g}" cy="{y + CELL / 2:g}" r="{0.42 * CELL:g}" fill="{fill}" stroke="{_LINE}"/>'


def _mark(place: Place, mark: str) -> str:
    """Return a cross or a circle."""
    (x, y), inner = _corner(place), 2 * CELL // 7
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


def _note(board: Board, action: int, note: Note) -> list[str]:
    """Return the shade and the text of a note, in the cell that its action marks."""
    if board.kind == "columns":
        place = max(row for row, marks in enumerate(board.rows) if marks[action] == FREE), action
    else:
        place = next(place for place in board.places if board.number_of(place) == action)
    (x, y), side, (words, share, is_dashed) = _corner(place), CELL - 4, note
    edge = f' stroke="{_LOSS}" stroke-width="2" stroke-dasharray="5 3"' if is_dashed else ""
    shape = f'<rect x="{x + 2}" y="{y + 2}" width="{side}" height="{side}" rx="3"'
    shade = f'{shape} fill="{_SHADE}" fill-opacity="{0.08 + 0.28 * share:.2f}"{edge}/>'
    text = _text(x + CELL / 2, y + CELL / 2 + 5, words, 14, _INK)
    return [shade, text] if share or is_dashed else [text]


def _text(x: float, y: float, text: str, size: int, colour: str) -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="middle"'
    return f'<text {place} font-size="{size}" fill="{colour}" {_FONT}>{escape(text)}</text>'
