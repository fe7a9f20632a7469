"""Two kernels for all algorithms, seats, schedules, worlds and kinds of values: by action, and by board.

**By action** (the family of Q-learning, a step at a time; `returns` looks further ahead).  Both seats share the values,
since X and O never move in the same state: the value of an action is its mover's own expectation.  Self-play with "one
table from X's view" and with "two tables" is therefore equivalent.  An action is updated when its mover moves again
(the opponent's reply is part of the environment), or when the game ends.  Winner, loser and drawers are all credited.

**By board** (afterstates; Sai; for games in which X and O alternate).  The value of a board is that for the player of
the last move.  The boards of the two players never coincide, so that one table holds both.  At the end of a game a
learner's boards are updated from the last to the first, `V += alpha * (gamma * r - V)`.  Here `r` is the reward for the
last board, and for an earlier one the new `V` of the following board.  There is no maximum, and gamma also applies at
the last step.  The value of an action is that of the board after it.  As exploration ends and the step size falls, it
converges to gamma times the value of `exact_q`.  A board without updates has the initial value.

**Draws.**  A chunk has one SplitMix64 stream.  Each ply takes one word `w`; `x = w >> 24` is a 40-bit fraction:

* a fixed opponent moves: `worlds.reply` by `x`; from a table, the alias slot as in `q_learning`, rule 3;
* a learner moves: it explores if `(w & 0xFFFFFF) < round(epsilon * 2**24)`, with the (x * n >> 40)-th of n legal
  actions in tie order; otherwise it plays the greedy action: the first in this order or, with random ties, the
  (x * m >> 40)-th of m;
* a first move that is drawn: the (x * n >> 40)-th legal action, which is not learned from.

Double Q-learning takes one more word for each update before the end of a game, and for each at its end: the lowest bit
selects the table to update (0: the first).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import next_word
from ttt_fast.games.results import ONGOING, outcome_of, result_of
from ttt_fast.learn.learner import Episodes
from ttt_fast.learn.settings import ALTERNATE, MONTE_CARLO, Passes
from ttt_fast.learn.worlds import AnyState, World, fill_actions, move, reply, status_of, turn_of
from ttt_fast.values.api import ValueRows, fill_scores, find_row, has_room, hold_row, mark_of, move_towards, value_at
from ttt_fast.values.choice import best_place, drawn_place, ordered

Q_LEARNING, DOUBLE_Q, SARSA, EXPECTED_SARSA = 0, 1, 2, 3
CODES = {
    "q": Q_LEARNING, "double-q": DOUBLE_Q, "sarsa": SARSA, "expected-sarsa": EXPECTED_SARSA, MONTE_CARLO: SARSA,
    "n-step-sarsa": SARSA, "n-step-expected-sarsa": EXPECTED_SARSA, "n-step-tree-backup": Q_LEARNING,
    "sarsa-lambda": SARSA, "q-lambda": Q_LEARNING,
}  # fmt: skip
"""For each algorithm, the value of a later state of the episode from which a target is made."""

_MASK_24 = np.uint64((1 << 24) - 1)
_0, _1, _24 = np.uint64(0), np.uint64(1), np.uint64(24)


class Rule(NamedTuple):
    """The rule of a learner, as plain numbers.

    Attributes
    ----------
    algorithm
        A code of CODES.
    seat
        1 (X) or 2 (O) learns against the fixed opponent, 3 alternating; 0: both learn (self-play).
    tie
        A code of `values.choice.TIES`.
    random_opening
        Whether the first move of each episode is drawn.
    o_learns
        By board only: whether values of O are updated.
    visit_power
        0 for step sizes by episode; otherwise step sizes are n(s, a) ** -visit_power.
    discount
        Gamma.
    steps, trace_decay
        n and lambda, of `returns`.
    rewards : (3,) float64, or by board (3, P, 2)
        Rewards of a win, a draw and a loss, for every learner.  By board, for X's win, a draw and O's win, the rewards
        of X and of O, one pair for each update at the end of a game.
    num_passes : (3,) int64
        By board only: number of updates (at most P) of each result.
    """

    algorithm: int
    seat: int
    tie: int
    random_opening: bool
    o_learns: bool
    visit_power: float
    discount: float
    steps: int
    trace_decay: float
    rewards: NDArray[np.float64]
    num_passes: NDArray[np.int64]


@kernel
def bootstrap(
    rows: ValueRows,
    rule: Rule,
    place: np.uint64,
    actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
    count: int,
    best: float,
    table: int,
    epsilon: float,
) -> float:
    """Return the value of the mover's next decision state, for expected SARSA and double Q-learning."""
    if rule.algorithm == EXPECTED_SARSA:
        mean = 0.0
        for i in range(count):
            mean += scores[i]
        return float((1.0 - epsilon) * best + epsilon * mean / count)
    highest, chosen = -np.inf, ordered(actions, count, as_int(_0), rule.tie)
    for i in range(count):
        action = ordered(actions, count, i, rule.tie)
        value = value_at(rows, place, action, table)
        if value > highest:
            highest, chosen = value, action
    return value_at(rows, place, chosen, 1 - table)


@kernel
def learn_actions(
    world: World,
    rows: ValueRows,
    rule: Rule,
    episodes: Episodes,
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> int:
    """Learn from episodes until they are done or the table is full; return the number of episodes done.

    Parameters
    ----------
    world
        The world in which every episode runs, from its initial state (`worlds`).
    rows
        The values, a column for each action (`values`), updated in place.
    rule
        The rule of the learner.
    episodes
        The episodes of the chunk.
    stream : (1,) uint64
        Random stream of the chunk; advanced to the start of the next episode.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    longest, double = world.max_plies, rule.algorithm == DOUBLE_Q
    actions = np.arange(world.num_actions).astype(np.uint8)
    scores = np.empty(world.num_actions)
    has_moved, last_mark, last_place = np.zeros(2, np.bool_), np.zeros(2, np.uint64), np.zeros(2, np.uint64)
    last_action = np.zeros(2, np.int64)  # by player, as the arrays before
    now = stream[0]
    for episode in range(episodes.alphas.size):
        if not has_room(rows, longest):
            stream[0] = now
            return episode
        alpha, epsilon = episodes.alphas[episode], episodes.epsilons[episode]
        explore_below = np.uint64(round(epsilon * 2.0**24))
        seat = 1 + (episodes.first + episode) % 2 if rule.seat == ALTERNATE else rule.seat
        has_moved[:] = False
        state, is_drawn = world.initial, rule.random_opening
        mover = turn_of(world, state)
        while mover >= 0:
            now, word = next_word(now)
            x = word >> _24
            if is_drawn:
                count = fill_actions(world, state, actions)
                state = move(world, state, ordered(actions, count, drawn_place(x, count), rule.tie))
                is_drawn = False
            elif seat != 0 and mover + 1 != seat:
                state = reply(world, state, x)
            else:
                count = fill_actions(world, state, actions)
                mark = mark_of(rows, state)
                place = find_row(rows, mark)
                best = fill_scores(rows, place, actions, count, rule.tie, scores)
                if (word & _MASK_24) < explore_below:
                    rank = drawn_place(x, count)
                else:
                    rank = best_place(scores, count, rule.tie, x)
                if has_moved[mover]:
                    table = as_int(_0)
                    if double:
                        now, word = next_word(now)
                        table = as_int(word & _1)
                    value = best
                    if rule.algorithm == SARSA:
                        value = scores[rank]
                    elif rule.algorithm != Q_LEARNING:
                        value = bootstrap(rows, rule, place, actions, scores, count, best, table, epsilon)
                    held = hold_row(rows, last_place[mover], last_mark[mover])
                    move_towards(rows, held, last_action[mover], table, rule.discount * value, alpha, rule.visit_power)
                has_moved[mover], last_mark[mover], last_place[mover] = True, mark, place
                last_action[mover] = ordered(actions, count, rank, rule.tie)
                state = move(world, state, last_action[mover])
            mover = turn_of(world, state)
        status = status_of(world, state)
        counts[outcome_of(status)] += 1
        for player in range(2):
            if has_moved[player]:
                table = as_int(_0)
                if double:
                    now, word = next_word(now)
                    table = as_int(word & _1)
                held = hold_row(rows, last_place[player], last_mark[player])
                target = rule.rewards[result_of(status, player + 1)]
                move_towards(rows, held, last_action[player], table, target, alpha, rule.visit_power)
    stream[0] = now
    return int(episodes.alphas.size)


@kernel
def _fill_values(
    world: World,
    rows: ValueRows,
    state: AnyState,
    actions: NDArray[np.uint8],
    count: int,
    tie: int,
    scores: NDArray[np.float64],
) -> None:
    """Fill `scores` with the values of the boards after each of `count` actions, in tie order."""
    only = as_int(_0)
    for place in range(count):
        mark = mark_of(rows, move(world, state, ordered(actions, count, place, tie)))
        scores[place] = value_at(rows, find_row(rows, mark), only, only)


@kernel
def learn_boards(
    world: World,
    rows: ValueRows,
    rule: Rule,
    episodes: Episodes,
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> int:
    """Learn from games until they are done or the table is full; return the number of games done.

    Parameters
    ----------
    world
        The world in which every game runs, from its initial state (`worlds`).
    rows
        The values, one in each row (`values`), updated in place.
    rule
        The rule of the learner; its algorithm is ignored.
    episodes
        The games of the chunk.
    stream : (1,) uint64
        Random stream of the chunk; advanced to the start of the next game.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    longest = world.max_plies
    actions = np.arange(world.num_actions).astype(np.uint8)
    scores = np.empty(world.num_actions)
    marks, slots = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    rewards, num_passes = rule.rewards, rule.num_passes
    opened, only = int(rule.random_opening), as_int(_0)  # a literal 0 would be a signature of its own
    now = stream[0]
    for game in range(episodes.alphas.size):
        if not has_room(rows, longest):
            stream[0] = now
            return game
        explore_below = np.uint64(round(episodes.epsilons[game] * 2.0**24))
        seat = 1 + (episodes.first + game) % 2 if rule.seat == ALTERNATE else rule.seat
        state, length = world.initial, 0
        status = status_of(world, state)
        while status == ONGOING:
            now, word = next_word(now)
            x = word >> _24
            if seat != 0 and 1 + (length & 1) != seat and length >= opened:
                state = reply(world, state, x)
            else:
                count = fill_actions(world, state, actions)
                if (word & _MASK_24) < explore_below or length < opened:
                    place = drawn_place(x, count)
                else:
                    _fill_values(world, rows, state, actions, count, rule.tie, scores)
                    place = best_place(scores, count, rule.tie, x)
                state = move(world, state, ordered(actions, count, place, rule.tie))
                marks[length] = mark_of(rows, state)
                # looked up now, so that the next ply does not wait for it, and the update finds it in the cache
                slots[length] = find_row(rows, marks[length])
            length += 1
            status = status_of(world, state)
        result = outcome_of(status)
        counts[result] += 1
        for turn in range(num_passes[result]):
            target = rewards[result, turn, (length - 1) & 1]  # of the player of the last move
            other = rewards[result, turn, length & 1]
            for i in range(length - 1, opened - 1, -1):
                if (seat == 0 or 1 + (i & 1) == seat) and (rule.o_learns or i & 1 == 0):
                    slots[i] = hold_row(rows, slots[i], marks[i])
                    target = move_towards(
                        rows, slots[i], only, only, rule.discount * target, episodes.alphas[game], rule.visit_power
                    )
                target, other = other, target
    stream[0] = now
    return int(episodes.alphas.size)


def packed_rewards(passes: Passes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rewards of the kernel, (3, P, 2) float64, and the number of updates of each result, (3,) int64.

    Examples
    --------
    >>> rewards, num_passes = packed_rewards((((1.0, -1.0), (0.0, 0.0)), ((0.0, 0.0),), ((-1.0, 1.0),)))
    >>> rewards.shape, num_passes.tolist()
    ((3, 2, 2), [2, 1, 1])
    """
    most = max(1, *(len(pairs) for pairs in passes))
    padded = [[*pairs, *[(0.0, 0.0)] * (most - len(pairs))] for pairs in passes]
    return np.array(padded, np.float64), np.array([len(pairs) for pairs in passes])
