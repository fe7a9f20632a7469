"""Reachability beside a walk over boards."""

import numpy as np
import pytest

import reference
from ttt_fast.core.errors import UsageError
from ttt_fast.tables import reachable_mask, table_of
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
BOARDS = [tuple(board) for board in boards_of(TABLE).tolist()]
INDEX = {board: state for state, board in enumerate(BOARDS)}


def walked(played: np.ndarray, start: int) -> set[int]:
    found, waiting = set(), [BOARDS[start]]
    while waiting:
        board = waiting.pop()
        state = INDEX[board]
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
    reached = reachable_mask(TABLE, TABLE.of_edges(played), start)
    assert set(np.flatnonzero(reached).tolist()) == walked(played, start)


@pytest.mark.parametrize("every", [1, 2])
def test_a_layout_of_memory_that_the_kernel_does_not_know(every):
    played = np.ones(every * TABLE.num_edges, np.bool_)[::every]
    assert reachable_mask(TABLE, played).all()


@pytest.mark.parametrize("start", [-1, 5478])
def test_no_such_start(start):
    with pytest.raises(UsageError, match="state index"):
        reachable_mask(TABLE, np.ones(TABLE.num_edges, np.bool_), start)
