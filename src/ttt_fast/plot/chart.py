"""Quick charts in the terminal: plotext draws lines, rich draws bars."""

from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import product
from math import log10
from typing import TYPE_CHECKING

from rich.bar import Bar
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ttt_fast.plot.axes import round_values, tick_text
from ttt_fast.plot.figure import Figure, Reference, extra, runs_text, summarise

if TYPE_CHECKING:
    import polars as pl

MIN_WIDTH, MIN_HEIGHT = 40, 8
_COLOURS = (6, 3, 5, 2, 1, 4)  # of a terminal: cyan, yellow, magenta, green, red, blue
_QUIET = 8
_MARKS = "•x+o*#=%@&"  # distinguish lines without colours
_BAND_MARK, _REFERENCE_MARK = "·", "─"
_EVEN = 1e-6


def figure_chart(
    figure: Figure, frame: "pl.DataFrame", width: int = 80, height: int = 20, *, colours: bool = False
) -> str:
    """Return a figure as text: its panels one below the other, with `height` lines for each line plot.

    Parameters
    ----------
    figure, frame
        The figure and its rows.
    width, height
        Characters, at least 40 x 8.
    colours
        Whether the text is for a terminal, with colours (unless NO_COLOR is set) and finely dotted lines.

    Raises
    ------
    UsageError
        If there is nothing to draw, or plotext, which draws lines, is missing.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"x": ["random", "minimax"], "wins": [0.25, 1.0]})
    >>> print(figure_chart(Figure(name="f", title="Wins", kind="bars", x="x", y="wins"), frame, 40))
    Wins
    wins by x
    random  ██████▊                     0.25
    minimax ███████████████████████████ 1
    """
    import polars as pl

    points = summarise(figure, frame)
    x_label, y_label, _ = figure.axis_labels()
    order = points["series"].unique().sort().to_list()
    parts: list[RenderableType] = [Text(figure.title, "bold")]
    if subtitle := runs_text(figure, points):
        parts.append(Text(subtitle, f"color({_QUIET})"))
    for name in points["panel"].unique().sort().to_list():
        own = points.filter(pl.col("panel").cast(pl.String) == name)
        heading = f"{name}: {y_label} by {x_label}" if name else f"{y_label} by {x_label}"
        if heading != figure.title:
            parts.append(Text(heading))
        if figure.kind == "lines":
            references = [line for line in figure.references if line.panel in (None, name)]
            parts += _lines(figure, own, order, references, (width, height), fine=colours)
        else:
            parts.append(_bars(figure, own, order))
    stream = StringIO()
    Console(file=stream, width=width, force_terminal=colours, highlight=False).print(Group(*parts))
    return stream.getvalue()


def _lines(
    figure: Figure,
    points: "pl.DataFrame",
    order: Sequence[str],
    references: Sequence[Reference],
    size: tuple[int, int],
    *,
    fine: bool,
) -> list[RenderableType]:
    """Return a line plot and its legend."""
    import polars as pl

    plotext = extra("plotext")
    edges = [column for column in ("low", "high") if figure.band]
    values = [value for column in ("y", *edges) for value in points[column]] + [line.value for line in references]
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.limit_size(False, False)
    plotext.plot_size(*size)
    for limit, ticks, shown, count, log in (
        (plotext.xlim, plotext.xticks, points["x"].to_list(), size[0] // 14, figure.log_x),
        (plotext.ylim, plotext.yticks, values, size[1] // 3, figure.log_y),
    ):
        marks = round_values(min(shown), max(shown), count, log=log)
        limit(*_places([min(*shown, *marks), max(*shown, *marks)], log))
        ticks(_places(marks, log), [tick_text(mark) for mark in marks])
    legend, named = [], f"{figure.axis_labels()[2]} = " if figure.names_series else ""
    for line in references:
        colour = _colour(order, line.series) if line.series in order else _QUIET
        plotext.hline(_places([line.value], figure.log_y)[0], colour)
        legend.append(Text(f"{_REFERENCE_MARK} {line.label}", f"color({colour})"))
    for column, (number, series) in product((*edges, "y"), enumerate(order)):
        rows = points.filter(pl.col("series").cast(pl.String) == series)
        mark = _BAND_MARK if column in edges else _MARKS[number % len(_MARKS)]
        marker = "braille" if fine and column == "y" else mark
        colour = _colour(order, series)
        x, y = _places(rows["x"], figure.log_x), _places(rows[column], figure.log_y)
        plotext.plot(x, y, marker=marker, color=colour)
        if series and column == "y" and rows.height:
            legend.append(Text(f"{mark} {named}{series}", f"color({colour})"))
    plot = Text.from_ansi(plotext.build().rstrip(), no_wrap=True)
    return [plot, Text("   ").join(legend)] if legend else [plot]


def _bars(figure: Figure, points: "pl.DataFrame", order: Sequence[str]) -> Table:
    """Return a bar with its value for each category and series; a stacked bar begins at the end of the previous one."""
    import polars as pl

    stacked = figure.kind == "stacked"
    total = pl.col("y").cum_sum().over("x") if stacked else pl.col("y")
    rows = points.sort("x", "series").with_columns(total.alias("end"))
    top = max(rows["end"].to_list())
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True, max_width=40)
    table.add_column(ratio=1, min_width=4)
    table.add_column(no_wrap=True)
    for x, series, y, low, high, end in rows.select("x", "series", "y", "low", "high", "end").iter_rows():
        bar = Bar(top, end - y if stacked else 0.0, end, color=f"color({_colour(order, series)})")
        table.add_row(f"{x} {series}".strip(), bar, f"{y:.4g}" + (_spread_text(y, low, high) if figure.band else ""))
    return table


def _places(values: Iterable[float], log: bool) -> list[float]:
    """Return the positions of values on an axis of plotext, whose own logarithmic axis has no limits."""
    return [log10(value) if log else value for value in values]


def _spread_text(y: float, low: float, high: float) -> str:
    """Return the text of a standard deviation, or of the ends of an asymmetric whisker; empty without either."""
    if high - low < _EVEN:
        return ""
    return f" ± {y - low:.2g}" if abs(high + low - 2 * y) < _EVEN * (high - low) else f" ({low:.3g} to {high:.3g})"


def _colour(order: Sequence[str], series: str | None) -> int:
    return _COLOURS[order.index(series or "") % len(_COLOURS)]
