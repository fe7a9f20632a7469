"""The command `perft`."""

import pytest
from cli_runner import assert_one_line, run


def test_rows_by_depth():
    rows = run("perft", "--game", "connect4", "--depth", "6", "-f", "json").json()["rows"]
    assert [row["leaves"] for row in rows] == [7, 49, 343, 2401, 16807, 117649]
    assert [row["depth"] for row in rows] == [1, 2, 3, 4, 5, 6]
    for row in rows:
        assert row["leaves_per_second"] == pytest.approx(row["leaves"] / row["seconds"])


def test_rows_end_where_the_game_does():
    rows = run("perft", "--game", "tic-tac-toe", "-d", "1e18", "-f", "json").json()["rows"]
    assert [row["leaves"] for row in rows] == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0]


def test_rows_by_move_from_a_position():
    ran = run("perft", "--game", "ultimate", "--moves", "55 51", "-d", "3", "--by-move", "-f", "json").json()
    assert ran["manifest"]["config"]["position"][36:45] == "O   x    "
    assert [row["move"] for row in ran["rows"]] == [f"1{cell}" for cell in range(1, 10)]
    same = run(
        "perft", "--game", "ultimate", "--position", ran["manifest"]["config"]["position"], "-d", "3", "--by-move",
        "-f", "json",
    ).json()  # fmt: skip
    assert same["rows"] == ran["rows"]


def test_a_table_for_people():
    text = run("perft", "-d", "2", "--threads", "1").text
    assert "lines of play of connect4" in text and "49" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "conect4"], ["'conect4'", "expected connect4"]),
        (["--depth", "0"], ["expected a depth from 1", "'0'"]),
        (["--moves", "48"], ["expected a column 1 to 7", "'8'"]),
        (["--position", "XO"], ["expected 6 rows", "'XO'"]),
        (["--moves", "4", "--position", "XO"], ["--position or --moves"]),
        (["--threads", "0"], ["threads"]),
        (["--format", "yaml"], ["'yaml'"]),
    ],
)
def test_mistakes_are_one_line(arguments, words):
    assert_one_line(run("perft", *arguments), 2, *words)
