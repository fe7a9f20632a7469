"""The evaluator of n-tuples: the same values as for a whole board, whatever was followed before."""

import numpy as np
import pytest

from small_evaluators import tuple_values
from ttt_fast import parse_game
from ttt_fast.evaluators import init, position_value, update
from ttt_fast.games import api


@pytest.mark.parametrize("spec", ["connect4", "connect4:columns=4,rows=5,length=3"])
@pytest.mark.parametrize("tables", [1, 2])
def test_values_are_those_of_the_whole_board(spec, tables):
    game, values, generator = parse_game(spec), tuple_values(spec, tables), np.random.default_rng(3)
    evaluator = values.evaluator()
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


def test_an_evaluator_of_no_kind_is_refused():
    with pytest.raises(TypeError, match="expected a state whose game supports position_value"):
        position_value((1, 2), 0, parse_game("connect4").initial_state, np.uint64(0))
