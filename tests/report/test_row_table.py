"""Tables of any width: nothing is cut, and no line is longer than the terminal."""

import io
import re

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len
from rich.console import Console

from ttt_fast.report.row_table import RowTable

WORD = st.text("abcxyz/:=.-0123456789", min_size=1, max_size=34)
CELL = WORD | st.integers(0, 10**9) | st.floats(0, 1) | st.none() | st.lists(WORD, min_size=2, max_size=8).map(" ".join)
NAMES = ("agent", "x_wins", "games_per_second", "a long heading", "path", "meaning")


def shown(table: RowTable, width: int) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, highlight=False).print(table)
    return stream.getvalue()


@given(
    st.lists(st.fixed_dictionaries({name: CELL for name in NAMES}), min_size=1, max_size=4),
    st.sampled_from([60, 80, 160]),
)
def test_no_line_is_too_long_and_no_word_is_lost(rows, width):
    table = RowTable(rows, "a title")
    text = shown(table, width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "…" not in text
    for column in table.columns:
        for word in " ".join(column.cells).split():
            assert word in text


def test_a_word_as_long_as_the_terminal_is_folded_and_whole():
    path = "/" + "abcdefghij/" * 12
    text = shown(RowTable([{"what": "kernel_cache", "value": path}]), 60)
    assert max(map(len, text.splitlines())) <= 60
    assert path in "".join(line.split("│")[2].strip() for line in text.splitlines() if line.startswith("│"))


def test_an_empty_column_is_dropped_before_a_word_is_broken_and_that_before_the_table_is_split():
    rows = [{"reading": None, "agent": "minimax:tie=first,prefer=fast", "value": 0.5, "verdict": "reproduced"}]
    lines = {width: shown(RowTable(rows), width).splitlines() for width in (160, 61, 50)}
    assert "reading" in lines[160][1]
    assert "reading" not in lines[61][1] and "minimax:tie=first,prefer=fast" in lines[61][3]
    heading, row, rest = lines[50][1], lines[50][3], lines[50][4]
    assert "agent" in heading and "verdict" in heading and "0.500000" in row and "reproduced" in row
    assert row.split("│")[1].strip() + rest.split("│")[1].strip() == "minimax:tie=first,prefer=fast"


def test_columns_that_do_not_fit_follow_in_a_second_table_with_the_first_columns():
    rows = [{"seat": "x", "opponent": "random", **{f"column_{i}": 0.5 + i for i in range(6)}}]
    lines = [line for line in shown(RowTable(rows, keys=2), 60).splitlines() if "random" in line]
    assert len(lines) == 2
    assert all(line.startswith("│ x    │ random   │ ") for line in lines)
    assert re.findall(r"\d\.\d+", "".join(lines)) == [f"{0.5 + i:.6f}" for i in range(6)]


def test_texts_are_narrower_before_a_number_is_broken():
    rows = [{"x": "mix:1/2*minimax+1/2*random", "o": "minimax:tie=first,prefer=fast", "value": 0.125, "kept": "7 of 9"}]
    text = shown(RowTable(rows, keys=2), 40)
    assert max(map(len, text.splitlines())) <= 40 and text.count("│ 0.125000 │") == 1


def test_spare_columns_are_left_out_before_the_table_is_divided():
    rows = [{"plies": 5, "exact": 0.5, "fraction": "1/2", "games": 10**30, "share": 0.5}]
    table = RowTable(rows, spare=("fraction", "share"))
    assert "fraction" in shown(table, 160)
    narrow = shown(table, 80)
    assert "fraction" not in narrow
    assert "share" in narrow
    assert "share" not in shown(table, 70)


def number_texts(values):
    return list(RowTable([{"value": value} for value in values]).columns[0].cells)


def test_numbers_of_a_column_have_their_points_in_line():
    assert number_texts([0.989583333, 0.0104167, 0.0]) == ["0.989583", "0.010417", "0.000000"]
    assert number_texts([123.456, 7]) == ["123.456", "7.000"]
    assert number_texts([1234567.5, 3.0]) == ["1,234,568", "3"]
    assert number_texts([5, 1000]) == ["5", "1,000"]
    assert number_texts([1.36187e-08]) == ["1.36e-08"]
    assert number_texts([None, 0.5, True, "text"]) == ["", "0.500000", "yes", "text"]
    assert number_texts([float("nan"), float("-inf")]) == ["nan", "-inf"]


@pytest.mark.parametrize(("cells", "is_right"), [(["+1.5", "-12.25", ""], True), (["3", "a"], False), (["1/2"], False)])
def test_numbers_and_texts_of_numbers_are_to_the_right(cells, is_right):
    assert RowTable([{"value": cell} for cell in cells]).columns[0].has_numbers is is_right
