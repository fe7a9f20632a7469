"""A plot of braille dots: places on its axes, and the cells of characters that the dots fall in."""

from math import log10
from typing import NamedTuple

from rich.text import Text

from ttt_fast.plot.axes import linear_ticks, log_ticks

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a braille cell: four rows of two


class Axis(NamedTuple):
    """One direction of the plot: its ends, and their distance in dots.

    Examples
    --------
    >>> Axis(1, 100, True, 21).at(10), Axis(0, 10, False, 11).at(2.5)
    (10.0, 2.5)
    """

    low: float
    high: float
    log: bool
    dots: int

    def at(self, value: float) -> float:
        """Return the distance of a value from the low end, in dots; values outside are put on the edge."""
        low, high = (log10(self.low), log10(self.high)) if self.log else (self.low, self.high)
        if self.log:
            value = log10(max(value, self.low))
        return min(max((value - low) / (high - low), 0.0), 1.0) * (self.dots - 1)

    def ticks(self, count: int) -> list[float]:
        """Return round values to mark."""
        return log_ticks(self.low, self.high, count) if self.log else linear_ticks(self.low, self.high, count)


class Canvas:
    """Cells of a plot: each holds a character and its style; braille dots gather in a cell."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.dots: dict[tuple[int, int], int] = {}
        self.back: dict[tuple[int, int], tuple[str, str]] = {}
        self.styles: dict[tuple[int, int], str] = {}

    def segment(self, start: tuple[float, float], end: tuple[float, float], style: str) -> None:
        """Draw a straight line between two places, in dots from the lower left corner."""
        whole = [(round(a), round(b)) for a, b in zip(start, end, strict=True)]
        steps = max(1, *(abs(b - a) for a, b in whole))
        for k in range(steps + 1):
            x, y = (round(a + (b - a) * k / steps) for a, b in whole)
            down = 4 * self.rows - 1 - y
            cell = (down // 4, x // 2)
            self.dots[cell] = self.dots.get(cell, 0) | _DOTS[down % 4][x % 2]
            self.styles[cell] = style

    def line(self, row: int) -> Text:
        """Return one row of cells."""
        text = Text()
        for column in range(self.columns):
            cell = (row, column)
            if cell in self.dots:
                text.append(chr(0x2800 + self.dots[cell]), self.styles[cell])
            else:
                text.append(*self.back.get(cell, (" ", "")))
        return text
