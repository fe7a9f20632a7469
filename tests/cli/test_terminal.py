"""The program in a terminal: live lines leave nothing behind, and errors are broken between words."""

import os

import pytest

from cli_runner import assert_one_line, run, run_process
from terminal_screen import run_in_terminal, screen

CORNERS = """
def corners(state):
    from ttt_fast.games import api
    legal = list(api.legal_actions(state))
    return next((one for one in (0, 2, 6, 8) if one in legal), legal[0])
"""
LIVE = {
    "compare": ["compare", "random", "heuribot", "-n", "100"],
    "suite": ["suite", "--list"],
    "sweep": ["sweep", "--set", "epsilon=0.1,0.2", "--seeds", "1", "-n", "1k", "-o", "swept"],
    "score": ["score", "python:corners_agent:corners"],
    "perft": ["perft", "-d", "3"],
}


def test_the_screen_of_a_terminal():
    assert screen("50 %\r\x1b[2Kdone\r\nx\r\n\x1b[1A\x1b[2Ky") == ["done", "y"]


@pytest.mark.parametrize("name", LIVE)
def test_live_lines_leave_nothing_behind(name, tmp_path, monkeypatch):
    (tmp_path / "corners_agent.py").write_text(CORNERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    seen = run_in_terminal(*LIVE[name], columns=160, PYTHONPATH=_paths(tmp_path))
    assert seen.code == 0, seen.lines
    assert not [line for line in seen.lines if "/s  " in line or "%  " in line or "compiling" in line], seen.lines
    assert seen.raw.count("\x1b[?25l") == seen.raw.count("\x1b[?25h")  # the cursor is shown again


def test_kernels_that_compile_leave_nothing_behind(tmp_path):
    seen = run_in_terminal("show", "XO..X....", "--agents", "mcts:sims=8", NUMBA_CACHE_DIR=str(tmp_path))
    assert seen.code == 0 and "compiling" in seen.raw
    assert "compiling" not in "\n".join(seen.lines)


def test_live_lines_write_nothing_into_a_pipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run_process(*LIVE["suite"])
    assert ran.code == 0 and b"\x1b" not in ran.out and "\x1b" not in ran.err and "states/s" not in ran.err


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["match", "mctss", "random"], "ttt-fast: unknown agent 'mctss' for", "hint: did you mean mcts or mcts-best?"),
        (
            ["train", "--algorithm", "dqm"],
            "ttt-fast: expected --algorithm to be one of",
            "hint: did you mean dqn or q?",
        ),
        (["sweep", "--set", "epsilonn=1"], "ttt-fast: unknown setting 'epsilonn'", "hint: did you mean epsilon"),
        (["exact", "random"], "ttt-fast: missing argument 'O'", "hint: see `ttt-fast exact --help`"),
    ],
)
def test_errors_are_broken_between_words_and_end_with_a_hint(words, error, hint):
    seen = run_in_terminal(*words, columns=60)
    assert seen.code == 2 and max(map(len, seen.lines)) <= 60
    assert seen.lines[0].startswith(error) and any(line.startswith(hint) for line in seen.lines)
    piped = run(*words)
    assert_one_line(piped, 2)
    assert set(" ".join(seen.lines).replace("hint: ", "").split()) <= set(
        piped.err.replace(";", "").replace("(", "").replace(")", "").split()
    )


PLACES = {
    "train": ["train", "-n", "200M", "-o", "{}/q.npz"],
    "curve": ["train", "-n", "200M", "--curve", "{}/q.csv"],
    "match": ["match", "random", "random", "-n", "1e12", "--save", "{}/games.npz"],
    "exact": ["exact", "random", "random", "-o", "{}/a.json"],
    "sweep": ["sweep", "-n", "200M", "-o", "{}/runs"],
    "merge": ["sweep", "-n", "200M", "--merge", "{}/runs.parquet"],
    "suite": ["suite", "--results", "{}/results"],
    "suite-runs": ["suite", "--runs", "{}/runs"],
    "reproduce": ["reproduce", "all", "--results", "{}/results"],
    "reproduce-runs": ["reproduce", "hensler", "--runs", "{}/runs"],
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("place", ["file", "/proc"])
def test_a_place_that_cannot_be_written_is_refused_at_once(name, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    if not os.path.exists(place):
        pytest.skip(f"{place} is of Linux")
    assert_one_line(run(*(word.format(place) for word in PLACES[name])), 1, "cannot write", place)
    assert sorted(os.listdir(tmp_path)) == ["file"]


def _paths(folder) -> str:
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
