"""Agents of others on the command line: every command that takes them, and the files that may not name them."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from cli_runner import assert_one_line, run
from ttt_fast import AgentError, FileFormatError, TrainingConfig, TrainingRun, as_policy, save_policy
from ttt_fast.learners import Sweep, start_training
from ttt_fast.play import pairs
from ttt_fast.training.sweep import run_unit

MODULE = """
from pathlib import Path
from ttt_fast.games import api
Path("imported").touch()
def first(state): return api.legal_actions(state)[0]
def fails(state): return 1 / 0
def leaves(state): raise SystemExit(10)
"""
AGENT = "python:named_here:first"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder of its own with the module, in which a file says whether it was imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "named_here.py").write_text(MODULE)
    yield tmp_path
    sys.modules.pop("named_here", None)
    pairs._own.__dict__.clear()


SMALL = "connect4:columns=3,rows=3,length=3"


def test_every_command_takes_them():
    on, form = ("--game", SMALL), ("--format", "json")
    row = run("exact", AGENT, "random", *on, *form).json()["rows"][0]
    assert (row["x_wins_fraction"], row["o_wins_fraction"]) == ("19/24", "5/24")
    assert run("score", AGENT, *on, *form).json()["rows"][0]["opponent"] == "random"
    shown = run("show", "1", "--agents", AGENT, *on, *form).json()["rows"]
    assert [one[AGENT] for one in shown] == [1, 0, 0]
    assert run("best-response", AGENT, "--seat", "x", *on, *form).json()["rows"][0]["value"] == 1
    rows = run("match", AGENT, "random", "-n", 4, *on, *form).json()["rows"]
    assert [one["games"] for one in rows] == [2, 2]
    assert len(run("compare", AGENT, "random", "-n", 2, *on, *form).json()["rows"]) == 4  # exactly, against itself too
    played = run("play", AGENT, "--seat", "o", *on, stdin="q\n")
    assert played.code == 0 and f"{AGENT} plays 1" in played.text


def test_pages_and_watched_games_take_them():
    watched = run("watch", AGENT, AGENT, "--game", SMALL, "--format", "json").json()["rows"]
    assert [row["move"] for row in watched if row["move"] is not None] == list("1112223")  # X wins
    made = run("page", "--agents", f"{AGENT},minimax", "-o", "page.html", "--game", SMALL)
    assert made.code == 0 and AGENT in Path("page.html").read_text(encoding="utf-8"), made.err
    assert run("page", AGENT, "-o", "report.html", "--game", SMALL).code == 0


def test_training_keeps_their_signature():
    words = ["train", "--opponent", AGENT, "-n", "2000", "-o", "q.npz", "--game", SMALL]
    assert run(*words, "--format", "json").code == 0
    kept = TrainingRun.load("q.npz").config.opponent.text
    assert re.fullmatch(rf"{AGENT}#[0-9a-f]{{64}}", kept)
    refused = run("train", "--resume", "q.npz")
    assert refused.code == 2 and "(--opponent as it was given before)" in refused.err
    again = run("train", "--resume", "q.npz", "--opponent", AGENT, "--format", "json")
    assert again.code == 0 and TrainingRun.load("q.npz").config.opponent.text == kept
    other = run("train", "--resume", "q.npz", "--opponent", "random")
    assert other.code == 2 and "expected the settings of the run in 'q.npz'" in other.err
    staged = run("train", "--opponent", f"random@0.5>{AGENT}", "-n", "2000", "-o", "r.npz", "--game", SMALL)
    assert staged.code == 0 and TrainingRun.load("r.npz").config.opponent.text == f"random@0.5>{kept}"


def test_a_function_that_fails_is_one_line(here):
    for words in (
        ["exact", "python:named_here:fails", "random"],
        ["match", "random", "python:named_here:fails", "-n", "2"],
    ):
        ran = run(*words)
        assert ran.code == 1 and ran.err.count("\n") == 1
        assert "'python:named_here:fails': the function failed at" in ran.err and "ZeroDivisionError" in ran.err
        ran = run(*(word.replace("fails", "leaves") for word in words))
        assert ran.code == 1 and ran.err.count("\n") == 1 and "SystemExit: 10" in ran.err
    with pytest.raises(Exception, match="failed at"):  # the traceback
        run("--debug", "exact", "python:named_here:fails", "random")


NAMES = [
    AGENT,
    f"best-response:{AGENT}",
    f"mix:1/2*random+1/2*({AGENT})",
    f"{AGENT}#{'0' * 64}",
]
"""The last one has the form of a signature, which is never parsed."""


@pytest.mark.parametrize("name", NAMES)
def test_no_file_runs_code(name, here, tmp_path):
    """Each way by which words come out of a file: nothing is imported or started, and one line says so."""
    (tmp_path / "run.toml").write_text(f"opponent = '{name}'\nepisodes = 100\n")
    (tmp_path / "judged.toml").write_text(f"judges = '{name}'\nepisodes = 100\n")
    (tmp_path / "settings.toml").write_text(f"[settings]\nopponent = '{name}'\nepisodes = 100\n")
    (tmp_path / "grid.toml").write_text(f"[grid]\nopponent = ['random', '{name}']\n")
    (tmp_path / "deep.toml").write_text(f"opponent = '{name}'\ngame = 'connect4'\nalgorithm = 'dqn'\n")
    for words in (
        ["train", "--config", "run.toml"],
        ["train", "--config", "judged.toml"],
        ["train", "--config", "deep.toml"],
        ["train", "--config", "settings.toml"],
        ["train", "--judges", name, "-n", "100"],
        ["sweep", "--config", "settings.toml"],
        ["sweep", "--config", "grid.toml"],
        ["sweep", "--set", f"opponent={name}"],
    ):
        ran = run(*words)
        assert ran.code == 2 and ran.err.count("\n") == 1, words
        assert "run code from outside" in ran.err or "was created in Python" in ran.err
    payload = json.dumps({**json.loads(Sweep({}, {}, [0]).job(0).payload)})
    changed = json.loads(payload)
    changed["config"]["opponent"] = name
    with pytest.raises(Exception, match=r"run code from outside|was created in Python"):
        run_unit(json.dumps(changed).encode())
    assert not (here / "imported").exists()


@pytest.mark.parametrize("setting", ["opponent", "judges"])
def test_a_changed_checkpoint_runs_no_code(setting, here):
    assert run("train", "-n", "1000", "-o", "q.npz").code == 0
    with np.load("q.npz") as stored:
        arrays = dict(stored)
    meta = json.loads(str(arrays.pop("meta")))
    meta["config"][setting] = AGENT
    np.savez("q.npz", meta=np.array(json.dumps(meta)), **arrays)
    with pytest.raises(FileFormatError, match=r"^'q.npz': expected agents python: only on the command line"):
        TrainingRun.load("q.npz")
    ran = run("train", "--resume", "q.npz")
    assert ran.code == 1 and ran.err.count("\n") == 1 and not (here / "imported").exists()


def test_configurations_name_signatures_only():
    with pytest.raises(AgentError, match="command line"):
        TrainingConfig(opponent=AGENT)
    signature = f"{AGENT}#{'0' * 64}"
    assert TrainingConfig(opponent=signature).opponent.text == signature
    with pytest.raises(AgentError, match="which was created in Python"):
        start_training(TrainingConfig(opponent=signature, game="connect4", algorithm="dqn"))


def test_the_list_of_agents_has_them():
    names = [one["agent"] for one in run("agents", "--format", "json").json()["rows"]]
    assert "python:MODULE:NAME" in names


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("a:b.npz", "exact a:b.npz random"),
        ("12:30:05.npz", "compare 12:30:05.npz random"),
        ("a:b.npz", "exact mix:1/2*a:b.npz+1/2*random random"),
        ("a:b=c.npz", "exact ./a:b=c.npz random"),
        ("a:b.npz", "train --opponent a:b.npz>random -n 1k -o q.npz"),
        ("a>b.npz", "train --opponent (a>b.npz) -n 1k -o q.npz"),
        ("a,b.npz", "show ......... --agents random,(a,b.npz)"),
        ("a+b.npz", "exact mix:1/2*(a+b.npz)+1/2*random random"),
        ("a,b.npz", "sweep --set opponent=(a,b.npz),random --seeds 1 -n 1k -o runs"),
    ],
)
def test_separators_in_the_name_of_a_file(tmp_path, monkeypatch, name, command):
    monkeypatch.chdir(tmp_path)
    save_policy(name, as_policy("minimax"))
    ran = run(*command.split())
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    "command", ["train --opponent a>b.npz -n 1k -o q.npz", "show ......... --agents a,b.npz", "exact a,b random"]
)
def test_an_ambiguous_name_says_what_to_do(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert_one_line(run(*command.split()), 2, "with , + or > in its name, in parentheses")
