"""The command `plot`: what it reads, what it draws, and what it says when it cannot."""

import json
import re
import sys
import xml.etree.ElementTree as ET
from unittest import mock

import numpy as np
import polars as pl
import pytest

from cli_runner import assert_one_line, run
from conftest import REPOSITORY
from ttt_fast import Meter, best_response, seed_intervals

STUDIES = REPOSITORY / "results"
ROWS = [
    {"episodes": 10**k, "wins": 0.95 - 0.4 / k - e / 2 + s / 100, "draws": 0.04, "epsilon": e, "seed": s}
    for e in (0.1, 0.3)
    for s in range(3)
    for k in range(1, 7)
]


@pytest.fixture
def curves(tmp_path):
    """The same rows in every format that is read."""
    frame = pl.DataFrame(ROWS)
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_csv(tmp_path / "a.csv")
    frame.write_ndjson(tmp_path / "a.jsonl")
    (tmp_path / "a.json").write_text(json.dumps({"schema": "ttt-fast/sweep/1", "rows": ROWS}))
    return tmp_path


def test_the_chart_is_the_same_for_every_format_and_plain_in_a_pipe(curves):
    charts = {
        run("plot", curves / f"a.{suffix}", "--by", "epsilon", "--log-x", "--band", "sd", "--width", 70).text
        for suffix in ("parquet", "csv", "jsonl", "json")
    }
    (chart,) = charts
    lines = chart.splitlines()
    assert lines[:2] == ["wins by episodes", "mean ± standard deviation of 3 runs"]
    assert len(lines) == 2 + 20 + 1
    assert max(map(len, lines)) <= 70
    assert "\x1b" not in chart
    assert lines[-1] == "• epsilon = 0.1   x epsilon = 0.3"
    assert "·" in chart


def test_several_values_and_panels(curves):
    text = run("plot", curves / "a.parquet", "--y", "wins", "--y", "draws").text
    assert text.startswith("wins and draws by episodes\n") and "• draws   x wins" in text
    text = run("plot", curves / "a.parquet", "--panels", "epsilon", "--by", "seed", "--title", "Mine").text
    assert text.startswith("Mine\n") and "epsilon = 0.1: wins by episodes" in text and "• seed = 0   x seed = 1" in text


USUAL = {
    "a scorecard": ("regret", ["x_wins", "value", "best_value", "exploitability", "regret"]),
    "a meter": ("regret", ["x_wins", "exploitability", "value", "best_value", "regret"]),
    "a sweep": ("value", ["x_wins", "exploitability", "best_value", "value"]),
    "a contest": ("score", ["wins", "score", "score_low", "score_high"]),
    "a curve of X against an unknown opponent": ("value", ["x_wins", "draws", "o_wins", "value", "exploitability"]),
    "a curve of others": ("wins", ["wins", "draws", "losses", "exploitability", "agreement"]),
    "a sampled curve": ("wins_v_random", ["states", "wins_v_random", "wins_v_default"]),
    "a match": ("exact_x_wins", ["x_wins", "exact_x_wins", "o_wins"]),
    "a count of states": ("states", ["states", "classes"]),
    "lines of play": ("leaves", ["leaves", "seconds"]),
}
POSITIONS = {"a count of states": "ply", "lines of play": "depth", "a match": "games"}


@pytest.mark.parametrize("kind", USUAL)
def test_the_usual_values_of_a_file_are_the_regret_or_else_the_best_known_result(tmp_path, kind):
    usual, columns = USUAL[kind]
    x = POSITIONS.get(kind, "episodes")
    frame = pl.DataFrame({x: [1, 2], **{name: [place, place + 1] for place, name in enumerate(columns)}})
    frame.write_csv(tmp_path / "file.csv")
    assert run("plot", tmp_path / "file.csv").text.startswith(f"{usual.replace('_', ' ')} by {x}\n")


def test_a_folder_stands_for_the_units_of_a_sweep(tmp_path):
    frame = pl.DataFrame(ROWS)
    for number, unit in enumerate(frame.partition_by("epsilon", "seed")):
        unit.write_parquet(tmp_path / f"unit{number}.parquet")
    (tmp_path / "manifest.json").write_text("{}")
    text = run("plot", tmp_path, "--by", "epsilon", "--band", "sd").text
    assert "of 3 runs" in text
    assert "unit" not in text


def test_reference_lines(curves):
    path = curves / "a.csv"
    text = run("plot", path, "--reference", "optimum=191/192", "--reference", "0.5", "--log-y").text
    assert "─ optimum   ─ 0.5\n" in text


@pytest.mark.parametrize(
    "suffix",
    [".svg", ".png", ".json", ".txt", *(pytest.param(one, marks=pytest.mark.slow) for one in (".pdf", ".html"))],
)
def test_pictures(curves, monkeypatch, suffix):
    monkeypatch.chdir(curves)
    ran = run("plot", "a.csv", "--by", "epsilon", "--band", "sd", "-o", f"out{suffix}")
    assert (ran.code, ran.out) == (0, b"") and ran.err.endswith(f"\nwrote out{suffix}\n")
    assert re.fullmatch(r"epsilon = 0.1: wins 0\.\d+ at [\d,]+ episodes", ran.err.splitlines()[0])
    content = (curves / f"out{suffix}").read_bytes()
    assert len(content) > 500
    if suffix == ".svg":
        assert "wins by episodes" in content.decode()
    if suffix == ".pdf":
        assert content.startswith(b"%PDF-")


def test_without_the_extra_pictures_and_lines_are_refused_in_one_line(curves):
    with mock.patch.dict(sys.modules, {"altair": None, "plotext": None, "vl_convert": None}):
        assert_one_line(run("plot", curves / "a.csv", "-o", curves / "b.svg"), 2, "install 'ttt-fast[plot]'")
        assert_one_line(run("plot", curves / "a.csv"), 2, "a plot needs plotext: install 'ttt-fast[plot]'")


def test_names_of_strangers_are_shown_as_text(tmp_path):
    rows = [{**row, "kind": f"a\x1b[2J\x9b\x00{row['epsilon']}"} for row in ROWS]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for option in ("--by", "--panels"):
        text = run("plot", tmp_path / "a.jsonl", option, "kind").text
        assert r"a\x1b[2J\x9b\x000.1" in text and all(line.isprintable() for line in text.split("\n"))
        assert run("plot", tmp_path / "a.jsonl", option, "kind", "-o", tmp_path / "a.svg").code == 0
        assert r"a\x1b[2J\x9b\x000.1" in "".join(ET.parse(tmp_path / "a.svg").getroot().itertext())


def test_a_figure_of_a_study_by_its_name(tmp_path):
    """From the committed rows: in the terminal, as a picture; and by the study's name in another folder."""
    chart = run("plot", STUDIES / "sai", "--figure", "printed", "--width", "100")
    assert chart.code == 0, chart.err
    assert chart.text.startswith("Games won against the default opponent (tables 1 to 6)\n")
    assert "0.457 (0.426 to 0.488)" in chart.text
    (tmp_path / "cells.csv").write_bytes((STUDIES / "sai" / "cells.csv").read_bytes())
    assert run("plot", tmp_path, "--figure", "sai/printed", "--width", "100").text == chart.text
    assert run("plot", STUDIES / "hensler", "--figure", "unbeatable", "-o", tmp_path / "out.svg").code == 0
    assert "Runs that nobody can beat" in (tmp_path / "out.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([STUDIES / "sai", "--figure", "figure-11"], 2, "a figure of sai (printed, learning, connect-four-strength"),
        ([STUDIES / "connect4", "--figure", "all"], 2, "a figure of connect4 (there is none), got 'all'"),
        ([STUDIES, "--figure", "printed"], 2, "STUDY is one of langan"),
        ([STUDIES / "sai", STUDIES / "sai", "--figure", "printed"], 2, "expected one folder, that of a study"),
        ([STUDIES / "sai", "--figure", "printed", "--log-x"], 2, "no option that selects columns"),
        ([STUDIES / "sai", "--figure", "langan/agreement"], 1, "curves.csv"),
        ([STUDIES / "hensler", "--figure", "sai/learning"], 2, "expected a column 'game'"),
    ],
)
def test_mistakes_with_figures_of_studies(arguments, code, words):
    assert_one_line(run("plot", *arguments), code, words)


REFUSED = [
    (["a.csv", "--y", "victories"], 2, "unknown column 'victories'; expected episodes or wins"),
    (["a.csv", "--by", "?"], 2, "unknown column '?'; expected "),
    (["a.csv", "--y", "wins", "--y", "episodes"], 2, "got 'episodes'"),
    (["a.csv", "--y", "wins", "--y", "draws", "--by", "seed", "--panels", "epsilon"], 2, "one --y"),
    (["a.csv", "--reference", "high"], 2, "[LABEL=]VALUE", "'high'"),
    (["a.csv", "--reference", "1/0"], 2, "'1/0'"),
    (["a.csv", "--reference", "-1", "--log-y"], 2, "that the axis can show, got -1.0"),
    (["a.csv", "--title", "a\a", "-o", "b.svg"], 2, r"contains no control characters, got 'a\x07'"),
    (["a.csv", "--width", "10"], 2, "expected a width from 40 to 1000, got 10"),
    (["a.csv", "-o", "b.gif"], 2, "expected a file that ends in .png"),
    (["a.csv", "-o", "no/b.json"], 1, "cannot write"),
    (["text.txt"], 2, "expected a file that ends in .parquet, .csv, .jsonl, .json"),
    (["missing.csv"], 1, "cannot read", "missing.csv"),
    (["empty.csv"], 1, "empty.csv", "damaged, empty or of another kind"),
    (["cut.parquet"], 1, "cut.parquet"),
    (["bad.json"], 1, "bad.json"),
    (["folder"], 2, "folder", "found none"),
    (["names.csv"], 2, "expected --x with one of the columns name, value"),
    (["names.csv", "--x", "value", "--y", "name"], 2, "expected numbers in the column 'name'"),
    (["lists.jsonl", "--by", "moves"], 2, "lists or records"),
    (["a.csv", "mixed.csv", "--by", "epsilon"], 0),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: " ".join(case[0]))
def test_mistakes_are_one_line(curves, monkeypatch, case):
    arguments, code, *words = case
    monkeypatch.chdir(curves)
    (curves / "folder").mkdir()
    whole = (curves / "a.parquet").read_bytes()
    contents = {
        "empty.csv": b"", "cut.parquet": whole[: len(whole) // 2], "text.txt": b"1,2",
        "bad.json": b'{"rows": 3}', "names.csv": b"name,value\na,1\n",
        "lists.jsonl": b'{"episodes": 1, "wins": 1, "moves": [1, 2]}\n',
        "mixed.csv": b"episodes,wins,epsilon\n5,0.5,high\n",
    }  # fmt: skip
    for name, content in contents.items():
        (curves / name).write_bytes(content)
    ran = run("plot", *arguments)
    if code:
        assert_one_line(ran, code, *words)
    else:
        assert ran.code == 0, ran.err


def test_settings_that_are_averaged_over_are_named(tmp_path):
    rows = [
        {"episodes": 1, "wins": 0.5, "epsilon": epsilon, "step_size": step, "seed": seed}
        for epsilon in ("0.1", "0.2")
        for step in ("0.5", "visits")
        for seed in (0, 1)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    said = run("plot", tmp_path / "a.csv", "--by", "epsilon").err
    assert said == "each line is a mean over step_size: --by step_size draws a line for each value\n"
    assert run("plot", tmp_path / "a.csv", "--by", "epsilon", "--by", "step_size").err == ""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The curves of a meter, of runs and of a sweep, on problems whose best values have rounding errors."""
    folder = tmp_path_factory.mktemp("curves")
    meter = Meter("tic-tac-toe", seat="x", opponent="random")
    meter.record(0, "random")
    meter.record(500, best_response("random"))
    meter.save(folder / "meter.csv")
    for name, *words in (("one",), ("both", "--seat", "both"), ("self", "--opponent", "self")):
        train = ["train", "-n", "100k", "--evaluations", "5", "-o", folder / "q.npz", "--force", "--seed", "1"]
        assert run(*train, *words, "--curve", folder / f"{name}.csv", "-f", "json").code == 0
    for given in (["seat=x,both"], ["seat=both", "--set", "opponent=self"]):
        assert run("sweep", "--set", *given, "--seeds", "2", "-n", "20k", "-o", folder / "runs").code == 0
    return folder


@pytest.mark.parametrize("name", ["meter.csv", "one.csv", "both.csv", "self.csv", "runs"])
def test_every_curve_has_a_regret_which_is_never_negative(written, name):
    path = written / name
    frames = [pl.read_parquet(one) for one in path.glob("*.parquet")] if path.is_dir() else [pl.read_csv(path)]
    for frame in frames:
        assert frame["regret"].min() >= 0 and frame["regret"].null_count() == 0
        assert (frame["best_value"] - frame["value"]).to_list() == pytest.approx(frame["regret"].to_list(), abs=1e-12)
    assert run("plot", path, "--y", "regret").text.startswith("regret by episodes\n")
    assert run("plot", path).text.startswith("regret by episodes\n")
    both = run("plot", written / "meter.csv", path, "--y", "regret", "--by", "file", "-o", written / "both.json")
    assert both.code == 0, both.err


def test_a_file_without_the_column_is_refused(written, tmp_path):
    """It would be left out of the picture without a word."""
    other = tmp_path / "other.csv"
    other.write_text("episodes,x_wins\n1,0.5\n2,0.6\n")
    both = [written / "one.csv", other]
    assert_one_line(run("plot", *both, "--y", "regret"), 2, "'regret'", "got 'other'")
    assert_one_line(run("plot", *both, "--y", "x_wins", "--y", "draws"), 2, "'draws'", "got 'other'")
    assert_one_line(run("plot", *both, "--x", "value", "--y", "x_wins"), 2, "'value'", "got 'other'")
    assert run("plot", *both).text.startswith("x wins by episodes\n")


@pytest.mark.parametrize(("y", "least", "most"), [("wins", 0, 1), ("regret", 0, 2), ("value", -1, 1), ("other", -9, 9)])
def test_a_band_ends_where_the_values_of_a_column_end(tmp_path, y, least, most):
    """The mean less a standard deviation of regrets would be negative, and wins would be more than all games."""
    rows = [{"episodes": n, "seed": seed, y: [least, most][seed == 2]} for n in (1, 2) for seed in range(3)]
    rows += [{"episodes": n, "seed": seed, y: [least, most][seed != 2]} for n in (3, 4) for seed in range(3)]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    assert run("plot", tmp_path / "a.csv", "--y", y, "--band", "sd", "-o", tmp_path / "a.json").code == 0
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    lows, highs = ([float(one) for one in re.findall(rf'"{edge}":([-.\de]+)', text)] for edge in ("low", "high"))
    assert ((min(lows), max(highs)) == (least, most)) == (y != "other")


@pytest.mark.parametrize(("band", "name"), [("mean", "mean"), ("iqm", "interquartile mean")])
def test_a_band_is_the_bootstrap_interval(tmp_path, band, name):
    generator = np.random.default_rng(0)
    rows = [{"episodes": n, "seed": seed, "value": generator.random()} for n in (1, 2) for seed in range(9)]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    assert run("plot", tmp_path / "a.csv", "--band", band, "-o", tmp_path / "a.json").code == 0
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert f"{name} with its 95 % bootstrap interval, of 9 runs" in text
    found = seed_intervals(pl.DataFrame(rows), "value", statistic=band)
    for column, edge in (("value", "y"), ("low", "low"), ("high", "high")):
        shown = [float(one) for one in re.findall(rf'"{edge}":([-.\de]+)', text)]
        assert shown == pytest.approx(found[column].to_list(), rel=1e-7)


def test_runs_with_seeds_are_one_series_beside_other_files(written):
    """Without --by, and files of a meter, a run and a sweep in one picture."""
    paths = [written / "meter.csv", written / "one.csv", written / "runs"]
    ran = run("plot", *paths, "--y", "regret", "-o", written / "three.json")
    assert [line.split(":")[0] for line in ran.err.splitlines()[:3]] == ["meter", "one", "runs with seeds"]


@pytest.mark.parametrize("band", ["sd", "mean"])
def test_several_columns_of_a_curve_with_values(written, band):
    words = ["plot", written / "runs", "--y", "value", "--y", "agreement", "--band", band]
    assert "• agreement   x value" in run(*words).text
    assert run("plot", written / "runs", "--y", "regret", "--y", "agreement").code == 0


def test_files_of_one_name_are_two_series(tmp_path):
    paths = [tmp_path / folder / "curve.csv" for folder in ("one", "two")]
    for path, wins in zip(paths, (0.2, 0.8), strict=True):
        path.parent.mkdir()
        path.write_text(f"episodes,wins\n1,{wins}\n2,{wins}\n")
    ran = run("plot", *paths, "-o", tmp_path / "both.txt")
    lines = [f"{path}: wins {wins} at 2 episodes" for path, wins in zip(paths, (0.2, 0.8), strict=True)]
    assert ran.err.splitlines()[:2] == lines
