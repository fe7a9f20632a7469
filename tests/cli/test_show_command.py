"""`show` and `agents` of every game, and what they and `play` refuse."""

import signal
import time

import pytest

from cli_runner import assert_one_line, run, run_process, start
from conftest import PATIENCE

CONNECT_FOUR, ULTIMATE = ("--game", "connect4"), ("--game", "ultimate")


REFUSED = {
    "a board of another game": (["play", *ULTIMATE, "--position", "XO......."], "81 characters"),
    "game": (["play", "--game", "conect4"], "connect4"),
    "illegal move": (["play", *CONNECT_FOUR, "--position", "4444444"], "'4' as move 7"),
    "move that is none": (["play", *CONNECT_FOUR, "--position", "48"], "'8'"),
    "position": (["play", *ULTIMATE, "--position", "x"], "81 characters"),
    "agent": (["play", "minimax", *CONNECT_FOUR], "plays connect4", "'minimax'"),
    "empty agent": (["play", "", *CONNECT_FOUR], "''"),
    "adviser": (["play", "random", "--hints-by", "nobody"], "nobody"),
    "adviser of a game": (["play", *ULTIMATE, "--hints-by", "default:skill=2"], "skill"),
    "seat": (["play", *ULTIMATE, "--seat", "z"], "'z'"),
    "shown move": (["show", "4453x", *CONNECT_FOUR], "'x'"),
    "shown line": (["show", "55 21", *ULTIMATE], "'21'"),
    "shown position": (["show", "x.o/...", *CONNECT_FOUR], "6 rows"),
    "shown board": (["show", "XXX......", "--agents", "random"], "3 and 0"),
    "asked agent": (["show", "4", *CONNECT_FOUR, "--agents", "default,mimimax"], "'mimimax'"),
    "seed of show": (["show", "4", *CONNECT_FOUR, "--seed", "x"], "'x'"),
    "game of agents": (["agents", "--game", "chess"], "'chess'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_mistake_is_one_line(name):
    arguments, *words = REFUSED[name]
    assert_one_line(run(*arguments), 2, *words)


def test_show_has_a_row_for_each_move_and_a_column_for_each_agent():
    document = run("show", "4453", *CONNECT_FOUR, "--agents", "default:skill=1,random", "-f", "json").json()
    assert document["schema"] == "ttt-fast/show/1"
    rows = document["rows"]
    assert [row["move"] for row in rows] == list("1234567")
    for name in ("default:skill=1", "random"):
        assert sum(row[name] for row in rows) == pytest.approx(1)
    by_position = run("show", ".......|.......|.......|.......|...O...|..OXX..".replace("|", "/"), *CONNECT_FOUR)
    assert "X to move" in by_position.text and "default" in by_position.text


def test_show_of_ultimate_draws_and_lists():
    ran = run("show", "55 51", *ULTIMATE)
    assert "last move 51; X to move in board 1" in ran.text
    assert len(run("show", "55 51", *ULTIMATE, "-f", "jsonl").text.splitlines()) == 9
    assert run("show", "", *ULTIMATE, "-f", "json").json()["rows"][80]["move"] == "99"


def test_show_tells_values_and_visits_of_searches():
    words = ("--agents", "mcts:sims=300,mcts-best:sims=100,alphabeta:depth=7", "-f", "json")
    rows = run("show", "44444", *CONNECT_FOUR, *words).json()["rows"]
    assert sum(row["mcts:sims=300 visits"] for row in rows) == 300
    for name in ("mcts:sims=300", "mcts-best:sims=100", "alphabeta:depth=7"):
        assert sum(row[name] for row in rows) == 1
        assert all(row[f"{name} value"] is None or -1 <= row[f"{name} value"] <= 1 for row in rows)
    assert "alphabeta:depth=7 visits" not in rows[0]
    text = run("show", "44444", *CONNECT_FOUR).text
    assert "alphabeta" in text and "in brackets visits" in text and "nan" not in text


@pytest.mark.parametrize("form", ["json", "csv", "parquet", "markdown", "table"])
def test_a_finished_game_has_no_moves(form):
    ran = run("show", "1122334", *CONNECT_FOUR, "--format", form)
    assert (ran.code, ran.err) == (0, "")
    if form == "table":
        assert "the game is over: X has won" in ran.text


def test_agents_of_each_game():
    def names(*words: str) -> list[str]:
        return [row["agent"] for row in run("agents", *words, "-f", "json").json()["rows"] if row["agent"]]

    assert {"random", "default", "solver"} <= set(names(*CONNECT_FOUR)) and "heuribot" not in names(*CONNECT_FOUR)
    assert {"minimax", "heuribot"} <= set(names("--game", "tic-tac-toe"))
    assert names("--game", "tic-tac-toe").count("random") == 1
    everything = run("agents", "-f", "json").json()["rows"]
    played = "tic-tac-toe, connect4, ultimate, openspiel"
    assert [row["games"] for row in everything if row["agent"] == "random"] == [played]
    assert names(*CONNECT_FOUR) == names("--game", "connect4:columns=6")


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        ["show", "", *ULTIMATE, "--agents", "alphabeta:depth=30"],
        ["show", "", *ULTIMATE, "--agents", "mcts:sims=100000000"],
        ["match", "alphabeta:depth=30", "alphabeta:depth=30", *ULTIMATE, "-n", "4"],
        ["match", "mcts:sims=100000000", "random", *ULTIMATE, "-n", "4", "--threads", "2"],
    ],
)
def test_ctrl_c_ends_a_search_that_would_last_for_hours(line):
    assert run(*(word.replace("=30", "=2").replace("00000000", "00") for word in line)).code == 0  # all is compiled
    process = start(*line)
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and b"interrupted" in err and b"Traceback" not in err


@pytest.mark.slow
def test_compilation_is_announced_when_it_happens_and_only_then(tmp_path):
    line = ["show", "4", "--game", "connect4:columns=4,rows=4", "--agents", "default", "-f", "json"]
    first, second = (run_process(*line, env={"NUMBA_CACHE_DIR": str(tmp_path)}) for _ in range(2))
    assert first.err.startswith("compiling ") and first.err.count("\n") == 1
    assert second.err == "" and first.json() == second.json()


def test_connect_four_has_exact_values_early_and_late_in_the_game():
    """The book has the first plies and the solver the late ones; those between need --exact."""
    late = run("show", "443336445554663", "--game", "connect4", "--agents", "random", "-f", "json").json()["rows"]
    assert {"value_x", "distance", "optimal"} <= set(late[0]) and len(late) == 7
    for moves, known in (("44", True), ("444443", False)):
        row = run("show", moves, "--game", "connect4", "--agents", "random", "-f", "json").json()["rows"][0]
        assert ("value_x" in row) == known
    text = run("show", "443336445554663", "--game", "connect4", "--agents", "random").text
    assert "under best play" in text
