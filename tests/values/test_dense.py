"""Values in arrays without gaps: read and updated one at a time, in both tables."""

import numpy as np
import pytest

from ttt_fast.values import api
from ttt_fast.values.dense import DenseRows


@pytest.fixture
def rows():
    """Three states of two, three and one actions."""
    first, second = np.array([0.5, 0.25, 1.0, -1.0, 0.0, 0.125]), np.array([0.0, 0.5, -2.0, 3.0, 2.0, 0.0])
    return DenseRows(np.array([0, 2, 5, 6], np.int32), first, second, np.zeros(6, np.int64))


def test_a_row_has_the_values_of_its_state_in_both_tables(rows):
    place = api.find_row(rows, np.uint64(1))
    assert place == 2 and api.insert_row(rows, place, np.uint64(1)) == 2 and api.has_room(rows, 10**9)
    assert [api.value_at(rows, place, column, table) for table in (0, 1) for column in range(3)] == [1, -1, 0, -2, 3, 2]
    scores, columns = np.zeros(3), np.arange(3, dtype=np.uint8)
    assert api.fill_scores(rows, place, columns, 3, 0, scores) == 2 and sorted(scores) == [-1, 2, 2]


def test_a_step_is_alpha_or_falls_with_the_updates(rows):
    place = np.uint64(2)
    assert api.update_value(rows, place, 1, 0, 1.0, 0.25, 0.0) == -0.5
    assert api.update_value(rows, place, 1, 0, 1.5, 0.25, 0.0) == 0.0
    assert rows.first.tolist() == [0.5, 0.25, 1.0, 0.0, 0.0, 0.125] and rows.updates.tolist() == [0, 0, 0, 2, 0, 0]
    for target, mean in ((4.0, 4.0), (1.0, 2.5), (-5.5, pytest.approx(-1 / 6))):  # steps of 1, 1/2, 1/3
        assert api.update_value(rows, place, 2, 1, target, 0.25, 1.0) == mean
    assert rows.second[:4].tolist() == [0.0, 0.5, -2.0, 3.0] and rows.updates[4] == 3
