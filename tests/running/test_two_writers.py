"""Two runs that write one file or one folder at once: the second is refused, and the first is complete."""

import sys

import pytest

import ttt_fast
from cli_runner import assert_one_line, run, start, wait_for
from ttt_fast.learners import Sweep
from ttt_fast.running.api import ThreadExecutor

SINGLE = ("match", "mcts:sims=2", "random", "-n", "8", "--save")
COUNTED = ("match", "minimax", "random", "-n", "4k", "--chunk", "1k", "--save")


def refused_meanwhile(*commands):
    """Return a callback that runs commands once, while another run writes their file, and the results."""
    ran = []

    def meanwhile(*_):
        if not ran:
            ran.extend(run(*words) for words in commands)

    return meanwhile, ran


@pytest.mark.parametrize(
    ("command", "agents", "config", "name"),
    [
        (SINGLE, ("mcts:sims=2", "random"), ttt_fast.ContestConfig(8), "g.jsonl"),
        (COUNTED, ("minimax", "random"), ttt_fast.ContestConfig(4000, chunk_games=1000), "g.npz"),
    ],
)
def test_a_contest_file_has_one_writer(tmp_path, monkeypatch, command, agents, config, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    words = (*command, name, "--seed", "2", "--force")
    linked = (*command, f"link/{name}", "--seed", "2", "--force")
    meanwhile, ran = refused_meanwhile(words, linked, [one.replace("--save", "--resume") for one in words[:-3]])
    held = ttt_fast.contest(*agents, config, threads=1, save_to=name, on_progress=meanwhile)
    for one in ran:
        assert_one_line(one, 1, name, "another run is writing it")
    assert held.complete and sorted(path.name for path in tmp_path.iterdir()) == [name, "link"]
    meanwhile, ran = refused_meanwhile([one.replace("--save", "--resume") for one in words[:-3]])
    again = ttt_fast.contest(*agents, config, threads=1, resume_from=name, on_progress=meanwhile)
    assert [row["games"] for row in again.rows] == [row["games"] for row in held.rows]
    assert run(*words[:-1], "--force").code == 0  # afterwards, the file is free


def test_a_training_run_has_one_writer(tmp_path):
    path, words = tmp_path / "q.npz", ("-n", "4k", "--seed", "1", "--force")
    config = ttt_fast.TrainingConfig(episodes=3000, chunk_episodes=1000)
    ttt_fast.train(config, checkpoint=path)
    meanwhile, ran = refused_meanwhile(("train", *words, "-o", path), ("train", "--resume", path))
    ttt_fast.train(config, checkpoint=path, on_chunk=meanwhile)
    for one in ran:
        assert one.code == 1 and "another run is writing it" in one.err and not one.out
    assert ttt_fast.TrainingRun.load(path).config == config and [one.name for one in tmp_path.iterdir()] == ["q.npz"]


def test_a_sweep_has_one_writer(tmp_path):
    folder = tmp_path / "sweep"
    sweep = Sweep({"episodes": 1000}, {"epsilon": [0.1, 0.2]}, range(2))
    words = ("sweep", "-n", "1000", "--set", "epsilon=0.3", "--seeds", "1", "-o", folder)
    meanwhile, ran = refused_meanwhile(words)
    sweep.run(range(4), folder, ThreadExecutor(1), meanwhile)
    assert_one_line(ran[0], 1, str(folder), "another run is writing it")
    assert [one.name for one in tmp_path.iterdir()] == ["sweep"] and "0.3" not in (folder / "manifest.json").read_text()
    assert run(*words).code == 0


def test_the_files_of_a_study_have_one_writer(tmp_path):
    words = ("reproduce", "connect4", "--quick", "--results", tmp_path / "results", "--threads", "1")
    process = start(*words)
    wait_for((tmp_path / "results" / ".connect4.lock").exists, process)
    ran = run(*words)
    process.kill()
    process.communicate()
    assert ran.code == 1 and "another run is writing it" in ran.err and not ran.out
    assert [one.name for one in (tmp_path / "results").iterdir()] == [".connect4.lock"]  # of the killed run


def test_the_lock_of_a_killed_run_is_free(tmp_path):
    path = tmp_path / "g.jsonl"
    process = start("match", "mcts:sims=100", "random", "-n", "100k", "--save", path)
    wait_for(lambda: path.exists() and path.stat().st_size > 500, process)
    process.kill()
    process.communicate()
    assert (tmp_path / ".g.jsonl.lock").exists()
    assert run("match", "mcts:sims=100", "random", "-n", "2", "--resume", path).code == 0
    assert [one.name for one in tmp_path.iterdir()] == ["g.jsonl"]


def test_without_locks_files_are_written_all_the_same(tmp_path):
    """As on Windows: the module of locks is missing."""
    program = [sys.executable, "-c", "import sys; sys.modules['fcntl'] = None\n"
               "from ttt_fast.cli.main import main; main()"]  # fmt: skip
    process = start(*COUNTED, tmp_path / "g.npz", program=program)
    assert "minimax" in process.communicate()[0].decode() and process.returncode == 0
    assert [one.name for one in tmp_path.iterdir()] == ["g.npz"]
