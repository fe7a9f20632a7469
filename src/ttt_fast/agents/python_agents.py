"""Agents that are Python of others, `python:MODULE:NAME`: functions, objects with `choose`, policies, arrays."""

import threading
from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.asked import asked_policy
from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, AnswerError, PolicyError
from ttt_fast.core.foreign import load_named, reason_of
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.registry import Game
from ttt_fast.policies.answers import Answer, answer_of
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.submitted import policy_of_answers
from ttt_fast.search.player import UNCOUNTED, DrawingPlayer, Player, Thought
from ttt_fast.tables import StateTable, table_of

_ROUNDING = 1e-4  # of probabilities in 32 bits
_one_at_a_time = threading.RLock()  # not every function of others is prepared for threads


class FunctionPlayer(DrawingPlayer):
    """Plays as a function of others says, which is called from one thread at a time.

    Parameters
    ----------
    name
        The agent string.
    game
        The game.
    choose
        Returns an action, or a probability for each action, which is drawn with.
    begin
        Called with a whole number, the seed of a game, before its first move.
    """

    def __init__(
        self, name: str, game: Game, choose: Callable[[Any], Answer], begin: Callable[[int], object] | None = None
    ) -> None:
        super().__init__(name)
        self._game, self._choose, self._begin = game, choose, begin

    def begin(self, stream: np.uint64) -> None:
        """Draw from `stream` from now on, and tell the object of the new game."""
        super().begin(stream)
        if self._begin is not None:
            try:
                with _one_at_a_time:
                    self._begin(int(stream) >> 1)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise AnswerError(f"policy {self.name!r}: its begin failed: {reason_of(error)}") from error

    def answer(self, state: GameState) -> Any:
        """Return the function's answer in an ongoing state: an int, or (A,) float64; errors as `answer_of`."""
        with _one_at_a_time:
            return answer_of(self._choose, state, self._game, self.name)

    def think(self, state: GameState) -> Thought:
        """Return an action in an ongoing state; raises AnswerError if it is not legal."""
        row = self.probabilities(state)
        legal = np.flatnonzero(row)
        place = np.searchsorted(np.cumsum(row[legal]), self._words.share(), side="right") if legal.size > 1 else 0
        return Thought(int(legal[min(int(place), legal.size - 1)]), nan, UNCOUNTED)

    def probabilities(self, state: GameState) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64: 1 for an action that is said."""
        said = self.answer(state)
        row = np.zeros(self._game.num_actions)
        legal = api.legal_actions(state)
        if isinstance(said, int):
            if said not in legal:
                wanted = f"a legal action of {', '.join(map(str, legal))}"
                raise AnswerError(f"policy {self.name!r}: expected {wanted} at {self._board(state)!r}, got {said}")
            row[said] = 1.0
            return row
        row[legal] = said[legal]
        total = row.sum()
        if not (np.isfinite(said).all() and (said >= 0).all() and (said == row).all() and abs(total - 1) < _ROUNDING):
            wanted = "probabilities of legal actions that sum to 1"
            raise AnswerError(f"policy {self.name!r}: expected {wanted} at {self._board(state)!r}, got {said.tolist()}")
        row /= total
        return row

    def _board(self, state: GameState) -> str:
        return self._game.format_position(state)


def _loaded(spec: str, game: Game) -> Policy | FunctionPlayer:
    """Return what a spec names: a policy, or a player that asks."""
    return made_of(load_named(spec, "an agent"), spec, game)


def made_of(thing: Any, spec: str, game: Game) -> Policy | FunctionPlayer:
    """Return what code of others is, under the name `spec`: a policy, or a player that asks.

    Raises
    ------
    AgentError
        If it is no agent, or a policy of another game.
    PolicyError
        If an array is no policy.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> made_of(min, "lowest", parse_game("tic-tac-toe")).name
    'lowest'
    """
    try:
        if isinstance(thing, type):
            thing = thing()
        choose = getattr(thing, "choose", None)
        begin = getattr(thing, "begin", None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AnswerError(f"cannot make the agent {spec!r}: {reason_of(error)}") from error
    if isinstance(thing, Policy):
        if thing.table.game != game:
            raise AgentError(f"expected a policy of {game.spec}, got {spec!r} of {thing.table.game.spec}")
        return thing.renamed(spec)
    if isinstance(thing, np.ndarray | list | tuple):  # an array has a `choose` of its own
        table = table_of(game)
        return policy_of_answers(thing, table, np.flatnonzero(table.decision_mask).astype(np.int32), spec)
    if callable(choose):
        return FunctionPlayer(spec, game, choose, begin)
    if callable(thing):
        return FunctionPlayer(spec, game, thing)
    wanted = "a function of a state, an object with choose, a Policy or an array"
    raise AgentError(f"expected {wanted} as {spec!r}, got {shown(thing)}")


def is_policy(spec: str, game: Game) -> bool:
    """Return whether a spec names a policy or an array, which nobody has to ask."""
    try:
        return isinstance(_loaded(spec, game), Policy)
    except (AgentError, PolicyError):
        return False


def fill(table: StateTable, spec: str) -> Policy:
    """Return the policy of a spec; errors as `asked_policy`."""
    found = _loaded(spec, table.game)
    return found if isinstance(found, Policy) else asked_policy(table, spec, found.answer, found.begin)


def build(spec: str, game: Game) -> Player:
    """Return the player of a spec."""
    found = _loaded(spec, game)
    return PolicyPlayer(found) if isinstance(found, Policy) else found
