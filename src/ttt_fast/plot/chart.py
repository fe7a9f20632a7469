"""A quick chart in the terminal: lines of braille dots, or bars of blocks; no extra package is needed."""

from collections.abc import Iterable, Sequence
from io import StringIO
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.text import Text

from ttt_fast.core.errors import UsageError
from ttt_fast.plot.axes import LARGEST, padded_domain, position_domain, tick_text
from ttt_fast.plot.bar_chart import STYLES, bar_chart, shortened
from ttt_fast.plot.canvas import Axis, Canvas
from ttt_fast.plot.figure import Figure, Reference, runs_text, summarise

if TYPE_CHECKING:
    import polars as pl

MIN_WIDTH, MIN_HEIGHT = 40, 8
_QUIET = "bright_black"
_LONGEST_NAME = 26


class Curve(NamedTuple):
    """A line: its name, its points from left to right, and the edges of its band if it has one."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def line_chart(
    curves: Sequence[Curve],
    width: int = 80,
    height: int = 20,
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    log_x: bool = False,
    log_y: bool = False,
    references: Sequence[Reference] = (),
) -> Text:
    """Return curves as text of at most `width` columns and exactly `height` lines.

    The name of a curve is to the right, at its end, so that the chart can be read without colours.

    Raises
    ------
    UsageError
        If no point can be shown (finite, and positive on a logarithmic axis), or there is too little room.

    Examples
    --------
    >>> print(line_chart([Curve("a", [0, 10], [0, 1]), Curve("b", [0, 10], [1, 0.5])], 40, 8, x_label="n").plain)
      1 ┤⠒⠒⠤⠤⠤⢄⣀⣀⣀                  ⢀⣀⠤⠤⠒  a
        │         ⠉⠉⠉⠑⠒⠒⠒⠤⠤⠤⢄⣀⣀⣤⠤⠒⠊⠉⠁
    0.5 ┤             ⢀⣀⠤⠤⠒⠊⠉⠁  ⠉⠉⠉⠑⠒⠒⠒⠤⠤  b
        │      ⢀⣀⠤⠤⠒⠊⠉⠁
      0 ┤⣀⠤⠤⠒⠊⠉⠁
        └┬───────────────┬──────────────┬
         0               5             10
                        n
    """
    if width < MIN_WIDTH or height < MIN_HEIGHT:
        raise UsageError(f"expected at least {MIN_WIDTH} x {MIN_HEIGHT} characters, got {width} x {height}")
    kept = [curve for curve in (_shown(curve, log_x, log_y) for curve in curves) if curve.x]
    if not kept:
        raise UsageError("nothing to draw: no point that the axes can show")
    rows = height - 2 - bool(title) - bool(y_label) - bool(x_label)
    values = [value for curve in kept for value in curve.y] + [line.value for line in references]
    bands = [value for curve in kept for value in (*curve.low, *curve.high) if value > 0 or not log_y]
    y_axis = Axis(*padded_domain([*values, *bands], log=log_y), log_y, 4 * rows)
    marks = {rows - 1 - round(y_axis.at(value)) // 4: tick_text(value) for value in y_axis.ticks(max(2, rows // 3))}
    margin = max(map(len, marks.values()), default=0)
    named = [curve.name for curve in kept if curve.name] + [line.label for line in references]
    named += [_left_over(len(named))] if len(named) > rows else []
    side = min(_LONGEST_NAME, width // 3, max(map(len, named), default=-2)) + 2
    columns = width - margin - 2 - side
    x_axis = Axis(*position_domain([x for curve in kept for x in curve.x], log=log_x), log_x, 2 * columns)
    canvas = Canvas(columns, rows)
    labels = _draw(canvas, kept, references, x_axis, y_axis)
    lines = [Text(title, "bold")] if title else []
    lines += [Text(" " * (margin + 2) + shortened(y_label, width - margin - 2))] if y_label else []
    for row in range(rows):
        text = Text.assemble((f"{marks.get(row, ''):>{margin}} ", ""), ("┤" if row in marks else "│", _QUIET))
        text.append_text(canvas.line(row))
        if row in labels:
            name, style = labels[row]
            text.append(f"  {shortened(name, side - 2)}", style)
        text.rstrip()
        lines.append(text)
    lines += _below(x_axis, columns, margin, x_label)
    return Text("\n").join(lines)


def figure_chart(figure: Figure, frame: "pl.DataFrame", width: int = 80, height: int = 20) -> Text:
    """Return a figure as text: its panels one below the other, `height` lines for each panel of lines.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"x": ["random", "minimax"], "wins": [0.25, 1.0]})
    >>> print(figure_chart(Figure(name="f", title="Wins", kind="bars", x="x", y="wins"), frame, 40).plain)
    Wins
    wins by x
    random  ██████▊                     0.25
    minimax ███████████████████████████    1
    """
    import polars as pl

    points = summarise(figure, frame)
    x_label, y_label, _ = figure.axis_labels()
    charts = [Text(line, "bold") for line in wrap(figure.title, width)]
    charts += [Text(line, _QUIET) for line in wrap(runs_text(figure, points), width)]
    order = points["series"].unique().sort().to_list()
    for name in points["panel"].unique().sort().to_list():
        own = points.filter(pl.col("panel").cast(pl.String) == name)
        label = f"{name}: " if name else ""
        if figure.kind != "lines":
            charts.append(Text(f"{label}{y_label} by {x_label}"))
            charts.append(bar_chart(own, order, width, stacked=figure.kind == "stacked", band=figure.band))
            continue
        curves = []
        for series in order:
            rows = own.filter(pl.col("series").cast(pl.String) == series)
            edges = (rows["low"].to_list(), rows["high"].to_list()) if figure.band else ((), ())
            curves.append(Curve(series, rows["x"].to_list(), rows["y"].to_list(), *edges))
        lines = [line for line in figure.references if line.panel in (None, name)]
        charts.append(
            line_chart(curves, width, height, x_label=x_label, y_label=f"{label}{y_label}", log_x=figure.log_x,
                       log_y=figure.log_y, references=lines)
        )  # fmt: skip
    return Text("\n").join(charts)


def terminal_text(text: Text, *, colours: bool) -> str:
    r"""Return the text for a terminal: with colours (unless NO_COLOR is set), or plain.

    Examples
    --------
    >>> terminal_text(Text("a chart", "bold"), colours=False)
    'a chart\n'
    """
    stream = StringIO()
    Console(file=stream, force_terminal=colours, highlight=False).print(text, soft_wrap=True)
    return stream.getvalue()


def _shown(curve: Curve, log_x: bool, log_y: bool) -> Curve:
    """Return a curve without the points that the axes cannot show, from left to right."""

    def can_be_shown(value: float, log: bool) -> bool:
        return (1 / LARGEST if log else -LARGEST) <= value <= LARGEST

    columns = [curve.x, curve.y, *([curve.low, curve.high] if curve.low else [])]
    kept = [row for row in zip(*columns, strict=True) if can_be_shown(row[0], log_x) and can_be_shown(row[1], log_y)]
    kept.sort(key=lambda row: row[0])
    return Curve(curve.name, *(list(column) for column in zip(*kept, strict=True))) if kept else Curve("", [], [])


def _draw(
    canvas: Canvas, curves: Sequence[Curve], references: Iterable[Reference], x_axis: Axis, y_axis: Axis
) -> dict[int, tuple[str, str]]:
    """Draw bands, then reference lines, then curves; return the labels to the right by row."""

    def row_of(value: float) -> int:
        return canvas.rows - 1 - round(y_axis.at(value)) // 4

    wanted = []
    styles = {curve.name: STYLES[number % len(STYLES)] for number, curve in enumerate(curves)}
    for curve in curves:
        _shade(canvas, curve, x_axis, y_axis, styles[curve.name])
    for line in references:
        style = styles.get(line.series or "", _QUIET) if line.series else _QUIET
        canvas.back |= {(row_of(line.value), column): ("╌", style) for column in range(canvas.columns)}
        wanted.append((y_axis.at(line.value), line.label, style))
    for curve in curves:
        places = [(x_axis.at(x), y_axis.at(y)) for x, y in zip(curve.x, curve.y, strict=True)]
        for start, end in zip(places, places[1:] or places, strict=False):
            canvas.segment(start, end, styles[curve.name])
        if curve.name:
            wanted.append((places[-1][1], curve.name, styles[curve.name]))
    wanted.sort(key=lambda label: -label[0])
    if len(wanted) > canvas.rows:
        left = len(wanted) - canvas.rows + 1
        wanted = [*wanted[: canvas.rows - 1], (0.0, _left_over(left), _QUIET)]
    labels, row = {}, -1
    for number, (dots, name, style) in enumerate(wanted):
        latest = canvas.rows - (len(wanted) - number)  # leaves a row for each that follows
        row = min(max(canvas.rows - 1 - round(dots) // 4, row + 1), latest)
        labels[row] = (name, style)
    return labels


def _left_over(count: int) -> str:
    return f"and {count} more"


def _shade(canvas: Canvas, curve: Curve, x_axis: Axis, y_axis: Axis, style: str) -> None:
    """Fill the cells between the edges of a band."""
    if not curve.low:
        return
    import numpy as np

    places = [x_axis.at(x) / 2 for x in curve.x]
    inside = range(round(places[0]), min(round(places[-1]), canvas.columns - 1) + 1)
    edges = [np.interp(inside, places, [y_axis.at(y) for y in edge]) for edge in (curve.low, curve.high)]
    for column, low, high in zip(inside, *edges, strict=True):
        for height in range(round(low) // 4, round(high) // 4 + 1):
            canvas.back[canvas.rows - 1 - height, column] = ("░", f"dim {style}")


def _below(axis: Axis, columns: int, margin: int, label: str) -> list[Text]:
    """Return the axis of positions: its line, its marks, and its label."""
    line, marks, free = ["─"] * columns, [" "] * (columns + 1), -1
    for value in axis.ticks(max(2, columns // 14)):
        column, text = round(axis.at(value)) // 2, tick_text(value)
        start = min(max(0, column - (len(text) - 1) // 2), columns - len(text))
        if start <= free:
            continue
        line[column] = "┬"
        marks[start : start + len(text)] = text
        free = start + len(text)
    indent = " " * (margin + 1)
    lines = [Text(f"{indent}└{''.join(line)}", _QUIET), Text(f"{indent} {''.join(marks).rstrip()}")]
    centred = shortened(label, columns).center(columns).rstrip()
    return [*lines, Text(f"{indent} {centred}")] if label else lines
