"""Rollouts: games played to the end from a leaf of a search, at random or with immediate wins and blocks.

`rollout` works for every game through the game API.  A game with a faster implementation registers it with
`@api.implements(rollout, ItsState)`.
"""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import next_word
from ttt_fast.games import api
from ttt_fast.games.results import result_of
from ttt_fast.games.tic_tac_toe import contains_line
from ttt_fast.values.evaluators import position_value

RANDOM, WIN_OR_BLOCK = 0, 1
"""Rollouts: uniform moves; or win at once if possible, else take a cell that wins for the opponent, else uniform."""
LINES: Final = 64
"""Offset of the sets with a line in the scratch array of an evaluator."""


class RolloutEvaluator(NamedTuple):
    """Rollouts by a policy, for one thread: as the evaluator of a search (`values.evaluators`) the result of one game.

    Attributes
    ----------
    policy
        RANDOM or WIN_OR_BLOCK.
    scratch
        (64 + 512,) uint16: scratch of a rollout, and from `LINES` on, for each set of nine cells, 1 if it contains a
        line of tic-tac-toe, else 0.
    """

    policy: int
    scratch: NDArray[np.uint16]


@cache
def _lines() -> NDArray[np.uint16]:
    return frozen(np.array([contains_line(cells) for cells in range(512)], np.uint16))


def rollout_evaluator(policy: int = RANDOM) -> RolloutEvaluator:
    """Return rollouts by a policy, for one thread.

    Examples
    --------
    >>> rollout_evaluator().scratch[LINES + 0b111]
    np.uint16(1)
    """
    return RolloutEvaluator(policy, np.concatenate([np.zeros(LINES, np.uint16), _lines()]))


@kernel
def random_playout(state: api.State, stream: np.uint64) -> tuple[int, int, np.uint64]:
    """Play uniformly random moves to the end; return the status, the plies played, and the stream after them."""
    plies = 0
    result = api.status(state)
    while result == api.ONGOING:
        stream, word = next_word(stream)
        state = api.play_random(state, word)
        result = api.status(state)
        plies += 1
    return result, plies, stream


def rollout(state: api.State, stream: np.uint64, evaluator: RolloutEvaluator) -> tuple[int, np.uint64]:
    """Play an ongoing or finished game to the end; return its status, and the stream after it."""
    return api.implementation(rollout, state)(state, stream, evaluator)


@api.default_of(rollout)
def any_rollout(state: api.State, stream: np.uint64, evaluator: RolloutEvaluator) -> tuple[int, np.uint64]:
    """Play out any game through the game API."""
    if evaluator.policy == RANDOM:
        result, _, stream = random_playout(state, stream)
        return result, stream
    result = as_int(api.status(state))
    while result == api.ONGOING:
        action = as_int(api.winning_action(state))
        if action == api.NO_ACTION:
            action = as_int(api.threat_action(state))
        if action == api.NO_ACTION:
            stream, word = next_word(stream)
            action = as_int(api.random_action(state, word))
        state = api.play(state, action)
        result = as_int(api.status(state))
    return result, stream


@api.implements(position_value, RolloutEvaluator)
def _rollout_value(
    evaluator: RolloutEvaluator, level: int, state: api.State, stream: np.uint64
) -> tuple[float, np.uint64]:
    result, stream = rollout(state, stream, evaluator)
    return 1.0 - result_of(result, api.player(state)), stream
