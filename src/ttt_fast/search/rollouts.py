"""Rollouts: playing a game to the end from a leaf of a search, at random or with an eye for wins and blocks.

`rollout` serves every game by the functions that every game has; a game with a faster one registers it with
`@api.implements(rollout, ItsState)`.
"""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import api
from ttt_fast.games.tic_tac_toe import contains_line
from ttt_fast.search.random_play import random_playout

RANDOM, WIN_OR_BLOCK = 0, 1
"""Rollouts: uniform moves; or win at once if possible, else take a cell that wins for the opponent, else uniform."""
_GAMMA = np.uint64(GOLDEN_GAMMA)
_SCRATCH: Final = 64


class RolloutWork(NamedTuple):
    """Work space and a table of rollouts, the same for every game.

    Attributes
    ----------
    scratch
        (64,) uint16, scratch of a rollout.
    has_line
        (512,) uint8: 1 where a set of nine cells contains a line of tic-tac-toe, else 0.
    """

    scratch: NDArray[np.uint16]
    has_line: NDArray[np.uint8]


@cache
def _lines() -> NDArray[np.uint8]:
    return frozen(np.array([contains_line(cells) for cells in range(512)], np.uint8))


def rollout_work() -> RolloutWork:
    """Return work space for one thread.

    Examples
    --------
    >>> rollout_work().has_line[0b111]
    np.uint8(1)
    """
    return RolloutWork(np.zeros(_SCRATCH, np.uint16), _lines())


def rollout(state: api.State, stream: np.uint64, policy: int, work: RolloutWork) -> tuple[int, np.uint64]:
    """Play an ongoing or finished game to the end; return its status, and the stream after it.

    `policy` is RANDOM or WIN_OR_BLOCK.
    """
    return api.implementation(rollout, state)(state, stream, policy, work)  # type: ignore[no-any-return]


@api.default_of(rollout)
def any_rollout(state: api.State, stream: np.uint64, policy: int, work: RolloutWork) -> tuple[int, np.uint64]:
    """Play out a game of any kind, by the functions that every game has."""
    if policy == RANDOM:
        result, _, stream = random_playout(state, stream)
        return result, stream
    result = as_int(api.status(state))
    while result == api.ONGOING:
        action = as_int(api.winning_action(state))
        if action == api.NO_ACTION:
            action = as_int(api.threat_action(state))
        if action == api.NO_ACTION:
            stream += _GAMMA
            action = as_int(api.random_action(state, mix64(stream)))
        state = api.play(state, action)
        result = as_int(api.status(state))
    return result, stream
