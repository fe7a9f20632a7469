"""Players that are greedy in learned values, with the learner's rule for ties, in any game."""

import os
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents import proven
from ttt_fast.core.archive import read_meta
from ttt_fast.core.errors import AgentError
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.search.one_ply import choose_action
from ttt_fast.search.player import DrawingPlayer, Player, SearchResult
from ttt_fast.search.ultimate_evaluator import ultimate_evaluator
from ttt_fast.values.choice import TIES, choose_greedy
from ttt_fast.values.files import LearnedFile, form_of, shared_learned
from ttt_fast.values.hashed import HashTable
from ttt_fast.values.inputs import fill_inputs, num_planes
from ttt_fast.values.layers import forward
from ttt_fast.values.learned_network import NetworkValues
from ttt_fast.values.learned_ultimate import UltimateValues
from ttt_fast.values.ntuples import NTupleValues
from ttt_fast.values.proven_files import PROVEN_KIND


class LearnedPlayer(DrawingPlayer):
    """Plays the action of the highest value.

    Parameters
    ----------
    name
        Its agent string.
    learned
        The learned values; many players may share them.
    epsilon
        Probability of a random legal action instead.
    """

    def __init__(self, name: str, learned: LearnedFile, epsilon: Fraction = Fraction(0)) -> None:
        super().__init__(name)
        self.epsilon, self.learned = float(epsilon), learned

    @property
    def memory_bytes(self) -> int:
        """Bytes of the values."""
        return self.learned.values.memory_bytes

    def search(self, state: api.GameState) -> SearchResult:
        """Return the greedy action and its value, in units of the rewards."""
        if self.epsilon > 0 and self._words.share() < self.epsilon:
            return SearchResult(int(api.random_action(state, self._words.word())), float("nan"), 1)
        return self.greedy(state)

    def greedy(self, state: api.GameState) -> SearchResult:
        """Return the action of the highest value, with it."""
        raise NotImplementedError

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the value of each legal action that is known, in units of the rewards."""
        raise NotImplementedError


class HashedPlayer(LearnedPlayer):
    """Plays by a hash table.  With two tables (double Q-learning), the value is their mean."""

    def __init__(self, name: str, learned: LearnedFile, epsilon: Fraction = Fraction(0)) -> None:
        super().__init__(name, learned, epsilon)
        assert isinstance(learned.values, HashTable)
        self._table, self._by_board, self._tie = learned.values, learned.by_board, TIES[learned.tie]
        num_actions = learned.game.num_actions
        self._actions, self._scores = np.empty(num_actions, np.uint8), np.empty(num_actions)

    def greedy(self, state: api.GameState) -> SearchResult:
        """Return the action of the highest value, with it."""
        work = self._actions, self._scores, self._words.word()
        action, value, count = choose_greedy(state, self._table.rows, self._by_board, self._tie, *work)
        return SearchResult(int(action), float(value) / self._table.num_tables, int(count))

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the value of each legal action that the table knows, in units of the rewards."""
        actions = api.legal_actions(state)
        if self._by_board:
            keys = [api.state_key(api.play(state, action)) for action in actions]
            values, known = self._table.look_up(np.array(keys, np.uint64))
            return {action: float(values[place, 0]) for place, action in enumerate(actions) if known[place]}
        values, known = self._table.look_up(np.array([api.state_key(state)], np.uint64))
        mean = values[0].reshape(self._table.num_tables, -1).mean(axis=0)
        return {action: float(mean[action]) for action in actions if known[0]}


class NetworkPlayer(LearnedPlayer):
    """Plays by a network; ties go to the first action."""

    def __init__(self, name: str, learned: LearnedFile, epsilon: Fraction = Fraction(0)) -> None:
        super().__init__(name, learned, epsilon)
        assert isinstance(learned.values, NetworkValues)
        self._network, self._as_marks = learned.values.network, learned.values.as_marks
        planes, sizes = num_planes(learned.game.initial_state), self._network.sizes
        self._planes, self._marks = np.zeros(planes, np.float32), np.zeros(planes, np.int8)
        self._inputs, self._outputs = np.zeros(sizes[0], np.float32), np.zeros(sizes[-1], np.float32)
        self._work = self._network.work(1)

    def greedy(self, state: api.GameState) -> SearchResult:
        """Return the action of the highest value, with it."""
        values = self.action_values(state)
        action = max(values, key=values.__getitem__)
        return SearchResult(action, values[action], len(values))

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the value of each legal action, in units of the rewards."""
        outputs = self.outputs(state)
        return {action: float(outputs[action]) for action in api.legal_actions(state)}

    def outputs(self, state: api.GameState) -> NDArray[np.float32]:
        """Return the value of each action, legal or not, (A,) float32, which the next call overwrites."""
        fill_inputs(state, self._as_marks, self._planes, self._marks)
        self._inputs[:] = self._marks[: self._inputs.size]
        forward(self._network.layers, self._inputs, 1, self._work, self._outputs)
        return self._outputs


class NTuplePlayer(LearnedPlayer):
    """Plays Connect 4 by n-tuple tables: the move that leads to the board of the highest value."""

    def __init__(self, name: str, learned: LearnedFile, epsilon: Fraction = Fraction(0)) -> None:
        super().__init__(name, learned, epsilon)
        assert isinstance(learned.values, NTupleValues)
        self._values, self._tie = learned.values, TIES[learned.tie]

    def greedy(self, state: api.GameState) -> SearchResult:
        """Return the action of the highest value, with it."""
        return SearchResult(*self._values.choose(state, self._tie, self._words.word() >> np.uint64(24))[0])

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the value of each legal action, from -1 to 1."""
        return self._values.action_values(state)


class OnePlyPlayer(LearnedPlayer):
    """Plays Ultimate by its network: the move that leads to the position of the highest value."""

    def __init__(self, name: str, learned: LearnedFile, epsilon: Fraction = Fraction(0)) -> None:
        super().__init__(name, learned, epsilon)
        assert isinstance(learned.values, UltimateValues)
        self._evaluator, self._tie = ultimate_evaluator(learned.values.network), TIES[learned.tie]
        self._scores = np.empty(learned.game.num_actions)

    def greedy(self, state: api.GameState) -> SearchResult:
        """Return the action of the highest value, with it."""
        return SearchResult(*choose_action(self._evaluator, state, self._tie, self._words.word(), self._scores))

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the value of each legal action, from -1 to 1."""
        self.greedy(state)
        return {action: float(self._scores[action]) for action in api.legal_actions(state)}


PLAYERS: Mapping[str, type[LearnedPlayer]] = {
    HashTable.form: HashedPlayer,
    NetworkValues.form: NetworkPlayer,
    NTupleValues.form: NTuplePlayer,
    UltimateValues.form: OnePlyPlayer,
}
"""The players by the form of the values; values over a table of states make a policy instead."""


def player_from(name: str, learned: LearnedFile, epsilon: Fraction = Fraction(0)) -> LearnedPlayer:
    """Return a new player of learned values, for one thread."""
    form = learned.values.form
    if form not in PLAYERS:
        raise TypeError(f"expected learned values that a player can use, got values of the form {form!r}")
    return PLAYERS[form](name, learned, epsilon)


def load_player(name: str, path: str | os.PathLike[str], game: Game, epsilon: Fraction = Fraction(0)) -> Player:
    """Return the player of a file of learned values or proven weights; the players of all threads share them.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged, or has another format or a newer version.
    AgentError
        If the values were learned on another game, or proven weights are to explore.
    """
    if read_meta(path).get("kind") == PROVEN_KIND:
        if epsilon > 0:
            raise AgentError(f"expected no eps= for the proven player of a file, got {name!r}")
        return proven.proven_player(name, path, game)
    if form_of(path) not in ("", *PLAYERS):
        raise AgentError(f"expected a player of {game.spec}, got {name!r}, which plays a game with a state table")
    learned = shared_learned(path)
    if game not in learned.games:
        known = " and ".join(one.spec for one in learned.games)
        raise AgentError(f"expected a player of {game.spec}, got {name!r}, which was trained on {known}")
    return player_from(name, learned, epsilon)
