"""Leaves for tests: n-tuples of Connect 4, and a sum of weights of cells that is kept by level."""

from typing import NamedTuple

import numpy as np

from ttt_fast import parse_game
from ttt_fast.evaluators import init, position_value, update
from ttt_fast.games import api
from ttt_fast.values.api import StoredValues
from ttt_fast.values.ntuples import NTuples, NTupleValues


def tuple_values(spec, tables=2):
    """Values of a board of Connect 4 by nine tuples of five cells with random weights."""
    settings = NTuples(number=9, cells=5, tables=tables)
    weights = np.random.default_rng(3).integers(-(1 << 25), 1 << 25, settings.num_weights).astype(np.int32)
    return NTupleValues(settings, parse_game(spec), weights)


def stored_form(name, make_evaluator):
    """A class of learned values in files without arrays, with an evaluator."""

    class Values(StoredValues):
        form, is_evaluation, memory_bytes = name, True, 0

        @classmethod
        def specs(cls, meta, table, is_run):
            return {}

        @classmethod
        def from_arrays(cls, arrays, meta, table):
            return cls()

        def evaluator(self):
            return make_evaluator()

    return Values


class SumEvaluator(NamedTuple):
    """Weights of the marks of the player to move less those of the other; `sums` has a row for each level."""

    weights: np.ndarray
    sums: np.ndarray


def sum_evaluator():
    """Weights of a few bits, whose sums are exact in any order."""
    return SumEvaluator(np.array([3, 2, 4, 1, 5, 2, 3, 1, 6]) / 8, np.full(11, np.nan))


def squashed(total):
    """A number from -1 to 1."""
    return total / (1 + abs(total))


def sum_value(evaluator, state):
    """The same, summed up anew."""
    marks = [(state.own >> cell & 1) - (state.other >> cell & 1) for cell in range(9)]
    return squashed(sum(mark * weight for mark, weight in zip(marks, evaluator.weights, strict=True)))


@api.implements(init, SumEvaluator)
def init_sum(evaluator, state):
    """Sum up the marks of the root."""
    total = 0.0
    for cell in range(9):
        total += evaluator.weights[cell] * ((state.own >> cell & 1) - (state.other >> cell & 1))
    evaluator.sums[0] = total


@api.implements(update, SumEvaluator)
def update_sum(evaluator, level, state, action, child):
    """Add the mark, and change sides."""
    evaluator.sums[level + 1] = -(evaluator.sums[level] + evaluator.weights[action])


@api.implements(position_value, SumEvaluator)
def value_of_sum(evaluator, level, state, stream):
    """Squash the sum of the level."""
    total = evaluator.sums[level]
    return total / (1 + abs(total)), stream
