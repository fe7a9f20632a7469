"""The command `train`: its row, its files, and going on."""

import json
import re

import pytest

from cli_runner import assert_one_line, run
from ttt_fast import TrainingRun, load_policy, scorecard, table_of

COLUMNS = {
    "x", "o", "seat", "opponent", "episodes", "seconds", "episodes_per_second", "exact_x_wins", "exact_draws",
    "exact_o_wins", "value", "best_value", "regret", "states", "agreeing", "agreement", "never_loses",
    "exploitability", "training_wins", "training_draws", "training_losses", "sha256", "file",
}  # fmt: skip


def test_the_row_of_a_run(tmp_path):
    path = tmp_path / "deep" / "folder" / "q.npz"
    document = run("train", "--episodes", "1M", "-o", path, "--format", "json").json()
    assert document["schema"] == "ttt-fast/train/1"
    assert document["manifest"]["config"]["episodes"] == 1_000_000
    (row,) = document["rows"]
    assert set(row) >= COLUMNS
    assert {name.removeprefix("exact_") for name in row} >= {*scorecard("random")[0].as_row()}
    assert row["exact_x_wins"] == pytest.approx(191 / 192)
    assert row["regret"] == pytest.approx(0, abs=1e-12)
    assert row["training_wins"] + row["training_draws"] + row["training_losses"] == row["episodes"] == 1_000_000
    assert (row["x"], row["o"], row["file"]) == (str(path), "random", str(path))
    assert TrainingRun.load(path).sha256() == row["sha256"]
    assert load_policy(path, table_of("tic-tac-toe")).seats_held() == "x"


def test_the_options_reach_the_run(tmp_path):
    path = tmp_path / "q.npz"
    words = "--opponent minimax --seat o --episodes 3k --seed 9 --step-size geometric:0.9,0.1 --judges random"
    words += " --epsilon linear:0.5,0.05 --evaluations 7 --discount 0.8 --rewards 2,0.5,-3 --initial-q 0.25 --chunk 700"
    document = run("train", *words.split(), "-o", path, "-f", "json").json()
    expected = {
        "opponent": "minimax", "seat": "o", "episodes": 3000, "seed": 9, "step_size": "geometric:0.9,0.1",
        "epsilon": "linear:0.5,0.05", "algorithm": "q", "tie": "first", "random_opening": False, "evaluations": 7,
        "judges": "random", "discount": 0.8, "win_reward": 2.0, "draw_reward": 0.5,
        "loss_reward": -3.0, "initial_q": 0.25, "chunk_episodes": 700, "credit": "own", "game": "tic-tac-toe",
    }  # fmt: skip
    assert document["manifest"]["config"] == expected == {**TrainingRun.load(path).config.as_dict(), "seat": "o"}


def test_without_a_file_name_the_run_is_kept_in_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [run("train", "-n", "2k", "--seed", seed, "-f", "json").json()["rows"][0] for seed in (0, 1, 0)]
    assert rows[0]["file"] == rows[2]["file"] != rows[1]["file"]
    assert sorted(f"runs/{path.name}" for path in (tmp_path / "runs").iterdir()) == sorted(
        {row["file"] for row in rows}
    )


@pytest.mark.parametrize("form", ["json", "table"])
def test_no_episodes(tmp_path, form):
    ran = run("train", "-n", "0", "-o", tmp_path / "q.npz", "-f", form)
    assert (ran.code, ran.err) == (0, "")


def test_the_report_for_a_person(tmp_path):
    path = tmp_path / "q.npz"
    ran = run("train", "-n", "1M", "-o", path)
    assert (ran.code, ran.err) == (0, "")
    assert "no policy can do better against random" in " ".join(ran.text.split())
    assert TrainingRun.load(path).sha256()[:16] in ran.text
    short = run("train", "-n", "1k", "-o", path, "--force").text
    assert "below the best possible against random" in " ".join(short.split())
    learned = run("train", "--opponent", "self", "-n", "100k", "-o", path).text
    assert re.search("exploitability (0: no opponent can gain anything|[0-9.]+: what best responses gain)", learned)


def test_a_run_is_not_resumed_with_other_settings(tmp_path):
    path = tmp_path / "q.npz"
    run("train", "-n", "20k", "-o", path)
    before = path.read_bytes()
    for words in (["-n", "30k"], ["--seed", "1"], ["--opponent", "minimax"], ["--seat", "o"], ["--epsilon", "0.3"]):
        assert_one_line(run("train", "--resume", path, *words), 2, str(path))
    assert path.read_bytes() == before


def test_an_opponent_that_has_changed_is_noticed(tmp_path):
    path, rival = tmp_path / "q.npz", tmp_path / "rival.npz"
    run("best-response", "random", "-o", rival)
    run("train", "-n", "20k", "--opponent", rival, "-o", path)
    run("best-response", "minimax", "-o", rival)
    assert_one_line(run("train", "--resume", path), 2, "has changed")


# --- Afterstates, schedules and files of settings.


LONGER = {
    "monte-carlo": "-n 20k", "q-lambda": "-n 20k --trace-decay 0.8", "value-iteration": "",
    "fictitious-play": "-n 30", "afterstate": "-n 20k --tie last --epsilon linear:1,0.05",
}  # fmt: skip
"""An algorithm of each kernel, with its options."""


@pytest.mark.parametrize("algorithm", LONGER)
def test_each_algorithm_is_trained_played_scored_and_resumed_like_any_other(tmp_path, algorithm):
    path, curve = tmp_path / "q.npz", tmp_path / "curve.csv"
    words = ["--algorithm", algorithm, "--opponent", "self", *LONGER[algorithm].split()]
    (row,) = run("train", *words, "-o", path, "--curve", curve, "-f", "json").json()["rows"]
    lines = [line.split(",") for line in curve.read_text().splitlines()]
    last = dict(zip(lines[0], lines[-1], strict=True))
    assert float(last["x_v_random_wins"]) == pytest.approx(row["exact_x_wins"], abs=1e-12)
    assert float(last["exploitability"]) == pytest.approx(row["exploitability"], abs=1e-12)
    (exact,) = run("exact", path, "random", "-f", "json").json()["rows"]
    assert exact["x_wins"] == row["exact_x_wins"]
    shown = run("show", ".........", "--agents", path, "-f", "json").json()["rows"]
    assert sum(one[str(path)] for one in shown) == pytest.approx(1)
    scored = [json.loads(line) for line in run("score", path, "-f", "jsonl").text.splitlines()]
    assert {one["seat"] for one in scored} == {"x", "o"}
    (again,) = run("train", "--resume", path, "-o", tmp_path / "copy.npz", "-f", "json").json()["rows"]
    assert again["sha256"] == row["sha256"] == TrainingRun.load(tmp_path / "copy.npz").sha256()


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("--step-size", "linear:1", "linear:start,end[,fraction], got 'linear:1'"),
        ("--epsilon", "", "epsilon: expected a schedule"),
        ("--epsilon", "visits", "epsilon to depend on the episode"),
        ("--step-size", "0", "from 1e-12 to 1"),
        ("--epsilon", "cumulative:0.9,-1,0.3", "expected --epsilon from 0 to 1"),
        ("--algorithm", "afterstates", "or fictitious-play, got 'afterstates'"),
        ("--algorithm", "n-step-sarsa --trace-decay 0.5", "no --trace-decay with the algorithm n-step-sarsa, got 0.5"),
        ("--algorithm", "n-step-sarsa --steps 0", "--steps to be a whole number from 1"),
        ("--algorithm", "q-lambda --trace-decay 1.5", "--trace-decay to be a number from 0 to 1, got '1.5'"),
        ("--tie", "lowest", "first, last or random, got 'lowest'"),
        ("--seat", "z", "--seat to be x, o or both, got 'z'"),
        ("--initial-q", "inf", "expected --initial-q to be a number from"),
        ("--opponent", "", "expected an opponent"),
        ("--opponent", "random@0.5", "AGENT@FRACTION>AGENT, got 'random@0.5'"),
        ("--opponent", "random@x>minimax", "AGENT@FRACTION>AGENT"),
        ("--opponent", "random@nan>minimax", "AGENT@FRACTION>AGENT"),
        ("--opponent", "random@0.6>heuribot@0.3>minimax", "increasing fractions"),
        ("--opponent", "random@0.6>minimax@0.8", "increasing fractions"),
        ("--opponent", "random@0.5>", "expected an opponent"),
        ("--opponent", "self@0.5>minimax", "agents other than 'self'"),
        ("--opponent", "randm@0.5>minimax", "unknown agent 'randm'"),
    ],
)
def test_a_bad_setting_is_one_clear_line(tmp_path, option, text, said):
    path, words = tmp_path / "q.npz", text.split() if " --" in text else [text]
    assert_one_line(run("train", "-n", "1k", option, *words, "-o", path), 2, said)
    assert not path.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("epsilon = [0.1]", "expected epsilon to be a schedule as a number or"),
        ("epislon = 0.1", "unknown setting 'epislon' of training runs; did you mean epsilon"),
        ("rewards = [1, 0, -1]", "did you mean "),
        ("seat = true", "x, o or both"),
        ("seed = 1.5", "expected seed to be a whole number, got 1.5"),
        ("episodes = -3", "got -3"),
        ("tie = 3", "got 3"),
        ("random_opening = 1", "true or false"),
        ("discount = inf", "got inf"),
        ("x = = 1", "expected valid TOML"),
    ],
)
def test_a_bad_file_of_settings_is_one_clear_line(tmp_path, content, said):
    file = tmp_path / "settings.toml"
    file.write_text(content + "\n")
    assert_one_line(run("train", "--config", file, "-n", "1k" if "episodes" not in content else "x"), 2)
    assert_one_line(run("train", "--config", file), 2, said)


def test_a_file_of_settings_may_be_written_as_the_options_are(tmp_path):
    file, path = tmp_path / "settings.toml", tmp_path / "q.npz"
    file.write_text('seat = "both"\nepisodes = 3e3\nepsilon = 0.5\nrandom_opening = true\ndiscount = 1\n')
    config = run("train", "--config", file, "-o", path, "-f", "json").json()["manifest"]["config"]
    assert [config[name] for name in ("seat", "episodes", "epsilon", "random_opening", "discount")] == [
        "both", 3000, "0.5", True, 1.0,
    ]  # fmt: skip
    assert_one_line(run("train", "--resume", path, "--config", tmp_path / "none.toml"), 1, "none.toml")
    file.write_text("epsilon = 0.4\n")
    assert_one_line(run("train", "--resume", path, "--config", file), 2, "epsilon is '0.5'")


@pytest.mark.parametrize("seat", ["x", "o"])
def test_a_single_seat_does_not_learn_in_self_play(tmp_path, monkeypatch, seat):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "settings.toml").write_text(f"opponent = 'self'\nseat = '{seat}'\n")
    for words in (
        ["train", "--opponent", "self", "--seat", seat],
        ["train", "--game", "connect4", "--seat", seat],
        ["train", "--config", "settings.toml"],
        ["sweep", "--set", "opponent=random,self", "--set", f"seat={seat}"],
    ):
        assert_one_line(run(*words, "-n", 100), 2, f"expected both as the seat with the opponent 'self', got '{seat}'")
    config = run("train", "--opponent", "self", "--seat", "both", "-n", 100, "-f", "json").json()["manifest"]["config"]
    assert config["seat"] == "both"
