"""Deep Q-learning from the command line: the rows, files that are policies and players, and mistakes in one line."""

import pytest

from cli_runner import assert_one_line, run
from ttt_fast import TrainingRun

LINE = ["train", "--algorithm", "dqn", "-n", "200", "--minibatch", "3", "--replay", "200"]
OTHER = ["--hidden", "16", "--warm-up", "10", "--evaluations", "4", "--chunk", "20", "--seed", "5"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A network that plays X."""
    path = tmp_path_factory.mktemp("runs") / "dqn.npz"
    assert run(*LINE, *OTHER, "-o", path).code == 0
    return path


def test_the_row_of_a_run(tmp_path):
    path = tmp_path / "dqn.npz"
    (row,) = run(*LINE, *OTHER, "--no-symmetries", "--double", "-o", path, "-f", "json").json()["rows"]
    loaded = TrainingRun.load(path)
    settings = loaded.config.settings
    assert (settings.symmetries, settings.double, settings.hidden) == (False, True, (16,))
    assert row["sha256"] == loaded.sha256() and row["episodes"] == 200
    assert 0 < row["exact_x_wins"] < 1 and row["seat"] == "x"


def test_a_file_is_an_agent_of_every_command(path):
    exact = run("exact", path, "random", "-f", "json").json()["rows"][0]
    match = run("match", path, "random", "-n", "10k", "-f", "json").json()["rows"][0]
    assert match["exact_x_wins"] == exact["x_wins"] and match["games"] == 10_000
    score = run("score", path, "-f", "json").json()["rows"]
    assert {row["seat"] for row in score} == {"x"} and score[0]["value"] == exact["x_wins"] - exact["o_wins"]
    shown = run("show", "." * 9, "--agents", path, "-f", "json").json()["rows"]
    assert sum(row[str(path)] for row in shown) == 1
    best = run("best-response", path, "--seat", "o", "-f", "json").json()["rows"][0]
    assert best["o_wins"] > 0


def test_a_finished_run_is_resumed_in_the_same_bits(path):
    before = path.read_bytes()
    assert run("train", "--resume", path).code == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--optimizer", "lion"], "expected --optimizer to be sgd, momentum, rmsprop or adam, got 'lion'"),
        (
            ["--hidden", "32,x"],
            "expected --hidden to be at most 8 hidden layers of 1 to 4096 nodes, for instance 32,32, got '32,x'",
        ),
        (["--polyak", "0.1", "--target-every", "5"], "expected either --target-every or polyak"),
        (["--keep", "best", "--game", "connect4"], "expected a game with a state table"),
        (["--opponent", "nobody", "--game", "connect4"], "unknown agent 'nobody' for connect4"),
        (["--input", "marks", "--game", "nim"], "unknown game"),
    ],
)
def test_mistakes_are_one_line(tmp_path, options, words):
    assert_one_line(run(*LINE, *options, "-o", tmp_path / "dqn.npz"), 2, words)


def test_another_game_s_network_is_one_line(path):
    assert_one_line(run("match", path, "random", "--game", "connect4"), 2, "expected a policy for connect4, got")
