"""The command `review`: its rows in every format, lines without a game, and its options."""

import json

import polars as pl
import pytest

from cli_runner import assert_one_line, run
from conftest import REPOSITORY
from ttt_fast import review

GAMES = REPOSITORY / "docs" / "examples" / "games.txt"


def test_the_rows_are_those_of_the_function(tmp_path):
    document = run("review", GAMES, "-f", "json").json()
    assert document["schema"] == "ttt-fast/review/1" and document["manifest"]["config"]["game"] == "tic-tac-toe"
    rows = review(GAMES).to_dicts()
    assert [{"malformed": None, **row} for row in document["rows"]] == [{**row} for row in rows]
    assert run("review", GAMES, "-o", tmp_path / "rows.parquet").code == 0
    assert pl.read_parquet(tmp_path / "rows.parquet").equals(review(GAMES))
    moves = run("review", GAMES, "--moves", "-f", "jsonl").text.splitlines()
    assert [json.loads(one)["values"] for one in moves] == [
        json.loads(one) for one in review(GAMES, moves=True)["values"]
    ]
    text = run("review", GAMES, "--moves").text
    assert "0:0 1:0 2:0" in text and text.count("\n") > 130


def test_a_game_is_watched_by_its_line():
    moves = [row for row in review(GAMES, moves=True).to_dicts() if row["line"] == 4]
    shown = run("watch", GAMES, 4, "-f", "json").json()["rows"]
    same = ("ply", "action", "move", "value_x", "optimal")
    assert [[row[name] for name in same] for row in shown] == [[row[name] for name in same] for row in moves]
    assert [row["agent"] for row in shown] == [row["player"] for row in moves]
    assert_one_line(run("watch", GAMES), 2, "try `ttt-fast review")
    assert_one_line(run("watch", GAMES, 1), 2, "the line of a game, from 2 to 21, got 1")


def test_a_line_without_a_game_is_named(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("ann bob 41028 x\n" + "ann\n" * 12)
    for words, code in (([], 0), (["--strict"], 1)):
        ran = run("review", path, *words, "-f", "csv")
        assert ran.code == code and ran.text.startswith("player,games,")
        assert ran.err.splitlines()[0].startswith("line 2: expected a move or illegal, none, timeout")
        assert ran.err.splitlines()[-1] == "and 2 more lines without a game"
    assert run("review", GAMES, "--strict").code == 0


def test_moves_as_numbers(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("4 4 5 3\n")
    notation = run("review", path, "--game", "connect4:columns=4,rows=4", "-f", "csv").out
    for words, line in (
        (["--actions"], "3 3 1 2"),
        (["--first-action", "0"], "3 3 1 2"),
        (["--first-action", "1"], "4,4,2,3"),
    ):
        path.write_text(line)
        ran = run("review", path, "--game", "connect4:columns=4,rows=4", *words, "-f", "csv")
        assert ran.code == 0 and ran.out != notation
    assert_one_line(run("review", path, "--first-action", "2"), 2, "expected 0 or 1 as --first-action, got '2'")


def test_other_words_and_files_are_refused(tmp_path):
    assert_one_line(run("review", tmp_path / "none.txt"), 1, "none.txt")
    assert_one_line(run("review", tmp_path), 1, "is a directory")
    assert_one_line(run("review", tmp_path / "q.npz"), 2, "ends in .txt, .csv, .jsonl, .parquet")
    assert_one_line(run("review", GAMES, "--game", "chess"), 2, "chess")


@pytest.mark.parametrize("words", [[], ["--moves"]])
def test_nothing_is_shortened(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    text = run("review", GAMES, *words).text
    assert max(map(len, text.splitlines())) <= 60 and "…" not in text
