"""Rows as a table that fits the width of the terminal and never truncates a cell."""

import re
from collections.abc import Sequence
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


class _Column(NamedTuple):
    name: str
    heading: str
    cells: list[str]
    has_numbers: bool
    widths: tuple[int, int, int, int]
    """The least widths that break long words, texts and headings into words, headings only, and nothing."""


class RowTable:
    """Rows for printing by rich, in the available width.

    To fit the width, the table first breaks headings into lines, then omits empty and spare columns, then breaks texts,
    and then long words.  Finally it splits the columns into several tables, one below the other, that repeat the first
    columns.  Nothing is ever shortened.  A number is broken only if it does not fit beside the repeated columns.

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
        self.title, self.keys = title, keys
        self.spare = (*(one.name for one in self.columns if rows and not any(one.cells)), *spare)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the title and the tables."""
        width, columns = options.max_width, self.columns
        if self.title:
            yield Text(printable(self.title), "bold")
        for name in self.spare:
            if _room(columns, width, 2) < 0:
                columns = [column for column in columns if column.name != name]
        shared = [column for column in self.columns[: self.keys] if column in columns]
        parts = [columns]
        if _room(columns, width, 0) < 0:
            parts = [shared]
            for column in columns[len(shared) :]:
                if len(parts[-1]) > len(shared) and _room([*parts[-1], column], width, 1) < 0:
                    parts.append(shared)
                parts[-1] = [*parts[-1], column]
        for part in parts:
            yield _table(part, width)


def _room(columns: Sequence[_Column], width: int, size: int) -> int:
    """Return the characters that a table leaves free if each column has its width of a size; below 0 if too wide."""
    return width - 1 - sum(column.widths[size] + _FRAME for column in columns)


def _table(columns: Sequence[_Column], width: int) -> Table:
    """Return the table in the largest sizes that fit; the free characters go to the first columns.

    If none fits, all texts are equally narrower, so that numbers are whole.
    """
    size = next((size for size in (2, 1) if _room(columns, width, size) >= 0), 0)
    room, texts = _room(columns, width, size), sum(not column.has_numbers for column in columns)
    room, excess, table = max(room, 0), -(min(room, 0) // max(texts, 1)), Table(header_style="bold")
    for column in columns:
        least, most = column.widths[size : size + 2]
        used = min(most, least + room)
        room -= used - least
        table.add_column(
            column.heading,
            justify="right" if column.has_numbers else "left",
            style="cyan" if column.name in _AGENT_COLUMNS else None,
            width=used if column.has_numbers else max(1, used - excess),
            overflow="fold",
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, row))
    return table


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
    cells, heading = number_texts(values), header(name)
    written = all(_NUMBER.fullmatch(cell) for cell in cells) and any(cells)
    has_numbers = written or any(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    longest = max(map(cell_len, cells), default=0)
    whole = max([longest, *map(cell_len, heading.split()), 1])
    words = max([_PROSE, *(cell_len(word) for text in [*cells, heading] for word in text.split())])
    numbers = max((cell_len(cell) for cell in cells if _NUMBER.fullmatch(cell)), default=0)
    folded = max(numbers, min(whole, words, _FOLDED))
    return _Column(name, heading, cells, has_numbers, (folded, min(whole, words), whole, max(whole, cell_len(heading))))
