"""Default implementations of the functions of `games/api.py`: correct for every game, but slow.

A game must implement `play`, `status`, `ply`, `fill_legal_actions`, `state_key`, `num_actions` and `max_plies`.  A game
that implements `state_of_key` can also have a state table.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import below
from ttt_fast.games import api


@api.default_of(api.player, plain=True)
def player(state: api.State) -> int:
    """Return 1 (X) after an even number of plies."""
    return 1 + (api.ply(state) & 1)


@api.default_of(api.alternates, plain=True)
def alternates(state: api.State) -> bool:
    """Return True: the players alternate."""
    return True


@api.default_of(api.num_legal_actions)
def num_legal_actions(state: api.State) -> int:
    """Return the number of actions that `fill_legal_actions` writes."""
    return api.fill_legal_actions(state, np.empty(api.num_actions(state), np.uint8))


@api.default_of(api.is_legal)
def is_legal(state: api.State, action: int) -> bool:
    """Return whether an action is among the actions that `fill_legal_actions` writes."""
    actions = np.empty(api.num_actions(state), np.uint8)
    found = False
    for place in range(api.fill_legal_actions(state, actions)):
        found = found or actions[place] == action
    return found


@api.default_of(api.random_action)
def random_action(state: api.State, word: np.uint64) -> int:
    """Return one of the actions that `fill_legal_actions` writes."""
    actions = np.empty(api.num_actions(state), np.uint8)
    return np.int64(actions[below(word, api.fill_legal_actions(state, actions))])  # type: ignore[return-value]


@api.default_of(api.play_random)
def play_random(state: api.State, word: np.uint64) -> api.State:
    """Return the state after `random_action`."""
    return api.play(state, api.random_action(state, word))


@api.default_of(api.winning_action)
def winning_action(state: api.State) -> int:
    """Return the first action by which the player to move wins at once."""
    actions, mover = np.empty(api.num_actions(state), np.uint8), api.player(state)
    for place in range(api.fill_legal_actions(state, actions)):
        if api.status(api.play(state, actions[place])) == mover:
            return np.int64(actions[place])  # type: ignore[return-value]
    return np.int64(api.NO_ACTION)  # type: ignore[return-value]


@api.default_of(api.threat_action)
def threat_action(state: api.State) -> int:
    """Return -1: only the game's own implementation can find threats of the opponent."""
    return api.NO_ACTION


@api.default_of(api.state_check, plain=True)
def state_check(state: api.State) -> np.uint64:
    """Return 0, because the key is exact."""
    return np.uint64(0)


@api.default_of(api.num_symmetries)
def num_symmetries(state: api.State) -> int:
    """Return 1: only the identity is known."""
    return 1


@api.default_of(api.transform)
def transform(state: api.State, symmetry: int) -> api.State:
    """Return the state unchanged."""
    return state


@api.default_of(api.transform_action)
def transform_action(state: api.State, action: int, symmetry: int) -> int:
    """Return the action unchanged."""
    return action


@api.default_of(api.observation_shape)
def observation_shape(state: api.State) -> tuple[int, int, int]:
    """Return the shape of a single plane: a row of 64 cells for each field of the state."""
    return 1, len(state), 64


@api.default_of(api.fill_observation)
def fill_observation(state: api.State, out: NDArray[np.float32]) -> None:
    """Write the bits of each field."""
    for field in range(len(state)):
        for bit in range(64):
            out[64 * field + bit] = np.float32(np.uint64(state[field]) >> np.uint64(bit) & np.uint64(1))


@kernel
def win_or_block(state: api.State) -> tuple[int, int]:
    """Return the first action that wins at once, and the first by which the opponent would; -1 if none exists."""
    win, block = api.winning_action(state), api.threat_action(state)
    if win != api.NO_ACTION and not api.is_legal(state, win):
        win = api.NO_ACTION
    if block != api.NO_ACTION and not api.is_legal(state, block):
        block = api.NO_ACTION
    return win, block
