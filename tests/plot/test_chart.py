"""The chart in the terminal: golden texts, and rules that hold for every chart."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ttt_fast.core.errors import UsageError
from ttt_fast.plot.bar_chart import shortened
from ttt_fast.plot.canvas import Axis, Canvas
from ttt_fast.plot.chart import MIN_HEIGHT, MIN_WIDTH, Curve, figure_chart, line_chart, terminal_text
from ttt_fast.plot.figure import Figure, Reference

GOLDEN_LINES = """\
Learning
     share won
  1 ┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌⢀⣀⣀⣀⣀⣀⡠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤  optimum 191/192
    │        ⣀⡠⠤⠒⠒⠒⠒⠉⠉⠁              ⢀⣀⣀⣀⣀⠤⠤⠤⠤⠤  fast
    │    ⣀⡠⠒⠊             ⣀⣀⣀⡠⠤⠒⠒⠒⠊⠉⠉⠁           slow
    │ ⡠⠒⠉         ⢀⣀⣀⠔⠒⠒⠉⠉
0.5 ┤⠊       ⣀⡠⠒⠒⠊⠁
    │  ⢀⣀⠤⠒⠊⠉
    │⡠⠒⠁
    │
  0 ┤
    └┬────────────────────┬───────────────────┬
     100                 100k              100M
                      episodes"""

GOLDEN_BAND = """\
Two methods
mean ± standard deviation of 3 runs
     wins
    │                  ░░░░⣀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒  fast
    │       ⢀⣀⠤⠤⠤⠒⠒⠒⠒⠒⠊⠉⠉⠉⠉░░░ ░░░░░░░░⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀  slow
0.5 ┤ ⣀⡠⠤⠒⠒⠉⠁░⣀⣀⣀⡠⠤⠤⠤⠤⠒⠒⠒⠒⠒⠒⠒⠊⠉⠉⠉⠉⠉⠉⠉⠉⠉░░░░░
    │⠉░⢀⣀⠤⠤⠒⠊⠉░
    │⠒⠉⠁░
  0 ┤
    └┬──────────────────┬───────────────────┬─────────
     10                1000                100k
                          episodes"""

GOLDEN_BARS = """\
Wins
mean ± standard deviation of 3 runs
wins by method
fast ███████████████████████████████ 0.8367 ± 0.02
slow ███████████████████████▋        0.6367 ± 0.02"""

GOLDEN_STACKED = """\
Lengths
share by pair
random  ████████▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
minimax ████████████████████████▓▓▓▓▓▓▓▓
        █ 5  ▓ 7  ▒ 9"""

METHODS = Figure(name="f", title="Two methods", x="episodes", y="wins", series="method", log_x=True, band=True)
LENGTHS = Figure(name="f", title="Lengths", kind="stacked", x="pair", y="share", series="plies")


def curve(name: str, rate: float) -> Curve:
    x = np.logspace(2, 8, 40)
    return Curve(name, x.tolist(), (0.99 - np.exp(-rate * (np.log10(x) - 1))).tolist())


def methods_frame() -> pl.DataFrame:
    rows = [(10.0**k, 0.9 - 0.5 / k + s / 50, e, s) for e in ("fast", "slow") for s in range(3) for k in range(1, 7)]
    rows = [(x, y if e == "fast" else y - 0.2, e, s) for x, y, e, s in rows]
    return pl.DataFrame(rows, schema=["episodes", "wins", "method", "seed"], orient="row")


def lengths_frame() -> pl.DataFrame:
    shares = [0.25, 0.25, 0.5, 0.75, 0.25, 0]
    return pl.DataFrame({"pair": ["random"] * 3 + ["minimax"] * 3, "plies": [5, 7, 9] * 2, "share": shares})


def bars() -> tuple[Figure, pl.DataFrame]:
    frame = methods_frame().filter(pl.col("episodes") == 1e6)
    return Figure(name="f", title="Wins", kind="bars", x="method", y="wins", band=True), frame


def lines_chart() -> str:
    return line_chart(
        [curve("fast", 0.8), curve("slow", 0.3)], 64, 14, title="Learning", x_label="episodes", y_label="share won",
        log_x=True, references=[Reference(191 / 192, "optimum 191/192")],
    ).plain  # fmt: skip


def test_lines():
    assert lines_chart() == GOLDEN_LINES


def test_lines_with_bands():
    assert figure_chart(METHODS, methods_frame(), 60, 10).plain == GOLDEN_BAND


def test_bars():
    assert figure_chart(*bars(), 50).plain == GOLDEN_BARS


def test_stacked_bars():
    assert figure_chart(LENGTHS, lengths_frame(), 40).plain == GOLDEN_STACKED


def test_each_curve_has_its_colour_and_a_plain_terminal_gets_none():
    chart = figure_chart(METHODS, methods_frame(), 60, 10)
    named = {chart.plain[span.start : span.end].strip(): str(span.style) for span in chart.spans}
    assert (named["fast"], named["slow"]) == ("cyan", "yellow")
    plain = terminal_text(chart, colours=False)
    assert plain == chart.plain + "\n"
    assert "\x1b[36m" in terminal_text(chart, colours=True)


def test_no_color_is_heeded(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[36m" not in terminal_text(figure_chart(METHODS, methods_frame(), 60, 10), colours=True)


def test_panels_stand_below_each_other():
    figure = Figure(
        name="f", title="t", x="episodes", y="wins", panels="method", log_x=True,
        references=(Reference(0.5, "half", panel="slow"),),
    )  # fmt: skip
    text = figure_chart(figure, methods_frame(), 60, 10).plain
    assert text.index("fast: wins") < text.index("slow: wins") < text.index("half")
    assert text.count("half") == 1
    assert len(text.splitlines()) == 2 + 2 * 10


def test_more_curves_than_lines():
    text = line_chart([Curve(f"curve {k}", [0, 1], [k, k]) for k in range(40)], 60, 12).plain
    assert "curve 39" in text
    assert "and 31 more" in text


def test_a_line_has_no_holes_and_goes_through_its_points():
    canvas = Canvas(20, 5)
    canvas.segment((0, 0), (39, 19), "")
    dots = sum(bits.bit_count() for bits in canvas.dots.values())
    assert dots == 40
    assert canvas.dots[4, 0] & 0x40
    assert canvas.dots[0, 19] & 0x08


def test_a_point_far_below_a_logarithmic_axis_is_put_on_its_edge():
    axis = Axis(1.0, 100.0, True, 21)
    assert [axis.at(value) for value in (0.0, -5.0, 1.0, 10.0, 100.0, 1e9)] == [0, 0, 0, 10, 20, 20]


@given(
    st.lists(st.tuples(st.floats(allow_nan=True), st.floats(allow_nan=True)), min_size=1, max_size=12),
    st.integers(MIN_WIDTH, 130),
    st.integers(MIN_HEIGHT, 40),
    st.booleans(),
    st.booleans(),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60),
)
def test_every_chart_fits(points, width, height, log_x, log_y, name):
    x, y = zip(*points, strict=True)
    try:
        text = line_chart([Curve(name, x, y)], width, height, title="t", x_label=name, log_x=log_x, log_y=log_y).plain
    except UsageError as error:
        assert "nothing to draw" in str(error)
        return
    lines = text.split("\n")
    assert len(lines) == height
    assert max(map(cell_len, lines)) <= width


def test_charts_that_cannot_be_drawn():
    for width, height in ((MIN_WIDTH - 1, 20), (80, MIN_HEIGHT - 1)):
        with pytest.raises(UsageError, match=f"at least 40 x 8 characters, got {width} x {height}"):
            line_chart([curve("a", 1)], width, height)
    for curves in ([], [Curve("a", [], [])], [Curve("a", [0.0], [float("nan")])]):
        with pytest.raises(UsageError, match="nothing to draw"):
            line_chart(curves)


def test_shortened():
    assert [shortened("abcdef", width) for width in (6, 5, 1, 0)] == ["abcdef", "abcd…", "…", "…"]
