"""The command `suite`: its list, its rows, pages, mistakes, and going on after Ctrl-C."""

import os
import signal

import pytest

from cli_runner import assert_one_line, run, start, wait_for
from conftest import PATIENCE
from ttt_fast.studies.suite.problems import BASELINES, PROBLEMS

QUICK = ["suite", "--problems", "o-v-minimax", "--algorithms", "q,sarsa", "--seeds", "2"]


def test_the_list(tmp_path):
    rows = run("suite", "--list", "-f", "json").json()["rows"]
    assert [row["problem"] for row in rows] == [one.name for one in PROBLEMS]
    assert run("suite", "--list", "--problems", "3x4", "-f", "csv").out.decode().splitlines()[1].startswith("3x4,")
    table = run("suite", "--list")
    assert table.code == 0 and "ttt-fast suite 1" in table.out.decode()


def test_the_rows_and_the_page(tmp_path):
    words = [*QUICK, "--runs", tmp_path / "runs"]
    document = run(*words, "--threads", "1", "-f", "json").json()
    assert document["schema"] == "ttt-fast/suite/1"
    assert document["manifest"]["config"] == {
        "suite": 1, "problems": ["o-v-minimax"], "learners": ["q", "sarsa"], "seeds": 2
    }  # fmt: skip
    assert [row["learner"] for row in document["rows"]] == ["q", "sarsa"]
    paged = run(*words, "--results", tmp_path / "results", "-o", tmp_path / "rows.csv")
    assert paged.code == 0 and paged.out == b"" and "suite: the page is" in paged.err
    page = (tmp_path / "results" / "suite" / "README.md").read_text()
    made = "Made by `ttt-fast suite --problems o-v-minimax --algorithms q,sarsa --seeds 2 --results results`"
    assert made in " ".join(page.split())
    assert (tmp_path / "rows.csv").read_text().startswith("learner,problem,seeds,episodes,normalised_score")


def test_a_learner_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "perfect.py").write_text("def learn(problem, seed):\n    problem.record('minimax')\n")
    words = ["suite", "--learner", "python:perfect:learn", "--problems", "o-v-minimax,self-play", "--seeds", "2"]
    rows = run(*words, "--runs", "runs", "-f", "json").json()["rows"]
    assert [(row["problem"], row["normalised_score"]) for row in rows] == [("o-v-minimax", 1), ("self-play", 1)]
    both = run(*words, "--algorithms", "q", "--problems", "o-v-minimax", "--runs", "runs", "-f", "json").json()["rows"]
    assert [row["learner"] for row in both] == ["q", "python:perfect:learn"]


def test_mistakes_are_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("def learn(problem, seed):\n    return 1 / 0\n")
    for words, code, part in (
        (["--problems", "self"], 2, "self-play"),
        (["--algorithms", "dqn"], 2, "unknown algorithm 'dqn'"),
        (["--problems", ","], 2, "expected at least one problem"),
        (["--seeds", "0"], 2, "a number of seeds"),
        (["--seeds", "1e9"], 2, "a number of seeds from 1 to"),
        (["--seeds", "20000"], 2, "at most 10,000 seeds"),
        (["--learner", "mine"], 2, "python:MODULE:NAME"),
        (["--learner", "python:missing_module:learn"], 2, "missing_module"),
        (["--learner", "python:broken:learn"], 1, "ZeroDivisionError"),
    ):
        assert_one_line(run("suite", *words, "--runs", "runs"), code, part)


OF_OTHERS = """
import time

def learn(problem, seed):
    problem.record("random")
    for state in problem.games():
        time.sleep(0.005 * (seed > 1))
"""


@pytest.mark.parametrize("others", [False, True])
def test_it_goes_on_after_an_interruption(tmp_path, others):
    (tmp_path / "slow.py").write_text(OF_OTHERS)
    words = ["--learner", "python:slow:learn"] if others else ["--algorithms", ",".join(BASELINES)]
    names = ["--problems", "o-v-minimax" if others else "self-play"]
    process = start("suite", *words, *names, "--seeds", "20", "--runs", tmp_path / "runs", cwd=tmp_path)
    wait_for(lambda: len(list((tmp_path / "runs").glob("*.parquet"))) > 1, process)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and b"0 runs; resume with\n  ttt-fast suite" in said
    assert 1 < len(list((tmp_path / "runs").glob("*.parquet"))) < 20 * (1 if others else 5)
