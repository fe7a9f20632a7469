"""The command `reproduce`: the pages that are in the repository come out again."""

import shutil

import polars as pl
import pytest

from cli_runner import run
from conftest import REPOSITORY
from ttt_fast.cli.reproduce import DATA

COMMITTED = REPOSITORY / "results"


@pytest.mark.parametrize("study", DATA)
def test_pages_come_out_as_committed(study, tmp_path):
    """From the csv files alone: judged and written again, every file has the same bits."""
    name, _, part = study.partition(".")
    folder = tmp_path / name / part
    shutil.copytree(COMMITTED / name / part, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.suffix in (".csv", ".md", ".json")}
    (folder / "README.md").unlink()
    words = [name, *(["--part", part] if part else [])]
    assert run("reproduce", *words, "--pages", "--results", tmp_path).code == 0
    for path, content in before.items():
        assert path.read_bytes() == content, path


def test_a_quick_study_prints_its_numbers(tmp_path):
    ran = run("reproduce", "connect4", "--quick", "--results", tmp_path, "-f", "json")
    assert ran.json()["schema"] == "ttt-fast/reproduce/1"
    assert str(tmp_path / "connect4" / "README.md") in ran.err
    assert len(ran.json()["rows"]) == pl.read_csv(tmp_path / "connect4" / "cells.csv").height
    assert all((tmp_path / f"{name}.md").exists() for name in ("WORDS", "TIMING", "COVERAGE"))


def test_the_table_for_a_person(tmp_path):
    ran = run("reproduce", "connect4", "--quick", "--results", tmp_path)
    assert ran.code == 0
    assert "exact" in ran.text
    assert ran.text.count("\n") > 40


def test_a_part_prints_its_rows_and_keeps_its_runs(tmp_path):
    words = ("reproduce", "optimum", "--part", "dqn", "--quick", "--seeds", "1", "--runs", tmp_path / "runs")
    ran = run(*words, "--results", tmp_path, "--threads", "1")
    assert ran.code == 0
    assert str(tmp_path / "optimum" / "dqn" / "README.md") in ran.err
    assert "--no-symmetries" in ran.text and "191/192" in ran.text
    rows = pl.read_csv(tmp_path / "optimum" / "dqn" / "dqn_rates.csv")
    assert len(list((tmp_path / "runs" / "optimum-dqn").iterdir())) == rows.height
