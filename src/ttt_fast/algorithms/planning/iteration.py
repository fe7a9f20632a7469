"""Value iteration and policy iteration over the table of a game: exact sweeps, without random draws.

An episode is a sweep over all states.  Only the action values are stored, so that a run can continue from its file
(R. S. Sutton and A. G. Barto, "Reinforcement Learning", 2nd ed., 2018).

* **Value iteration** (section 4.4) is synchronous: new values follow from those before the sweep, by the best action of
  the next own turn.  They are exact, with the bits of `exact_q`, after as many sweeps as a player has turns (in
  self-play, as the game has plies).
* **Policy iteration** (section 4.3) evaluates the greedy policy of the values in one pass from the last state to the
  first; ties go to the first action.  In self-play both seats are evaluated and improved together (M. A. Pollatschek
  and B. Avi-Itzhak, Management Science 15, 1969).  This terminates here, since no state recurs.  The limit also has the
  bits of `exact_q`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.learner import Learner
from ttt_fast.evaluate.exact_q import back_up, problem_of
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
