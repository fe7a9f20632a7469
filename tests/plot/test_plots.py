"""Figures: their points against NumPy, their specification, and the files that are drawn from it."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from ttt_fast import UsageError
from ttt_fast.core.errors import FileWriteError
from ttt_fast.plot.axes import round_values
from ttt_fast.plot.figure import Figure, Reference, summarise
from ttt_fast.plot.layers import QUIET, chart_of
from ttt_fast.plot.plots import MAX_BYTES, draw, save

OPTIMUM = Reference(191 / 192, "optimum 191/192")
LEARNING = Figure(
    name="learning", title="Learning <fast> & well", x="episodes", y="exact_wins", series="epsilon", log_x=True,
    band=True, references=(OPTIMUM,), y_label="games won (exact share)", series_label="exploration ε",
)  # fmt: skip
LENGTHS = Figure(
    name="lengths", title="Length of games", kind="stacked", x="pair", y="share", series="plies", y_format=".0%",
)  # fmt: skip


def learning_frame(points: int = 30, seeds: int = 5, epsilons=(0.1, 0.2, 0.4)) -> pl.DataFrame:
    generator = np.random.default_rng(0)
    rows = [
        {"episodes": int(n), "exact_wins": 0.99 - epsilon / (1 + k) + generator.normal(0, 0.01), "epsilon": epsilon,
         "seed": seed, "opponent": "random" if seed % 2 else "buggy2"}
        for epsilon in epsilons
        for seed in range(seeds)
        for k, n in enumerate(np.linspace(100, 10**7, points))
    ]  # fmt: skip
    return pl.DataFrame(rows)


def lengths_frame() -> pl.DataFrame:
    shares = {"random v random": (0.1, 0.1, 0.3, 0.2, 0.3), "minimax v random": (0.75, 0.0, 0.2, 0.0, 0.05)}
    return pl.DataFrame(
        [
            {"pair": p, "plies": n, "share": s}
            for p, row in shares.items()
            for n, s in zip(range(5, 10), row, strict=True)
        ]
    )


MATRIX = Figure(
    name="matrix", title="Scores", kind="matrix", x="against", y="score", series="agent", series_order=("b", "a"),
    bounds=(0.0, 1.0), y_format=".0%",
)  # fmt: skip


def test_a_matrix_has_a_cell_for_each_pair_with_its_number():
    frame = pl.DataFrame({"agent": ["a", "a", "b"], "against": ["b", "a", "b"], "score": [0.25, 0.5, 0.75]})
    spec = specification(MATRIX, frame)
    cells, numbers = spec["layer"]
    assert (cells["mark"]["type"], numbers["encoding"]["text"]["format"]) == ("rect", ".0%")
    assert cells["encoding"]["y"]["sort"] == ["b", "a"] and cells["encoding"]["x"]["sort"] == ["b", "a"]
    assert cells["encoding"]["color"]["scale"]["domain"] == [0.0, 0.5, 1.0]
    assert {(one["series"], one["x"], one["y"]) for one in rows_of(spec)} == {
        ("a", "b", 0.25), ("a", "a", 0.5), ("b", "b", 0.75),
    }  # fmt: skip
    with pytest.raises(UsageError, match="expected a series, bounds and no band for a matrix"):
        Figure(name="matrix", title="Scores", kind="matrix", x="against", y="score")


def specification(figure, frame):
    """The Vega-Lite specification, which altair checks against the schema."""
    return chart_of(figure, frame).to_dict()


def rows_of(spec):
    """The points in a specification."""
    return spec["datasets"][spec["data"]["name"]]


def layers(figure, frame):
    return specification(figure, frame)["layer"]


def test_mean_and_band_are_those_of_numpy():
    frame = learning_frame()
    points = summarise(LEARNING, frame)
    assert points["series"].unique().sort().to_list() == ["0.1", "0.2", "0.4"]
    assert points.height == 90
    for series, x, y, low, high, runs in points.drop("panel").iter_rows():
        chosen = (pl.col("epsilon") == float(series)) & (pl.col("episodes") == x)
        values = frame.filter(chosen)["exact_wins"].to_numpy()
        assert runs == 5
        assert y == pytest.approx(values.mean(), rel=1e-12)
        assert high - y == pytest.approx(values.std(ddof=1), rel=1e-9)
        assert y - low == pytest.approx(values.std(ddof=1), rel=1e-9)


def test_means_that_stand_in_the_frame_have_their_spread():
    """One column is a standard deviation, two are the edges; where an edge is missing the band has no width."""
    frame = pl.DataFrame({"n": [1, 2, 3], "mean": [0.5, 0.9, 0.2], "sd": [0.1, 0.2, None], "seeds": [20, 20, 20],
                          "least": [0.3, 0.7, None], "most": [0.6, 1.3, None]})  # fmt: skip
    figure = Figure(name="f", title="t", x="n", y="mean", band=True, spread=("sd",), runs="seeds", bounds=(0.0, 1.0))
    assert summarise(figure, frame).select("low", "high", "runs").rows() == [
        (0.4, 0.6, 20), (pytest.approx(0.7), 1.0, 20), (0.2, 0.2, 20),
    ]  # fmt: skip
    assert specification(figure, frame)["title"]["subtitle"] == ["mean ± standard deviation of 20 runs"]
    edges = Figure(name="f", title="t", x="n", y="mean", band=True, spread=("least", "most"))
    assert summarise(edges, frame).select("low", "high", "runs").rows() == [(0.3, 0.6, 1), (0.7, 1.3, 1), (0.2, 0.2, 1)]
    assert "subtitle" not in specification(edges, frame)["title"]
    with pytest.raises(UsageError, match="one row for each panel, series and position"):
        summarise(figure, pl.concat([frame, frame]))
    with pytest.raises(UsageError, match="unknown column 'sem'; did you mean seeds"):
        summarise(Figure(name="f", title="t", x="n", y="mean", band=True, spread=("sem",)), frame)


def test_long_lines_are_thinned_and_keep_their_ends():
    frame = learning_frame(points=2000, seeds=1)
    points = summarise(LEARNING, frame)
    for series in ("0.1", "0.4"):
        x = points.filter(pl.col("series").cast(pl.String) == series)["x"]
        assert len(x) <= 241
        assert (x[0], x[-1]) == (100, 10**7)
    assert set(points["x"]) <= set(frame["episodes"].cast(float))


def test_what_an_axis_cannot_show_is_left_out():
    frame = pl.DataFrame({"n": [0, 1, 10, 100, None, 5], "gap": [1.0, 0.5, 0.0, 0.1, 1.0, float("nan")]})
    shown = summarise(Figure(name="f", title="t", x="n", y="gap", log_x=True, log_y=True), frame)
    assert shown.select("x", "y").rows() == [(1.0, 0.5), (100.0, 0.1)]
    assert summarise(Figure(name="f", title="t", x="n", y="gap"), frame).height == 4
    tiny = pl.DataFrame({"n": [1, 2, 3], "gap": [1e-151, 1e-150, 1e150]})
    assert summarise(Figure(name="f", title="t", x="n", y="gap", log_y=True), tiny)["x"].to_list() == [2.0, 3.0]


def test_numbers_names_and_missing_names_are_ordered():
    frame = pl.DataFrame({"x": [1] * 4, "y": [1.0] * 4, "n": [10, 9, 100, None], "name": ["b", "a", None, "c"]})
    numbers = summarise(Figure(name="f", title="t", x="x", y="y", series="n"), frame)
    assert numbers["series"].to_list() == ["9", "10", "100", "none"]
    names = summarise(Figure(name="f", title="t", x="x", y="y", series="name", series_order=("c",)), frame)
    assert names["series"].to_list() == ["c", "a", "b", "none"]
    bars = summarise(Figure(name="f", title="t", kind="bars", x="name", y="y"), frame)
    assert bars["x"].to_list() == ["b", "a", "c", "none"]


def test_the_layers_of_a_learning_curve():
    band, line, rule, halo, label = layers(LEARNING, learning_frame())
    assert (band["mark"]["type"], line["mark"]["type"], rule["mark"]["type"]) == ("area", "line", "rule")
    assert halo["mark"]["text"] == label["mark"]["text"] == "optimum 191/192"
    assert rule["encoding"]["y"]["datum"] == 191 / 192
    assert line["encoding"]["x"]["scale"]["type"] == "log"
    assert line["encoding"]["color"]["scale"]["domain"] == ["0.1", "0.2", "0.4"]
    assert line["encoding"]["color"]["scale"]["scheme"]["name"] == "viridis"
    assert line["encoding"]["y"]["scale"] == {"zero": False, "nice": 6}


def test_a_reference_has_the_colour_of_its_series():
    frame = pl.DataFrame({"x": [1, 2] * 2, "y": [0.1, 0.2, 0.3, 0.4], "agent": ["a", "a", "b", "b"]})
    lines = tuple(Reference(0.5, f"of {name}", series=name) for name in ("a", "b", "c", None))
    spec = specification(Figure(name="f", title="t", x="x", y="y", series="agent", references=lines), frame)
    colours = [layer["encoding"]["color"] for layer in spec["layer"] if layer["mark"]["type"] == "rule"]
    assert colours == [{"datum": "a"}, {"datum": "b"}, {"value": QUIET}, {"value": QUIET}]


def test_the_label_of_a_reference_stands_at_its_side():
    frame = pl.DataFrame({"x": [1, 2], "y": [0.1, 0.2]})
    lines = tuple(Reference(0.5, side, side=side) for side in ("left", "right"))
    spec = specification(Figure(name="f", title="t", x="x", y="y", references=lines), frame)
    marks = [layer["mark"] for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert {mark["text"]: (mark["x"], mark["align"]) for mark in marks} == {
        "left": (0, "left"), "right": ("width", "right"),
    }  # fmt: skip


def test_panels_have_their_own_references_and_one_scale_unless_told_otherwise():
    for shared in (True, False):
        references = (Reference(0.5, "a", panel="random"), Reference(7.0, "b", panel="buggy2"))
        figure = Figure(
            name="f", title="t", x="episodes", y="exact_wins", panels="opponent", references=references, shared_y=shared
        )
        spec = specification(figure, learning_frame())
        plots = {plot["title"]["text"]: plot for plot in spec["concat"]}
        assert set(plots) == {"random", "buggy2"}
        assert [plots[name]["layer"][-1]["mark"]["text"] for name in ("random", "buggy2")] == ["a", "b"]
        assert spec["resolve"]["scale"] == {"x": "shared", "y": "shared" if shared else "independent"}


def test_stacked_bars_fill_the_axis_and_keep_the_order_of_their_series():
    (bars,) = layers(LENGTHS, lengths_frame())
    assert bars["encoding"]["y"]["stack"] == "normalize"
    (counts,) = layers(LENGTHS, lengths_frame().with_columns(pl.col("share") * 100))
    assert counts["encoding"]["y"]["stack"] == "zero"
    assert bars["encoding"]["x"]["sort"] == ["random v random", "minimax v random"]
    rows = rows_of(specification(LENGTHS, lengths_frame()))
    assert {(row["series"], row["rank"]) for row in rows} == {(str(n), n - 5) for n in range(5, 10)}


FIGURES = [
    LEARNING,
    Figure(name="plain", title="One line", x="episodes", y="exact_wins"),
    Figure(name="panels", title="Panels", x="episodes", y="exact_wins", panels="opponent", log_y=True, band=True),
    Figure(name="bars", title="Bars", kind="bars", x="opponent", y="exact_wins", series="epsilon", band=True),
    LENGTHS,
]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: one.name)
def test_files(figure, tmp_path):
    frame = lengths_frame() if figure is LENGTHS else learning_frame(points=10, seeds=4)
    draw(figure, frame).to_dict()  # altair checks it against the schema
    for suffix in (".png", ".svg", ".json"):
        paths = [tmp_path / f"{copy}{suffix}" for copy in ("ab" if figure is LEARNING else "a")]
        for path in paths:
            save(figure, frame, path)
        (content,) = {path.read_bytes() for path in paths}
        assert len(content) < MAX_BYTES or suffix == ".png"
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert json.loads((tmp_path / "a.json").read_text())["description"] == figure.title
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = {text for element in root.iter() if (text := (element.text or "").strip())}
    assert figure.title in texts
    if figure.series:
        assert set(summarise(figure, frame)["series"]) <= texts
    assert {line.label for line in figure.references} <= texts


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_control_characters_of_a_frame_are_escaped(suffix, tmp_path):
    frame = pl.DataFrame({"x": [1, 2] * 2, "y": [0.1, 0.2] * 2, "name": ["a\a", "a\a", "b\ufffe", "b\ufffe"]})
    figure = Figure(name="f", title="t", x="x", y="y", series="name")
    assert summarise(figure, frame)["series"].unique().to_list() == [r"a\x07", r"b\ufffe"]
    save(figure, frame, tmp_path / f"a{suffix}")
    assert (tmp_path / f"a{suffix}").stat().st_size > 1000


def test_a_page_needs_no_network_and_names_its_figure(tmp_path):
    paths = [tmp_path / f"{copy}.html" for copy in "ab"]
    for path in paths:
        save(LEARNING, learning_frame(), path)
    text = paths[0].read_text()
    assert text == paths[1].read_text()
    assert "<title>Learning &lt;fast&gt; &amp; well</title>" in text
    assert re.findall(r"<(?:script|link|iframe)[^>]+(?:src|href)=", text) == []
    assert '"tooltip":[{"field":"x","title":"episodes","type":"quantitative"}' in text


@pytest.mark.parametrize("module", ["altair", "vl_convert"])
def test_a_missing_extra_is_one_line(module, tmp_path):
    with mock.patch.dict(sys.modules, {module: None}), pytest.raises(UsageError, match=r"install 'ttt-fast\[plot\]'$"):
        _ = (
            draw(LEARNING, learning_frame())
            if module == "altair"
            else save(LEARNING, learning_frame(), tmp_path / "a.svg")
        )
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_written(tmp_path):
    with pytest.raises(UsageError, match=r"expected a file that ends in \.png, .*\.json, got 'a\.gif'"):
        save(LEARNING, learning_frame(), "a.gif")
    with pytest.raises(FileWriteError, match="cannot write"):
        save(LEARNING, learning_frame(), tmp_path / "no" / "folder.svg")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "a/b"}, "the name of a figure"),
        ({"kind": "pie"}, "one of lines, bars, stacked, matrix as the kind of a figure, got 'pie'"),
        ({"kind": "bars", "log_x": True}, "linear axes for the kind 'bars'"),
        ({"spread": ("sd",)}, "together with a band, got ('sd',)"),
        ({"log_y": True, "references": (Reference(0.0, "zero"),)}, "that the axis can show, got 0.0"),
        ({"title": "a\a"}, r"figure text that contains no control characters, got 'a\x07'"),
    ],
)
def test_specifications_that_are_no_figures(changes, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        Figure(**{"name": "f", "title": "t", "x": "x", "y": "y", **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": "wins"}, "unknown column 'wins'; did you mean exact_wins?"),
        ({"y": "opponent"}, "expected numbers in the column 'opponent', got string"),
    ],
)
def test_frames_that_cannot_be_drawn(changes, message):
    figure = Figure(**{"name": "f", "title": "t", "x": "episodes", "y": "exact_wins", **changes})
    with pytest.raises(UsageError, match=re.escape(message)):
        specification(figure, learning_frame())
    with pytest.raises(UsageError, match="nothing to draw"):
        specification(LEARNING, learning_frame().clear())


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=5), st.integers(2, 10))
def test_the_marks_of_a_linear_axis_enclose_its_values(values, count):
    low, high = min(values), max(values)
    marks = round_values(low, high, count)
    tolerance = 1e-6 * max(high - low, marks[-1] - marks[0])
    assert marks[0] - tolerance <= low <= high <= marks[-1] + tolerance
    assert marks == sorted(set(marks)) and 2 <= len(marks) <= 2 * count + 2


@given(st.lists(st.floats(1e-150, 1e150), min_size=1, max_size=5), st.integers(2, 10))
def test_the_marks_of_a_logarithmic_axis_are_round_values_around_its_own(values, count):
    low, high = min(values), max(values)
    marks = round_values(low, high, count, log=True)
    assert marks[0] <= low * (1 + 1e-9)
    assert marks == sorted(set(marks)) and 1 <= len(marks) <= max(2 * count, 11)
    assert all(f"{mark:e}"[0] in "125" for mark in marks)
