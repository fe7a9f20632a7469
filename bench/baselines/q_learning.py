"""The plain form of Q-learning: the (S, A) table, the child table, and a scan of the row for every maximum.

Same draws and arithmetic as `ttt_fast.algorithms.tabular.q_learning`, hence the same table bit for bit: the tests'
reference for long runs, and the baseline of the benchmarks.
"""

import numpy as np
from numpy.typing import NDArray

from baselines.one_ply import OnePly, reply
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import next_word
from ttt_fast.games import tic_tac_toe as rules

_MASK_24, _MASK_40 = np.uint64((1 << 24) - 1), np.uint64((1 << 40) - 1)
_24, _40 = np.uint64(24), np.uint64(40)


@kernel
def learn_plain(
    q: NDArray[np.float64],
    game: OnePly,
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
            stream, word = next_word(stream)
            state = int(game.child[0, reply(game, 0, word >> _24)])
        while True:
            stream, word = next_word(stream)
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
