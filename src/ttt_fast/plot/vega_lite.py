"""Conversion of figures to Vega-Lite specifications: positions, colours and data."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ttt_fast.plot.axes import linear_ticks, log_ticks, padded_domain
from ttt_fast.plot.figure import MAX_POINTS, Figure, Reference, runs_text, summarise
from ttt_fast.plot.palette import CONFIG, INK, OKABE_ITO, QUIET, Look, look_of

if TYPE_CHECKING:
    import polars as pl

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_TOP_TITLE = {
    "titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleBaseline": "bottom", "titleX": 0, "titleY": -9,
}  # fmt: skip
_LARGE = 1000  # from here on marks are written with a prefix
_ROOM, _LABEL_ROOM = 0.05, 0.1  # free above the highest value, as a share; with a label there
_FEW_POINTS = 16  # of a line: they get markers
_SHORT_NAME = 12  # letters of a category that need no slope
_ROUNDING = 1e-6
_LETTER = 9  # width of one letter of the title, pixels
_CELL = (46, 27)  # of a matrix, pixels


def vega_lite(
    figure: Figure, frame: "pl.DataFrame", max_points: int = MAX_POINTS, *, hover: bool = False
) -> dict[str, Any]:
    """Return the Vega-Lite specification of a figure, its data included; `hover` adds tooltips.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"length": [5, 6, 5, 6], "share": [0.1, 0.9, 0.4, 0.6], "x": ["a", "a", "b", "b"]})
    >>> spec = vega_lite(Figure(name="f", title="Lengths", kind="stacked", x="x", y="share", series="length"), frame)
    >>> spec["layer"][0]["mark"]["type"], spec["layer"][0]["encoding"]["color"]["scale"]["domain"]
    ('bar', ['5', '6'])
    """
    points = summarise(figure, frame, max_points)
    look = look_of(figure, frame, points)
    panels = points["panel"].unique().sort().to_list()
    across = min(len(panels), max(1, figure.columns))
    plots = []
    for name in panels:
        own = points.filter(points["panel"].cast(str) == name)
        plot = _panel(look, own, points if figure.shared_y else own, hover=hover)
        plots.append({**plot, **_size(look, len(panels), across)})
    letters = max(30, across * plots[0]["width"] // _LETTER)
    subtitle = wrap(runs_text(figure, points), letters * 5 // 4)
    title = {"text": wrap(figure.title, letters), **({"subtitle": subtitle} if subtitle else {})}
    top = {"$schema": _SCHEMA, "title": title, "description": figure.title, "config": CONFIG}
    if len(plots) == 1:
        return {**top, **plots[0]}
    titled = [
        {"title": {"text": name, "fontSize": 13, "frame": "group", "offset": 8}, **plot}
        for name, plot in zip(panels, plots, strict=True)
    ]
    return {**top, "concat": titled, "columns": across, "spacing": 28}


def _size(look: Look, panels: int, across: int) -> dict[str, int]:
    """Return width and height of a plot: smaller for several panels, and only as wide as necessary for bars."""
    figure = look.figure
    width, height = figure.width, figure.height
    if figure.kind == "matrix":
        return {"width": _CELL[0] * len(look.categories), "height": _CELL[1] * len(look.colours)}
    if panels > 1:
        width, height = max(180, 2 * width // (across + 1)), 2 * height // 3
    if figure.kind == "lines":
        return {"width": width, "height": height}
    bars = len(look.categories) * (len(look.colours) if figure.kind == "bars" else 1)
    if figure.horizontal:
        return {"width": width, "height": max(80, 20 * bars + 10 * len(look.categories))}
    return {"width": min(width, max(200, 28 * bars + 16 * len(look.categories))), "height": height}


def _panel(look: Look, own: "pl.DataFrame", scope: "pl.DataFrame", *, hover: bool) -> dict[str, Any]:
    """Return one plot, its layers and its data; `scope` contains the points that share its scale."""
    import polars as pl

    figure = look.figure
    name = own["panel"][0]
    references = [line for line in figure.references if line.panel in (None, name)]
    limits = _limits(figure, scope, figure.references if figure.shared_y else tuple(references))
    columns = ["x", "y", *(["low", "high"] if figure.band else []), *(["series"] if figure.series else [])]
    rows = own.select(*columns, *([pl.col("series").to_physical().alias("rank")] if figure.kind == "stacked" else []))
    if figure.log_y and figure.band:
        rows = rows.with_columns(pl.col("low").clip(lower_bound=limits[0]))
    values = [{key: _short(value) for key, value in row.items()} for row in rows.iter_rows(named=True)]
    if figure.kind == "matrix":
        return {"data": {"values": values}, "layer": _matrix_layers(look)}
    encoding = _encoding(look, limits)
    if figure.kind == "lines":
        layers = _line_layers(figure, encoding, markers=own.height <= _FEW_POINTS * len(look.colours))
    else:
        layers = _bar_layers(figure, encoding)
    for line in references:
        layers += _reference_layers(line, look, encoding["y"])
    if hover and figure.kind == "lines":
        layers.append(_hover_layer(figure, encoding))
    return {"data": {"values": values}, "layer": layers}


def _limits(figure: Figure, points: "pl.DataFrame", references: tuple[Reference, ...]) -> tuple[float, float]:
    """Return the ends of the axis of values."""
    import polars as pl

    lines = [line.value for line in references]
    if figure.kind == "stacked":
        totals = points.group_by("panel", "x").agg(pl.col("y").sum())["y"].to_list()
        top = max(*totals, *lines, 0.0)
        return 0.0, 1.0 if abs(top - 1) < _ROUNDING else padded_domain([0.0, top])[1]
    shown = [points[column].to_list() for column in (("low", "high") if figure.band else ("y",))]
    values = [value for column in shown for value in column] + lines
    room = _LABEL_ROOM if lines and max(lines) > max(values) - _LABEL_ROOM * (max(values) - min(values)) else _ROOM
    if figure.log_y:
        means = points["y"].to_list() + lines
        return padded_domain([max(value, min(means) / 2) for value in values], log=True, above=room)
    low, high = padded_domain(values if figure.kind == "lines" else [*values, 0.0], above=room)
    return (0.0 if figure.kind == "bars" and min(values) >= 0 else low), high


def _encoding(look: Look, limits: tuple[float, float]) -> dict[str, Any]:
    """Return the channels shared by the layers: position, value, colour, dashes."""
    figure = look.figure
    x_label, y_label, series_label = figure.axis_labels()
    value: dict[str, Any] = {"field": "y", "title": y_label, **_scaled(limits, figure.log_y, 6)}
    value["axis"] |= {**_TOP_TITLE, **({"format": figure.y_format} if figure.y_format else {})}
    place: dict[str, Any] = {"field": "x", "title": x_label}
    if figure.kind == "lines":
        place |= _scaled(look.domain_x, figure.log_x, 5)
        place["axis"]["grid"] = figure.log_x
    else:
        level = figure.horizontal or max(map(len, look.categories)) <= _SHORT_NAME
        axis = {"grid": False, "ticks": False, "labelAngle": 0 if level else -35}
        place |= {"type": "nominal", "sort": look.categories, "axis": axis}
    channels = {"x": place, "y": value}
    if figure.series:
        names = list(look.colours)
        strokes = {"symbolType": "stroke", "symbolOpacity": 1, "symbolStrokeWidth": 2.5}
        legend = {"title": series_label, **(strokes if figure.kind == "lines" else {"symbolType": "square"})}
        both = {"field": "series", "type": "nominal", "sort": names, "legend": legend}
        channels["color"] = {**both, "scale": {"domain": names, "range": list(look.colours.values())}}
        if figure.kind == "lines" and len({tuple(dash) for dash in look.dashes.values()}) > 1:
            channels["strokeDash"] = {**both, "scale": {"domain": names, "range": list(look.dashes.values())}}
    return channels


def _scaled(ends: tuple[float, float], log: bool, count: int) -> dict[str, Any]:
    """Return a channel of numbers: its scale, and the marks of its axis with their format: 100M, 0.001."""
    values = log_ticks(*ends) if log else linear_ticks(*ends, count)
    large = {"format": "~s", "labelExpr": "datum.value ? datum.label : '0'"} if max(map(abs, ends)) >= _LARGE else {}
    return {
        "type": "quantitative",
        "axis": {"values": values, **({"format": "~g"} if log else {}), **large},
        "scale": {"domain": list(ends), "nice": False, "zero": False, **({"type": "log"} if log else {})},
    }


def _line_layers(figure: Figure, channels: dict[str, Any], *, markers: bool) -> list[dict[str, Any]]:
    band, rest = [], {key: value for key, value in channels.items() if key != "y"}
    if figure.band:
        low = {**channels["y"], "field": "low"}
        area = {key: value for key, value in rest.items() if key != "strokeDash"}
        band = [{"mark": {"type": "area", "opacity": 0.18}, "encoding": {**area, "y": low, "y2": {"field": "high"}}}]
    mark: dict[str, Any] = {"type": "line", "strokeWidth": 2, "strokeJoin": "round"}
    if markers:
        mark["point"] = {"filled": True, "size": 34}
    if not figure.series:
        mark["color"] = OKABE_ITO[0]
        for layer in band:
            layer["mark"]["color"] = OKABE_ITO[0]
    return [*band, {"mark": mark, "encoding": channels}]


def _bar_layers(figure: Figure, channels: dict[str, Any]) -> list[dict[str, Any]]:
    stacked = figure.kind == "stacked"
    value = {**channels["y"], "stack": "zero" if stacked else None}
    shared: dict[str, Any] = {"x": channels["x"]}
    if figure.series and not stacked:
        shared["xOffset"] = {"field": "series", "sort": channels["color"]["sort"]}
    bars: dict[str, Any] = {**channels, **shared, "y": value}
    if stacked:
        bars["order"] = {"field": "rank", "type": "quantitative"}
    mark = {"type": "bar", "stroke": "white", "strokeWidth": 0.6, **({} if figure.series else {"color": OKABE_ITO[0]})}
    layers = [{"mark": mark, "encoding": bars}]
    if figure.band:
        ends = {"y": {**value, "field": "low"}, "y2": {"field": "high"}}
        layers.append({"mark": {"type": "rule", "color": INK, "strokeWidth": 1.2}, "encoding": {**shared, **ends}})
    return [{**layer, "encoding": _turned(layer["encoding"])} for layer in layers] if figure.horizontal else layers


def _matrix_layers(look: Look) -> list[dict[str, Any]]:
    """Return coloured cells that contain their values."""
    figure = look.figure
    x_label, y_label, series_label = figure.axis_labels()
    axis = {"grid": False, "ticks": False, "domain": False}
    sloped, kind = {**axis, "labelAngle": -35}, "nominal"
    places = {
        "x": {"field": "x", "type": kind, "sort": look.categories, "title": x_label, "axis": sloped},
        "y": {"field": "series", "type": kind, "sort": list(look.colours), "title": series_label, "axis": axis},
    }
    low, high = figure.bounds
    scale = {"domain": [high, (low + high) / 2, low], "range": ["#7fb8dd", "#f7f7f7", "#eea46c"]}
    colour = {"field": "y", "type": "quantitative", "title": y_label, "scale": scale, "legend": None}
    text = {"field": "y", "type": "quantitative", **({"format": figure.y_format} if figure.y_format else {})}
    return [
        {"mark": {"type": "rect", "stroke": "white"}, "encoding": {**places, "color": colour}},
        {"mark": {"type": "text", "fontSize": 12, "color": INK}, "encoding": {**places, "text": text}},
    ]


def _turned(channels: dict[str, Any]) -> dict[str, Any]:
    """Return channels with x and y exchanged."""
    other = {"x": "y", "y": "x", "y2": "x2", "xOffset": "yOffset"}
    turned = {other.get(key, key): value for key, value in channels.items()}
    turned["x"] = {**turned["x"], "axis": {k: v for k, v in turned["x"]["axis"].items() if k not in _TOP_TITLE}}
    return turned


def _reference_layers(line: Reference, look: Look, channel: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a dashed line across the plot, with a white-edged label on the line."""
    colour = look.colours.get(line.series, QUIET) if line.series else QUIET
    rule = {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.4, "color": colour}
    right = line.side == "right"
    text = {"type": "text", "text": line.label, "fontSize": 12, "color": colour, "align": line.side,
            "baseline": "bottom", "dx": -3 if right else 3, "dy": -3}  # fmt: skip
    across: dict[str, Any] = {"x": {"value": "width" if right else 0}}
    if look.figure.horizontal:
        across = {"x": {"value": 0}}
        text |= {"align": "left", "baseline": "top", "dx": 4, "dy": 0}
    halo = {**text, "stroke": "white", "strokeWidth": 4, "strokeJoin": "round", "color": "white"}
    layers = []
    for mark in (rule, halo, text):
        channels = {"y": channel} if mark is rule else {"y": channel, **across}
        encoding = _turned(channels) if look.figure.horizontal else channels
        layers.append({"data": {"values": [{"y": _short(line.value)}]}, "mark": mark, "encoding": encoding})
    return layers


def _hover_layer(figure: Figure, channels: dict[str, Any]) -> dict[str, Any]:
    """Return invisible points for tooltips."""
    titles = dict(zip(("x", "y", "series"), figure.axis_labels(), strict=True))
    titles |= {"low": "mean - sd", "high": "mean + sd"} if figure.band else {}
    shown = [name for name in titles if name != "series" or figure.series]
    tips = [
        {"field": name, "title": titles[name], "type": "nominal" if name == "series" else "quantitative"}
        for name in shown
    ]
    encoding = {key: value for key, value in channels.items() if key != "strokeDash"} | {"tooltip": tips}
    return {"mark": {"type": "point", "filled": True, "opacity": 0, "size": 90}, "encoding": encoding}


def _short(value: Any) -> Any:
    """Return a number rounded to eight digits, which suffice for a picture."""
    if not isinstance(value, float):
        return value
    rounded = float(f"{value:.8g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
