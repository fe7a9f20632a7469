"""Two kinds of leaves for tests: exact values from a table, and a sum of weights of cells that is kept by level."""

from typing import NamedTuple

import numpy as np

from ttt_fast.games import api
from ttt_fast.search.leaves import follow, leaf_value, prepare


class ExactLeaf(NamedTuple):
    """The value of every state of a small game for its player to move; keys ascend."""

    keys: np.ndarray
    values: np.ndarray


@api.implements(leaf_value, ExactLeaf)
def exact_value(leaf, level, state, stream):
    """Look it up."""
    return leaf.values[np.searchsorted(leaf.keys, api.state_key(state))], stream


def exact_leaf(table, solution):
    """The leaf of a solved game."""
    seats = np.where(table.player == 2, -1.0, 1.0)
    order = np.argsort(table.key)
    return ExactLeaf(table.key[order], (solution.value * seats)[order])


class SumLeaf(NamedTuple):
    """Weights of the marks of the player to move less those of the other; `sums` has a row for each level."""

    weights: np.ndarray
    sums: np.ndarray


def sum_leaf():
    """Weights of a few bits, whose sums are exact in any order."""
    return SumLeaf(np.array([3, 2, 4, 1, 5, 2, 3, 1, 6]) / 8, np.full(11, np.nan))


def squashed(total):
    """A number from -1 to 1."""
    return total / (1 + abs(total))


def sum_value(leaf, state):
    """The same, summed up anew."""
    marks = [(state.own >> cell & 1) - (state.other >> cell & 1) for cell in range(9)]
    return squashed(sum(mark * weight for mark, weight in zip(marks, leaf.weights, strict=True)))


@api.implements(prepare, SumLeaf)
def prepare_sum(leaf, state):
    """Sum up the marks of the root."""
    total = 0.0
    for cell in range(9):
        total += leaf.weights[cell] * ((state.own >> cell & 1) - (state.other >> cell & 1))
    leaf.sums[0] = total


@api.implements(follow, SumLeaf)
def follow_sum(leaf, level, state, action, child):
    """Add the mark, and change sides."""
    leaf.sums[level + 1] = -(leaf.sums[level] + leaf.weights[action])


@api.implements(leaf_value, SumLeaf)
def value_of_sum(leaf, level, state, stream):
    """Squash the sum of the level."""
    total = leaf.sums[level]
    return total / (1 + abs(total)), stream
