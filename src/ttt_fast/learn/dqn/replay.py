"""The replay buffer: the latest transitions of a run, where a new one replaces the oldest.

A transition is a state, the learner's action, and the next state.  The next state is the one in which the learner moves
again, or the end of the game.  In self-play, and if the reply is expected, it is the state of the other player; after
an illegal action it is the same state.  Results are read from the next state.  Over a table of states a transition is
one word; otherwise the two states are rows of numbers.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.games import api
from ttt_fast.games.api import State, implementation, implements
from ttt_fast.learn.worlds import AnyState
from ttt_fast.values.learned_network import Shapes

STATE_BITS = 27
"""Bits of a state in a word, which holds two states, an action of 8 bits, and a flag for illegal actions."""
ILLEGAL = 1 << 8
"""Added to an illegal action."""
_MASK_9, _MASK_STATE = np.uint64(0x1FF), np.uint64((1 << STATE_BITS) - 1)
_9, _36 = np.uint64(9), np.uint64(9 + STATE_BITS)


def put(replay: "Replay", at: int, state: AnyState, unit: int, after: AnyState) -> None:
    """Write a transition to a place."""
    implementation(put, replay)(replay, at, state, unit, after)


def get(replay: "Replay", at: int, like: AnyState) -> tuple[AnyState, int, AnyState]:
    """Return the transition at a place: state, action, next state; `like` is any state of the game."""
    return implementation(get, replay)(replay, at, like)


class WordReplay(NamedTuple):
    """Transitions over a table of states.

    Attributes
    ----------
    words : (N,) uint64
        State << 36 | next state << 9 | action.
    """

    words: NDArray[np.uint64]


@implements(put, WordReplay)
def _put_word(replay: WordReplay, at: int, state: int, unit: int, after: int) -> None:
    replay.words[at] = np.uint64(state) << _36 | np.uint64(after) << _9 | np.uint64(unit)


@implements(get, WordReplay)
def _get_word(replay: WordReplay, at: int, like: int) -> tuple[int, int, int]:
    word = replay.words[at]
    return as_int(word >> _36), as_int(word & _MASK_9), as_int(word >> _9 & _MASK_STATE)


class RowReplay(NamedTuple):
    """Transitions of a game played by its rules.

    Attributes
    ----------
    states, afters : (N, F) int64
        The states and the next states, as `api.store_state` writes them.
    units : (N,) uint16
        The actions.
    """

    states: NDArray[np.int64]
    afters: NDArray[np.int64]
    units: NDArray[np.uint16]


Replay: TypeAlias = WordReplay | RowReplay


@implements(put, RowReplay)
def _put_row(replay: RowReplay, at: int, state: State, unit: int, after: State) -> None:
    api.store_state(state, replay.states, at)
    api.store_state(after, replay.afters, at)
    replay.units[at] = np.uint16(unit)


@implements(get, RowReplay)
def _get_row(replay: RowReplay, at: int, like: State) -> tuple[State, int, State]:
    state, after = api.load_state(like, replay.states, at), api.load_state(like, replay.afters, at)
    return state, as_int(replay.units[at]), after


def replay_shapes(capacity: int, has_table: bool, num_fields: int) -> Shapes:
    """Return type and shape of each array of a buffer.

    Parameters
    ----------
    capacity
        Number of transitions, N.
    has_table
        Whether states are indices of a table.
    num_fields
        Number of fields of a state, F.

    Examples
    --------
    >>> replay_shapes(1000, False, 5)
    {'states': ('int64', (1000, 5)), 'afters': ('int64', (1000, 5)), 'units': ('uint16', (1000,))}
    """
    if has_table:
        return {"words": ("uint64", (capacity,))}
    rows = "int64", (capacity, num_fields)
    return {"states": rows, "afters": rows, "units": ("uint16", (capacity,))}
