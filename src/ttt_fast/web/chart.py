"""A line chart in a page: coordinates in pixels, which a template draws as SVG."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ttt_fast.plot.axes import round_values, tick_text

WIDTH, HEIGHT = 720, 320
"""Size of the picture in its own pixels; a page scales it."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 704, 16, 284
_MOST_POINTS = 400
Mark = tuple[float, str]
"""A mark on an axis: its place in pixels, and its text."""


@dataclass(frozen=True)
class Chart:
    """A line, the marks on both axes, and the line of the best possible value."""

    points: str
    x_marks: list[Mark]
    y_marks: list[Mark]
    best: Mark
    name: str
    label: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = _RIGHT
    bottom: int = _BOTTOM


def chart_of(x: NDArray[np.float64], y: NDArray[np.float64], best: float, name: str, room: float) -> Chart:
    """Return the picture of a quantity (N,) at positions (N,), N at least 1, with a line at its best possible value.

    The axis reaches at least from `best` to `best + room`, also if the quantity is constant.

    Examples
    --------
    >>> chart = chart_of(np.array([0.0, 10.0]), np.array([0.0, 1.0]), 1.0, "value", -0.1)
    >>> chart.points, [text for _, text in chart.x_marks]
    ('56.0,284.0 704.0,16.0', ['0', '2', '4', '6', '8', '10'])
    """
    shown = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).round().astype(int))
    across, x_marks = _axis(x[shown], 6, _LEFT, _RIGHT)
    down, y_marks = _axis(np.append(y[shown], [best + room, best]), 5, _BOTTOM, _TOP)
    ends = f"from {y[0]:.6f} at the first measure to {y[-1]:.6f} at the last"
    return Chart(
        points=" ".join(f"{column},{row}" for column, row in zip(across, down, strict=False)),
        x_marks=x_marks,
        y_marks=y_marks,
        best=(down[-1], f"{best:.6f}"),
        name=name,
        label=f"{name} by episodes, {ends}; best value {best:.6f}",
    )


def _axis(
    values: NDArray[np.float64], count: int, first: int, last: int
) -> tuple[list[float], list[tuple[float, str]]]:
    """Return the pixels of values on an axis, and its marks with their text."""
    marks = round_values(float(values.min()), float(values.max()), count)

    places = np.interp([*values, *marks], (marks[0], marks[-1]), (first, last)).round(1).tolist()
    return places[: len(values)], list(zip(places[len(values) :], map(tick_text, marks), strict=True))
