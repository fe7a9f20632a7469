"""How a game is played to the end from a leaf of a search: at random, or at random with open eyes.

`playout` plays at random.  Any game has it, by `random_action` and `play`; a game that can do better says so with
`@playout_of(ItsState)`.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from ttt_fast._jit import inlined_kernel, kernel
from ttt_fast._rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import api
from ttt_fast.search.random_play import random_playout

RANDOM, WIN_OR_BLOCK = 0, 1
"""Rollouts: uniform moves; or win at once if possible, else take what the other would win with, else uniform."""
_GAMMA = np.uint64(GOLDEN_GAMMA)
_SCRATCH: Final = 64

Function = TypeVar("Function", bound=Callable[..., Any])
_with_own_playout: set[type] = set()


class RolloutWork(NamedTuple):
    """Work space and tables of rollouts, the same for every game.

    Attributes
    ----------
    scratch
        (64,) int64, for whatever a playout keeps.
    nth_cell
        (8192,) uint8: at 16 * cells + n the n-th of a set of nine cells, or 15 where there is none.
    """

    scratch: NDArray[np.int64]
    nth_cell: NDArray[np.uint8]


def rollout_work() -> RolloutWork:
    """Return work space for one thread."""
    cells = np.full((512, 16), 15, np.uint8)
    for mask in range(512):
        members = [cell for cell in range(9) if mask >> cell & 1]
        cells[mask, : len(members)] = members
    return RolloutWork(np.zeros(_SCRATCH, np.int64), cells.ravel())


def playout(state: Any, stream: np.uint64, work: RolloutWork) -> tuple[int, np.uint64]:
    """Play uniformly random moves to the end; return the status, and the stream after them (for kernels)."""
    raise NotImplementedError("playout is called by kernels")


def playout_of(state_type: type) -> Callable[[Function], Function]:
    """Return a decorator: this is how random games are played from states of `state_type`."""
    _with_own_playout.add(state_type)
    return api.implements(playout, state_type)


@overload(playout)
def _any_playout(state: Any, stream: Any, work: Any) -> Any:
    """Choose the playout of a game that has none of its own."""
    if getattr(state, "instance_class", None) in _with_own_playout:
        return None

    def play_out(state: Any, stream: Any, work: Any) -> Any:
        result, _, stream = random_playout(state, stream)
        return result, stream

    return play_out


@kernel
def careful_playout(state: api.State, stream: np.uint64) -> tuple[int, np.uint64]:
    """Play to the end: win at once if possible, else take what the other would win with, else at random."""
    result = np.int64(api.status(state))
    while result == api.ONGOING:
        action = np.int64(api.winning_action(state))
        if action == api.NO_ACTION:
            action = np.int64(api.threat_action(state))
        if action == api.NO_ACTION:
            stream += _GAMMA
            action = np.int64(api.random_action(state, mix64(stream)))
        state = api.play(state, action)
        result = np.int64(api.status(state))
    return result, stream


@inlined_kernel
def rollout(state: api.State, stream: np.uint64, policy: int, work: RolloutWork) -> tuple[int, np.uint64]:
    """Play an ongoing or finished game to the end; return the status, and the stream after it."""
    if policy == RANDOM:
        return playout(state, stream, work)
    return careful_playout(state, stream)
