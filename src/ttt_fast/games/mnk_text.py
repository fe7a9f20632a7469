"""M,n,k-games as text: moves as numbers of cells, positions as rows of marks."""

from ttt_fast.core.errors import BoardError
from ttt_fast.games import api
from ttt_fast.games.marks_text import Place, format_marks, own_and_other, parse_marks
from ttt_fast.games.mnk import MnkState, has_line, rows_of


def split_moves(text: str) -> list[str]:
    """Return the moves of a line of play, separated by blanks or commas."""
    return text.replace(",", " ").split()


def parse_action(text: str, start: MnkState) -> int:
    """Return the action given by the number of a cell, from 0, row by row.

    Examples
    --------
    >>> from ttt_fast.games.mnk import initial_state
    >>> parse_action("11", initial_state(rows=3, columns=4))
    11
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and int(text) < start.board.bit_count()):
        raise BoardError(f"expected a cell from 0 to {start.board.bit_count() - 1}, got {text!r}")
    return int(text)


def format_action(action: int) -> str:
    """Return the number of a cell, the inverse of `parse_action`."""
    return str(action)


def parse_position(text: str, start: MnkState) -> MnkState:
    """Return the position given by rows of marks.

    Parameters
    ----------
    text
        The rows from the top, separated by '/': X and O for marks, '.' for free cells.
    start
        The empty board, which defines the size.

    Raises
    ------
    BoardError
        If the size or a character is wrong, the numbers of marks contradict X moving first, or the owner of a line
        cannot have moved last.

    Examples
    --------
    >>> from ttt_fast.games.mnk import initial_state
    >>> parse_position("XO../.X../....", initial_state(rows=3, columns=4)).own
    2
    """
    x, o = parse_marks(text, rows_of(start), start.columns, _place_in(start))
    own, other = own_and_other(x, o, lambda marks: has_line(marks, start), text)
    return start._replace(own=own, other=other)


def format_position(state: MnkState) -> str:
    """Return the rows of marks, the inverse of `parse_position`.

    Examples
    --------
    >>> from ttt_fast.games.mnk import initial_state
    >>> format_position(parse_position("XO../.X../....", initial_state(rows=3, columns=4)))
    'XO../.X../....'
    """
    x, o = (state.own, state.other) if api.player(state) == api.X else (state.other, state.own)
    return format_marks(x, o, rows_of(state), state.columns, _place_in(state))


def _place_in(state: MnkState) -> Place:
    """Return the bits of cells: row by row."""
    return lambda row, column: row * state.columns + column
