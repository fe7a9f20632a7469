"""The replay buffer: the latest transitions of a run, where a new one replaces the oldest.

A transition is a state, the learner's action, and the next state.  The next state is the one in which the learner moves
again, or the end of the game.  In self-play, and if the reply is expected, it is the state of the other player; after
an illegal action it is the same state.  Results are read from the next state.  Over a table of states a transition is
one word; otherwise the two states are rows of numbers.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dynamics import AnyState
from ttt_fast.core.bits import as_int
from ttt_fast.games import api
from ttt_fast.games.api import State, implementation, implements
from ttt_fast.values.learned_network import Shapes

STATE_BITS = 27
"""Bits of a state in a word, which holds two states, an action of 8 bits, and a flag for illegal actions."""
ILLEGAL = 1 << 8
"""Added to an illegal action."""
_MASK_9, _MASK_STATE = np.uint64(0x1FF), np.uint64((1 << STATE_BITS) - 1)
_9, _36 = np.uint64(9), np.uint64(9 + STATE_BITS)


def insert(replay: "Replay", at: int, state: AnyState, action: int, next_state: AnyState) -> None:
    """Write a transition to a place."""
    implementation(insert, replay)(replay, at, state, action, next_state)


def transition_at(replay: "Replay", at: int, like: AnyState) -> tuple[AnyState, int, AnyState]:
    """Return the transition at a place: state, action, next state; `like` is any state of the game."""
    return implementation(transition_at, replay)(replay, at, like)


class WordReplay(NamedTuple):
    """Transitions over a table of states.

    Attributes
    ----------
    words : (N,) uint64
        State << 36 | next state << 9 | action.
    """

    words: NDArray[np.uint64]


@implements(insert, WordReplay)
def _insert_word(replay: WordReplay, at: int, state: int, action: int, next_state: int) -> None:
    replay.words[at] = np.uint64(state) << _36 | np.uint64(next_state) << _9 | np.uint64(action)


@implements(transition_at, WordReplay)
def _word_at(replay: WordReplay, at: int, like: int) -> tuple[int, int, int]:
    word = replay.words[at]
    return as_int(word >> _36), as_int(word & _MASK_9), as_int(word >> _9 & _MASK_STATE)


class RowReplay(NamedTuple):
    """Transitions of a game without a table, played by its rules.

    Attributes
    ----------
    states, afters : (N, F) int64
        The states and the next states, as `api.store_state` writes them.
    units : (N,) uint16
        The actions.
    """

    states: NDArray[np.int64]
    afters: NDArray[np.int64]
    units: NDArray[np.uint16]  # the names of the fields are those of members of saved files


Replay: TypeAlias = WordReplay | RowReplay


@implements(insert, RowReplay)
def _insert_row(replay: RowReplay, at: int, state: State, action: int, next_state: State) -> None:
    api.store_state(state, replay.states, at)
    api.store_state(next_state, replay.afters, at)
    replay.units[at] = np.uint16(action)


@implements(transition_at, RowReplay)
def _row_at(replay: RowReplay, at: int, like: State) -> tuple[State, int, State]:
    state, next_state = api.load_state(like, replay.states, at), api.load_state(like, replay.afters, at)
    return state, as_int(replay.units[at]), next_state


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
