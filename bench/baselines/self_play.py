"""The plain form of self-play: the (S, A) table, the child table, and a scan of the row for every maximum.

Same draws and arithmetic as `ttt_fast.algorithms.tabular.self_play`, hence the same table bit for bit: the
tests' reference for long runs, and the baseline of the benchmarks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.tabular.self_play import draw_gap
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import next_word
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.tables import StateTable

_0, _1, _26, _32 = (np.uint64(n) for n in (0, 1, 26, 32))


class PlainGame(NamedTuple):
    """The game as the plain kernels read it.

    Attributes
    ----------
    child, status, player
        From the state table.
    legal : (S, A) int8, num_legal : (S,) int8
        The legal actions, in the first columns, and their number.
    max_plies
        Plies of the longest game.
    """

    child: NDArray[np.int16]
    status: NDArray[np.int8]
    player: NDArray[np.int8]
    legal: NDArray[np.int8]
    num_legal: NDArray[np.int8]
    max_plies: int


def plain_game(table: StateTable) -> PlainGame:
    """Return the arrays of the plain kernels."""
    legal = np.argsort(~table.legal_action_mask, axis=1, kind="stable").astype(np.int8)
    num_legal = table.legal_action_mask.sum(axis=1).astype(np.int8)
    return PlainGame(table.child, table.status, table.player, legal, num_legal, int(table.ply.max()))


@kernel
def _result(status: int) -> int:
    """Return 0 if X has won, 1 for a draw, 2 if O has won."""
    if status == rules.DRAW:
        return 1
    return 0 if status == rules.X_WINS else 2


@kernel
def _best_value(q: NDArray[np.float64], game: PlainGame, state: int) -> float:
    """Return the greatest value of a row."""
    value = -np.inf
    for i in range(game.num_legal[state]):
        value = max(value, q[state, game.legal[state, i]])
    return value


@kernel
def _best_action(q: NDArray[np.float64], game: PlainGame, state: int) -> int:
    """Return the action of greatest value, ties to the lowest."""
    action, value = 0, -np.inf
    for i in range(game.num_legal[state]):
        candidate = int(game.legal[state, i])
        if q[state, candidate] > value:
            value = q[state, candidate]
            action = candidate
    return action


@kernel
def _best_of_sum(q: NDArray[np.float64], game: PlainGame, state: int) -> int:
    """Return the action at which the sum of the two tables is greatest, ties to the lowest."""
    action, value = 0, -np.inf
    for i in range(game.num_legal[state]):
        candidate = int(game.legal[state, i])
        if q[0, state, candidate] + q[1, state, candidate] > value:
            value = q[0, state, candidate] + q[1, state, candidate]
            action = candidate
    return action


@kernel
def _break_tie(
    q: NDArray[np.float64], game: PlainGame, state: int, action: int, stream: np.uint64
) -> tuple[int, np.uint64]:
    """Return one of the actions that are as good as `action`, in the sum of the (T, S, A) tables, and the stream."""
    value = q[:, state, action].sum()
    equal = 0
    for i in range(game.num_legal[state]):
        equal += q[:, state, game.legal[state, i]].sum() == value
    if equal > 1:
        stream, word = next_word(stream)
        left = int(((word >> _32) * np.uint64(equal)) >> _32)
        for i in range(game.num_legal[state]):
            if q[:, state, game.legal[state, i]].sum() == value:
                if left == 0:
                    return int(game.legal[state, i]), stream
                left -= 1
    return action, stream


@kernel
def learn_plain(
    q: NDArray[np.float64],
    game: PlainGame,
    rewards: NDArray[np.float64],
    slots: NDArray[np.uint64],
    random_ties: bool,
    episodes: int,
    alpha: float,
    gamma: float,
    stream: np.uint64,
    counts: NDArray[np.int64],
) -> None:
    """Learn from one chunk of episodes on the (1, S, A) table `q`; adds to `counts` (X wins, draws, O wins)."""
    values = q[0]
    limit = np.uint64(episodes * game.max_plies)
    gap, fraction, stream = draw_gap(stream, slots, limit)
    for _ in range(episodes):
        state, before, before_action = 0, -1, 0
        while True:
            if gap == _0:
                action = int(game.legal[state, (fraction * np.uint64(game.num_legal[state])) >> _26])
                gap, fraction, stream = draw_gap(stream, slots, limit)
            else:
                gap -= _1
                action = _best_action(values, game, state)
                if random_ties:
                    action, stream = _break_tie(q, game, state, action, stream)
            after = int(game.child[state, action])
            if game.status[after] != rules.ONGOING:
                break
            if before >= 0:
                target = gamma * _best_value(values, game, after)
                values[before, before_action] += alpha * (target - values[before, before_action])
            before, before_action, state = state, action, after
        result = _result(game.status[after])
        counts[result] += 1
        mover = game.player[state] - 1
        values[state, action] += alpha * (rewards[mover, result] - values[state, action])
        if before >= 0:
            values[before, before_action] += alpha * (rewards[1 - mover, result] - values[before, before_action])


@kernel
def learn_plain_double(
    q: NDArray[np.float64],
    game: PlainGame,
    rewards: NDArray[np.float64],
    slots: NDArray[np.uint64],
    random_ties: bool,
    episodes: int,
    alpha: float,
    gamma: float,
    stream: np.uint64,
    counts: NDArray[np.int64],
) -> None:
    """Do the same with double Q-learning on the (2, S, A) tables `q`."""
    limit = np.uint64(episodes * game.max_plies)
    gap, fraction, stream = draw_gap(stream, slots, limit)
    for _ in range(episodes):
        stream, coins = next_word(stream)
        state, before, before_action, before_coin = 0, -1, 0, np.int64(0)
        while True:
            if gap == _0:
                action = int(game.legal[state, (fraction * np.uint64(game.num_legal[state])) >> _26])
                gap, fraction, stream = draw_gap(stream, slots, limit)
            else:
                gap -= _1
                action = _best_of_sum(q, game, state)
                if random_ties:
                    action, stream = _break_tie(q, game, state, action, stream)
            coin = np.int64(coins & _1)
            coins >>= _1
            after = int(game.child[state, action])
            if game.status[after] != rules.ONGOING:
                break
            if before >= 0:
                best = _best_action(q[before_coin], game, after)
                old = q[before_coin, before, before_action]
                q[before_coin, before, before_action] += alpha * (gamma * q[1 - before_coin, after, best] - old)
            before, before_action, before_coin, state = state, action, coin, after
        result = _result(game.status[after])
        counts[result] += 1
        mover = game.player[state] - 1
        q[coin, state, action] += alpha * (rewards[mover, result] - q[coin, state, action])
        if before >= 0:
            old = q[before_coin, before, before_action]
            q[before_coin, before, before_action] += alpha * (rewards[1 - mover, result] - old)
