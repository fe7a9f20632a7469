"""The command `reproduce`: the pages that are in the repository come out again."""

import json
import shutil

import polars as pl
import pytest

from cli_runner import run
from conftest import REPOSITORY
from study_checks import undrawn
from ttt_fast.cli import reproduce
from ttt_fast.cli.reproduce import DATA

COMMITTED = REPOSITORY / "results"


STUDIES = [pytest.param(study, marks=[] if study == "optimum" else pytest.mark.slow) for study in DATA]


@pytest.mark.parametrize("study", STUDIES)
def test_pages_come_out_as_committed(study, tmp_path):
    """From the csv files alone: judged and written again, every file has the same bits."""
    name, _, part = study.partition(".")
    folder = tmp_path / name / part
    shutil.copytree(COMMITTED / name / part, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.suffix in (".csv", ".md", ".json")}
    (folder / "README.md").unlink()
    words = [name, *(["--part", part] if part else [])]
    with undrawn():
        assert run("reproduce", *words, "--pages", "--results", tmp_path, "-f", "json").code == 0
    for path, content in before.items():
        assert path.read_bytes() == content, path


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # finished work is kept in runs/


def test_a_quick_study_prints_its_numbers(tmp_path):
    ran = run("reproduce", "connect4", "--quick", "--results", tmp_path, "-f", "json")
    assert ran.json()["schema"] == "ttt-fast/reproduce/1"
    assert str(tmp_path / "connect4" / "README.md") in ran.err
    assert len(ran.json()["rows"]) == pl.read_csv(tmp_path / "connect4" / "cells.csv").height
    kept = list((tmp_path / "runs" / "connect4").iterdir())
    assert kept and "6 | 4 | second player wins | -1 |" in (tmp_path / "connect4" / "README.md").read_text()
    again = run("reproduce", "connect4", "--quick", "--results", tmp_path, "-f", "json")
    assert again.json()["rows"] == ran.json()["rows"] and "solve" not in again.err  # finished work is not repeated


def test_all_studies_for_a_first_look_leave_the_findings_out(tmp_path, monkeypatch):
    """They summarise whole studies: after quick ones their page would have holes."""
    monkeypatch.setattr(reproduce, "DATA", ("connect4",))
    ran = run("reproduce", "all", "--quick", "--results", tmp_path)
    assert ran.code == 0 and ran.err.splitlines()[-1].startswith("findings: not written")
    assert not (tmp_path / "FINDINGS.md").exists()


def test_a_part_prints_its_rows_and_keeps_its_runs(tmp_path):
    words = ("reproduce", "optimum", "--part", "dqn", "--quick", "--seeds", "1", "--runs", tmp_path / "runs")
    ran = run(*words, "--results", tmp_path, "--threads", "1")
    assert ran.code == 0
    assert str(tmp_path / "optimum" / "dqn" / "README.md") in ran.err
    assert "--no-symmetries" in ran.text and "191/192" in ran.text
    rows = pl.read_csv(tmp_path / "optimum" / "dqn" / "dqn_rates.csv")
    assert len(list((tmp_path / "runs" / "optimum-dqn").iterdir())) == rows.height


def test_one_table_is_made_by_itself(tmp_path):
    """The other csv files stay as they are, and so do their times."""
    words = ("reproduce", "connect4", "--quick", "--results", tmp_path, "--threads", "1")
    folder = tmp_path / "connect4"
    refused = run(*words, "--only", "boards")
    assert refused.code == 1 and "timing.json" in refused.err and not folder.exists()
    assert run(*words).code == 0
    before = {path: path.read_bytes() for path in folder.iterdir() if path.suffix != ".json"}
    timing = json.loads((folder / "timing.json").read_text())
    assert timing["pieces"] == timing["seconds"]["boards"]["pieces"] == timing["seconds"]["values"]["pieces"]
    assert (folder / "timing.json").read_text() == f"{json.dumps(timing, indent=2)}\n"
    timing["seconds"]["values"], timing["pieces"] = {"wall": 7.0, "pieces": 2.0}, 9.0
    timing["seconds"]["boards"]["pieces"] -= 5.0
    (folder / "timing.json").write_text(json.dumps(timing))
    (folder / "boards.csv").unlink()
    (folder / "README.md").unlink()
    untouched = (folder / "values.csv").stat().st_mtime_ns
    assert run(*words, "--only", "boards").code == 0
    assert {path: path.read_bytes() for path in before} == before
    assert (folder / "values.csv").stat().st_mtime_ns == untouched
    after = json.loads((folder / "timing.json").read_text())
    assert after["seconds"]["values"] == {"wall": 7.0, "pieces": 2.0}
    assert after["seconds"]["boards"] != timing["seconds"]["boards"]
    assert after["pieces"] == pytest.approx(14.0) and after["seconds"]["boards"]["cpu"]
    refused = run("reproduce", "connect4", "--results", tmp_path, "--only", "boards")
    assert refused.code == 1 and "reproduce connect4 --quick" in refused.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("connect4", "--only", "board"), "expected tables of boards, values, got 'board'"),
        (("connect4", "--only", "boards", "--pages"), "got '--pages'"),
        (("all", "--only", "boards"), "got 'all'"),
        (("findings", "--only", "ties"), "got 'findings'"),
        (("connect4", "--only", ","), "got ','"),
    ],
)
def test_tables_that_are_refused(words, told, tmp_path):
    ran = run("reproduce", *words, "--results", tmp_path)
    assert ran.code == 2 and told in ran.err and ran.err.count("\n") <= 2
    assert not list(tmp_path.iterdir())
