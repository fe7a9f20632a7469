"""The first mover's games by their openings: mirror images are one, and the interval is that over openings."""

import pytest

import first_mover
from ttt_fast.games import api


def test_mirror_images_are_one_opening_and_one_game():
    won, lost = api.X_WINS, api.O_WINS
    played = [(won, "444441255"), (lost, "444447633"), (won, "444441256"), (lost, "1234567")]
    rows = first_mover.opening_rows("x", played)
    assert [(row["opening"], row["games"], row["distinct_games"]) for row in rows] == [
        ("1234567", 1, 1), ("44444125", 3, 2),
    ]  # fmt: skip
    assert [(row["wins"], row["draws"], row["losses"]) for row in rows] == [(0, 0, 1), (2, 0, 1)]


def test_the_interval_is_that_of_the_openings():
    """Four openings of a hundred games, one of them lost: the games alone would say 75 % within 5."""
    rows = [{"games": 100, "wins": wins} for wins in (100, 100, 100, 0)]
    low, high = first_mover.over_openings(rows)
    assert low == 0.0 and high == 1.0
    low, high = first_mover.over_openings([{"games": 100, "wins": wins} for wins in (95, 96, 94, 95)])
    assert low == pytest.approx(0.937, abs=1e-3) and high == pytest.approx(0.963, abs=1e-3)
    assert first_mover.over_openings([{"games": 100, "wins": 50}]) == (0.0, 1.0)
