"""What a command may write over: everything but work that can go on, and longer runs."""

import os
import signal

import pytest

from cli_runner import assert_one_line, run
from ttt_fast import ContestConfig, TrainingConfig, TrainingRun, contest, save_policy, train
from ttt_fast.core.errors import FileWriteError
from ttt_fast.files import check_output
from ttt_fast.learners import Sweep
from ttt_fast.running.api import ThreadExecutor


def interrupt(*_):
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def unfinished(tmp_path):
    """A file with 1,000 of 5,000 episodes."""
    path = tmp_path / "u.npz"
    with pytest.raises(KeyboardInterrupt):
        train(TrainingConfig(episodes=5000, chunk_episodes=1000), checkpoint=path, on_chunk=interrupt)
    return path


@pytest.mark.parametrize("words", [["-n", "5000", "--chunk", "1000"], ["-n", "9k", "--seed", "3"], ["-n", "10"]])
def test_an_unfinished_run_is_not_written_over_unasked(unfinished, words):
    before = unfinished.read_bytes()
    ran = run("train", *words, "-o", unfinished)
    assert_one_line(ran, 2, str(unfinished), "1,000 of 5,000 episodes", "--force", f"--resume {unfinished}")
    assert unfinished.read_bytes() == before
    assert run("train", *words, "-o", unfinished, "--force").code == 0
    assert TrainingRun.load(unfinished).complete


def test_the_usual_file_of_an_unfinished_run_is_safe_and_resumed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = run("train", "-n", "4k", "--chunk", "1k", "-f", "json").json()["rows"][0]
    before = TrainingRun.load(row["file"])
    with pytest.raises(KeyboardInterrupt):
        train(before.config, checkpoint=row["file"], on_chunk=interrupt)
    assert_one_line(run("train", "-n", "4k", "--chunk", "1k"), 2, row["file"], "--resume")
    (again,) = run("train", "--resume", row["file"], "-f", "json").json()["rows"]
    assert again["sha256"] == row["sha256"]


def test_a_finished_run_gives_way_to_one_that_is_as_long(unfinished, tmp_path):
    finished = tmp_path / "f.npz"
    train(TrainingConfig(episodes=3000), checkpoint=finished)
    assert run("train", "-n", "3000", "--seed", "1", "-o", finished).code == 0
    assert_one_line(run("train", "-n", "2999", "-o", finished), 2, "a finished run of 3,000 episodes, more than 2,999")
    assert_one_line(run("train", "--resume", finished, "-o", unfinished), 2, "1,000 of 5,000", "--force")
    assert run("train", "--resume", finished, "-o", finished.with_name("new.npz")).code == 0


@pytest.mark.parametrize(
    "words",
    [["best-response", "random", "-o"], ["match", "random", "random", "-n", "10", "--save"], ["exact", "a", "b", "-o"],
     ["sweep", "-n", "10", "--merge"], ["train", "-n", "10", "--curve"], ["plot", "nothing.csv", "-o"]],
)  # fmt: skip
def test_no_command_writes_over_work_or_computes_for_a_file_that_cannot_be_written(words, unfinished, tmp_path):
    games = tmp_path / "games.jsonl"
    contest("random", "random", ContestConfig(2, game="connect4"), save_to=games)
    for path in (games, unfinished):
        before = path.read_bytes()
        ran = run(*words, path)
        assert ran.code == 2 and len(ran.err.splitlines()) == 1 and str(path) in ran.err and ran.out == b""
        assert path.read_bytes() == before
    if words[0] != "match":
        assert_one_line(run(*words, games), 2, "the games of a contest; --resume")
    suffix = ".npz" if words[0] in ("best-response", "match") else ".csv"
    assert_one_line(run(*words, tmp_path / "nowhere" / f"x{suffix}"), 1, "cannot write", "no such file or directory")


def test_other_files_are_written_over(tmp_path):
    policy, text = tmp_path / "p.npz", tmp_path / "x.jsonl"
    save_policy(policy, "random")
    text.write_text('{"x": "random"}\n')
    for path in (policy, text, tmp_path / "new.npz", os.devnull):
        check_output(path)
    (tmp_path / "q.npz").write_bytes(b"torn")
    check_output(tmp_path / "q.npz")
    for wrong in (tmp_path, text / "q.npz", "\0"):
        with pytest.raises(FileWriteError, match="cannot write"):
            check_output(wrong)
    check_output(tmp_path / "a" / "b" / "q.npz", makes_folders=True)


def test_a_saved_match_is_written_over_when_it_is_asked_for(tmp_path):
    for name, words in {"m.npz": [], "m.jsonl": ["--openings", "none"]}.items():
        line = ["match", "random", "minimax", "-n", "20", *words, "--save", tmp_path / name]
        assert run(*line).code == 0
        assert_one_line(run(*line), 2, "--resume", "--force")
        assert run(*line, "--seed", "1", "--force").code == 0
        other = ["match", "random", "minimax", "-n", "20", *words, "--resume", tmp_path / name]
        assert_one_line(run(*other), 2, "expected a match with seed 0, got a match with 1")


def test_a_refused_sweep_blocks_no_folder(tmp_path):
    words = ["sweep", "--game", "connect4", "--seeds", "1", "-n", "20", "-o", tmp_path, "--set"]
    assert_one_line(run(*words, "opponent=minimax"), 2, "expected self, random or default as the opponent")
    assert run(*words, "opponent=random").code == 0


def test_an_unfinished_sweep_keeps_its_folder(tmp_path):
    pool = ThreadExecutor(1)
    before = Sweep({"episodes": 1000}, {"epsilon": ["0.1", "0.2"]}, range(6))
    before.run(range(3), tmp_path, pool)
    with pytest.raises(KeyboardInterrupt):
        before.run(range(3, before.num_units), tmp_path, pool, interrupt)
    manifest = (tmp_path / "manifest.json").read_bytes()
    other = ["sweep", "--set", "epsilon=0.3", "--seeds", "2", "-n", "1000", "-o", tmp_path]
    assert_one_line(run(*other), 2, "of 12 runs of another sweep", "--force")
    assert (tmp_path / "manifest.json").read_bytes() == manifest
    more = ["sweep", "--set", "epsilon=0.1,0.2,0.3", "--seeds", "7", "-n", "1000", "-o", tmp_path]
    assert run(*more).code == 0  # the missing units are among these
    assert run(*other).code == 0  # nothing is missing
    assert run(*more, "--force").code == 0
    pool.close()
