"""The chart in the terminal: what stands in it, and rules that hold for every chart."""

import re
import sys
from unittest import mock

import polars as pl
import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from ttt_fast import UsageError
from ttt_fast.plot.chart import MIN_HEIGHT, MIN_WIDTH, figure_chart
from ttt_fast.plot.figure import Figure, Reference

METHODS = Figure(name="f", title="Two methods", x="episodes", y="wins", series="method", log_x=True, band=True)
SCORES = Figure(name="f", title="Wins", kind="bars", x="method", y="wins", band=True)
CODE = re.compile(r"\x1b\[[0-9;]*m")


def methods_frame() -> pl.DataFrame:
    rows = [
        (10.0**k, 0.9 - 0.5 / k + s / 50 - lost, method, s)
        for method, lost in (("fast", 0.0), ("slow", 0.2))
        for s in range(3)
        for k in range(1, 7)
    ]
    return pl.DataFrame(rows, schema=["episodes", "wins", "method", "seed"], orient="row")


def plot_of(chart: str) -> list[str]:
    """The lines between the top and the bottom of the frame."""
    lines = chart.splitlines()
    top, bottom = (next(k for k, line in enumerate(lines) if corner in line) for corner in "┌└")
    return lines[top + 1 : bottom]


def test_lines_have_a_title_a_heading_marks_and_a_legend():
    chart = figure_chart(METHODS, methods_frame(), 60, 12)
    lines = chart.splitlines()
    assert lines[:3] == ["Two methods", "mean ± standard deviation of 3 runs", "wins by episodes"]
    assert lines[3].lstrip().startswith("┌")
    assert lines[-1].split() == ["•", "fast", "x", "slow"]
    assert lines[-2].split() == ["10", "100", "1000", "10k", "100k", "1M"]
    assert len(lines) == 3 + 12 + 1
    assert {line.split("┤")[0].strip() for line in plot_of(chart) if "┤" in line[:6]} >= {"0.2", "0.4", "0.8"}
    assert "·" in chart


def test_curves_are_where_their_values_are():
    """The better method is above the other, both rise, and the mark of a curve is that of the legend."""
    plot = plot_of(figure_chart(METHODS, methods_frame(), 80, 20))
    rows = {mark: [(line.index(mark), k) for k, line in enumerate(plot) if mark in line] for mark in "•x"}
    assert min(k for _, k in rows["•"]) < min(k for _, k in rows["x"])
    for places in rows.values():
        assert [column for column, _ in places] == sorted((column for column, _ in places), reverse=True)


def test_bars_show_their_values():
    lines = figure_chart(SCORES, methods_frame().filter(pl.col("episodes") == 1e6), 50).splitlines()
    assert lines[2] == "wins by method"
    fast, slow = lines[3:5]
    assert re.fullmatch(r"fast █+ 0.8367 ± 0.02", fast)
    assert re.fullmatch(r"slow █+\S? +0.6367 ± 0.02", slow)
    assert fast.count("█") * 0.6367 / 0.8367 == pytest.approx(slow.count("█"), abs=1)


def test_colours_are_for_terminals():
    arguments = (METHODS, methods_frame(), 60, 10)
    plain, coloured = figure_chart(*arguments), figure_chart(*arguments, colours=True)
    assert "\x1b" not in plain
    assert "\x1b[36m• fast" in coloured
    assert "\x1b[33mx slow" in coloured
    assert CODE.sub("", coloured).splitlines()[:4] == plain.splitlines()[:4]


def test_panels_stand_below_each_other():
    figure = Figure(
        name="f", title="t", x="episodes", y="wins", series="seed", panels="method", log_x=True,
        references=(Reference(0.5, "half", panel="slow", series="0"), Reference(0.9, "high", panel="slow")),
    )  # fmt: skip
    frame = methods_frame().filter((pl.col("method") == "fast") | (pl.col("seed") == 0))  # a panel lacks two series
    text = figure_chart(figure, frame, 60, 10)
    assert text.index("fast: wins") < text.index("slow: wins") < text.index("─ half")
    assert (text.count("half"), text.count("high")) == (1, 1)
    assert len(text.splitlines()) == 1 + 2 * (1 + 10 + 1)
    assert [line for line in text.splitlines() if "├─" in line and line.count("─") > 40 and "┴" not in line]
    legends = [line for line in text.splitlines() if line.startswith(("•", "─"))]
    assert legends == ["• 0   x 1   + 2", "─ half   ─ high   • 0"]  # a series without a point in a panel is not named


@given(
    st.lists(st.tuples(st.floats(allow_nan=True), st.floats(allow_nan=True)), min_size=1, max_size=12),
    st.integers(MIN_WIDTH, 130),
    st.integers(MIN_HEIGHT, 40),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.text(st.characters(min_codepoint=32, exclude_categories=["C"]), min_size=1, max_size=60),
)
def test_every_chart_fits(points, width, height, log_x, log_y, colours, name):
    x, y = zip(*points, strict=True)
    frame = pl.DataFrame({"x": x, "y": y, "name": [name] * len(x)})
    figure = Figure(name="f", title=name, x="x", y="y", series="name", log_x=log_x, log_y=log_y, band=True)
    try:
        lines = CODE.sub("", figure_chart(figure, frame, width, height, colours=colours)).splitlines()
    except UsageError as error:
        assert "nothing to draw" in str(error)
        return
    assert max(map(cell_len, lines)) <= width
    top = next(k for k, line in enumerate(lines) if "┌─" in line)
    bottom = next(k for k, line in enumerate(lines) if "└" in line and k > top)
    assert bottom - top == height - 2


def test_lines_need_the_extra_and_bars_do_not():
    with mock.patch.dict(sys.modules, {"plotext": None}):
        with pytest.raises(UsageError, match=r"needs plotext: install 'ttt-fast\[plot\]'$"):
            figure_chart(METHODS, methods_frame())
        assert "0.7158 ± 0.15" in figure_chart(SCORES, methods_frame(), 60)
