"""Enumeration in Python beside the compiled one; reachability beside a walk over boards."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import reference
from cli_runner import run_python
from conftest import REPOSITORY
from ttt_fast import TableSizeError, parse_game, table_of
from ttt_fast.tables import reachable_mask
from ttt_fast.tables.enumeration import enumerate_game
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
BOARDS = [tuple(board) for board in boards_of(TABLE).tolist()]
INDEX = {board: state for state, board in enumerate(BOARDS)}


def walked(played: np.ndarray) -> set[int]:
    found, waiting = set(), [BOARDS[0]]
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
def test_random_sets_of_actions(share):
    played = np.random.default_rng(3).random(TABLE.child.shape) < share
    reached = reachable_mask(TABLE, TABLE.of_edges(played))
    assert set(np.flatnonzero(reached).tolist()) == walked(played)


@pytest.mark.parametrize("every", [1, 2])
def test_a_layout_of_memory_that_the_kernel_does_not_know(every):
    played = np.ones(every * TABLE.num_edges, np.bool_)[::every]
    assert reachable_mask(TABLE, played).all()


ENUMERATED = (
    "tic-tac-toe", "tic-tac-toe:misere=yes", "tic-tac-toe:rows=2,columns=3,length=2",
    "tic-tac-toe:rows=3,columns=4,length=3,misere=yes", "tic-tac-toe:rows=4,columns=2,length=2",
    "tic-tac-toe:rows=1,columns=4,length=2",
    "connect4:columns=3,rows=3,length=3", "connect4:columns=4,rows=2,length=2", "connect4:columns=1,rows=5,length=4",
    "connect4:columns=4,rows=3",
)  # fmt: skip


PLAIN_AND_COMPILED = """
import sys
import numpy as np
from ttt_fast.games.registry import parse_game
from ttt_fast.tables import enumeration
from ttt_fast.tables.enumeration import _enumerate_plainly, enumerate_game
from ttt_fast.tables.state_table import ARRAY_NAMES

import misere_game
specs, plain = [*sys.argv[1:], "misere4"], []
for spec in specs:
    plain.append(_enumerate_plainly(parse_game(spec)))
    assert "numba" not in sys.modules or spec not in specs[:2]  # helpers of the other games are kernels
enumeration._PLAIN_STATES = 0
for spec, table in zip(specs, plain, strict=True):
    compiled = enumerate_game(parse_game(spec), 1_000_000)
    for name in ARRAY_NAMES:
        found, expected = getattr(table, name), getattr(compiled, name)
        assert found.dtype == expected.dtype and np.array_equal(found, expected), (spec, name)
    print(spec, table.num_states)
"""


@pytest.mark.slow
def test_plain_enumeration_is_the_compiled_one(tmp_path):
    """Of the package's games and of that of docs/examples."""
    shutil.copy(REPOSITORY / "docs" / "examples" / "misere_connect4.py", tmp_path / "misere_game.py")
    done = run_python("-W", "error", "-c", PLAIN_AND_COMPILED, *ENUMERATED, cwd=tmp_path)
    lines = done.text.splitlines()
    assert (done.err, len(lines), lines[0]) == ("", len(ENUMERATED) + 1, "tic-tac-toe 5478")


def test_a_game_of_unknown_size_is_not_enumerated_in_python():
    """A custom game need not declare a bound: the limit holds for it, too."""
    game = parse_game("tic-tac-toe")
    unknown = replace(game, kind=replace(game.kind, state_bound=lambda state: 0.0))
    with pytest.raises(TableSizeError, match="at most 100 states"):
        enumerate_game(unknown, 100)
