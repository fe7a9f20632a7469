"""A player of any game by the values of a hash table: greedy, with the learner's rule for ties."""

import os
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ttt_fast.core.errors import AgentError
from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.search.player import DrawingPlayer, Thought
from ttt_fast.values.choice import TIES
from ttt_fast.values.files import EDGES, HashedFile, form_of, load_hashed
from ttt_fast.values.thinking import think_by_action, think_by_board


class HashedPlayer(DrawingPlayer):
    """Plays the action of the highest value; of two tables by their sum, which is told halved.

    Parameters
    ----------
    name
        Its agent string.
    learned
        What it plays by; many players may share one.
    epsilon
        Chance that it plays any legal action instead.
    """

    def __init__(self, name: str, learned: HashedFile, epsilon: Fraction = Fraction(0)) -> None:
        super().__init__(name)
        self.epsilon = float(epsilon)
        self._table, self._by_board, self._tie = learned.table, learned.by_board, TIES[learned.tie]
        self._think: Any = think_by_board if self._by_board else think_by_action
        num_actions = learned.game.num_actions
        self._actions, self._scores = np.empty(num_actions, np.uint8), np.empty(num_actions)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the table."""
        return self._table.memory_bytes

    def think(self, state: Any) -> Thought:
        """Return the greedy action and its value, in units of the rewards."""
        if self.epsilon > 0 and self._words.share() < self.epsilon:
            return Thought(int(api.random_action(state, self._words.word())), float("nan"), 1)
        action, value, count = self._think(
            state, self._table.rows, self._tie, self._actions, self._scores, self._words.word()
        )
        return Thought(int(action), float(value) / self._table.num_tables, int(count))

    def action_values(self, state: Any) -> dict[int, float]:
        """Return the value of each legal action that the table knows, in units of the rewards."""
        actions = api.legal_actions(state)
        if self._by_board:
            keys = [api.state_key(api.play(state, action)) for action in actions]
            values, known = self._table.look_up_known(np.array(keys, np.uint64))
            return {action: float(values[place, 0]) for place, action in enumerate(actions) if known[place]}
        values, known = self._table.look_up_known(np.array([api.state_key(state)], np.uint64))
        mean = values[0].reshape(self._table.num_tables, -1).mean(axis=0)
        return {action: float(mean[action]) for action in actions if known[0]}


def load_player(name: str, path: str | os.PathLike[str], game: Game, epsilon: Fraction = Fraction(0)) -> HashedPlayer:
    """Return the player of a file; the players of all threads share its table.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, foreign or newer.
    AgentError
        If it was learned on another game.
    """
    if form_of(path) == EDGES:
        raise AgentError(f"expected a player of {game.spec}, got {name!r}, which plays a game with a table of states")
    try:
        described = os.stat(path)
        stamp = (described.st_mtime_ns, described.st_size)
    except (OSError, ValueError):
        stamp = (0, 0)  # reading says what is wrong
    learned = _loaded(str(path), stamp)
    if learned.game != game:
        raise AgentError(f"expected a player of {game.spec}, got {name!r}, which has learned {learned.game.spec}")
    return HashedPlayer(name, learned, epsilon)


@lru_cache(maxsize=2)
def _loaded(path: str, stamp: tuple[int, int]) -> HashedFile:
    """Return the content of a file, read once for each time of change: tables are large, and all threads share them."""
    return load_hashed(path)
