"""The study of Connect 4 on many boards: its rows, its page, and what they are compared with."""

import re

from study_checks import RESULTS
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Tables

CELLS = cells_of("ttt_fast.studies.connect4")


def test_the_committed_boards_are_as_published():
    known = [row for row in Tables(RESULTS / "connect4", "")["cells"] if row["verdict"] != "open"]
    assert {row["verdict"] for row in known} == {"exact"} and len(known) == len(CELLS)


def test_both_sources_agree_with_each_other_and_with_the_rules():
    """A first player's win ends with an odd stone, a second player's with an even one, a draw with a full board."""
    assert len({one.place for one in CELLS[::2]}) == len(CELLS) / 2
    for value, last in zip(CELLS[::2], CELLS[1::2], strict=True):
        width, height = map(int, re.fullmatch(r"(\d+) wide and (\d+) high", value.place).groups())
        assert value.place == last.place
        assert last.value == width * height if value.value == 0 else last.value % 2 == (value.value > 0)
        assert last.value <= width * height
