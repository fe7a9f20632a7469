"""Figures as altair charts: channels, layers and panels; needs the extra `plot`."""

from textwrap import wrap
from typing import Any

import altair as alt
import polars as pl
from polars import selectors

from ttt_fast.plot.figure import MAX_POINTS, Figure, Reference, runs_text, summarise

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
"""Colours for colour-blind readers (Okabe and Ito 2008); a brown replaces the yellow, which is too faint for lines."""
INK, QUIET, GRID = "#222222", "#5a5a5a", "#e6e6e6"
_LOW_TO_HIGH = ("#eea46c", "#f7f7f7", "#7fb8dd")  # of the cells of a matrix
_FAINTEST = 0.8  # end of viridis that is too faint for lines
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_DIGITS = 8  # of the numbers of a picture
_FEW_POINTS = 16  # of a line: they get markers
_SHORT_NAME = 12  # letters of a category that need no slope
_ROUNDING = 1e-6
_X_MARKS, _Y_MARKS = 5, 6  # about, on a linear axis, which ends at marks
_LETTER = 9  # width of a letter of the title, pixels
_CONFIG: dict[str, Any] = {
    "background": "white",
    "font": "Helvetica, Arial, 'Liberation Sans', sans-serif",
    "padding": 12,
    "view": {"stroke": None},
    "mark": {"color": OKABE_ITO[0]},
    "line": {"strokeWidth": 2, "strokeJoin": "round"},
    "area": {"opacity": 0.18},
    "bar": {"stroke": "white", "strokeWidth": 0.6},
    "text": {"fontSize": 12, "color": INK},
    "title": {
        "anchor": "start", "frame": "group", "offset": 16, "color": INK, "fontSize": 17, "fontWeight": "bold",
        "subtitleColor": QUIET, "subtitleFontSize": 13, "subtitlePadding": 5,
    },
    "axis": {
        "labelFontSize": 12, "labelColor": QUIET, "titleFontSize": 13, "titleColor": INK, "titleFontWeight": "normal",
        "gridColor": GRID, "tickColor": GRID, "domainColor": "#9a9a9a", "labelPadding": 5, "titlePadding": 10,
        "labelLimit": 260,
    },
    "axisQuantitative": {
        "labelExpr": "datum.label && abs(datum.value) >= 1000 ? format(datum.value, '~s') : datum.label",
    },
    "axisYQuantitative": {
        "titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleBaseline": "bottom", "titleX": 0,
    },
    "axisDiscrete": {"ticks": False, "grid": False},
    "legend": {
        "labelFontSize": 12.5, "titleFontSize": 12.5, "titleFontWeight": "normal", "titleColor": QUIET,
        "labelColor": INK, "labelLimit": 240, "rowPadding": 4, "offset": 14, "symbolSize": 120,
        "symbolStrokeWidth": 2.5,
    },
}  # fmt: skip


def chart_of(
    figure: Figure, frame: pl.DataFrame, max_points: int = MAX_POINTS, *, hover: bool = False
) -> alt.TopLevelMixin:
    """Return a figure as an altair chart, which contains its data; `hover` adds tooltips.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"length": [5, 6, 5, 6], "share": [0.1, 0.9, 0.4, 0.6], "x": ["a", "a", "b", "b"]})
    >>> figure = Figure(name="f", title="Lengths", kind="stacked", x="x", y="share", series="length")
    >>> chart = chart_of(figure, frame).to_dict()
    >>> chart["layer"][0]["mark"]["type"], chart["layer"][0]["encoding"]["color"]["scale"]["domain"]
    ('bar', ['5', '6'])
    """
    points = summarise(figure, frame, max_points)
    panels = points["panel"].unique().sort().to_list()
    across = min(len(panels), max(1, figure.columns))
    size = figure.width, figure.height
    if len(panels) > 1:
        size = max(180, 2 * figure.width // (across + 1)), 2 * figure.height // 3
    shaded = figure.series is not None and frame[figure.series].dtype.is_numeric()
    plots = [_Panel(figure, points, name, size, shaded=shaded, hover=hover).chart() for name in panels]
    chart: Any = plots[0]
    if len(panels) > 1:
        titles = [alt.Title(name, fontSize=13, offset=8) for name in panels]
        titled = [plot.properties(title=title) for plot, title in zip(plots, titles, strict=True)]
        shared = {"x" if figure.horizontal else "y": figure.shared_y, **({"x": True} if figure.kind == "lines" else {})}
        scales: Any = {axis: "shared" if is_shared else "independent" for axis, is_shared in shared.items()}
        chart = alt.concat(*titled, columns=across, spacing=28).resolve_scale(**scales)
    letters = max(30, across * size[0] // _LETTER)
    subtitle = wrap(runs_text(figure, points), letters * 5 // 4) or alt.Undefined
    title = alt.Title(wrap(figure.title, letters), subtitle=subtitle)
    described: alt.TopLevelMixin = chart.properties(title=title, description=figure.title).configure(**_CONFIG)
    return described


class _Panel:
    """One plot: its data, and the channels of its layers.

    Parameters
    ----------
    figure, points, name
        The figure, the points of all panels, and the panel.
    size
        Width and height in pixels.
    shaded
        Whether the series are numbers, which get shades of one colour instead of distinct colours.
    hover
        Whether points have tooltips.
    """

    def __init__(
        self, figure: Figure, points: pl.DataFrame, name: str, size: tuple[int, int], *, shaded: bool, hover: bool
    ) -> None:
        self.figure, self.size, self.hover = figure, size, hover
        self.series = points["series"].unique().sort().to_list()
        self.is_shaded = shaded and len(self.series) > 2
        self.categories = [] if figure.kind == "lines" else points["x"].unique().sort().to_list()
        self.x_label, self.y_label, self.series_label = figure.axis_labels()
        own = points.filter(pl.col("panel").cast(pl.String) == name).drop("panel", "runs")
        self.points = own.with_columns(selectors.float().round_sig_figs(_DIGITS), rank=pl.col("series").to_physical())
        self.references = [line for line in figure.references if line.panel in (None, name)]
        self.value: Any = alt.X if figure.horizontal else alt.Y
        self.position: Any = alt.Y if figure.horizontal else alt.X

    def chart(self) -> Any:
        """Return the plot with all its layers."""
        layers = {"lines": self._lines, "matrix": self._cells}.get(self.figure.kind, self._bars)()
        for line in self.references:
            layers += self._reference(line)
        width, height = self._extent()
        data = alt.InlineData(values=self.points.to_dicts())
        return alt.layer(*layers, data=data).properties(width=width, height=height)

    def _extent(self) -> tuple[Any, Any]:
        """Return the width and the height; bars and cells have a width of their own."""
        width, height = self.size
        if self.figure.kind == "lines":
            return width, height
        if self.figure.kind == "matrix":
            return alt.Step(46), alt.Step(27)
        if self.figure.kind == "bars" and self.figure.series:
            step = 20 if self.figure.horizontal else min(28, width / len(self.categories) / len(self.series))
            bar = alt.Step(step, **{"for": "offset"})
        else:
            bar = alt.Step(30 if self.figure.horizontal else min(44, width / len(self.categories)))
        return (width, bar) if self.figure.horizontal else (bar, height)

    def _values(self, field: str, **more: Any) -> Any:
        """Return the channel of values for a field."""
        figure = self.figure
        scale = alt.Scale(type="log") if figure.log_y else alt.Scale(zero=figure.kind != "lines", nice=_Y_MARKS)
        above = -22 if self.references and not figure.horizontal else -9
        title_y = alt.Undefined if figure.horizontal else above
        axis = alt.Axis(format=figure.y_format or alt.Undefined, tickCount=_Y_MARKS, titleY=title_y)
        return self.value(f"{field}:Q", title=self.y_label, scale=scale, axis=axis, **more)

    def _categories(self, channel: Any) -> Any:
        """Return the channel of the categories of bars and cells."""
        is_level = self.figure.kind != "matrix" and max(map(len, self.categories)) <= _SHORT_NAME
        axis = alt.Axis(labelAngle=0 if self.figure.horizontal or is_level else -35)
        return channel("x:N", title=self.x_label, sort=self.categories, axis=axis)

    def _colours(self) -> dict[str, Any]:
        """Return the channels of colour, and of dashes if there are more series than colours."""
        if not self.figure.series:
            return {}
        lines = self.figure.kind == "lines"
        symbol: Any = {"symbolType": "stroke", "symbolOpacity": 1} if lines else {}
        legend = alt.Legend(title=self.series_label, **symbol)
        colours = alt.Scale(domain=self.series, range=OKABE_ITO)
        if self.is_shaded:
            colours = alt.Scale(domain=self.series, scheme=alt.SchemeParams("viridis", extent=[0, _FAINTEST]))
        channels: dict[str, Any] = {"color": alt.Color("series:O", scale=colours, legend=legend)}
        if lines and not self.is_shaded and len(self.series) > len(OKABE_ITO):
            dashes = [_DASHES[number // len(OKABE_ITO) % len(_DASHES)] for number in range(len(self.series))]
            scale = alt.Scale(domain=self.series, range=dashes)
            channels["strokeDash"] = alt.StrokeDash("series:O", scale=scale, legend=legend)
        return channels

    def _lines(self) -> list[alt.Chart]:
        """Return the band and the line, and invisible points if there are tooltips: a line has those of one point."""
        figure = self.figure
        scale = alt.Scale(type="log", nice=False) if figure.log_x else alt.Scale(zero=False, nice=_X_MARKS)
        x = alt.X("x:Q", title=self.x_label, scale=scale, axis=alt.Axis(grid=False, tickCount=_X_MARKS))
        base = alt.Chart().encode(x, **self._colours())
        few = max(self.points["series"].value_counts()["count"]) <= _FEW_POINTS
        layers = [base.mark_area().encode(self._values("low"), alt.Y2("high"))] if figure.band else []
        point = alt.OverlayMarkDef(filled=True, size=34) if few else False
        layers.append(base.mark_line(point=point).encode(self._values("y")))
        if self.hover:
            tips = {"x:Q": self.x_label, "y:Q": self.y_label}
            tips |= {"series:N": self.series_label} if figure.series else {}
            ends = ("low", "high") if len(figure.spread) > 1 else ("mean - sd", "mean + sd")
            tips |= dict(zip(("low:Q", "high:Q"), ends, strict=True)) if figure.band else {}
            shown = [alt.Tooltip(field, title=title) for field, title in tips.items()]
            layers.append(base.mark_circle(opacity=0, size=90).encode(self._values("y"), tooltip=shown))
        return layers

    def _bars(self) -> list[alt.Chart]:
        figure, is_stacked = self.figure, self.figure.kind == "stacked"
        offset, end = (alt.YOffset, alt.X2) if figure.horizontal else (alt.XOffset, alt.Y2)
        shared = [self._categories(self.position)]
        if figure.series and not is_stacked:
            shared.append(offset("series:N", sort=self.series))
        order = alt.Order("rank:Q") if is_stacked else alt.Undefined
        value = self._values("y", stack=self._stack() if is_stacked else None)
        bars = alt.Chart().mark_bar().encode(*shared, value, order=order, **self._colours())
        whiskers = alt.Chart().mark_rule(color=INK, strokeWidth=1.2).encode(*shared, self._values("low"), end("high"))
        return [bars, whiskers] if figure.band else [bars]

    def _stack(self) -> str:
        """Return the stacking: shares that add up to 1 fill the axis."""
        totals = self.points.group_by("x").agg(pl.col("y").sum())["y"]
        return "normalize" if max((totals - 1).abs()) < _ROUNDING else "zero"

    def _cells(self) -> list[alt.Chart]:
        """Return coloured cells that contain their values."""
        low, high = self.figure.bounds
        colours = alt.Scale(domain=[low, (low + high) / 2, high], range=_LOW_TO_HIGH)
        rows = alt.Y("series:N", title=self.series_label, sort=self.series, axis=alt.Axis(domain=False))
        columns = self._categories(alt.X)
        base = alt.Chart().encode(columns, rows)
        cells = base.mark_rect(stroke="white").encode(alt.Color("y:Q", scale=colours, legend=None))
        return [cells, base.mark_text().encode(alt.Text("y:Q", format=self.figure.y_format or alt.Undefined))]

    def _reference(self, line: Reference) -> list[alt.Chart]:
        """Return a dashed line across the plot, with a white-edged label on the line."""
        horizontal, right = self.figure.horizontal, line.side == "right"
        value = (alt.XDatum if horizontal else alt.YDatum)(line.value)
        colour = alt.datum(line.series) if line.series in self.series else alt.value(QUIET)
        base = alt.Chart(alt.InlineData(values=[{}])).encode(value)
        rule = base.mark_rule(strokeDash=[5, 4], strokeWidth=1.4).encode(color=colour)
        place: dict[str, Any] = {"align": line.side, "baseline": "bottom", "dx": -3 if right else 3, "dy": -3}
        if horizontal:
            place = {"align": "left", "baseline": "top", "dx": 4, "y": 0}
        else:
            place["x"] = "width" if right else 0
        label = base.mark_text(text=line.label, **place).encode(color=colour)
        halo = base.mark_text(text=line.label, stroke="white", strokeWidth=4, color="white", **place)
        return [rule, halo, label]
