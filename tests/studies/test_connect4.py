"""The study of Connect 4 on many boards: its rows, its page, and what they are compared with."""

import pytest

from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import plies_to_end
from ttt_fast.studies.connect4.measures import SIZES
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.study import package_of, reproduce

CELLS = cells_of(package_of("connect4"))


@pytest.mark.parametrize("threads", [1, 2])
def test_quick_rows_are_as_published_with_any_number_of_threads(tmp_path, threads):
    rows = reproduce("connect4", tmp_path, quick=True, threads=threads)
    known = [row for row in rows if row["verdict"] != "open"]
    places = [(4, 4), (4, 5), (4, 6), (5, 4), (5, 5), (6, 4)]
    assert [row["place"] for row in known[::2]] == [f"{width} wide and {height} high" for width, height in places]
    assert {row["verdict"] for row in known} == {"exact"} and len(known) == 12
    page = (tmp_path / "README.md").read_text()
    assert "ttt-fast reproduce connect4 --quick" in page and "| 6 | 4 | second player wins | -1 |" in page


def test_both_sources_agree_with_each_other_and_with_the_rules():
    """A first player's win ends with an odd stone, a second player's with an even one, a draw with a full board."""
    assert len(CELLS) == 2 * len(SIZES) == 2 * len(set(SIZES))
    for value, last, size in zip(CELLS[::2], CELLS[1::2], sorted(SIZES), strict=True):
        width, height = size
        assert value.place == last.place == f"{width} wide and {height} high"
        assert last.value == width * height if value.value == 0 else last.value % 2 == (value.value > 0)
        assert plies_to_end(0, 0, BoardSize(*size)) >= last.value
