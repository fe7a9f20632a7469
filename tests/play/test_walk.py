"""Walking the edges of a table of any size: the bounds of random words."""

import numpy as np

from ttt_fast.agents.convert import as_policy
from ttt_fast.play.walk import compile_walk
from ttt_fast.tables import state_table


def test_bounds_are_near_the_probabilities_in_blocks_of_any_size(monkeypatch):
    joint = as_policy("default:skill=0.3", "connect4:columns=4,rows=4,length=3")
    table, whole = joint.table, compile_walk(joint).upto
    running = np.cumsum(joint.edge_probabilities)
    before = np.concatenate([[0.0], running])[table.edge_start[:-1]]
    np.testing.assert_allclose(whole / 2.0**32, running - before[table.edge_state], atol=2.0**-31)
    monkeypatch.setattr(state_table, "_BLOCK_EDGES", 1000)
    assert np.abs(compile_walk(joint).upto - whole).max() <= 1  # a running sum that begins elsewhere rounds otherwise
