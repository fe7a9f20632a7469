"""An independent oracle for tic-tac-toe, built only from OpenSpiel's own state objects.

`oracle_states()` yields one record for each of the 5,478 positions that OpenSpiel's
``tic_tac_toe`` can reach. Rules come from ``pyspiel``; the minimax value is this file's own
memoised recursion over ``state.child(action)``, so nothing here shares code with the
package under test.

Mapping: an OpenSpiel action is an int 0..8 = 3 * row + column, and ``str(state)`` prints the
rows top to bottom as 'x', 'o' and '.' with newlines between. With the newlines removed and
upper-cased, ``board[a]`` is therefore the cell that action ``a`` fills. Player 0 is X and
moves first; player 1 is O; at a terminal state ``current_player()`` is ``TERMINAL`` = -4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyspiel

N_STATES = 5478
N_TERMINAL = 958


class OracleState(NamedTuple):
    """What OpenSpiel says of one position, and its minimax solution."""

    board: str
    """Nine characters of '.', 'X', 'O', row by row."""
    player: int
    """0 when X moves, 1 when O moves, -4 (OpenSpiel's TERMINAL) when the game is over."""
    legal: tuple[int, ...]
    """Legal actions, ascending; empty when terminal."""
    is_terminal: bool
    returns: tuple[int, int]
    """Returns (X, O) when terminal; (0, 0) otherwise."""
    value: int
    """Minimax value for X: -1, 0 or 1."""
    optimal: frozenset[int]
    """Actions that keep the mover's minimax value; empty when terminal."""


def board_string(state: Any) -> str:
    """Nine characters of '.', 'X', 'O', row by row, for an OpenSpiel tic-tac-toe state."""
    return str(state).replace("\n", "").upper()


def oracle_states() -> Iterator[OracleState]:
    """Yield all reachable positions once each, every position after all its successors."""
    seen: dict[str, OracleState] = {}
    _visit(pyspiel.load_game("tic_tac_toe").new_initial_state(), seen)
    yield from seen.values()


def _visit(state: Any, seen: dict[str, OracleState]) -> int:
    """Record `state` and all it leads to in `seen`; return its minimax value for X."""
    board = board_string(state)
    if board in seen:
        return seen[board].value
    player, legal = int(state.current_player()), tuple(map(int, state.legal_actions()))
    x, o = map(int, state.returns())
    if state.is_terminal():
        value, optimal = x, frozenset[int]()
    else:
        values = {a: _visit(state.child(a), seen) for a in legal}
        value = max(values.values()) if player == 0 else min(values.values())
        optimal = frozenset(a for a, v in values.items() if v == value)
    seen[board] = OracleState(board, player, legal, state.is_terminal(), (x, o), value, optimal)
    return value
