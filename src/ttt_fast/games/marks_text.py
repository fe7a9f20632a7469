"""Positions as rows of marks from the top, separated by '/': X, O, and '.' for a free cell."""

from collections.abc import Callable

from ttt_fast.core.errors import BoardError

_SYMBOLS = {symbol: mark for mark, symbols in enumerate(("._-", "Xx", "Oo")) for symbol in symbols}
Place = Callable[[int, int], int]
"""Returns the bit of a cell in a set of marks, from its row, counted from the top, and its column."""


def parse_marks(text: str, rows: int, columns: int, place: Place) -> tuple[int, int]:
    """Return the sets of cells with the marks of X and of O.

    Raises
    ------
    BoardError
        If the size or a character is wrong.

    Examples
    --------
    >>> parse_marks("X.O/.x.", 2, 3, lambda row, column: 3 * row + column)
    (17, 4)
    """
    found = text.split("/")
    if len(found) != rows or any(len(row) != columns for row in found):
        shape = "/".join(["." * columns] * rows)
        raise BoardError(f"expected {rows} rows of {columns} cells, the top row first, as in {shape!r}, got {text!r}")
    marks = [0, 0, 0]
    for row, symbols in enumerate(found):
        for column, symbol in enumerate(symbols):
            if symbol not in _SYMBOLS:
                raise BoardError(f"expected only X, O, '.' and '/' in a position, got {symbol!r} in {text!r}")
            marks[_SYMBOLS[symbol]] |= 1 << place(row, column)
    return marks[1], marks[2]


def format_marks(x: int, o: int, rows: int, columns: int, place: Place) -> str:
    """Return the rows of marks, the inverse of `parse_marks`."""
    bits = [[place(row, column) for column in range(columns)] for row in range(rows)]
    return "/".join("".join(".XO"[(x >> bit & 1) + 2 * (o >> bit & 1)] for bit in row) for row in bits)


def own_and_other(x: int, o: int, has_line: Callable[[int], bool], text: str) -> tuple[int, int]:
    """Return the marks of the player to move and of the other player, from the marks of X and of O in `text`.

    Raises
    ------
    BoardError
        If X and O cannot have moved in turn, X first, or the owner of a line cannot have moved last.

    Examples
    --------
    >>> own_and_other(0b101, 0b10, lambda marks: marks == 7, "XOX")
    (2, 5)
    """
    lead = x.bit_count() - o.bit_count()
    if lead not in (0, 1):
        raise BoardError(f"expected as many X as O or one more, got {x.bit_count()} and {o.bit_count()} in {text!r}")
    own, other = (o, x) if lead else (x, o)
    if has_line(own):
        line = f"a line of {'O' if lead else 'X'} in {text!r} (play after a win)"
        raise BoardError(f"expected no line of the player to move, got {line}")
    return own, other
