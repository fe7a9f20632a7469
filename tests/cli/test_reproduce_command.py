"""The command `reproduce`: the page and the cells that are in the repository come out again."""

import polars as pl

from cli_runner import run
from conftest import REPOSITORY

COMMITTED = REPOSITORY / "results" / "base"


def test_base_comes_out_as_committed(tmp_path):
    ran = run("reproduce", "base", "--results", tmp_path, "-f", "json")
    rows = ran.json()["rows"]
    assert ran.json()["schema"] == "ttt-fast/reproduce/1"
    folder = tmp_path / "base"
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "cells.csv"]
    assert str(folder / "README.md") in ran.err
    new, old = pl.read_csv(folder / "cells.csv"), pl.read_csv(COMMITTED / "cells.csv")
    assert len(rows) == new.height
    approximate = ["exact", "sigmas", "exact_of_fit"]
    assert new.drop(approximate).equals(old.drop(approximate))
    for column in approximate:
        difference = (new[column].fill_null(0) - old[column].fill_null(0)).abs().max()
        assert difference < 1e-9


def test_the_page_is_the_committed_one_but_for_the_machine(tmp_path):
    run("reproduce", "base", "--results", tmp_path)
    new, old = ((path / "README.md").read_text().split("\n\n") for path in (tmp_path / "base", COMMITTED))
    assert new[0] == old[0]
    assert new[2:] == old[2:]


def test_the_table_for_a_person(tmp_path):
    ran = run("reproduce", "base", "--results", tmp_path)
    assert ran.code == 0
    assert "within noise" in ran.text
    assert ran.text.count("\n") > 60
