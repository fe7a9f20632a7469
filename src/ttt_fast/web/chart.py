"""A line chart in a page: coordinates in pixels, which a template draws as SVG."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ttt_fast.plot.axes import linear_ticks, padded_domain, position_domain, tick_text

WIDTH, HEIGHT = 720, 320
"""Size of the picture in its own pixels; a page scales it."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 704, 16, 284
_MOST_POINTS = 400


@dataclass(frozen=True)
class Mark:
    """A mark on an axis: its position in pixels, and its text."""

    place: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A line, the marks on both axes, and the line of the best possible value."""

    points: str
    x_marks: list[Mark]
    y_marks: list[Mark]
    best: Mark
    opponent: str
    label: str
    y_label: str = "value"
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = _RIGHT
    bottom: int = _BOTTOM


def chart_of(x: NDArray[np.float64], y: NDArray[np.float64], best: float, opponent: str) -> Chart:
    """Return the picture of values (N,) at positions (N,), N at least 1, with a line at the best possible value.

    Examples
    --------
    >>> chart = chart_of(np.array([0.0, 10.0]), np.array([0.0, 1.0]), 1.0, "random")
    >>> chart.points, [mark.text for mark in chart.x_marks]
    ('56.0,284.0 704.0,28.8', ['0', '2', '4', '6', '8', '10'])
    """
    shown = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).round().astype(int))
    low, high = padded_domain([*y[shown].tolist(), best])
    first, last = position_domain(x[shown].tolist())

    def across(value: float) -> float:
        return round(_LEFT + (value - first) / (last - first) * (_RIGHT - _LEFT), 1)

    def down(value: float) -> float:
        return round(_BOTTOM - (value - low) / (high - low) * (_BOTTOM - _TOP), 1)

    pairs = zip(x[shown].tolist(), y[shown].tolist(), strict=True)
    ends = f"from {y[0]:.6f} at the first measure to {y[-1]:.6f} at the last"
    return Chart(
        points=" ".join(f"{across(at)},{down(value)}" for at, value in pairs),
        x_marks=[Mark(across(value), tick_text(value)) for value in linear_ticks(first, last, 6)],
        y_marks=[Mark(down(value), tick_text(value)) for value in linear_ticks(low, high, 5)],
        best=Mark(down(best), f"{best:.6f}"),
        opponent=opponent,
        label=f"value against {opponent} by episodes, {ends}; best value {best:.6f}",
    )
