"""Seats and statuses."""

import numpy as np
import pytest

from ttt_fast import Seat, Status, UsageError
from ttt_fast.games import api, results


def test_the_codes_are_those_of_the_enumerations():
    assert (results.X, results.O) == (Seat.X, Seat.O) == (1, 2) == (api.X, api.O)
    codes = (results.ONGOING, results.X_WINS, results.O_WINS, results.DRAW)
    assert codes == tuple(Status) == (0, 1, 2, 3) == (api.ONGOING, api.X_WINS, api.O_WINS, api.DRAW)
    assert all(type(code) is int for code in (*codes, results.X, results.O))


@pytest.mark.parametrize("text", ["x", "X", 1, np.int8(1), Seat.X])
def test_spellings_of_a_seat(text):
    assert Seat.parse(text) is Seat.X and Seat.parse(text).other is Seat.O
    assert Seat.X.text == "x" and Seat.parse(Seat.O.text) is Seat.O and Seat.O.other is Seat.X


@pytest.mark.parametrize("wrong", ["", "xo", "1", 0, 3, 1.0, None, [1]])
def test_other_seats_are_refused_in_one_line_that_shows_them(wrong):
    with pytest.raises(UsageError) as caught:
        Seat.parse(wrong)
    assert str(caught.value) == f"expected x or o as the seat, got {wrong!r}"
