"""Planning: exact passes over the table of a game, without random draws.

**Value iteration and policy iteration.**  An episode is a sweep over all states.  Only the action values are stored, so
that a run can continue from its file (R. S. Sutton and A. G. Barto, "Reinforcement Learning", 2nd ed., 2018).

* **Value iteration** (section 4.4) is synchronous: new values follow from those before the sweep, by the best action of
  the next own turn.  They are exact, with the bits of `exact_q`, after as many sweeps as a player has turns (in
  self-play, as the game has plies).
* **Policy iteration** (section 4.3) evaluates the greedy policy of the values in one pass from the last state to the
  first; ties go to the first action.  In self-play both seats are evaluated and improved together (M. A. Pollatschek
  and B. Avi-Itzhak, Management Science 15, 1969).  This terminates here, since no state recurs.  The limit also has the
  bits of `exact_q`.

**Fictitious play.**  Each seat responds to the average of all earlier play of the other.

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
from ttt_fast.evaluate.exact_q import back_up, problem_of
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import exploitability, states_in_play
from ttt_fast.games.results import Seat
from ttt_fast.policies.arrays import counted_policy
from ttt_fast.policies.best_response import best_response_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.values.dense import EdgeValues


class ValueIterationLearner(Learner):
    """Sweeps over the states of a game.

    Parameters
    ----------
    config, opponents
        The settings of the run, and the policies of its stages.
    before, counts
        The values so far, and the counts (3,) int64 of games; no games are played.
    """

    evaluates = False
    """Whether a sweep evaluates the greedy policy, which it then improves."""

    def __init__(
        self, config: LearningTask, opponents: Sequence[Policy], before: EdgeValues, counts: NDArray[np.int64]
    ) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        rule = config.settings.rewards, config.settings.discount, config.seats
        rivals: Sequence[Policy | None] = opponents or [None]
        self.problems = [problem_of(self.table, rival, *rule) for rival in rivals]
        self._own = np.isin(self.table.player, config.seats)[self.table.edge_state]
        self._q, self._updates = before.tables[0].copy(), before.updates.copy()
        self._best = self.table.first_best_edges(self._q)
        self._of_x, self._of_o = np.zeros((2, self.table.num_states))

    def run_chunks(self, first: int, end: int) -> None:
        """Do the sweeps of the chunks `first` to `end - 1`."""
        for chunk in range(first, end):
            problem = self.problems[self.config.stage_of(chunk)]
            sweeps = self.config.episodes_after(chunk + 1) - self.config.episodes_after(chunk)
            for _ in range(sweeps):
                back_up(problem, self._q, self._best, self._of_x, self._of_o, not self.evaluates, not self.evaluates)
                if self.evaluates:
                    self._best = self.table.first_best_edges(self._q)
                check_interrupt()
            self._updates[self._own] += sweeps

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values of the actions, (E,) float64; 0 for seats that do not learn."""
        return np.where(self._own, self._q, 0.0)

    def values(self) -> EdgeValues:
        """Return a copy of the values; the number of updates of each action is the number of sweeps."""
        return EdgeValues(self.table, self.edge_values()[None], self._updates.copy())


class PolicyIterationLearner(ValueIterationLearner):
    """Policy iteration."""

    evaluates = True


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
