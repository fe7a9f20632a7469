"""Figures of the studies: rows from their files, pages that stand without the extra, the committed pictures."""

import sys
from unittest import mock

import polars as pl
import pytest

from ttt_fast import FileFormatError, UsageError
from ttt_fast.plot.figure import Figure, summarise
from ttt_fast.studies.engine.figures import DescribedFigure, draw_figures

FIGURE = Figure(
    name="f",
    title="Theirs and ours",
    kind="bars",
    x="cell",
    y="value",
    series="kind",
    band=True,
    spread=("low", "high"),
)
THREE = {"theirs": ["printed"], "ours": ["mean", "sd"], "range": ["mean", "least", "most"]}
TWO = {name: THREE[name] for name in ("theirs", "ours")}


@pytest.fixture
def folder(tmp_path):
    rows = {
        "cell": ["a", "b", "c"], "printed": [0.5, 0.25, None], "mean": [0.4, 0.3, 0.2], "sd": [0.1, 0.0, 0.05],
        "least": [0.2, 0.3, 0.1], "most": [0.9, 0.3, 0.4], "kept": ["yes", "yes", "no"],
    }  # fmt: skip
    pl.DataFrame(rows).write_csv(tmp_path / "cells.csv")
    return tmp_path


def test_several_columns_become_rows_with_their_spread(folder):
    one = DescribedFigure("cells.csv", FIGURE, where={"kept": ["yes"]}, columns=THREE)
    points = summarise(FIGURE, one.frame(folder)).select("x", "series", "y", "low", "high").rows()
    assert sorted(points) == [
        ("a", "ours", 0.4, pytest.approx(0.3), pytest.approx(0.5)),
        ("a", "range", 0.4, 0.2, 0.9),
        ("a", "theirs", 0.5, 0.5, 0.5),
        ("b", "ours", 0.3, 0.3, 0.3),
        ("b", "range", 0.3, 0.3, 0.3),
        ("b", "theirs", 0.25, 0.25, 0.25),
    ]


def test_a_column_without_values_named_keeps_the_rows_that_have_one(folder):
    one = DescribedFigure("cells.csv", FIGURE, where={"printed": []})
    assert one.frame(folder)["cell"].to_list() == ["a", "b"]


def test_what_a_figure_needs_must_be_there(folder):
    with pytest.raises(UsageError, match=r"cells\.csv'?: expected a column 'who', which the figure shows"):
        DescribedFigure("cells.csv", FIGURE, where={"who": ["me"]}).frame(folder)
    with pytest.raises(FileFormatError, match=r"none\.csv"):
        DescribedFigure("none.csv", FIGURE).frame(folder)


def test_without_the_extra_one_line_says_how_to_get_it(folder):
    told: list[str] = []
    one = DescribedFigure("cells.csv", FIGURE, columns=TWO)
    with mock.patch.dict(sys.modules, {"vl_convert": None}):
        draw_figures(folder, [one, one], told.append)
        draw_figures(folder, [one])
    assert told == ["the page stands, its pictures are not drawn: install 'ttt-fast[plot]'"]
    assert not (folder / "f.svg").exists()
