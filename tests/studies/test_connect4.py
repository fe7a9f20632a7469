"""The study of Connect 4 on many boards: its rows, its page, and what it is compared with."""

import csv
import json

import pytest

from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import plies_to_end
from ttt_fast.search.connect_four.solver import SolvedAction, SolvedActions
from ttt_fast.studies import connect4
from ttt_fast.studies.connect4.published import FIRST_WIDTH, LAST_STONES, OUTCOMES, last_stone, outcome
from ttt_fast.studies.connect4.study import SIZES, SolvedBoard, board_row, sizes_of


@pytest.mark.parametrize("threads", [1, 2])
def test_quick_rows_are_as_published_with_any_number_of_threads(tmp_path, threads):
    news = []
    rows = connect4.run(tmp_path, quick=True, threads=threads, on_progress=news.append)
    assert [(row["width"], row["height"]) for row in rows] == [(4, 4), (4, 5), (4, 6), (5, 4), (5, 5), (6, 4)]
    assert {row["verdict"] for row in rows} == {"equal"} and len(news) == len(rows)
    page = (tmp_path / "README.md").read_text()
    assert "ttt-fast reproduce connect4 --quick" in page and "| 6 | 4 | second player wins | -1 |" in page
    with (tmp_path / "boards.csv").open() as file:
        assert [row["nodes"] for row in csv.DictReader(file)] == [str(row["nodes"]) for row in rows]
    seconds = json.loads((tmp_path / "timing.json").read_text())["seconds_of_boards"]
    assert list(seconds) == [f"{row['width']}x{row['height']}" for row in rows]


def test_a_wrong_score_is_told():
    solved = SolvedActions([SolvedAction(0, 1, True)], 1, 0.0)
    assert board_row(SolvedBoard(BoardSize(4, 4), solved))["verdict"] == "different"
    assert board_row(SolvedBoard(BoardSize(7, 6), solved))["verdict"] == "equal"


def test_both_sources_agree_with_each_other_and_with_the_rules():
    """A first player's win ends with an odd stone, a second player's with an even one, a draw with a full board."""
    for height, text in OUTCOMES.items():
        for width in range(FIRST_WIDTH, FIRST_WIDTH + min(len(text), len(LAST_STONES[height]))):
            last, value = last_stone(width, height), outcome(width, height)
            assert last == width * height if value == 0 else last % 2 == (value > 0)


def test_every_board_has_published_values():
    assert len(sizes_of(quick=False)) == len(set(SIZES)) == len(SIZES)
    for size in SIZES:
        assert plies_to_end(0, 0, BoardSize(*size)) >= last_stone(*size) and outcome(*size) in (-1, 0, 1)
