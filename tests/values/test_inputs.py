"""Inputs of networks: own marks are 1, the other's -1, and planes are those of an observation."""

import numpy as np
import pytest

import reference
from ttt_fast import parse_game, table_of
from ttt_fast.games import api
from ttt_fast.tables.state_table import boards_of
from ttt_fast.values.inputs import fill_inputs, num_inputs, num_planes, table_inputs


def inputs_of(state, as_marks):
    size = num_planes(state)
    out = np.full(size, 9, np.int8)
    number = fill_inputs(state, as_marks, np.zeros(size, np.float32), out)
    assert number == num_inputs(state, as_marks)
    return out[:number].tolist()


def test_marks_and_planes_of_every_board():
    table = table_of("tic-tac-toe")
    marks, planes = (table_inputs(table, as_marks) for as_marks in (True, False))
    for state, board in enumerate(map(tuple, boards_of(table).tolist())):
        own = reference.mover(board)
        assert marks[state].tolist() == [0 if mark == 0 else 1 if mark == own else -1 for mark in board]
        assert planes[state].tolist() == [mark == own for mark in board] + [mark == 3 - own for mark in board]


@pytest.mark.parametrize("game", ["connect4", "ultimate"])
def test_inputs_follow_from_the_observation(game):
    played, stream = parse_game(game), np.random.default_rng(3)
    state = played.initial_state
    while api.status(state) == api.ONGOING:
        seen = api.observe(state)
        assert inputs_of(state, False) == seen.astype(np.int8).ravel().tolist()
        expected = (seen[0] - seen[1]).ravel()
        if game.startswith("ultimate"):
            boards = [plane.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(9, 9) for plane in seen]
            won, is_open = boards[2][:, 0] - boards[3][:, 0], boards[4].max(axis=1)
            expected = np.concatenate([expected, won, is_open])
        assert inputs_of(state, True) == expected.astype(np.int8).tolist()
        state = api.play(state, int(stream.choice(api.legal_actions(state))))
