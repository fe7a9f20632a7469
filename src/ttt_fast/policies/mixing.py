"""Mixtures of policies: at every move, each of them with its probability, as exact integers where they fit."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ttt_fast.policies.policy import MAX_WEIGHT, Policy
from ttt_fast.tables import StateTable

Weights = NDArray[np.int64]
"""Integers for the legal actions, (E,) int64: a probability is a weight over the sum of its state's."""


def mixture(parts: Sequence[tuple[Fraction, Policy]]) -> Weights | None:
    """Return the weights of the player that, at every move, follows part i with probability p_i.

    Parameters
    ----------
    parts
        Probabilities, which sum to 1, and policies of one game.

    Returns
    -------
    (E,) int64 or None
        None where a policy is known as floats only, or the common denominators do not fit into 64 bits.
    """
    table = parts[0][1].table
    weights = [policy.edge_weights for _, policy in parts]
    if any(one is None for one in weights):
        return None
    sums = [np.maximum(table.row_sums(one), 1) for one in weights if one is not None]
    common = [lcm(*row) for row in zip(*(column.tolist() for column in sums), strict=True)]
    scale = lcm(*(share.denominator for share, _ in parts))
    if max(common) * scale >= MAX_WEIGHT:
        return None
    row_lcm = np.array(common)
    total = np.zeros(table.num_edges, np.int64)
    for (share, _), one, row_sum in zip(parts, weights, sums, strict=True):
        total += int(share * scale) * (row_lcm // row_sum)[table.edge_state] * one
    return total


def reduced(table: StateTable, weights: Weights) -> Weights:
    """Return the smallest integers in the same proportions, (E,) int64."""
    divisors = np.gcd.reduceat(weights, table.edge_start[:-1][table.decision_mask])
    rows = np.ones(table.num_states, np.int64)
    rows[table.decision_mask] = np.maximum(divisors, 1)
    return weights // rows[table.edge_state]
