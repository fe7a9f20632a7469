"""The command `perft`."""

import json

import pytest

from cli_runner import assert_one_line, run
from ttt_fast.search import perft as counting


def test_rows_by_depth():
    rows = run("perft", "--game", "connect4", "--depth", "6", "-f", "json").json()["rows"]
    assert [row["leaves"] for row in rows] == [7, 49, 343, 2401, 16807, 117649]
    assert [row["depth"] for row in rows] == [1, 2, 3, 4, 5, 6]
    for row in rows:
        assert row["leaves_per_second"] == pytest.approx(row["leaves"] / row["seconds"])


def test_the_usual_depth_ends_where_the_game_does():
    rows = run("perft", "--game", "tic-tac-toe", "--position", "402635", "-f", "json").json()["rows"]
    assert [row["leaves"] for row in rows] == [3, 6, 6]


def test_rows_end_where_no_line_is_left():
    rows = run("perft", "--game", "tic-tac-toe", "--position", "XX.OO....", "-d", "5", "-f", "json").json()["rows"]
    assert [row["leaves"] for row in rows][:1] == [5] and len(rows) == 5
    rows = run("perft", "--game", "tic-tac-toe", "--position", "XXXOO....", "-f", "json").json()["rows"]
    assert [row["leaves"] for row in rows] == [0]


# --- Depths that take long.


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (["-d", "100"], "1 to 42, the most plies that are left in connect4, got '100'"),
        (["-d", "43"], "1 to 42"),
        (["-d", "1e18", "--game", "tic-tac-toe"], "1 to 9"),
        (["-d", "82", "--game", "ultimate"], "1 to 81"),
        (["-d", "4", "--game", "tic-tac-toe", "--position", "402635"], "1 to 3"),
        (["-d", "13", "--by-move", "--game", "connect4:columns=4,rows=3"], "1 to 12"),
    ],
)
def test_a_depth_beyond_the_longest_game_is_refused(arguments, most):
    assert_one_line(run("perft", *arguments), 2, f"expected a depth from {most}")


def test_ctrl_c_keeps_the_depths_that_are_counted(monkeypatch):
    counted, calls = counting.perft_by_action, []

    def pressed(start, plies, *rest):
        calls.append(plies)
        if plies == 4:
            raise KeyboardInterrupt
        return counted(start, plies, *rest)

    monkeypatch.setattr(counting, "_WARM_DEPTHS", ())  # which count, too
    monkeypatch.setattr(counting, "perft_by_action", pressed)
    ran = run("perft", "-d", "6", "-f", "json")
    assert (ran.code, calls) == (130, [1, 2, 3, 4])
    assert [row["leaves"] for row in json.loads(ran.out)["rows"]] == [7, 49, 343]
    assert ran.err == "interrupted; the printed table contains the depths counted so far\n"
    calls.clear()
    ran = run("perft", "-d", "4", "--by-move")
    assert (ran.code, ran.out, ran.err) == (130, b"", "ttt-fast: interrupted\n")


# --- Words.


def test_rows_by_move_from_a_position():
    ran = run("perft", "--game", "ultimate", "--position", "55 51", "-d", "3", "--by-move", "-f", "json").json()
    assert ran["manifest"]["config"]["position"][36:45] == "O   x    "
    assert [row["move"] for row in ran["rows"]] == [f"1{cell}" for cell in range(1, 10)]
    same = run(
        "perft", "--game", "ultimate", "--position", ran["manifest"]["config"]["position"], "-d", "3", "--by-move",
        "-f", "json",
    ).json()  # fmt: skip
    assert same["rows"] == ran["rows"]
