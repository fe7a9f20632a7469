"""The wing in the command line, and the package without it."""

import json
import shutil
import sys
from dataclasses import replace

from proven_toys import WON_BY_X, toy

from cli_runner import assert_one_line, run, run_process
from conftest import REPOSITORY
from proven_writing import save_proven
from ttt_fast import ContestConfig, contest


def test_lines_have_their_columns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_proven("toy.npz", toy())
    lines = {
        "match proven random --game connect4 -n 1 --seats ab --openings none": "x_wins draws o_wins",
        f"prove toy.npz --game {WON_BY_X} --seat x": "ply positions hash",
    }
    for line, columns in lines.items():
        document = json.loads(run(*line.split(), "--format", "json").out)
        assert document["schema"] == f"ttt-fast/{line.split()[0]}/1" and "summary" in document
        assert set(columns.split()) <= set(document["rows"][0])
    run("prove", "toy.npz", "--game", WON_BY_X, "-o", "certificate.json")
    assert run("prove", "toy.npz", "--check", "certificate.json", "--game", WON_BY_X).code == 0


def test_a_file_called_shipped_does_not_count(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = ContestConfig(2, game="connect4", openings="none", seats="ab")
    contest("proven:file=shipped", "random", config, save_to="saved.jsonl")
    for name in ("proven", "shipped"):
        (tmp_path / name).write_text("anything")
    more = replace(config, games=4)
    assert contest("proven:file=shipped", "random", more, resume_from="saved.jsonl").rows[0]["games"] == 4


WITHOUT = """
import ttt_fast
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.cli.main import COMMANDS
from ttt_fast.values import files

assert "proven" not in AGENTS and "prove" not in COMMANDS and "improved" in AGENTS
assert files.class_in({"kind": "proven"}) is None
print(ttt_fast.exact_outcome("heuribot", "random").x_wins, ttt_fast.as_player("learned", "connect4").name)
"""


def test_the_package_works_without_the_folder(tmp_path):
    """Its main command, its help and an answer; a command or an agent of the wing is unknown."""
    ignored = shutil.ignore_patterns("proven", "__pycache__")
    shutil.copytree(REPOSITORY / "src" / "ttt_fast", tmp_path / "ttt_fast", ignore=ignored)

    def run_here(*words):
        return run_process(*words, program=[sys.executable], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})

    assert run_here("-c", WITHOUT).text.split() == ["0.9895833333333334", "learned"]
    helped = run_here("-m", "ttt_fast", "--help").text
    assert "solve" in helped and "prove" not in helped
    assert_one_line(run_here("-m", "ttt_fast", "prove", "x.npz"), 2, "prove")
    assert run_here("-m", "ttt_fast", "train", "-n", "1k", "-o", "q.npz").code == 0 and (tmp_path / "q.npz").exists()
