"""Learning on Connect 4 from the command line: the rows, Ctrl-C and going on, and files that are players."""

import json
import shlex
import signal

import pytest

from cli_runner import assert_one_line, run
from ttt_fast import TrainingRun
from ttt_fast.report import training as reports

LINE = ["train", "--game", "connect4", "-n", "2k", "--step-size", "0.1", "--chunk", "300", "--seed", "5"]
COLUMNS = {
    "game", "agent", "opponent", "games", "wins", "draws", "losses", "score", "score_low", "score_high",
    "distinct_games", "episodes", "seconds", "episodes_per_second", "states", "memory_bytes",
    "peak_memory_bytes", "training_wins", "training_draws", "training_losses", "sha256", "file",
}  # fmt: skip


UNJUDGED = [*LINE, "--judges", ""]
"""The judges' games take far longer than the learning: they are played where their results are looked at."""


@pytest.fixture(scope="module")
def afterstates(tmp_path_factory):
    """A run with a curve: its document, its file and its curve."""
    folder = tmp_path_factory.mktemp("runs")
    path, curve = folder / "folder" / "c4.npz", folder / "curve.jsonl"
    words = ["--algorithm", "afterstate", "--evaluations", "2", "--curve", curve, "-o", path, "-f", "json"]
    return run(*LINE, *words).json(), path, curve


@pytest.fixture(scope="module")
def path(afterstates):
    """What a run has left behind."""
    return afterstates[1]


def test_the_rows_of_a_run(afterstates):
    document, path, curve = afterstates
    assert document["schema"] == "ttt-fast/train/1"
    loaded = TrainingRun.load(path)
    assert document["manifest"]["config"] == {**loaded.config.as_dict(), "seat": "both"}
    assert (loaded.config.algorithm, loaded.config.game.spec) == ("afterstate", "connect4")
    assert [row["opponent"] for row in document["rows"]] == ["random", "default"]
    for row in document["rows"]:
        assert set(row) == COLUMNS
        assert row["games"] == row["wins"] + row["draws"] + row["losses"] == 1000
        assert row["episodes"] == row["training_wins"] + row["training_draws"] + row["training_losses"] == 2000
        assert row["sha256"] == loaded.sha256()
        assert row["states"] == len(loaded.hashed)
        assert row["memory_bytes"] == loaded.hashed.memory_bytes < row["peak_memory_bytes"]
    samples = [json.loads(line) for line in curve.read_text().splitlines()]
    assert samples[-1]["episodes"] == 2000 and 0 < samples[-1]["wins_v_random"] < 1


def test_the_report_for_a_person(tmp_path):
    ran = run(*LINE, "--evaluations", "1", "--judges", "random", "-o", tmp_path / "c4.npz")
    assert (ran.code, ran.err) == (0, "")
    for words in ("no exact result", "random", "states in", "MB", "sha256"):
        assert words in ran.text
    alone = run(*UNJUDGED, "-o", tmp_path / "c4.npz", "-f", "json").json()["rows"]
    assert len(alone) == 1 and "score" not in alone[0]


def test_settings_from_a_file_and_the_credit_of_sai(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "c4.toml"
    file.write_text('game = "connect4:columns=6,rows=7"\ncredit = "sai"\nalgorithm = "afterstate"\nepisodes = 500\n')
    rows = run("train", "--config", file, "--judges", "", "-f", "json").json()["rows"]
    assert rows[0]["game"] == "connect4:columns=6,rows=7"
    assert rows[0]["file"].startswith("runs/afterstate-connect4-columns-6-rows-7-both-v-self-seed0-")
    assert TrainingRun.load(rows[0]["file"]).config.settings.credit == "sai"


def test_an_interrupted_run_says_how_to_go_on_and_does(tmp_path, monkeypatch):
    path, whole = tmp_path / "c4.npz", tmp_path / "whole.npz"
    line = [*UNJUDGED, "--evaluations", "1"]
    (expected,) = run(*line, "-o", whole, "-f", "json").json()["rows"]
    asked, calls = reports.status_text, []

    def interrupting(training, latest):
        calls.append(latest)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return asked(training, latest)

    monkeypatch.setattr(reports, "status_text", interrupting)
    curve = tmp_path / "a curve.csv"
    ran = run(*line, "-o", path, "-f", "json", "--curve", curve, "--checkpoint-every", "60")
    monkeypatch.undo()
    assert (ran.code, ran.out) == (130, b"")
    again = f"  ttt-fast train --resume {path} --curve '{curve}' --checkpoint-every 60.0\n"
    assert ran.err == f"interrupted after 900 of 2,000 episodes; resume with\n{again}"
    assert TrainingRun.load(path).episodes == 900
    for words in (["--game", "connect4:columns=6"], ["--credit", "sai"]):
        assert_one_line(run("train", "--resume", path, *words), 2, str(path))
    words = ["-n", "2k", "--game", "connect4:columns=7", "--credit", "own", "--opponent", "self"]
    (row,) = run("train", "--resume", path, *words, "-f", "json").json()["rows"]
    for name in ("episodes", "sha256", "training_wins", "training_draws"):
        assert row[name] == expected[name]


def test_what_was_learned_is_a_player(path):
    document = run("match", path, "random", "--game", "connect4", "-n", "40", "-f", "json").json()
    rows, (summary,) = document["rows"], document["summary"]
    assert (summary["agent"], summary["games"]) == (str(path), 40) and summary["score"] > 0.5
    memory = TrainingRun.load(path).hashed.memory_bytes
    assert rows[0]["x_memory_bytes"] == rows[1]["o_memory_bytes"] == memory
    shown = run("show", "4", "--game", "connect4", "--agents", f"{path},default", "-f", "json").json()["rows"]
    assert sum(row[str(path)] for row in shown) == 1.0
    values = [row[f"{path} value"] for row in shown]
    chosen = next(row for row in shown if row[str(path)])
    assert chosen[f"{path} value"] == max(value for value in values if value is not None)
    played = run("play", path, "--game", "connect4", "--hints", stdin="4\n4\nq\n")
    assert played.code == 0 and str(path) in played.text


def test_mistakes_are_one_line(path, tmp_path):
    table, cut = tmp_path / "q.npz", tmp_path / "cut.npz"
    run("train", "-n", "1k", "-o", table)
    cut.write_bytes(path.read_bytes()[:-400])
    for words, code, said in (
        (["match", path, "random", "--game", "connect4:columns=6,rows=7"], 2, "trained on connect4"),
        (["match", path, "random"], 2, "trained on connect4"),
        (["score", path], 1, "a policy for 'connect4'"),
        (["match", table, "random", "--game", "connect4"], 2, "for 'tic-tac-toe'"),
        (["match", cut, "random", "--game", "connect4"], 1, "cut.npz"),
        (["train", "--resume", cut], 1, "cut.npz"),
        (["train", "--resume", cut, "--game", "connect4"], 1, "cut.npz"),
        (["train", "--resume", table, "--game", "connect4"], 2, "q.npz"),
        (["train", "--resume", tmp_path / "no.npz", "--game", "connect4"], 1, "no.npz"),
        ([*LINE, "--opponent", "minimax"], 2, "without a table of states"),
        ([*LINE, "--algorithm", "reinforce"], 2, "reinforce"),
        ([*LINE, "--judges", "nobody"], 2, "nobody"),
        ([*LINE, "--credit", "all"], 2, "all"),
        (["train", "--game", "chess"], 2, "chess"),
        ([*LINE, "-o", tmp_path / "c4.txt"], 2, "c4.txt"),
        ([*LINE, "--memory-limit", "much"], 2, "a number of bytes"),
        ([*LINE, "--memory-limit", "0"], 2, "a number of bytes"),
    ):
        assert_one_line(run(*words), code, said)
    assert not (tmp_path / "runs").exists()


def test_a_run_stops_before_its_memory_ends_says_why_and_goes_on(tmp_path):
    path, whole, curve = tmp_path / "a run.npz", tmp_path / "whole.npz", tmp_path / "curve.csv"
    line = [*UNJUDGED, "--memory-limit"]
    (expected,) = run(*line, "1G", "-o", whole, "-f", "json").json()["rows"]
    ran = run(*line, "5M", "-o", path, "--curve", curve)
    assert (ran.code, ran.out) == (1, b"") and "Traceback" not in ran.err
    done = TrainingRun.load(path).episodes
    assert 0 < done < 2000 and curve.exists()
    assert_one_line(ran, 1, "to fit 5.00 MB", f"after {done:,} of 2,000 episodes", "afterstates")
    while ran.code == 1:  # each command that is printed goes on until the table grows again
        again = shlex.split(ran.err.split("`")[1])
        assert again[:6] == ["ttt-fast", "train", "--resume", str(path), "--curve", str(curve)]
        assert again[6] == "--memory-limit"
        ran = run(*again[1:], "-f", "json")
    (row,) = ran.json()["rows"]
    assert (row["episodes"], row["sha256"]) == (2000, expected["sha256"])


def test_values_that_do_not_fit_are_refused_and_nothing_is_said_to_be_saved(tmp_path):
    line = ["train", "--algorithm", "dqn", "--replay", "100M", "--memory-limit", "1G", "-o", tmp_path / "x.npz"]
    ran = run(*line)
    assert_one_line(ran, 1, "to fit 1.00 GB", "0 of")
    assert "saved" not in ran.err and not (tmp_path / "x.npz").exists()


def test_a_limit_may_stand_in_a_file_and_is_no_part_of_the_result(tmp_path):
    file = tmp_path / "c4.toml"
    file.write_text('game = "connect4"\nepisodes = 2000\nmemory_limit = "1M"\n')
    assert_one_line(run("train", "--config", file, "-o", tmp_path / "c4.npz"), 1, "to fit 1.00 MB", "--resume")
    line = ["train", "--config", file, "--memory-limit", "1G", "--judges", "", "-o", tmp_path / "c4.npz"]
    rows = run(*line, "-f", "json").json()
    assert "memory_limit" not in rows["manifest"]["config"]
