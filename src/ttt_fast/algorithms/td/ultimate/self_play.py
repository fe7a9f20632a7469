"""Games of Ultimate in self-play of a network that looks one ply ahead, and the positions from which it learns.

Moves, targets and draws are those of `algorithms.td.kernels`.  The position of a random move is not learned from.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.td.kernels import TdRule, make_record, play_game
from ttt_fast.algorithms.td.ultimate.fit import Labels
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.ultimate.rules import UltimateState
from ttt_fast.values.ultimate.evaluator import UltimateEvaluator
from ttt_fast.values.ultimate.network import NUM_SLOTS, PatternTables, fill_patterns


@kernel
def play_games(
    evaluator: UltimateEvaluator,
    start: UltimateState,
    rule: TdRule,
    epsilons: NDArray[np.float64],
    stream: np.uint64,
    tables: PatternTables,
    labels: Labels,
    counts: NDArray[np.int64],
) -> int:
    """Play games and write the positions of chosen moves, in the order of play; return their number.

    Parameters
    ----------
    evaluator
        The network.
    start
        The empty board.
    rule
        The rule of the run.
    epsilons : (G,) float64
        Exploration of each game.
    stream
        Random stream of all games.
    tables
        The pattern tables.
    labels
        Output, with room for 81 positions a game: patterns, V(t) as `values`, and G(t) as `results`.
    counts : (3,) int64
        Games that X won, drew and lost; incremented.
    """
    record, total = make_record(start), as_int(0)
    for game in range(epsilons.size):
        epsilon = epsilons[game]
        length, stream = play_game(evaluator, start, rule, rule.max_opening, epsilon, stream, record, counts)
        state = start
        for t in range(length):
            if not record.is_drawn[t]:
                fill_patterns(state, tables, labels.patterns, NUM_SLOTS * total)
                labels.values[total], labels.results[total] = record.values[t], record.targets[t]
                total += 1
            state = api.play(state, as_int(record.taken[t]))
    return total
