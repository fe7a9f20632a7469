"""The plain form of Q-learning: the (S, A) table, the child table, and a scan of the row for every maximum.

Draws and arithmetic are those of `q_learning`, hence the table is the same bit for bit.  This is the tests' reference
for long runs, and the baseline of the benchmarks.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.learn.two_ply import alias_row
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import tie_order
from ttt_fast.tables import StateTable

_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_24, _MASK_40 = np.uint64((1 << 24) - 1), np.uint64((1 << 40) - 1)
_8, _24, _40 = np.uint64(8), np.uint64(24), np.uint64(40)


class PlainGame(NamedTuple):
    """The game and the opponent as the plain kernel reads them.

    Attributes
    ----------
    child, status
        From the state table.
    legal : (S, A) int8, num_legal : (S,) int8
        The legal actions, in the first columns and in the order of ties, and their number.
    num_slots : (S,) int8, first, second : (S, A) int8, threshold : (S, A) uint64
        The opponent's alias slots.
    """

    child: NDArray[np.int16]
    status: NDArray[np.int8]
    legal: NDArray[np.int8]
    num_legal: NDArray[np.int8]
    num_slots: NDArray[np.int8]
    first: NDArray[np.int8]
    second: NDArray[np.int8]
    threshold: NDArray[np.uint64]


def try_order(tie: str, num_actions: int) -> NDArray[np.int64]:
    """Return the order in which learners try actions, (A,) int64: descending for ties `last`, else ascending."""
    return np.array(tie_order("last" if tie == "last" else "first", num_actions))


def plain_game(table: StateTable, opponent: Policy, tie: str = "first") -> PlainGame:
    """Return the arrays of the plain kernel."""
    order = try_order(tie, table.num_actions)
    legal = order[np.argsort(~table.legal_action_mask[:, order], axis=1, kind="stable")].astype(np.int8)
    num_legal = table.legal_action_mask.sum(axis=1).astype(np.int8)
    slots = _slots(opponent.probabilities.tobytes(), table.child.shape)
    return PlainGame(table.child, table.status, legal, num_legal, *slots)


@lru_cache(maxsize=16)
def _slots(
    probabilities: bytes, shape: tuple[int, int]
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8], NDArray[np.uint64]]:
    """Return the alias slots of a policy, remembered by content: the runs of a sweep meet the same opponents."""
    num_slots = np.zeros(shape[0], np.int8)
    first, second, threshold = np.zeros(shape, np.int8), np.zeros(shape, np.int8), np.zeros(shape, np.uint64)
    rows = np.frombuffer(probabilities).reshape(shape)
    for state in np.flatnonzero(rows.any(axis=1)):
        for i, slot in enumerate(alias_row(rows[state].tolist())):
            num_slots[state] = i + 1
            threshold[state, i], first[state, i], second[state, i] = slot
    return num_slots, first, second, threshold


@kernel
def reply(game: PlainGame, state: int, x: np.uint64) -> int:
    """Return the opponent's action for the 40-bit fraction `x`."""
    x *= np.uint64(game.num_slots[state])
    slot = x >> _40
    if ((x & _MASK_40) >> _8) < game.threshold[state, slot]:
        return int(game.first[state, slot])
    return int(game.second[state, slot])


@kernel
def learn_plain(
    q: NDArray[np.float64],
    game: PlainGame,
    seat: int,
    rewards: NDArray[np.float64],
    episodes: int,
    alpha: float,
    epsilon: float,
    gamma: float,
    stream: np.uint64,
    counts: NDArray[np.int64],
) -> None:
    """Learn from one chunk of episodes on the (S, A) table `q`; adds to `counts` (win, draw, loss)."""
    explore_below = np.uint64(round(epsilon * 2.0**24))
    for _ in range(episodes):
        state = 0
        if seat == rules.O:
            stream += _GAMMA
            state = int(game.child[0, reply(game, 0, mix64(stream) >> _24)])
        while True:
            stream += _GAMMA
            word = mix64(stream)
            x = word >> _24
            action = 0
            if (word & _MASK_24) < explore_below:
                x *= np.uint64(game.num_legal[state])
                action = int(game.legal[state, x >> _40])
                x &= _MASK_40
            else:
                value = -np.inf
                for i in range(game.num_legal[state]):
                    candidate = int(game.legal[state, i])
                    if q[state, candidate] > value:
                        value = q[state, candidate]
                        action = candidate
            after = int(game.child[state, action])
            if game.status[after] == rules.ONGOING:
                after = int(game.child[after, reply(game, after, x)])
            if game.status[after] != rules.ONGOING:
                result = 1
                if game.status[after] != rules.DRAW:
                    result = 0 if game.status[after] == seat else 2
                counts[result] += 1
                q[state, action] += alpha * (rewards[result] - q[state, action])
                break
            value = -np.inf
            for i in range(game.num_legal[after]):
                candidate = int(game.legal[after, i])
                if q[after, candidate] > value:
                    value = q[after, candidate]
            q[state, action] += alpha * (gamma * value - q[state, action])
            state = after
