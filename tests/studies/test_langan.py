"""Langan's study: the exact numbers, the printed ones, and the files of a run."""

from itertools import pairwise

import pytest

from study_checks import RESULTS
from ttt_fast import FileFormatError, as_policy, table_of
from ttt_fast.studies.engine.sources import Cell, cells_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.langan import exact
from ttt_fast.studies.langan.runs import one_two_five, segments
from ttt_fast.studies.statistics.samples import RunSample

CELLS = cells_of("ttt_fast.studies.langan")


@pytest.fixture
def tables():
    return Tables(RESULTS / "langan", "")


def test_verdicts_on_exact_numbers(tables):
    wrong = [row["place"] for row in tables["cells"] if row["verdict"] == "wrong" and row["kind"] == "exact"]
    assert {"minimax v buggy2, in the text", "distinct states", "possible move sequences"} <= {*wrong}
    ties = tables.where("cells", place="Minimax v Random", quantity="x_wins", counts="once")
    assert {row["reading"]: row["verdict"] for row in ties} == {
        "as written": "within noise", "first of the ties": "wrong",
    }  # fmt: skip


def test_segments_cover_the_checkpoints():
    parts = segments((1000, 2_500_000, 2_500_001))
    assert parts[0][0] == 0 and parts[-1][1] == 2_500_001
    assert all(before[1] == after[0] for before, after in pairwise(parts))
    assert one_two_five(100_000, 7_000)[-4:] == (10_000, 20_000, 50_000, 100_000)


def test_prediction_intervals():
    """Two runs: Student's t with one degree of freedom; no spread: the sampling error alone."""
    assert RunSample((1.0, 3.0)).prediction() == pytest.approx(
        (2 - 12.706 * 2**0.5 * 1.5**0.5, 2 + 12.706 * 2**0.5 * 1.5**0.5)
    )
    assert RunSample((0.5, 0.5, 0.5)).prediction(0.01) == pytest.approx((0.5 - 0.0196, 0.5 + 0.0196), abs=1e-5)
    assert RunSample((0.25,)).mean_interval() == (0.25, 0.25)


def test_positions_of_a_search():
    """From the empty board a full search visits 549,945 positions, so that a game takes a little more."""
    of = {"Minimax": as_policy("minimax"), "Random": as_policy("random"), "Q_minimax": as_policy("minimax")}
    first, second, both, training = exact.search_rows(of)
    assert 549_945 < first["positions a game"] < 565_000
    assert both["positions a game"] > 549_945 + second["positions a game"] / 2
    assert training["positions a game"] + 549_945 < both["positions a game"] < 2 * 549_945
    assert first["nanoseconds a position"] == round(660 * 60 / 200_000 / first["positions a game"] * 1e9)
    assert exact.tree_sizes()[0] == 549_946


def test_figure_4():
    """B is a draw to minimax, and wins half of the games against random."""
    rows = {row["in the report"]: row for row in exact.positions(None)}
    assert (rows["A"]["minimax"], rows["B"]["minimax"]) == ("draw", "draw")
    assert (rows["A"]["wins with best play"], rows["B"]["wins with best play"]) == (0.875, 0.5)
    assert rows["B"]["wins with minimax"] == pytest.approx(5 / 12)


def test_the_moves_of_all_boards():
    counts = {row["value"]: row["moves"] for row in exact.moves(None)}
    assert counts == {"wins": 4658, "draws": 3173, "loses": 8336}
    assert sum(counts.values()) == table_of("tic-tac-toe").num_edges


def test_exact_values():
    found = {row["name"]: row["value"] for row in exact.values(None)}
    assert (found["games up to symmetry"], found["games"], found["boards that can come up"]) == (26830, 255168, 5478)
    assert found["boards where alpha-beta chooses otherwise"] == 0 < found["boards where depth two loses value"]
    assert found["two proportions"] == pytest.approx(47.40, abs=0.005)
    assert found["seats in which minimax never loses"] == 2
    assert found["random games"] / 100 == pytest.approx(7.62619, abs=1e-5)  # plies of a random game


def test_triggers():
    rows = {(row["player"], row["reading"]): row for row in exact.triggers(None)}
    assert rows["buggy2", "as coded"]["wins of best play"] == pytest.approx(5 / 6)
    assert rows["buggy", "as written"]["wins of best play"] == pytest.approx(1.0)
    assert rows["buggy", "as coded"]["wins of minimax"] == pytest.approx(0.132012, abs=1e-6)


def test_ends_are_compared_one_by_one(tmp_path):
    """Runs end at 3/4 or at 5/6: both fit, and nothing between them does."""
    tables = Tables(tmp_path, "")
    tables.write(
        "runs", [{"name": "a", "quantity": "x_wins", "seed": k, "value": 0.75 + (k % 2) / 12} for k in range(4)]
    )
    found = [
        exact.ends(Cell("s", "t", "p", "x_wins", printed, 200_000, ""), "a", tables)
        for printed in ("149980", "166700", "158000")
    ]
    assert [one.p > 0.5 for one in found] == [True, True, False]
    assert found[2].p < 1e-6 and found[0].low < 0.75 < 5 / 6 < found[0].high
    with pytest.raises(FileFormatError, match="expected one row with"):
        exact.ends(Cell("s", "t", "p", "x_wins", "7", 10, ""), "b", tables)


def test_printed_rows_of_a_match_sum_to_all_games():
    sums: dict[tuple[str, str], float] = {}
    for cell in CELLS:
        if cell.is_count:
            sums[cell.table, cell.place] = sums.get((cell.table, cell.place), 0) + cell.value
    assert len(sums) == 21 and all(total == pytest.approx(1) for total in sums.values())
    counts = {(cell.place, cell.quantity): cell for cell in CELLS if cell.table in ("table 1", "table 3", "table 4")}
    for place in {place for place, _ in counts}:
        share = counts[place, "agreeing"].value / counts[place, "states"].value
        is_cut = place == "100,000 Episodes"  # 498 of 521 is 95.585 %
        printed = counts[place, "agreement"]
        assert printed.value == pytest.approx(share, abs=printed.half_unit * (1.1 if is_cut else 1.0))
