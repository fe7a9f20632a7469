"""Labelled positions of Ultimate, from games that a Monte Carlo tree search plays against itself.

Games begin with random plies, and occasional later plies are random, so that no two games are alike.  A position has
two labels, both for the player to move: the value of its search, and the result of its game.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.td.ultimate.fit import Labels
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.rng import below, mix64, next_word
from ttt_fast.games import api
from ttt_fast.games.ultimate.rules import UltimateState
from ttt_fast.search.mcts.backup import MctsSettings, value_of
from ttt_fast.search.mcts.simulate import simulate
from ttt_fast.search.mcts.tree import ROOT_INDEX, Tree, clear_node
from ttt_fast.values.evaluators import Evaluator
from ttt_fast.values.ultimate.network import NUM_SLOTS, PatternTables, fill_patterns


class LabelPlan(NamedTuple):
    """Settings of the games.

    Attributes
    ----------
    simulations
        Simulations per move.
    least_opening, most_opening
        Range of the number of random plies at the beginning of a game.
    randomness
        Probability that a later move is random, in units of 2**-32.
    """

    simulations: int
    least_opening: int
    most_opening: int
    randomness: int


@inlined_kernel
def _best_child(tree: Tree, mover: int) -> tuple[int, float]:
    """Return the row and value of the root's child that `mover` plays: proved wins, then most visits, then losses."""
    first = as_int(tree.first_child[ROOT_INDEX])
    best, most, value = first, as_int(-2), 0.0
    for child in range(first, first + as_int(tree.num_visited[ROOT_INDEX])):
        result, visits = as_int(tree.result[child]), as_int(tree.visits[child])
        worth = 2.0 * tree.mean[child] - 1.0
        if result != api.ONGOING:
            worth = value_of(result, mover)
            if result == mover:
                visits = as_int(1 << 60)
            elif result != api.DRAW:
                visits = as_int(-1)
        if visits > most:
            best, most, value = child, visits, worth
    return best, value


@kernel
def play_games(
    start: UltimateState, games: int, plan: LabelPlan, tree: Tree, settings: MctsSettings, stream: np.uint64,
    path: NDArray[np.int32], evaluator: Evaluator, tables: PatternTables, labels: Labels,
) -> int:  # fmt: skip
    """Play games and write their searched positions into `labels`, with room for 81 a game; return their number."""
    count = as_int(0)
    for _ in range(games):
        first, state = count, start
        stream, word = next_word(stream)
        left = plan.least_opening + below(word, plan.most_opening - plan.least_opening + 1)
        result = as_int(api.ONGOING)
        while result == api.ONGOING:
            stream, word = next_word(stream)
            action = as_int(api.random_action(state, mix64(word)))
            if left <= 0:
                clear_node(tree, ROOT_INDEX, api.ONGOING)
                tree.used[0] = 1
                _, stream = simulate(state, tree, settings, plan.simulations, stream, path, evaluator)
                child, value = _best_child(tree, api.player(state))
                fill_patterns(state, tables, labels.patterns, NUM_SLOTS * count)
                labels.values[count] = value
                labels.results[count] = api.player(state)
                count += 1
                if as_int(word >> np.uint64(32)) >= plan.randomness:
                    action = as_int(tree.action[child])
            left -= 1
            state = api.play(state, action)
            result = as_int(api.status(state))
        for position in range(first, count):
            labels.results[position] = value_of(result, as_int(labels.results[position]))
    return count
