"""Values of actions, and of boards: Q-learning and its relatives, with any seats, schedules, dynamics and tables.

Both seats share the values, since X and O never move in the same state: the value of an action is its mover's own
expectation.  Self-play with "one table from X's view" and with "two tables" is therefore equivalent.  Both players are
credited with their results: wins, draws and losses.

An action is updated towards its return G.  With t and k counting the player's own turns (the opponent's replies are
part of the environment):

    G(t) = the reward after the last turn, and gamma * U(t + 1) before it
    U(k) = V(k) where the look ahead ends: n turns after t, or at a cut
    U(k) = (1 - lambda) * V(k) + lambda * G(k) before that

V(k) is the value of the state at turn k: of the action taken there (SARSA), the mean over the epsilon-greedy policy
(expected SARSA), or the maximum.  With the maximum, an action of lower value is a cut.  Double Q-learning evaluates the
best action of one table by the other.

**One step** (n = 1: `q`, `double-q`, `sarsa`, `expected-sarsa`).  An action is updated when its mover moves again, or
when the game ends.

**Several steps** (`RETURNS`).  All actions of an episode are updated at its end, from the last to the first.  This is
truncated TD(lambda) of R. S. Sutton and A. G. Barto, "Reinforcement Learning" (2nd ed., 2018), section 12.3, with these
cases:

* `monte-carlo` (5.4): all turns, lambda 1; G is the discounted reward.  Epsilon-greedy, any step size;
* `n-step-sarsa`, `n-step-expected-sarsa` (7.2): n turns, lambda 1;
* `n-step-tree-backup` (7.5), for a greedy target policy: the maximum, n turns, lambda 1;
* `sarsa-lambda` (12.7): all turns; `q-lambda` (12.10), Watkins's: the maximum, all turns.

Since no state recurs in an episode, first and every visit are equivalent, and so are accumulating and replacing traces.
These updates at the end also equal the online ones of the textbook: no value of a state changes from its visit to the
end of the episode.  With n = 1 or lambda = 0 the bits are those of one step.
With lambda = 1, or n at least the turns of a game, (expected) SARSA has the bits of `monte-carlo`.

**Draws.**  A chunk has one SplitMix64 stream.  Each ply takes one word `w`; `x = w >> 24` is a 40-bit fraction:

* a fixed opponent moves: `opponent_step` by `x`; from a table, the alias slot as in `q_learning`, rule 3;
* a learner moves: it explores if `(w & 0xFFFFFF) < round(epsilon * 2**24)`, with the (x * n >> 40)-th of n legal
  actions in tie order; otherwise it plays the greedy action: the first in this order or, with random ties, the
  (x * m >> 40)-th of m;
* a random first move: the (x * n >> 40)-th legal action, which is not learned from.

Double Q-learning takes one more word for each update before the end of a game, and for each at its end: the lowest bit
selects the table to update (0: the first).

**Boards** (`afterstate`; Sai), in games in which X and O alternate.  The value of a board is that for the player of the
last move.  The boards of the two players never coincide, so that one table holds both.  At the end of a game a
learner's boards are updated from the last to the first, `V += alpha * (gamma * r - V)`.  Here `r` is the reward for the
last board, and for an earlier one the new `V` of the following board.  There is no maximum, and gamma also applies at
the last step.  The value of an action is that of the board after it.  As exploration ends and the step size falls, it
converges to gamma times the value of `exact_q`.  A board without updates has the initial value.  Draws are the same:
one word for each ply.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dynamics import (
    Dynamics,
    StateOrIndex,
    fill_actions,
    mover_of,
    opponent_step,
    status_of,
    transition,
)
from ttt_fast.algorithms.episodes import ALTERNATE, Episodes
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel, kernel_without_counts
from ttt_fast.core.rng import next_word
from ttt_fast.games.results import ONGOING, outcome_of, result_of
from ttt_fast.values.api import ValueRows, fill_scores, find_row, has_room, insert_row, row_key, update_value, value_at
from ttt_fast.values.choice import best_place, drawn_place, ordered

Q_LEARNING, DOUBLE_Q, SARSA, EXPECTED_SARSA = 0, 1, 2, 3
TARGETS = {"q": Q_LEARNING, "double-q": DOUBLE_Q, "sarsa": SARSA, "expected-sarsa": EXPECTED_SARSA}
"""The codes of targets."""
_MASK_24 = np.uint64((1 << 24) - 1)
_0, _1, _24 = np.uint64(0), np.uint64(1), np.uint64(24)


WHOLE_EPISODE = 1 << 30
"""Value of n for whole episodes: more turns than a game has."""


class ActionRule(NamedTuple):
    """The rule of a learner of action values, as plain numbers.

    Attributes
    ----------
    algorithm
        The value of a later state from which a target is made: Q_LEARNING, DOUBLE_Q, SARSA or EXPECTED_SARSA.
    seat
        1 (X) or 2 (O) learns against the fixed opponent, 3 alternating; 0: both learn (self-play).
    tie
        A code of `values.choice.TIES`.
    random_opening
        Whether the first move of each episode is drawn uniformly at random.
    visit_power
        0 for step sizes by episode; otherwise step sizes are n(s, a) ** -visit_power.
    discount
        Gamma.
    steps, trace_decay
        n and lambda, of `returns`.
    rewards : (3,) float64
        Rewards of a win, a draw and a loss, for every learner.
    """

    algorithm: int
    seat: int
    tie: int
    random_opening: bool
    visit_power: float
    discount: float
    steps: int
    trace_decay: float
    rewards: NDArray[np.float64]


class EpisodeScratch(NamedTuple):
    """Scratch buffers of an episode; P is twice the maximum number of plies.

    Attributes
    ----------
    actions : (A,) uint8, scores : (A,) float64
        The legal actions of a state, ascending, and their values in tie order.
    lengths : (2,) int64
        Number of turns of each player in an episode.
    keys, places : (P,) uint64, taken : (P,) int64
        Keys and places of rows, and actions: the last ones of both players or, for several steps, those of turn t of
        player p at 2 * t + p.  For values of boards they are in the order of the plies.
    """

    actions: NDArray[np.uint8]
    scores: NDArray[np.float64]
    lengths: NDArray[np.int64]
    keys: NDArray[np.uint64]
    places: NDArray[np.uint64]
    taken: NDArray[np.int64]


class Returns(NamedTuple):
    """Scratch buffers for targets that look several steps ahead, with the turns in the order of `EpisodeScratch`.

    Attributes
    ----------
    values : (P,) float64
        V of each turn, except the first turn of each player.
    cuts : (P,) bool
        Whether the action of a turn has a lower value than the best.
    """

    values: NDArray[np.float64]
    cuts: NDArray[np.bool_]


def make_scratch(dynamics: Dynamics, looks_ahead: bool) -> tuple[EpisodeScratch, Returns | None]:
    """Return the scratch buffers of an algorithm; the `Returns` are None for targets of one step."""
    size, actions = 2 * dynamics.max_plies, np.arange(dynamics.num_actions).astype(np.uint8)
    keys, places = np.empty((2, size), np.uint64)
    scores, taken = np.empty(dynamics.num_actions), np.empty(size, np.int64)
    scratch = EpisodeScratch(actions, scores, np.zeros(2, np.int64), keys, places, taken)
    return scratch, Returns(np.empty(size), np.empty(size, np.bool_)) if looks_ahead else None


@inlined_kernel
def reset(
    dynamics: Dynamics, is_drawn: bool, tie: int, actions: NDArray[np.uint8], now: np.uint64
) -> tuple[StateOrIndex, np.uint64]:
    """Return the initial state of an episode (after a random first move if `is_drawn`), and the stream."""
    state: StateOrIndex = dynamics.initial
    if is_drawn:
        now, word = next_word(now)
        count = fill_actions(dynamics, state, actions)
        # a place in tie order, as of a move that explores
        place = drawn_place(word >> _24, count)
        state = transition(dynamics, state, ordered(actions, count, place, tie))
    return state, now


@kernel
def _bootstrap(
    rows: ValueRows,
    rule: ActionRule,
    place: np.uint64,
    actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
    count: int,
    best: float,
    table: int,
    epsilon: float,
) -> float:
    """Return the value of a decision state, from which earlier targets are made, by expected SARSA and double Q."""
    if rule.algorithm == EXPECTED_SARSA:
        # over the epsilon-greedy policy: the best action with 1 - epsilon, any of them with epsilon
        mean = 0.0
        for i in range(count):
            mean += scores[i]
        return float((1.0 - epsilon) * best + epsilon * mean / count)
    # double Q-learning: the best action by `table`, which is to be updated, with its value in the other table
    highest, chosen = -np.inf, ordered(actions, count, as_int(_0), rule.tie)
    for i in range(count):
        action = ordered(actions, count, i, rule.tie)
        value = value_at(rows, place, action, table)
        if value > highest:
            highest, chosen = value, action
    return value_at(rows, place, chosen, 1 - table)


@inlined_kernel
def _onwards(rule: ActionRule, value: float, cuts: bool, target: float) -> float:
    """Return U of a turn from its V and G."""
    return value if cuts else (1.0 - rule.trace_decay) * value + rule.trace_decay * target


@inlined_kernel
def _earlier_target(rule: ActionRule, returns: Returns, at: int, last: int, target: float) -> float:
    """Return the target of the turn at `at` of a player, from that of the next turn; the player's last is at `last`."""
    # turns of a player are 2 apart: `at + 2` is the next one, and `end` the n-th after `at`
    values, cuts, end = returns.values, returns.cuts, at + 2 * rule.steps
    if end > last:
        # the look ahead reaches the end of the game, and so does that of the next turn: its G is enough
        target = _onwards(rule, values[at + 2], cuts[at + 2], target)
    else:
        # the look ahead ends before: V at `end`, then back to the next turn
        target = values[end]
        for later in range(end - 2, at, -2):
            target = _onwards(rule, values[later], cuts[later], rule.discount * target)
    return rule.discount * target


@kernel_without_counts
def learn_actions(
    dynamics: Dynamics,
    rows: ValueRows,
    rule: ActionRule,
    scratch: EpisodeScratch,
    returns: Returns | None,
    episodes: Episodes,
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> int:
    """Learn from episodes until they are done or the table is full; return the number of episodes done.

    Parameters
    ----------
    dynamics
        The dynamics of every episode, with its initial state.
    rows
        The values, a column for each action (`values`), updated in place.
    rule
        The rule of the learner.
    scratch
        Scratch buffers.
    returns
        Scratch buffers for targets several steps ahead; None for one step.  Each case is compiled without the branches
        of the other: deferring the updates of one step to the end of the episode took 13 to 20 % longer.
    episodes
        The episodes of the chunk.
    stream : (1,) uint64
        Random stream of the chunk; advanced to the start of the next episode.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    longest, double = dynamics.max_plies, rule.algorithm == DOUBLE_Q
    actions, scores, lengths = scratch.actions, scratch.scores, scratch.lengths
    keys, places, taken = scratch.keys, scratch.places, scratch.taken
    now = stream[0]
    for episode in range(episodes.alphas.size):
        # a hash table that this episode might fill: the caller enlarges it and continues here
        if not has_room(rows, longest):
            stream[0] = now
            return episode
        alpha, epsilon = episodes.alphas[episode], episodes.epsilons[episode]
        # of the 2**24 values of the low bits of a word, those below this number explore
        explore_below = np.uint64(round(epsilon * 2.0**24))
        seat = 1 + (episodes.first + episode) % 2 if rule.seat == ALTERNATE else rule.seat
        lengths[:] = 0
        state, now = reset(dynamics, rule.random_opening, rule.tie, actions, now)
        mover = mover_of(dynamics, state)
        while mover >= 0:
            now, word = next_word(now)
            x = word >> _24
            # movers count from 0, seats from 1; 0: both learn
            if seat != 0 and mover + 1 != seat:
                state = opponent_step(dynamics, state, x)
            else:
                count = fill_actions(dynamics, state, actions)
                key = row_key(rows, state)
                place = find_row(rows, key)
                # scores[rank]: the value of the rank-th action in tie order
                best = fill_scores(rows, place, actions, count, rule.tie, scores)
                if (word & _MASK_24) < explore_below:
                    rank = drawn_place(x, count)
                else:
                    rank = best_place(scores, count, rule.tie, x)
                # the slot of this turn; for one step it still holds the previous turn of the mover
                at = mover if returns is None else mover + 2 * lengths[mover]
                if lengths[mover] > 0:
                    table = as_int(_0)
                    if double:
                        now, word = next_word(now)
                        table = as_int(word & _1)
                    # V of this turn
                    value = best
                    if rule.algorithm == SARSA:
                        value = scores[rank]
                    elif rule.algorithm != Q_LEARNING:
                        value = _bootstrap(rows, rule, place, actions, scores, count, best, table, epsilon)
                    if returns is None:
                        # the previous turn is updated towards V, before its slot is overwritten
                        row = insert_row(rows, places[at], keys[at])
                        update_value(rows, row, taken[at], table, rule.discount * value, alpha, rule.visit_power)
                    else:
                        returns.values[at] = value
                        returns.cuts[at] = rule.algorithm == Q_LEARNING and scores[rank] < best
                # remember the row and the action (the column) of this turn
                lengths[mover] += 1
                keys[at], places[at] = key, place
                taken[at] = ordered(actions, count, rank, rule.tie)
                state = transition(dynamics, state, taken[at])
            mover = mover_of(dynamics, state)
        status = status_of(dynamics, state)
        counts[outcome_of(status)] += 1
        for player in range(2):
            if lengths[player] > 0:
                table = as_int(_0)
                if double:
                    now, word = next_word(now)
                    table = as_int(word & _1)
                # the slot of the last turn, whose target is the reward
                last = player if returns is None else player + 2 * lengths[player] - 2
                target = rule.rewards[result_of(status, player + 1)]
                row = insert_row(rows, places[last], keys[last])
                update_value(rows, row, taken[last], table, target, alpha, rule.visit_power)
                if returns is not None:
                    # back to the first turn; `target` is G of the turn after `at` until it is that of `at`
                    for at in range(last - 2, -1, -2):
                        target = _earlier_target(rule, returns, at, last, target)
                        row = insert_row(rows, places[at], keys[at])
                        update_value(rows, row, taken[at], table, target, alpha, rule.visit_power)
    stream[0] = now
    return int(episodes.alphas.size)


class BoardRule(NamedTuple):
    """The rule of a learner of board values, as plain numbers.

    Attributes
    ----------
    seat, tie, random_opening, visit_power, discount
        As in `ActionRule`.
    o_learns
        Whether values of O are updated.
    rewards : (3, P, 2) float64
        For X's win, a draw and O's win: the rewards of X and of O, one pair for each update at the end of a game.
    num_passes : (3,) int64
        Number of updates (at most P) of each result.
    """

    seat: int
    tie: int
    random_opening: bool
    visit_power: float
    discount: float
    o_learns: bool
    rewards: NDArray[np.float64]
    num_passes: NDArray[np.int64]


@kernel_without_counts
def learn_boards(
    dynamics: Dynamics,
    rows: ValueRows,
    rule: BoardRule,
    scratch: EpisodeScratch,
    episodes: Episodes,
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> int:
    """Learn from games until they are done or the table is full; return the number of games done.

    Parameters
    ----------
    dynamics
        The dynamics of every game, with its initial state.
    rows
        The values, one in each row (`values`), updated in place.
    rule
        The rule of the learner.
    scratch
        Scratch buffers.
    episodes
        The games of the chunk.
    stream : (1,) uint64
        Random stream of the chunk; advanced to the start of the next game.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    # keys[i] and slots[i] are of the board after ply i, which is a move of X if i is even
    longest, actions, scores = dynamics.max_plies, scratch.actions, scratch.scores
    keys, slots = scratch.keys, scratch.places
    rewards, num_passes = rule.rewards, rule.num_passes
    # `opened` plies begin a game and are not learned from; `only` is the number of the only column and the only table
    opened, only = int(rule.random_opening), as_int(_0)  # a literal 0 would be a signature of its own
    now = stream[0]
    for game in range(episodes.alphas.size):
        if not has_room(rows, longest):
            stream[0] = now
            return game
        # of the 2**24 values of the low bits of a word, those below this number explore
        explore_below = np.uint64(round(episodes.epsilons[game] * 2.0**24))
        seat = 1 + (episodes.first + game) % 2 if rule.seat == ALTERNATE else rule.seat
        state, now = reset(dynamics, rule.random_opening, rule.tie, actions, now)
        length, status = opened, status_of(dynamics, state)
        while status == ONGOING:
            now, word = next_word(now)
            x = word >> _24
            # the seat to move is 1 + (length & 1)
            if seat != 0 and 1 + (length & 1) != seat:
                state = opponent_step(dynamics, state, x)
            else:
                count = fill_actions(dynamics, state, actions)
                if (word & _MASK_24) < explore_below:
                    place = drawn_place(x, count)
                else:
                    for number in range(count):
                        # scores[number]: the board after the action of this place in tie order
                        after = transition(dynamics, state, ordered(actions, count, number, rule.tie))
                        scores[number] = value_at(rows, find_row(rows, row_key(rows, after)), only, only)
                    place = best_place(scores, count, rule.tie, x)
                state = transition(dynamics, state, ordered(actions, count, place, rule.tie))
                keys[length] = row_key(rows, state)
                # looked up now, so that the next ply does not wait for it, and the update finds it in the cache
                slots[length] = find_row(rows, keys[length])
            length += 1
            status = status_of(dynamics, state)
        result = outcome_of(status)
        counts[result] += 1
        for turn in range(num_passes[result]):
            target = rewards[result, turn, (length - 1) & 1]  # of the player of the last move
            other = rewards[result, turn, length & 1]
            # one ply back, the other player has moved: the two targets change places
            for i in range(length - 1, opened - 1, -1):
                if (seat == 0 or 1 + (i & 1) == seat) and (rule.o_learns or i & 1 == 0):
                    slots[i] = insert_row(rows, slots[i], keys[i])
                    target = update_value(
                        rows, slots[i], only, only, rule.discount * target, episodes.alphas[game], rule.visit_power
                    )
                target, other = other, target
    stream[0] = now
    return int(episodes.alphas.size)
