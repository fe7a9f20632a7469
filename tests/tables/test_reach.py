"""Reachability beside a walk over boards."""

import numpy as np
import pytest

import reference
from ttt_fast.core.errors import UsageError
from ttt_fast.tables import reachable_mask, standard_table

TABLE = standard_table()


def walked(played: np.ndarray, start: int) -> set[int]:
    found, waiting = set(), [tuple(TABLE.boards[start].tolist())]
    while waiting:
        board = waiting.pop()
        state = TABLE.state_index(board)
        if state not in found:
            found.add(state)
            if not reference.is_over(board):
                actions = (action for action in reference.legal_actions(board) if played[state, action])
                waiting += [reference.after(board, action) for action in actions]
    return found


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("start", [0, 1, 400])
def test_random_sets_of_actions(share, start):
    played = np.random.default_rng(3).random(TABLE.child.shape) < share
    assert set(np.flatnonzero(reachable_mask(TABLE, played, start)).tolist()) == walked(played, start)


def test_an_order_of_memory_that_the_kernel_does_not_know():
    played = np.asfortranarray(TABLE.legal_action_mask)
    assert reachable_mask(TABLE, played).all()


@pytest.mark.parametrize("start", [-1, 5478])
def test_no_such_start(start):
    with pytest.raises(UsageError, match="state index"):
        reachable_mask(TABLE, TABLE.legal_action_mask, start)
