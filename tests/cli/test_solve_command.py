"""The command `solve`: rows, files, mistakes, Ctrl-C."""

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from cli_runner import assert_one_line, run, start, wait_for
from conftest import PATIENCE
from ttt_fast import Solver, parse_game
from ttt_fast.search.connect_four.positions import words_of

FACTS = Path(__file__).resolve().parent.parent / "data" / "connect4_scores.txt"

LATE = "2252576253462244111563365343671351441"


def test_the_command_lists_every_action():
    document = run("solve", LATE, "--game", "connect4", "-f", "json").json()
    assert document["schema"] == "ttt-fast/solve/1"
    rows = document["rows"]
    expected = Solver(table_mb=1).action_scores(words_of(parse_game("connect4").parse_ongoing(LATE))).actions
    assert [(row["action"], row["score"], row["best"]) for row in rows] == [
        (str(one.action + 1), one.score, one.is_best) for one in expected
    ]
    assert {row["outcome"] for row in rows if row["best"]} == {"loss"}
    best = run("solve", LATE, "--actions", "best", "--threads", "1", "-f", "json").json()["rows"]
    assert best == [row for row in rows if row["best"]]
    (row,) = run("solve", LATE, "--actions", "none", "-f", "json").json()["rows"]
    assert (row["score"], row["outcome"], row["distance"], row["ply"]) == (-1, "loss", 4, 37)
    (row,) = run("solve", LATE, "--actions", "none", "--weak", "-f", "json").json()["rows"]
    assert row["outcome"] == "loss" and "score" not in row
    shown = run("solve", LATE)
    assert "O to move" in shown.text and "known without a search" in shown.err


def test_a_file_of_positions(tmp_path):
    ran = run("solve", "--file", FACTS, "--threads", "1", "-f", "json")
    assert all(row["as_expected"] and row["score"] == row["expected"] for row in ran.json()["rows"])
    assert "200 of 200 computed scores equal those in the file" in ran.err
    wrong = tmp_path / "wrong.txt"
    wrong.write_text(f"{LATE} 3  # not so\n\n{LATE} -1\n{LATE}\n")
    ran = run("solve", "--file", wrong, "-f", "jsonl")
    assert ran.code == 1 and ran.out.count(b"\n") == 3
    assert "1 of 2 computed scores" in ran.err
    assert run("solve", "--file", wrong, "--weak", "-f", "jsonl").code == 1


REFUSED = {
    "column": (["solve", "18"], "'8'"),
    "full column": (["solve", "1111111"], "move 7"),
    "finished game": (["solve", "1212121"], "'1212121'"),
    "nothing": (["solve"], "neither"),
    "both": (["solve", "4", "--file", "x"], "both"),
    "actions of a file": (["solve", "--file", "x", "--actions", "all"], "--actions all"),
    "game": (["solve", "4", "--game", "ultimate"], "'ultimate'"),
    "table": (["solve", "4", "--table-mb", "0"], "'0'"),
    "table for the board": (["solve", "4", "--game", "connect4:columns=8,rows=7", "--table-mb", "1"], "64"),
    "columns of the rows": (["solve", "X/O"], "'X/O'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_mistake_is_one_line(name):
    arguments, *words = REFUSED[name]
    assert_one_line(run(*arguments), 2, *words)


def test_scores_of_the_empty_board_and_byte_order_marks(tmp_path):
    path = tmp_path / "pons.txt"
    path.write_bytes(b"\xef\xbb\xbf" + f" 1\n -1  # not so\n4 -2\n{LATE}\n\t1\n".encode())
    ran = run("solve", "--file", path, "-f", "json")
    rows = ran.json()["rows"] if ran.code == 0 else json.loads(ran.out)["rows"]
    assert [(row["position"], row["ply"], row["score"]) for row in rows] == [
        ("", 0, 1), ("", 0, 1), ("4", 1, -1), (LATE, 37, -1), ("", 0, 1)
    ]  # fmt: skip
    assert [row.get("as_expected") for row in rows] == [True, False, False, None, True] and ran.code == 1


def test_mistakes_in_files_are_named_by_their_line(tmp_path):
    path = tmp_path / "positions.txt"
    wrong = ("4 x", 1), ("4 --1", 1), ("4 1 2", 1), (" 1 2", 1), ("4 99999", 1), ("9", 2), ("1212121 1", 2)
    for line, code in wrong:
        text = f"4\n{line}\n"
        path.write_text(text)
        assert_one_line(run("solve", "--file", path), code, str(path), "line 2")
    path.write_bytes(b"\xff\xfe")
    assert_one_line(run("solve", "--file", path), 1, str(path))
    assert_one_line(run("solve", "--file", tmp_path / "no.txt"), 1, "no.txt")


SEARCHES = """
import sys
from pathlib import Path
begun = Path(sys.argv.pop())
from ttt_fast.search.connect_four.solver import Solver
asked = Solver.action_scores
def told(*arguments, **options):
    begun.touch()
    return asked(*arguments, **options)
Solver.action_scores = told
from ttt_fast.cli.main import main
main()
"""
"""The program, which leaves a file, its last word, when it begins to search."""


def test_an_interrupted_search_stops_at_once(tmp_path):
    process = start(
        "solve", "", "--game", "connect4:columns=8", "--threads", "2", tmp_path / "begun",
        program=[sys.executable, "-c", SEARCHES],
    )  # fmt: skip
    wait_for((tmp_path / "begun").exists, process)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and b"interrupted" in err and b"Traceback" not in err


@pytest.mark.parametrize(
    ("position", "result"), [("4453", "O wins in 36 plies"), ("", "X wins in 41 plies"), ("3", "a draw in 41 plies")]
)
def test_the_text_says_the_result_and_what_a_score_is(position, result):
    for words in ([], ["--actions", "none"]):
        text = " ".join(run("solve", position, *words).text.split())
        assert f"under best play {result} score: stones left to the winner plus one, negative if" in text
    assert result in run("show", position, "--game", "connect4").text
    assert "score" not in run("solve", position, "--weak").text
