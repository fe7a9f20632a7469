"""Fictitious play over the table of a game: each seat responds to the average of all earlier play of the other.

An episode is an iteration.  Both seats simultaneously compute the exact best response to the other's average policy
(the lowest of equally good actions).  Each response is added to the average of its seat.  Averages are behavioural,
weighted by a response's own probability of reaching a state (J. Heinrich, M. Lanctot and D. Silver, "Fictitious
Self-Play in Extensive-Form Games", ICML 2015, section 3).  A response is deterministic: its weight is 1 in states that
its own moves can reach, otherwise 0.  The stored data are therefore a count for each action, and the average policy is
proportional to the counts, as exact fractions.  It is uniform in a state without a count, as everywhere in the first
iteration.

All histories that lead to a state share it.  A response counts once in each state, and the average is a policy over
states.  In a game that is not a tree, it need not be the mixture of the responses.  Exploitability in the curve is that
of the average.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.learner import Learner
from ttt_fast.algorithms.measures import Measures
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import exploitability, states_in_play
from ttt_fast.games.results import Seat
from ttt_fast.policies.arrays import counted_policy
from ttt_fast.policies.best_response import best_response_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.values.dense import EdgeValues


class FictitiousPlayLearner(Learner):
    """Fictitious play, which counts the actions of best responses.

    Parameters
    ----------
    config, opponents
        The settings of the run, and no policies.
    before, counts
        The counts of actions so far, and the counts (3,) int64 of games; no games are played.
    """

    def __init__(
        self, config: LearningTask, opponents: Sequence[Policy], before: EdgeValues, counts: NDArray[np.int64]
    ) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        self._response_counts = before.updates.copy()

    def run_chunks(self, first: int, end: int) -> None:
        """Do the iterations of the chunks `first` to `end - 1`."""
        table, edge_state = self.table, self.table.edge_state
        for _ in range(self.config.episodes_after(first), self.config.episodes_after(end)):
            response = best_response_policy(counted_policy(table, self._response_counts))
            for seat in Seat:
                counted = states_in_play(response, seat) & (table.player == seat)
                self._response_counts += counted[edge_state] & (response.edge_probabilities > 0)
            check_interrupt()

    def edge_values(self) -> NDArray[np.float64]:
        """Return the counts of the actions, (E,) float64, to which the average policy is proportional."""
        return self._response_counts.astype(np.float64)

    def values(self) -> EdgeValues:
        """Return a copy of the counts, as values and as numbers of updates."""
        return EdgeValues(self.table, self.edge_values()[None], self._response_counts.copy())


class PolicyMeasures(Measures):
    """Exact measures of the average policy; agreement and changes are those of its most frequent actions."""

    @property
    def columns(self) -> list[str]:
        """Names of the measures: those of `Measures` without `rms_error`."""
        return super().columns[:-1]

    def __call__(self, q: NDArray[np.float64], greedy: NDArray[np.int32] | None = None) -> NDArray[np.float64]:
        """Return a row of measures, (K,) float64, of the average policy of counts `q` (E,)."""
        policy, row = counted_policy(self.table, q), []
        for judge in self.judges:
            for seat in self.seats:
                x, o = (policy, judge) if seat == Seat.X else (judge, policy)
                outcome = exact_outcome(x, o)
                row += [outcome.x_wins, outcome.draws, outcome.o_wins][:: 1 if seat == Seat.X else -1]
        before = self.first_greedy() if greedy is None else greedy
        chosen = self.table.first_best_edges(q)
        own, counted = self.game.own, self.game.counted
        changed = np.count_nonzero(chosen[own] != before[own])
        before[own] = chosen[own]
        return np.array([*row, exploitability(policy), self.game.keeps_value[chosen[counted]].mean(), changed])

    def rows(self, number: int) -> NDArray[np.float64]:
        """Return an array for rows of measures, (number, K) float64."""
        return np.empty((number, len(self.columns)))
