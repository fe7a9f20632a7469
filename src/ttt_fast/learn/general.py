"""The tabular family in one kernel: every algorithm, seat and schedule, at the speed of a plain loop.

Both seats share one (S, A) table of own-view values, since X and O never move in the same state: the value of an
action is its mover's own expectation.  Self-play with "one table from X's view" and with "two tables" is
therefore the same thing.  An action is updated when its mover is to move again (the opponent's reply is part of the
environment), or when the game ends: winner, loser and drawers are all credited.

Draws.  A chunk has one SplitMix64 stream.  Each ply takes one word `w`; `x = w >> 24` is a 40-bit fraction:

* a fixed policy moves: the alias slot by `x`, as in `q_learning`, rule 3;
* a learner moves: it explores if `(w & 0xFFFFFF) < round(epsilon * 2**24)`, taking the (x * n >> 40)-th of n legal
  actions; else the greedy action, ties to the lowest or, with random ties, the (x * m >> 40)-th of m;
* the first move, if it is to be drawn: the (x * n >> 40)-th legal action, which is not learned from.

Double Q-learning takes one more word for each update before the end of a game, and for each at its end: the lowest
bit chooses the table that is updated (0: the first).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.learn.one_ply import OnePly, reply
from ttt_fast.learn.settings import ALTERNATE

Q_LEARNING, DOUBLE_Q, SARSA, EXPECTED_SARSA = 0, 1, 2, 3
ALGORITHMS = {"q": Q_LEARNING, "double-q": DOUBLE_Q, "sarsa": SARSA, "expected-sarsa": EXPECTED_SARSA}

_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_24 = np.uint64((1 << 24) - 1)
_1, _24, _40 = np.uint64(1), np.uint64(24), np.uint64(40)


class Switches(NamedTuple):
    """The settings of the kernel, as plain numbers.

    Attributes
    ----------
    algorithm
        One of ALGORITHMS.
    seat
        1 (X) or 2 (O) learns against the policy, 3 alternating; 0: both learn (self-play).
    random_ties
        Whether one of equally good actions is drawn.
    random_opening
        Whether the first move of each episode is drawn.
    visit_power
        0 for step sizes by episode, else step sizes are n(s, a) ** -visit_power.
    discount
        Gamma.
    """

    algorithm: int
    seat: int
    random_ties: bool
    random_opening: bool
    visit_power: float
    discount: float


class Tables(NamedTuple):
    """The learned values.

    Attributes
    ----------
    first, second : (S, A) float64
        Own-view values; `second` is used by double Q-learning only, and is all zeros otherwise.
    updates : (S, A) int64
        Number of updates of each action.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    updates: NDArray[np.int64]


@inlined_kernel
def _total(tables: Tables, state: int, action: int) -> float:
    """Return the values that the learner acts on: the sum of both tables."""
    return float(tables.first[state, action] + tables.second[state, action])


@kernel
def _greedy(game: OnePly, tables: Tables, state: int, x: np.uint64, random_ties: bool) -> int:
    """Return the greedy action: ties to the lowest, or drawn by the 40-bit fraction `x`."""
    best = -np.inf
    chosen = 0
    equal = 0
    for i in range(game.num_legal[state]):
        action = int(game.legal[state, i])
        value = _total(tables, state, action)
        if value > best:
            best = value
            chosen = action
            equal = 1
        elif value == best:
            equal += 1
    if random_ties and equal > 1:
        skip = int((x * np.uint64(equal)) >> _40)
        for i in range(game.num_legal[state]):
            action = int(game.legal[state, i])
            if _total(tables, state, action) == best:
                if skip == 0:
                    return action
                skip -= 1
    return chosen


@kernel
def _expectation(game: OnePly, tables: Tables, state: int, epsilon: float, random_ties: bool) -> float:
    """Return the value of a state under the epsilon-greedy policy."""
    best = -np.inf
    mean = 0.0
    legal = game.num_legal[state]
    for i in range(legal):
        value = _total(tables, state, int(game.legal[state, i]))
        mean += value
        best = max(best, value)
    return float((1.0 - epsilon) * best + epsilon * mean / legal)


@kernel
def _update(
    tables: Tables, to_second: bool, state: int, action: int, target: float, alpha: float, visit_power: float
) -> None:
    """Move the value of an action towards a target."""
    tables.updates[state, action] += 1
    if visit_power > 0.0:
        alpha = float(tables.updates[state, action]) ** -visit_power
    table = tables.second if to_second else tables.first
    table[state, action] += alpha * (target - table[state, action])


@kernel
def _bootstrap(
    game: OnePly, tables: Tables, switches: Switches, to_second: bool, state: int, action: int, epsilon: float
) -> float:
    """Return the value of the mover's next decision state; `action` is the one that it takes there."""
    if switches.algorithm == SARSA:
        return _total(tables, state, action)
    if switches.algorithm == EXPECTED_SARSA:
        return _expectation(game, tables, state, epsilon, switches.random_ties)
    own = tables.second if to_second else tables.first
    best = -np.inf
    chosen = 0
    for i in range(game.num_legal[state]):
        candidate = int(game.legal[state, i])
        if own[state, candidate] > best:
            best = own[state, candidate]
            chosen = candidate
    if switches.algorithm == DOUBLE_Q:
        other = tables.first if to_second else tables.second
        return float(other[state, chosen])
    return float(best)


@kernel
def learn_general(
    tables: Tables,
    game: OnePly,
    switches: Switches,
    rewards: NDArray[np.float64],
    first_episode: int,
    alphas: NDArray[np.float64],
    epsilons: NDArray[np.float64],
    stream: np.uint64,
    counts: NDArray[np.int64],
) -> None:
    """Learn from a chunk of episodes.

    Parameters
    ----------
    tables
        Updated in place.
    game
        The game and the fixed policy (of no use in self-play).
    switches
        The settings.
    rewards : (3,) float64
        Of a win, a draw, a loss, for every learner.
    first_episode
        Index of the first episode, for alternating seats.
    alphas, epsilons : (E,) float64
        Step size and exploration of each episode.
    stream
        Random stream of the chunk.
    counts : (3,) int64
        Games that X won, drew, lost; added to.
    """
    last_state, last_action = np.zeros(3, np.int64), np.zeros(3, np.int64)  # by player
    double = switches.algorithm == DOUBLE_Q
    for episode in range(alphas.size):
        alpha, explore_below = alphas[episode], np.uint64(round(epsilons[episode] * 2.0**24))
        seat = 1 + (first_episode + episode) % 2 if switches.seat == ALTERNATE else switches.seat
        last_state[1], last_state[2] = -1, -1
        state, mover = 0, 1
        while game.status[state] == rules.ONGOING:
            stream += _GAMMA
            word = mix64(stream)
            x = word >> _24
            if switches.random_opening and state == 0:
                action = int(game.legal[0, (x * np.uint64(game.num_legal[0])) >> _40])
            elif seat != 0 and mover != seat:
                action = reply(game, state, x)
            else:
                if (word & _MASK_24) < explore_below:
                    action = int(game.legal[state, (x * np.uint64(game.num_legal[state])) >> _40])
                else:
                    action = _greedy(game, tables, state, x, switches.random_ties)
                if last_state[mover] >= 0:
                    to_second = False
                    if double:
                        stream += _GAMMA
                        to_second = (mix64(stream) & _1) == _1
                    value = _bootstrap(game, tables, switches, to_second, state, action, epsilons[episode])
                    _update(
                        tables,
                        to_second,
                        last_state[mover],
                        last_action[mover],
                        switches.discount * value,
                        alpha,
                        switches.visit_power,
                    )
                last_state[mover], last_action[mover] = state, action
            state = int(game.child[state, action])
            mover = 3 - mover
        status = game.status[state]
        for player in range(1, 3):
            result = 1 if status == rules.DRAW else (0 if status == player else 2)
            if player == 1:
                counts[result] += 1
            if last_state[player] >= 0:
                to_second = False
                if double:
                    stream += _GAMMA
                    to_second = (mix64(stream) & _1) == _1
                _update(
                    tables,
                    to_second,
                    last_state[player],
                    last_action[player],
                    rewards[result],
                    alpha,
                    switches.visit_power,
                )
