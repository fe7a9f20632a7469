"""Connect 4 as text: moves as column digits, positions as rows of marks."""

from ttt_fast.core.errors import BoardError
from ttt_fast.games.connect_four import ConnectFourState, has_line
from ttt_fast.games.marks_text import Place, format_marks, own_and_other, parse_marks

_DIGITS = "123456789abcdefghijklmnopqrstuvw"


def split_moves(text: str) -> list[str]:
    """Return the moves of a line of play, one character each."""
    return list("".join(text.split()))


def parse_action(text: str, start: ConnectFourState) -> int:
    """Return the action of a column character: a digit 1 to 9, then letters.

    Examples
    --------
    >>> from ttt_fast.games.connect_four import initial_state
    >>> parse_action("4", initial_state())
    3
    """
    columns = start.bottom.bit_count()
    action = _DIGITS.find(text.lower()) if len(text) == 1 else -1
    if not 0 <= action < columns:
        raise BoardError(f"expected a column from 1 to {_DIGITS[columns - 1]}, got {text!r}")
    return action


def format_action(action: int) -> str:
    """Return the character of a column, the inverse of `parse_action`."""
    return _DIGITS[action]


def parse_position(text: str, start: ConnectFourState) -> ConnectFourState:
    """Return the position given by rows of marks.

    Parameters
    ----------
    text
        The rows from the top, separated by '/': X and O for stones, '.' for empty cells.
    start
        The empty board, which defines the size.

    Raises
    ------
    BoardError
        If the size or a character is wrong, or a stone has an empty cell below it.  Also if the numbers of stones
        contradict X moving first, or the winner cannot have moved last.

    Examples
    --------
    >>> from ttt_fast.games.connect_four import initial_state
    >>> parse_position("...../...../..X../.OXO.", initial_state(columns=5, rows=4)).own.bit_count()
    2
    """
    x, o = parse_marks(text, start.rows, start.bottom.bit_count(), _place_in(start))
    if (x | o) + start.bottom & (x | o):  # a carry stops at the lowest empty cell of a column, with nothing above it
        raise BoardError(f"expected every stone on another stone or in the lowest row, got {text!r}")
    own, _ = own_and_other(x, o, lambda stones: has_line(stones, start.rows, start.length), text)
    return start._replace(own=own, occupied=x | o)


def format_position(state: ConnectFourState) -> str:
    """Return the rows of marks, the inverse of `parse_position`.

    Examples
    --------
    >>> from ttt_fast.games.connect_four import initial_state
    >>> format_position(parse_position("..../.X../OXO.", initial_state(columns=4, rows=3)))
    '..../.X../OXO.'
    """
    other = state.occupied ^ state.own
    x, o = (other, state.own) if state.occupied.bit_count() % 2 else (state.own, other)
    return format_marks(x, o, state.rows, state.bottom.bit_count(), _place_in(state))


def _place_in(state: ConnectFourState) -> Place:
    """Return the bits of cells: column by column from the left, each from the bottom, with a gap above it."""
    return lambda row, column: column * (state.rows + 1) + state.rows - 1 - row
