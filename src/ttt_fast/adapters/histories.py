"""Lines of play between two states, for programs that identify a state by the moves that lead to it."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Game, StateTable
from ttt_fast.adapters.views import seen_by
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.games import api

_MAX_LOOKED = 20_000
"""Maximum number of states that a search visits in a game without a table."""


class _Parents:
    """The edges of a table, indexed by the state that they lead to."""

    def __init__(self, table: StateTable) -> None:
        self.edges: NDArray[np.int64] = np.argsort(table.edge_child, kind="stable")
        counts = np.bincount(table.edge_child, minlength=table.num_states)
        self.start = np.append(0, counts.cumsum())
        self.state = np.repeat(np.arange(table.num_states), np.diff(table.edge_start))

    def into(self, state: int) -> list[int]:
        """Return the edges that lead to a state."""
        found: list[int] = self.edges[self.start[state] : self.start[state + 1]].tolist()
        return found


@lru_cache(maxsize=4)
def _parents_of(table: StateTable) -> _Parents:
    return _Parents(table)


def find_history(game: Game, start: api.GameState, state: api.GameState, *, last: bool = False) -> list[int] | None:
    """Return the actions of a line of play from one state to another.

    If the game has a small table, an existing line is always found.  In other games, marks must stay on the board once
    they are made.  The search there gives up after 20,000 states.  It always finds a line of a few plies, but seldom a
    line from the start to a late position of Ultimate.

    Parameters
    ----------
    game
        The game of both states.
    start
        The state at which the line begins.
    state
        The state at which it ends.
    last
        Whether to prefer the last instead of the first edge into each state of a table.  If there are several lines,
        this gives another one.

    Returns
    -------
    list of int or None
        The actions, an empty list if the states are the same; None if no line was found.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> start, state = game.initial_state, game.state_after("041")
    >>> find_history(game, start, state), find_history(game, start, state, last=True)
    ([0, 4, 1], [1, 4, 0])
    >>> find_history(game, state, start) is None
    True
    """
    if type(start) is not type(state):
        return None
    if start == state:
        return []
    plies = api.ply(state) - api.ply(start)
    if plies < 2:
        return _in_one_move(start, state) if plies == 1 else None
    table = ExactAnalysis(game).table
    return _by_marks(start, state) if table is None else _in_table(table, start, state, last)


def _in_table(table: StateTable, start: api.GameState, state: api.GameState, last: bool) -> list[int] | None:
    """Search backwards from a state along the edges that lead to it."""
    first, end, parents = table.index_of(start), table.index_of(state), _parents_of(table)
    if min(first, end) < 0 or table.state(end) != state:  # a state of other rules may have the same key
        return None
    stack, seen = [(end, list[int]())], {end}
    while stack:
        here, actions = stack.pop()
        if here == first:
            return actions
        into = parents.into(here)
        for edge in into if last else reversed(into):  # the edge pushed last is tried first
            parent = int(parents.state[edge])
            if parent >= first and parent not in seen:
                seen.add(parent)
                stack.append((parent, [int(table.edge_action[edge]), *actions]))
    return None


def _marks_of(state: api.GameState) -> tuple[int, int]:
    """Return the marks of X and of O as sets of bits."""
    x, o = np.packbits(seen_by(state, api.X)[:2].reshape(2, -1), axis=1)
    return int.from_bytes(x.tobytes()), int.from_bytes(o.tobytes())


def _is_like(state: Any, other: Any) -> bool:
    """Return whether two states are equal, except for the last move if the state stores it."""
    return bool(state == other or (hasattr(state, "last") and state._replace(last=other.last) == other))


def _in_one_move(start: api.GameState, state: api.GameState) -> list[int] | None:
    """Return the single action that leads from one state to another, as a list; None without one."""
    return next(([one] for one in api.legal_actions(start) if _is_like(api.play(start, one), state)), None)


def _by_marks(start: api.GameState, state: api.GameState) -> list[int] | None:
    """Search forward, depth first, through the states whose marks all occur in the target state."""
    (x, o), plies = _marks_of(state), api.ply(state)
    stack, seen = [(start, list[int]())], {start}
    while stack and len(seen) < _MAX_LOOKED:
        here, actions = stack.pop()
        if api.ply(here) == plies - 1:
            found = _in_one_move(here, state)
            if found is not None:
                return actions + found
            continue
        for action in api.legal_actions(here):
            child = api.play(here, action)
            own, other = _marks_of(child)
            if not (own & ~x or other & ~o or child in seen):
                seen.add(child)
                stack.append((child, [*actions, action]))
    return None
