"""Misère Connect 4 on four columns of three rows, a game by compiled rules: three discs in a row lose."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Status
from ttt_fast.games import GameKind, add_game, api, connect_four, connect_four_text
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.kernels import inlined_kernel


class MisereState(NamedTuple):
    """The fields of Connect 4; a type of its own, for rules of its own."""

    own: int
    occupied: int
    bottom: int
    rows: int
    length: int


@inlined_kernel
def usual(state: MisereState) -> ConnectFourState:
    """Return the same position of Connect 4."""
    return ConnectFourState(state.own, state.occupied, state.bottom, state.rows, state.length)


@api.implements(api.play, MisereState)
def play(state: MisereState, action: int) -> MisereState:
    """Return the state after a move."""
    return MisereState(*api.play(usual(state), action))


@api.implements(api.status, MisereState)
def status(state: MisereState) -> int:
    """Return the result: the player who completes a row loses."""
    result = api.status(usual(state))
    return 3 - result if result in (Status.X_WINS, Status.O_WINS) else result


@api.implements(api.ply, MisereState)
def ply(state: MisereState) -> int:
    """Return the number of discs."""
    return api.ply(usual(state))


@api.implements(api.fill_legal_actions, MisereState)
def fill_legal_actions(state: MisereState, actions: NDArray[np.uint8]) -> int:
    """Write the legal actions, and return their number."""
    return api.fill_legal_actions(usual(state), actions)


@api.implements(api.state_key, MisereState)
def state_key(state: MisereState) -> np.uint64:
    """Return the key of a state."""
    return api.state_key(usual(state))


@api.implements(api.state_of_key, MisereState)
def state_of_key(like: MisereState, key: np.uint64) -> MisereState:
    """Return the state of a key."""
    return MisereState(*api.state_of_key(usual(like), key))


@api.implements(api.num_actions, MisereState)
def num_actions(state: MisereState) -> int:
    """Return the number of columns."""
    return api.num_actions(usual(state))


@api.implements(api.max_plies, MisereState)
def max_plies(state: MisereState) -> int:
    """Return the number of cells."""
    return api.max_plies(usual(state))


def small_board() -> MisereState:
    """Return the empty board."""
    return MisereState(*connect_four.initial_state(columns=4, rows=3, length=3))


add_game("misere4", GameKind("three in a row lose", {}, small_board, text=connect_four_text, move_separator=""))
