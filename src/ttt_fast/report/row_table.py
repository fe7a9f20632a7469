"""Rows as a table that fits the width of the terminal and never truncates a cell."""

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from ttt_fast.core.errors import printable
from ttt_fast.report.rows import Row, cell_text

_HEADINGS = {"x_wins": "X wins", "o_wins": "O wins", "x_to_move": "X to move", "o_to_move": "O to move"}
_AGENT_COLUMNS = ("x", "o", "agent", "policy", "opponent")
_DECIMALS = 6
_SMALLEST = 0.5 * 10**-_DECIMALS
_LARGEST = 1e5
"""Numbers of at least this size are shown without decimals."""
_PROSE = 24
"""Minimum width of a text of several words that is broken into lines."""
_FOLDED = 16
"""Minimum width of a text whose words are broken, so that the table need not be split."""
_NUMBER = re.compile(r"([+-]?\d[\d,]*(\.\d+)?)?")
_FRAME = 3
"""Characters of a column besides its cells: a blank on both sides, and a line."""


class RowTable:
    """Rows for printing by rich, in the available width.

    To fit the width, the table first breaks headings into lines, then omits empty and spare columns, then breaks texts,
    and then long words.  Finally it splits the columns into several tables, one below the other, that repeat the first
    columns.  Nothing is ever shortened, and numbers and fractions are not broken.

    Parameters
    ----------
    rows, columns
        The rows, and the columns to show (default: all, in the order in which they appear).
    title
        A line above the table.
    keys
        Number of columns that every table repeats.
    spare
        Columns that may be omitted, in this order, before a text is broken into lines.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        title: str | None = None,
        columns: Sequence[str] | None = None,
        *,
        keys: int = 1,
        spare: Sequence[str] = (),
    ) -> None:
        names = list(columns or dict.fromkeys(key for row in rows for key in row))
        self.columns = [_column(name, [row.get(name) for row in rows]) for name in names]
        self.title, self.keys, self.spare, self.num_rows = title, keys, spare, len(rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the title and the tables, or a line for each cell if no table fits."""
        width = options.max_width
        if self.title:
            yield Text(printable(self.title), "bold")
        columns = self._fitting(width)
        shared = [one for one in self.columns[: self.keys] if one in columns]
        others = columns[len(shared) :]
        is_one = _widths(columns, width, folds=True) is not None
        for part in [others] if is_one else self._parts(shared, others, width):
            widths = _widths([*shared, *part], width, folds=True)
            if widths is None:
                yield from self._records([*shared, *part])
            else:
                yield self._table([*shared, *part], widths)

    def _fitting(self, width: int) -> "list[_Column]":
        """Return the columns without the empty and spare columns that must be omitted."""
        columns = self.columns
        empty = [one.name for one in columns if not any(one.cells)] if self.num_rows else []
        for name in (*empty, *self.spare):
            if sum(column.needed + _FRAME for column in columns) < width:
                break
            columns = [column for column in columns if column.name != name]
        return columns

    def _parts(self, shared: "list[_Column]", others: "list[_Column]", width: int) -> "Iterator[list[_Column]]":
        """Yield the other columns in groups, of at least one each, that fit beside the repeated columns."""
        part = list[_Column]()
        for column in others:
            if part and _widths([*shared, *part, column], width) is None:
                yield part
                part = []
            part.append(column)
        if part or not others:
            yield part

    def _table(self, columns: "Sequence[_Column]", widths: Sequence[int]) -> Table:
        table = Table(header_style="bold")
        for column, width in zip(columns, widths, strict=True):
            table.add_column(
                column.heading,
                justify="right" if column.has_numbers else "left",
                style="cyan" if column.name in _AGENT_COLUMNS else None,
                width=width,
                overflow="fold",
            )
        for row in range(self.num_rows):
            table.add_row(*(Text(column.cells[row]) for column in columns))
        return table

    def _records(self, columns: "Sequence[_Column]") -> Iterator[Text]:
        for row in range(self.num_rows):
            for column in columns:
                yield Text(f"{column.heading}: ", "bold", overflow="fold").append(column.cells[row], "none")


class _Column(NamedTuple):
    name: str
    heading: str
    cells: list[str]
    has_numbers: bool

    @property
    def needed(self) -> int:
        """The width below which a cell or a word of the heading would be broken."""
        return max([*map(cell_len, self.cells), *map(cell_len, self.heading.split()), 1])

    @property
    def wanted(self) -> int:
        return max(self.needed, cell_len(self.heading))

    @property
    def shrunk(self) -> int:
        """The width below which a word in a cell would be broken."""
        words = [word for cell in [*self.cells, self.heading] for word in cell.split()]
        return min(self.needed, max([_PROSE, *map(cell_len, words)]))

    @property
    def folded(self) -> int:
        """The minimum width if long words may be broken."""
        longest = max(map(cell_len, self.cells), default=0) if self.has_numbers else 0
        return max(longest, min(self.shrunk, _FOLDED))


def header(column: str) -> str:
    """Return the heading of a column.

    Examples
    --------
    >>> header("games_per_second"), header("x_wins"), header("exact_x_wins")
    ('games/s', 'X wins', 'exact X wins')
    """
    for name, heading in _HEADINGS.items():
        column = column.replace(name, heading)
    return column.replace("_per_second", "/s").replace("_", " ")


def number_texts(values: Sequence[Any]) -> list[str]:
    """Return the cells of a column as texts; numbers have equal decimals, so that their points are aligned.

    Examples
    --------
    >>> number_texts([0.989583, 0.5, 0.0]), number_texts([12.5, 1]), number_texts([3e-9, 1.0])
    (['0.989583', '0.500000', '0.000000'], ['12.5000', '1.0000'], ['3.00e-09', '1.000000'])
    """
    floats = [value for value in values if isinstance(value, float) and isfinite(value)]
    if not floats:
        return [cell_text(value) for value in values]
    largest = max(abs(value) for value in floats)
    whole = len(str(int(largest)))
    decimals = 0 if largest >= _LARGEST else _DECIMALS if whole == 1 else max(1, _DECIMALS - whole)
    return [_number_text(value, decimals) for value in values]


def _number_text(value: Any, decimals: int) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return cell_text(value)
    return f"{value:.2e}" if 0 < abs(value) < _SMALLEST else f"{value:,.{decimals}f}"


def _column(name: str, values: Sequence[Any]) -> _Column:
    cells = number_texts(values)
    written = all(_NUMBER.fullmatch(cell) for cell in cells) and any(cells)
    has_numbers = any(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return _Column(name, header(name), cells, has_numbers or written)


def _widths(columns: Sequence[_Column], width: int, *, folds: bool = False) -> list[int] | None:
    """Return the widths of the columns in a table of at most this width; None if the columns do not fit.

    Long words are broken only if `folds`.
    """
    free = width - _FRAME * len(columns) - 1
    folded, shrunk, needed, wanted = (
        [getattr(column, size) for column in columns] for size in ("folded", "shrunk", "needed", "wanted")
    )
    for least, most in ((needed, wanted), (shrunk, needed), *([(folded, shrunk)] if folds else [])):
        if sum(least) <= free:
            return _spread(least, most, free - sum(least))
    return None


def _spread(widths: Sequence[int], wanted: Sequence[int], spare: int) -> list[int]:
    """Return the widths, enlarged from the left while there is space, at most to the wanted ones."""
    spread = []
    for width, most in zip(widths, wanted, strict=True):
        spread.append(min(most, width + spare))
        spare -= spread[-1] - width
    return spread
