"""The evaluator of n-tuples: the same values as for a whole board, whatever was followed before."""

import numpy as np
import pytest

from ttt_fast import parse_game
from ttt_fast.evaluators import init, position_value, update
from ttt_fast.games import api
from ttt_fast.values.ntuple_evaluator import ntuple_evaluator
from ttt_fast.values.ntuples import NTuples, NTupleValues


@pytest.mark.parametrize("spec", ["connect4", "connect4:columns=4,rows=5,length=3"])
@pytest.mark.parametrize("tables", [1, 2])
def test_values_are_those_of_the_whole_board(spec, tables):
    game, settings = parse_game(spec), NTuples(number=9, cells=5, tables=tables)
    generator = np.random.default_rng(3)
    weights = generator.integers(-(1 << 25), 1 << 25, settings.num_weights).astype(np.int32)
    values = NTupleValues(settings, game, weights)
    evaluator = ntuple_evaluator(values.tables, values.game)
    for _ in range(3):
        state, level = game.initial_state, 0
        init(evaluator, state)
        while api.status(state) == api.ONGOING:
            for action in generator.permutation(api.legal_actions(state)).tolist():  # the last one is gone on from
                child = api.play(state, action)
                update(evaluator, level, state, action, child)
                if api.status(child) == api.ONGOING:
                    found, stream = position_value(evaluator, level + 1, child, np.uint64(5))
                    assert (found, stream) == (values.value(child), 5)
            state, level = child, level + 1
