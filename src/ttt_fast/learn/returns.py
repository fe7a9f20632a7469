"""The kernel of targets that look more than one step ahead: Monte Carlo control, n-step methods, lambda-returns.

An episode is played to its end.  Then each action of a player is updated towards its return G.  With t and k counting
the player's own turns (replies are part of the environment):

    G(t) = the reward after the last turn, and gamma * U(t + 1) before it
    U(k) = V(k) where the look ahead ends: n turns after t, or at a cut
    U(k) = (1 - lambda) * V(k) + lambda * G(k) before that

V(k) is the value of the state at turn k: of the action taken there (SARSA), the mean over the epsilon-greedy policy
(expected SARSA), or the maximum.  With the maximum, an action of lower value is a cut.  This is truncated TD(lambda) of
R. S. Sutton and A. G. Barto, "Reinforcement Learning" (2nd ed., 2018), section 12.3, with these cases:

* `monte-carlo` (5.4): all turns, lambda 1; G is the discounted reward.  Epsilon-greedy, any step size;
* `n-step-sarsa`, `n-step-expected-sarsa` (7.2): n turns, lambda 1;
* `n-step-tree-backup` (7.5), for a greedy target policy: the maximum, n turns, lambda 1;
* `sarsa-lambda` (12.7): all turns; `q-lambda` (12.10), Watkins's: the maximum, all turns.

Since no state recurs in an episode, first and every visit are equivalent, and so are accumulating and replacing traces.
These updates at the end also equal the online ones of the textbook: no value of a state changes from its visit to the
end of the episode.  With n = 1 or lambda = 0 the bits are those of `sarsa`, `expected-sarsa` and `q` in `general`.
With lambda = 1, or n at least the turns of a game, (expected) SARSA has the bits of `monte-carlo`.

Draws are those of `general`: one word for each ply.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.rng import next_word
from ttt_fast.games.results import outcome_of, result_of
from ttt_fast.learn.general import EXPECTED_SARSA, Q_LEARNING, SARSA, Rule, bootstrap
from ttt_fast.learn.learner import Episodes
from ttt_fast.learn.settings import ALTERNATE
from ttt_fast.learn.worlds import World, fill_actions, move, reply, status_of, turn_of
from ttt_fast.values.api import ValueRows, fill_scores, find_row, has_room, hold_row, mark_of, move_towards
from ttt_fast.values.choice import best_place, drawn_place, ordered

_MASK_24 = np.uint64((1 << 24) - 1)
_0, _24 = np.uint64(0), np.uint64(24)
WHOLE_EPISODE = 1 << 30
"""Value of n for whole episodes: more turns than a game has."""


@inlined_kernel
def _onwards(rule: Rule, value: float, cuts: bool, target: float) -> float:
    """Return U of a turn from its V and G."""
    return value if cuts else (1.0 - rule.trace_decay) * value + rule.trace_decay * target


@inlined_kernel
def _fill_targets(
    rule: Rule,
    reward: float,
    last: int,
    ahead: NDArray[np.float64],
    cuts: NDArray[np.bool_],
    targets: NDArray[np.float64],
) -> None:
    """Fill the targets (N,) of a player's turns up to `last` from V (N,) and the cuts (N,)."""
    for turn in range(last, -1, -1):
        end = turn + rule.steps
        if turn == last:
            targets[turn] = reward
        elif end > last:
            targets[turn] = rule.discount * _onwards(rule, ahead[turn + 1], cuts[turn + 1], targets[turn + 1])
        else:
            worth = ahead[end]
            for later in range(end - 1, turn, -1):
                worth = _onwards(rule, ahead[later], cuts[later], rule.discount * worth)
            targets[turn] = rule.discount * worth


@kernel
def learn_returns(
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
    longest, only = world.max_plies, as_int(_0)
    actions, scores = np.arange(world.num_actions).astype(np.uint8), np.empty(world.num_actions)
    marks, places = np.empty((2, longest), np.uint64), np.empty((2, longest), np.uint64)
    taken, lengths = np.empty((2, longest), np.int64), np.zeros(2, np.int64)  # by player and turn, as those below
    ahead, cuts, targets = np.empty((2, longest)), np.empty((2, longest), np.bool_), np.empty(longest)
    now = stream[0]
    for episode in range(episodes.alphas.size):
        if not has_room(rows, longest):
            stream[0] = now
            return episode
        alpha, epsilon = episodes.alphas[episode], episodes.epsilons[episode]
        explore_below = np.uint64(round(epsilon * 2.0**24))
        seat = 1 + (episodes.first + episode) % 2 if rule.seat == ALTERNATE else rule.seat
        lengths[:] = 0
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
                turn = lengths[mover]
                lengths[mover] += 1
                count = fill_actions(world, state, actions)
                marks[mover, turn] = mark_of(rows, state)
                place = find_row(rows, marks[mover, turn])
                best = fill_scores(rows, place, actions, count, rule.tie, scores)
                if (word & _MASK_24) < explore_below:
                    rank = drawn_place(x, count)
                else:
                    rank = best_place(scores, count, rule.tie, x)
                value = best
                if rule.algorithm == SARSA:
                    value = scores[rank]
                elif rule.algorithm == EXPECTED_SARSA:
                    value = bootstrap(rows, rule, place, actions, scores, count, best, only, epsilon)
                places[mover, turn], ahead[mover, turn] = place, value
                cuts[mover, turn] = rule.algorithm == Q_LEARNING and scores[rank] < best
                taken[mover, turn] = ordered(actions, count, rank, rule.tie)
                state = move(world, state, taken[mover, turn])
            mover = turn_of(world, state)
        status = status_of(world, state)
        counts[outcome_of(status)] += 1
        for player in range(2):
            last = lengths[player] - 1
            reward = rule.rewards[result_of(status, player + 1)]
            _fill_targets(rule, reward, last, ahead[player], cuts[player], targets)
            for turn in range(last, -1, -1):
                held = hold_row(rows, places[player, turn], marks[player, turn])
                move_towards(rows, held, taken[player, turn], only, targets[turn], alpha, rule.visit_power)
    stream[0] = now
    return int(episodes.alphas.size)
