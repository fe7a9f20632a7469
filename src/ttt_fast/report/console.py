"""Output of tables, boards and progress in a terminal, through rich."""

import io
import os
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from ttt_fast.report.row_table import RowTable
from ttt_fast.report.rows import Row

_WIDE = 100
_NARROWEST = 40


def message_console() -> Console:
    """Return the console for everything that is not data: standard error."""
    return Console(stderr=True, force_terminal=sys.stderr.isatty(), highlight=False)  # whatever FORCE_COLOR says


def render(items: Iterable[RenderableType]) -> str:
    """Return the text that rich prints for the items: in colour on a terminal, otherwise plain.

    The width of the lines is that of the terminal or the value of COLUMNS, otherwise 100 characters.
    """
    stream = io.StringIO()
    terminal = sys.stdout.isatty()
    console = Console(file=stream, force_terminal=terminal, width=output_width(), highlight=False)
    for item in items:
        console.print(Text(item) if isinstance(item, str) else item)
    return stream.getvalue()


def output_width() -> int:
    """Return the width of the lines on standard output."""
    if sys.stdout.isatty():
        return max(_NARROWEST, Console().width)
    columns = os.environ.get("COLUMNS", "")
    return max(_NARROWEST, int(columns)) if columns.isascii() and columns.isdigit() else _WIDE


def rows_report(rows: Sequence[Row], title: str | None = None, spare: Sequence[str] = ()) -> str:
    """Return one table."""
    return render([RowTable(rows, title, spare=spare)])


def si_number(value: float) -> str:
    """Return a number with three digits and a unit prefix.

    Examples
    --------
    >>> si_number(85_300_000), si_number(1000.0), si_number(3)
    ('85.3 M', '1.00 k', '3.00')
    """
    for limit, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit * 0.9995:
            return f"{_three_digits(value / limit)} {prefix}"
    return _three_digits(value)


def counted(number: int, one: str, several: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "ply", "plies"), counted(4, "ply", "plies")
    ('1 ply', '4 plies')
    """
    return f"{number:,} {one if number == 1 else several}"


def short_time(seconds: float) -> str:
    """Return a time with three digits in s, ms, µs or ns.

    Examples
    --------
    >>> short_time(0.0123), short_time(1.36187e-08), short_time(0.0)
    ('12.3 ms', '13.6 ns', '0')
    """
    for limit, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= limit:
            return f"{seconds / limit:.3g} {unit}"
    return "0" if seconds == 0 else f"{seconds / 1e-9:.3g} ns"


def _three_digits(value: float) -> str:
    return f"{value:.{max(0, 3 - len(str(int(abs(value)))))}f}"
