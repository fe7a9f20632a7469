"""REINFORCE in self-play, an algorithm of our own: its settings, its kernel, its learner and its record.

    python reinforce.py train --algorithm reinforce -o r.npz
    python reinforce.py sweep --set algorithm=reinforce --set floor=0,0.3 --seeds 10 -o runs

A policy has a number theta for each legal action.  It plays action a with probability p(a) = (1 - f) * s(a) + f / n,
where s is the softmax of theta over the n legal actions and f is the exploration floor.  At the end of a game with
result G for a player, each of its moves a changes the numbers of its state by alpha * G * d log p(a) / d theta
(R. J. Williams, "Simple statistical gradient-following algorithms", Machine Learning 8, 1992).
"""

from dataclasses import dataclass
from math import exp
from typing import ClassVar, NamedTuple

import numpy as np

import ttt_fast
from ttt_fast.kernels import kernel, next_word
from ttt_fast.learners import Algorithm, AlgorithmSettings, EdgeValues, Learner, add_algorithm, chunks_of, settings


@dataclass(frozen=True)
class ReinforceSettings(AlgorithmSettings):
    """The settings of REINFORCE: its defaults of common settings, and a setting of its own."""

    usual: ClassVar = {"opponent": "self", "episodes": "1M", "step_size": "linear:0.5,0.05"}
    floor: float = settings.number(0.0, 1.0, "probability of a uniformly random move", "0.3")


class Table(NamedTuple):
    """The arrays of a game: S states and E edges (legal actions)."""

    edge_start: np.ndarray  # (S + 1,) int32: the first edge of each state
    edge_child: np.ndarray  # (E,) int32
    status: np.ndarray  # (S,) int8: 0 ongoing, 1 X won, 2 O won, 3 draw
    player: np.ndarray  # (S,) int8: 1 X, 2 O


class Game(NamedTuple):
    """The moves of a game."""

    states: np.ndarray  # (P,) int64
    edges: np.ndarray  # (P,) int64: the edges played
    softmax: np.ndarray  # (P, A) float64: that of each state


@kernel
def fill_softmax(theta, begin, end, out):
    """Fill `out` with the softmax of the edges `begin` to `end - 1`."""
    top, total = theta[begin:end].max(), 0.0
    for edge in range(begin, end):
        out[edge - begin] = exp(theta[edge] - top)
        total += out[edge - begin]
    out[: end - begin] /= total


@kernel
def learn_games(table, theta, visits, floor, alpha, games, stream, game, counts):
    """Learn from games of self-play; counts (3,) are those that X won, drew and lost."""
    for _ in range(games):
        state, plies = 0, 0
        while table.status[state] == 0:
            begin, end = table.edge_start[state], table.edge_start[state + 1]
            fill_softmax(theta, begin, end, game.softmax[plies])
            stream, word = next_word(stream)
            left, edge = (word >> np.uint64(11)) * 2.0**-53, begin  # uniform in [0, 1)
            while edge < end - 1:
                left -= (1 - floor) * game.softmax[plies, edge - begin] + floor / (end - begin)
                if left < 0:
                    break
                edge += 1
            game.states[plies], game.edges[plies] = state, edge
            state, plies = table.edge_child[edge], plies + 1
        result = 1 if table.status[state] == 1 else -1 if table.status[state] == 2 else 0
        counts[1 - result] += 1
        for ply in range(plies):
            state, edge = game.states[ply], game.edges[ply]
            begin, end = table.edge_start[state], table.edge_start[state + 1]
            played = (1 - floor) * game.softmax[ply, edge - begin]
            sign = result if table.player[state] == 1 else -result
            step = alpha * sign * played / (played + floor / (end - begin))
            visits[edge] += 1
            for place in range(end - begin):
                theta[begin + place] += step * ((begin + place == edge) - game.softmax[ply, place])


def first_values(config):
    """Return the numbers before the first game: zeros, hence the uniform policy."""
    table = ttt_fast.table_of(config.game)
    return EdgeValues(table, np.zeros((1, table.num_edges)), np.zeros(table.num_edges, np.int64))


class ReinforceLearner(Learner):
    """REINFORCE; greedy play takes the action of the largest number."""

    def __init__(self, config, opponents, before, counts):
        self.config, self.counts, self.table = config, counts, before.table
        self.theta, self.visits = before.q.copy(), before.updates.copy()
        self.arrays = Table(*(getattr(self.table, name) for name in Table._fields))
        plies = self.table.num_plies + 1
        self.game = Game(*np.zeros((2, plies), np.int64), np.zeros((plies, self.table.num_actions)))

    def run_chunks(self, first, end):
        """Learn from chunks of games, each with a random stream and a step size of its own."""
        for games, alpha, _, stream in zip(*chunks_of(self.config, first, end), strict=True):
            rule = self.config.settings.floor, alpha, games, stream
            learn_games(self.arrays, self.theta, self.visits, *rule, self.game, self.counts)

    def edge_values(self):
        """Return the numbers on which greedy play acts, (E,) float64."""
        return self.theta

    def values(self):
        """Return a copy of what has been learned, in the form of a file."""
        return EdgeValues(self.table, self.theta[None].copy(), self.visits.copy())


record = Algorithm(
    name="reinforce", summary="policy gradients in self-play", settings=ReinforceSettings, uses=("step_size",),
    requires=("table", "self-play"), first_values=first_values, learner=ReinforceLearner,
)  # fmt: skip
add_algorithm(record)

if __name__ == "__main__":
    from ttt_fast.cli.main import main

    main()
