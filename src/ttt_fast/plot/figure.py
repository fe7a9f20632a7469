"""The specification of a figure, for drawing as a picture (`plots`) or in the terminal (`chart`)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, get_args

from ttt_fast import UsageError
from ttt_fast.core.specs import suggestion
from ttt_fast.plot.axes import LARGEST
from ttt_fast.report.rows import cell_text

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["lines", "bars", "stacked", "matrix"]
KINDS = get_args(Kind)
MAX_POINTS = 1500
"""Maximum number of points in all lines of a figure: more are not visible and only enlarge the file."""
_MOST_POINTS_OF_A_LINE, _FEWEST_POINTS_OF_A_LINE = 240, 12
_POSITION = {"panel": 0, "series": 1, "x": 2}


@dataclass(frozen=True)
class Reference:
    """A line across the plot at a known value, for instance the exact optimum.

    Attributes
    ----------
    value
        Its position, in units of the values (y).
    label
        The text on the line.
    panel
        The panel of the line; None for all panels.
    series
        The series with the same colour; None for grey.
    side
        The end of the line with the label, which should not cover any data.
    """

    value: float
    label: str
    panel: str | None = None
    series: str | None = None
    side: Literal["left", "right"] = "right"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """The specification of a figure.

    Rows with equal panel, series and x are runs (seeds) of one quantity, and their mean is drawn.  If the rows already
    contain means, `spread` names the columns of their spread.

    Attributes
    ----------
    name
        Stem of its file names: letters, digits, `-` and `_`.
    title, subtitle
        Its texts; the number of runs is added to the subtitle.
    x, y, series, panels
        Columns of the frame: position (for bars: category), value, colour, small multiples.
    kind
        `lines`; `bars`, side by side; `stacked`, bars with the series on top of each other; `matrix`, a cell for each
        series (row) and position (column), coloured between the `bounds`.
    x_label, y_label, series_label
        Names and units on the axes (default: the names of the columns).
    names_series
        Whether the legend in the terminal writes `epsilon = 0.1`; in a picture, its title is the name.
    log_x, log_y
        Logarithmic axes of lines; values that are not positive are omitted.
    band
        Show mean ± standard deviation (n - 1) over the runs, as a band or as whiskers.
    spread
        For a frame of means: the column of their standard deviations, or the two columns of the edges of the band;
        empty if the rows are single runs.
    runs
        For a frame of means: the column of the number of runs; empty to omit the number from the subtitle.
    bounds
        Limits of the values, for instance 0 and 1: bands end there.
    references
        Lines across the plot.
    series_order
        Names of the first series, in this order; the others follow, sorted.
    columns
        Panels side by side.
    shared_y
        Whether all panels share the scale of the values.
    horizontal
        Whether bars are horizontal, for long names of categories.
    y_format
        d3 format of the marks on the axis of values, such as `.0%`.
    width, height
        Size of a single plot in pixels; panels are smaller, and bar plots only as wide as necessary.
    """

    name: str
    title: str
    x: str
    y: str
    series: str | None = None
    panels: str | None = None
    kind: Kind = "lines"
    subtitle: str = ""
    x_label: str = ""
    y_label: str = ""
    series_label: str = ""
    names_series: bool = False
    log_x: bool = False
    log_y: bool = False
    band: bool = False
    spread: tuple[str, ...] = ()
    runs: str = ""
    bounds: tuple[float, float] = (-LARGEST, LARGEST)
    references: tuple[Reference, ...] = ()
    series_order: tuple[str, ...] = ()
    columns: int = 3
    shared_y: bool = True
    horizontal: bool = False
    y_format: str = ""
    width: int = 620
    height: int = 340

    def __post_init__(self) -> None:
        """Raise UsageError if the specification is invalid."""
        if not re.fullmatch(r"[A-Za-z0-9_-]+", self.name):
            raise UsageError(f"expected only letters, digits, '-' and '_' in the name of a figure, got {self.name!r}")
        if self.kind not in KINDS:
            raise UsageError(f"expected one of {', '.join(KINDS)} as the kind of a figure, got {self.kind!r}")
        if self.kind != "lines" and (self.log_x or self.log_y):
            raise UsageError(f"expected linear axes for the kind {self.kind!r}, got a logarithmic axis")
        if self.kind == "stacked" and (self.band or self.series is None):
            raise UsageError("expected a series and no band for stacked bars")
        if self.kind == "matrix" and (self.band or self.series is None or self.bounds == (-LARGEST, LARGEST)):
            raise UsageError("expected a series, bounds and no band for a matrix")
        if len(self.spread) > 2 or (self.spread and not self.band):
            raise UsageError(f"expected at most two spread columns, and only together with a band, got {self.spread!r}")
        for reference in self.references:
            if not (1 / LARGEST if self.log_y else -LARGEST) <= reference.value <= LARGEST:
                raise UsageError(f"expected a reference line that the axis can show, got {reference.value!r}")
        for text in (self.title, self.subtitle, *self.axis_labels(), *(line.label for line in self.references)):
            if not text.isprintable():  # the renderer aborts the process at some of them
                raise UsageError(f"expected figure text that contains no control characters, got {text!r}")

    def axis_labels(self) -> tuple[str, str, str]:
        """Return the displayed names of position, values and series."""
        return (
            self.x_label or self.x.replace("_", " "),
            self.y_label or self.y.replace("_", " "),
            self.series_label or (self.series or "").replace("_", " "),
        )


def extra(module: str) -> Any:
    """Import a module of the extra `plot`, or raise an error with the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"a plot needs {module}: install 'ttt-fast[plot]'") from None


def summarise(figure: Figure, frame: "pl.DataFrame", max_points: int = MAX_POINTS) -> "pl.DataFrame":
    """Return the points of a figure: mean and standard deviation over runs, sorted, thinned.

    Returns
    -------
    polars.DataFrame
        Columns `panel` and `series` (Enum, in the order of the legend), `x` (Float64, for bars Enum), `y`
        (mean), `low` and `high` (mean -+ standard deviation with n - 1; the mean itself for a single run),
        `runs`.  Values that are not finite, or not positive on a logarithmic axis, are omitted.

    Raises
    ------
    UsageError
        If a column is missing or not numeric, or no row is left to draw.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"episodes": [1, 1, 2, 2], "wins": [0.25, 0.75, 1.0, 1.0], "seed": [0, 1, 0, 1]})
    >>> figure = Figure(name="f", title="Learning", x="episodes", y="wins")
    >>> summarise(figure, frame).select("x", "y", "low", "runs").rows()
    [(1.0, 0.5, 0.146446..., 2), (2.0, 1.0, 1.0, 2)]
    """
    import polars as pl

    _check_columns(figure, frame)
    lines = figure.kind == "lines"
    table = pl.DataFrame(
        {
            "panel": labels(frame, figure.panels),
            "series": labels(frame, figure.series, figure.series_order, ordered=True),
            "x": frame[figure.x].cast(pl.Float64) if lines else labels(frame, figure.x),
            "y": frame[figure.y].cast(pl.Float64),
            **(_given(figure, frame) if figure.spread else {}),
        }
    )
    shown = (pl.col("y").abs() <= LARGEST) & pl.col("x").is_not_null()
    if lines:
        shown &= pl.col("x").abs() <= LARGEST
    for column, log in (("x", figure.log_x), ("y", figure.log_y)):
        shown &= (pl.col(column) >= 1 / LARGEST) if log else True
    table = table.filter(shown).sort(*_POSITION, "y")  # the order of the rows must not change a digit
    points = table if figure.spread else _means(table)
    if points.select(*_POSITION).is_duplicated().any():
        raise UsageError(
            "expected one row for each panel, series and position if there are spread columns, got several"
        )
    if points.is_empty():
        raise UsageError(
            f"nothing to draw: expected a row with numbers in {figure.x!r} and {figure.y!r} that the axes can show"
        )
    least, most = figure.bounds
    if figure.log_y:
        least = max(least, min(points["y"]) / 2)
    points = points.with_columns(pl.col("low", "high").clip(least, most))
    return _thinned(points, figure.log_x, max_points) if lines else points


def _means(table: "pl.DataFrame") -> "pl.DataFrame":
    """Return mean, edges of the band, and number of the runs with equal panel, series and x."""
    import polars as pl

    mean, sd = pl.col("y").mean(), pl.col("y").std().fill_null(0.0)
    return table.group_by(list(_POSITION), maintain_order=True).agg(
        mean, (mean - sd).alias("low"), (mean + sd).alias("high"), pl.len().alias("runs")
    )


def _given(figure: Figure, frame: "pl.DataFrame") -> "dict[str, pl.Series]":
    """Return the edges of the band and the number of runs from the columns of a frame of means."""
    import polars as pl

    y, *spread = (pl.col(name).cast(pl.Float64) for name in (figure.y, *figure.spread))
    if len(spread) == 1:
        sd = spread[0].fill_null(0.0)
        low, high = y - sd, y + sd
    else:
        low, high = (pl.coalesce(edge, y) for edge in spread)
    runs = pl.col(figure.runs).cast(pl.UInt32) if figure.runs else pl.lit(1, pl.UInt32)
    return frame.select(low.alias("low"), high.alias("high"), runs.alias("runs")).to_dict()


def runs_text(figure: Figure, points: "pl.DataFrame") -> str:
    """Return the subtitle: the figure's own, and the number of runs behind a point."""
    counts = sorted(set(points["runs"].to_list()))
    text = ""
    if counts[-1] > 1:
        number = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        is_sd = figure.band and len(figure.spread) < 2
        text = f"mean {'± standard deviation ' if is_sd else ''}of {number} runs"
    return "; ".join(part for part in (figure.subtitle, text) if part)


def unknown_column(name: str, columns: Sequence[str]) -> str:
    """Return the message about a column that is not in a frame, with similar names."""
    return f"unknown column {name!r}; {suggestion(name, columns)}"


def _check_columns(figure: Figure, frame: "pl.DataFrame") -> None:
    import polars as pl

    of_means = (*figure.spread, figure.runs)
    for name in filter(None, (figure.x, figure.y, figure.series, figure.panels, *of_means)):
        if name not in frame.columns:
            raise UsageError(unknown_column(name, frame.columns))
        if frame[name].dtype.is_nested():
            raise UsageError(f"expected numbers or names in the column {name!r}, got lists or records")
    for name in (*([figure.x] if figure.kind == "lines" else []), figure.y, *filter(None, of_means)):
        kind = frame[name].dtype
        if not (kind.is_numeric() or kind == pl.Boolean):
            raise UsageError(f"expected numbers in the column {name!r}, got {str(kind).lower()}")


def labels(
    frame: "pl.DataFrame", column: str | None, first: tuple[str, ...] = (), *, ordered: bool = False
) -> "pl.Series":
    """Return a column as an Enum of labels: numbers sorted; names sorted if `ordered`, else as they appear."""
    import polars as pl

    if column is None:
        return pl.Series([""] * frame.height, dtype=pl.Enum([""]))
    values = frame[column].unique(maintain_order=True).drop_nulls().to_list()
    numbers = frame[column].dtype.is_numeric()
    if numbers:
        values.sort()
    shown = (cell_text(value) for value in values)
    texts = [text if text.isprintable() else repr(text)[1:-1] for text in shown]
    if len(set(texts)) < len(texts):  # 0.9999999 and 1
        texts = [repr(value) for value in values]
    names: dict[Any, str] = {**dict(zip(values, texts, strict=True)), None: "none"}
    rest = sorted(texts) if ordered and not numbers else texts
    listed = [name for name in first if name in texts] + rest + ["none"] * bool(frame[column].null_count())
    return pl.Series([names[value] for value in frame[column].to_list()], dtype=pl.Enum(list(dict.fromkeys(listed))))


def _thinned(points: "pl.DataFrame", log_x: bool, max_points: int) -> "pl.DataFrame":
    """Thin long lines to the first point and the last point in each of equal parts of the x axis."""
    import polars as pl

    keys = ["panel", "series"]
    lines = points.select(keys).n_unique()
    parts = max(_FEWEST_POINTS_OF_A_LINE, min(_MOST_POINTS_OF_A_LINE, ceil(max_points / lines) - 1))
    place = pl.col("x").log10() if log_x else pl.col("x")
    share = ((place - place.min()) / (place.max() - place.min())).fill_nan(0)
    part = (share * parts).floor().clip(upper_bound=parts - 1).alias("part")
    is_short = pl.len().over(keys) <= parts
    is_first = pl.int_range(pl.len()).over(keys) == 0
    is_last = (pl.col("part") != pl.col("part").shift(-1).over(keys)).fill_null(True)
    return points.with_columns(part).filter(is_short | is_first | is_last).drop("part")
