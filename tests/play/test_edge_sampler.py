"""Sampling along the edges of a table of any size: the bounds of random words."""

import numpy as np

from ttt_fast.agents.convert import as_policy
from ttt_fast.play.edge_sampler import compile_edge_sampler
from ttt_fast.tables import block


def test_bounds_are_near_the_probabilities_in_blocks_of_any_size(monkeypatch):
    joint = as_policy("default:skill=0.3", "connect4:columns=4,rows=4,length=3")
    table, whole = joint.table, compile_edge_sampler(joint).upto
    running = np.cumsum(joint.edge_probabilities)
    before = np.concatenate([[0.0], running])[table.edge_start[:-1]]
    np.testing.assert_allclose(whole / 2.0**32, running - before[table.edge_state], atol=2.0**-31)
    monkeypatch.setattr(block, "_BLOCK_EDGES", 1000)
    in_blocks = compile_edge_sampler(joint).upto  # a running sum that begins elsewhere rounds otherwise
    assert np.abs(in_blocks - whole).max() <= 1
