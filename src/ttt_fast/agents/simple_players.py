"""Players without a search: uniformly random, one that sees wins in one move, and any table of tic-tac-toe."""

from fractions import Fraction
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import Stream
from ttt_fast.games import api, tic_tac_toe
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import Thought
from ttt_fast.tables import standard_table


class RandomPlayer:
    """Draws uniformly from the legal actions."""

    memory_bytes = 0

    def __init__(self, name: str) -> None:
        self.name = name
        self._words = Stream(np.uint64(0))

    def begin(self, stream: np.uint64) -> None:
        """Draw from `stream` from now on."""
        self._words = Stream(stream)

    def think(self, state: Any) -> Thought:
        """Return any legal action."""
        return Thought(int(api.random_action(state, self._words.word())), nan, 1)

    def probabilities(self, state: Any) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64."""
        return _uniform(state)


class DefaultPlayer:
    """Sai's default opponent in any game: wins if it can, else blocks, else moves at random.

    Parameters
    ----------
    name
        Its agent string.
    skill
        Chance that it looks for a win, and again for a block: 1 as described, 0.01 as its code does.
    """

    memory_bytes = 0

    def __init__(self, name: str, skill: Fraction) -> None:
        self.name, self.skill = name, float(skill)
        self._words = Stream(np.uint64(0))

    def begin(self, stream: np.uint64) -> None:
        """Draw from `stream` from now on."""
        self._words = Stream(stream)

    def think(self, state: Any) -> Thought:
        """Return a winning action, else a blocking one, else any."""
        for find in (api.winning_action, api.threat_action):
            action = int(find(state))
            if action != api.NO_ACTION and api.is_legal(state, action) and self._words.share() < self.skill:
                return Thought(action, nan, 1)
        return Thought(int(api.random_action(state, self._words.word())), nan, 1)

    def probabilities(self, state: Any) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64."""
        row, left = np.zeros(api.num_actions(state)), 1.0
        for find in (api.winning_action, api.threat_action):
            action = int(find(state))
            if action != api.NO_ACTION and api.is_legal(state, action):
                row[action] += left * self.skill
                left *= 1 - self.skill
        return row + left * _uniform(state)


def _uniform(state: Any) -> NDArray[np.float64]:
    """Return the same probability for each legal action of an ongoing state, (A,) float64."""
    row, legal = np.zeros(api.num_actions(state)), api.legal_actions(state)
    row[legal] = 1 / len(legal)
    return row


class PolicyPlayer:
    """Plays tic-tac-toe as a table of probabilities says."""

    def __init__(self, policy: Policy) -> None:
        self.name, self.policy, self._table = policy.name, policy, standard_table()
        self._words = Stream(np.uint64(0))

    @property
    def memory_bytes(self) -> int:
        """Bytes of the table."""
        return int(self.policy.probabilities.nbytes)

    def begin(self, stream: np.uint64) -> None:
        """Draw from `stream` from now on."""
        self._words = Stream(stream)

    def think(self, state: Any) -> Thought:
        """Return an action with its probability in this state."""
        row = self.probabilities(state)
        action = int(np.searchsorted(np.cumsum(row), self._words.share(), side="right"))
        legal = np.flatnonzero(row)
        return Thought(action if action in legal else int(legal[-1]), nan, 1)

    def probabilities(self, state: Any) -> NDArray[np.float64]:
        """Return the probability of each action in a state, (A,) float64."""
        index = self._table.state_index(tic_tac_toe.format_position(state))
        return np.asarray(self.policy.probabilities[index])
