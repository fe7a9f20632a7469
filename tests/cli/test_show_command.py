"""`show` and `agents` of every game, and what they and `play` refuse."""

import pytest

from cli_runner import assert_one_line, run, run_process

CONNECT_FOUR, ULTIMATE = ("--game", "connect4"), ("--game", "ultimate")


REFUSED = {
    "a board of another game": (["play", *ULTIMATE, "--position", "XO......."], "81 characters"),
    "game": (["play", "--game", "conect4"], "connect4"),
    "illegal move": (["play", *CONNECT_FOUR, "--position", "4444444"], "'4' as move 7"),
    "agent": (["play", "minimax", *CONNECT_FOUR], "plays connect4", "'minimax'"),
    "adviser": (["play", "random", "--hints-by", "nobody"], "nobody"),
    "seat": (["play", *ULTIMATE, "--seat", "z"], "'z'"),
    "shown line": (["show", "55 21", *ULTIMATE], "'21'"),
    "shown position": (["show", "x.o/...", *CONNECT_FOUR], "6 rows"),
    "format of a picture": (["show", "4", *CONNECT_FOUR, "-o", "a.svg", "-f", "json"], "no --format for a picture"),
    "game of agents": (["agents", "--game", "chess"], "'chess'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_mistake_is_one_line(name):
    arguments, *words = REFUSED[name]
    assert_one_line(run(*arguments), 2, *words)


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


def test_late_positions_of_ultimate_have_exact_values():
    """A search finds the results under best play, not the distances; early positions have none."""
    late = "xxx.o.oo.oXxxxoox..o.oo..ooxoxoxxoo.oo.o..o.xooxxxoxoox..x.xx.oo.x.xx.xxoxoxxoxox"
    ran = run("show", late, *ULTIMATE, "--agents", "random", "-f", "json")
    rows = ran.json()["rows"]
    assert {row["value_x"] for row in rows} <= {-1, 0, 1} and all(row["distance"] is None for row in rows)
    assert [row["optimal"] for row in rows].count(True) >= 1
    text = run("show", late, *ULTIMATE, "--agents", "random").text
    assert "under best play" in text and "leads to" in text and "in plies" not in text
    assert "value_x" not in run("show", "55 51", *ULTIMATE, "--agents", "random", "-f", "json").json()["rows"][0]
