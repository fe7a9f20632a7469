"""User-supplied Python objects as agents: functions of a state, objects with `choose`, policies, arrays."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.tabulate import Answer, batched, checked_answer
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, AnswerError
from ttt_fast.core.external import error_line
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.policies.arrays import policy_from_array
from ttt_fast.policies.edge_checks import divisors
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import UNCOUNTED, DrawingPlayer, SearchResult, ongoing
from ttt_fast.tables import table_of
from ttt_fast.tables.block import Block

_one_at_a_time = threading.RLock()
"""Held during calls of functions and objects that do not declare `thread_safe`."""


class FunctionPlayer(DrawingPlayer):
    """A player that calls a user-supplied function.

    Parameters
    ----------
    name
        The agent string.
    game
        The game.
    choose
        Returns an action, or the probability of each action, from which one is drawn.
    begin
        Called with an integer, the seed of a game, before its first move.
    thread_safe
        Whether several threads may call these functions at once; otherwise, all such players take turns.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        choose: Callable[[Any], Answer],
        begin: Callable[[int], object] | None = None,
        thread_safe: bool = False,
    ) -> None:
        super().__init__(name)
        self._game, self._choose, self._begin, self.thread_safe = game, choose, begin, thread_safe
        self._turn: AbstractContextManager[object] = nullcontext() if thread_safe else _one_at_a_time

    def begin(self, stream: np.uint64) -> None:
        """Begin a game: draw from `stream`, and call the object's `begin`."""
        super().begin(stream)
        if self._begin is not None:
            try:
                with self._turn:
                    self._begin(int(stream) >> 1)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise AnswerError(f"policy {self.name!r}: the method begin failed: {error_line(error)}") from error

    def answer(self, state: GameState) -> int | NDArray[np.float64]:
        """Return the function's result in an ongoing state: an int, or (A,) float64; errors as for `checked_answer`."""
        with self._turn:
            return checked_answer(self._choose, state, self._game, self.name)

    def search(self, state: GameState) -> SearchResult:
        """Return an action in an ongoing state; raises AnswerError if the action is illegal."""
        row = self.probabilities(state)
        legal = np.flatnonzero(row)
        place = np.searchsorted(np.cumsum(row[legal]), self._words.share(), side="right") if legal.size > 1 else 0
        return SearchResult(int(legal[min(int(place), legal.size - 1)]), nan, UNCOUNTED)

    def probabilities(self, state: GameState) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64; a returned action has 1."""
        said = self.answer(ongoing(state))
        row = np.zeros(self._game.num_actions)
        legal = api.legal_actions(state)
        if isinstance(said, int):
            if said not in legal:
                wanted = f"one of the legal actions {', '.join(map(str, legal))}"
                raise AnswerError(f"policy {self.name!r}: expected {wanted} at {self._board(state)!r}, got {said}")
            row[said] = 1.0
            return row
        row[legal] = said[legal]
        divided_by = divisors(row.sum())
        if not ((said >= 0).all() and (said == row).all() and divided_by > 0):  # nan is none of these
            wanted = "probabilities that sum to 1 over the legal actions"
            raise AnswerError(f"policy {self.name!r}: expected {wanted} at {self._board(state)!r}, got {said.tolist()}")
        return row / divided_by

    def _board(self, state: GameState) -> str:
        return self._game.format_position(state)


def is_agent(value: Any) -> bool:
    """Return whether an object can be an agent: a player is none, since each thread needs its own."""
    if isinstance(value, Policy | np.ndarray) or hasattr(value, "choose"):
        return True
    return not hasattr(value, "search") and (callable(value) or hasattr(value, "action_values"))


def no_agent(value: Any) -> str:
    """Return the message about an object that is no agent."""
    if hasattr(value, "search") and hasattr(value, "name"):
        return f"expected the agent of a player, such as the text {value.name!r}, got the player {shown(value)}"
    if callable(getattr(value, "policy", None)):
        return f"expected a policy, such as that of run.policy(), got {shown(value)}"
    wanted = "a policy, an agent string, a function of a state, an array"
    return f"expected {wanted}, or an object with a method choose or action_values, got {shown(value)}"


def from_object(value: Any, name: str, game: Game) -> Policy | FunctionPlayer | Callable[[Block], Policy]:
    """Return the policy of an object, its policy in blocks of states, or its player, with the given name.

    Parameters
    ----------
    value
        A policy; an array, (N,) or (S,) actions or (N, A), (S, A) or (E,) probabilities; a function of a state; an
        object with `choose` or `action_values`, or its class.  With an attribute `thread_safe = True`, threads call it
        at the same time.
    name
        The name of the agent.
    game
        The game.

    Raises
    ------
    AgentError
        If the object is none of these, or is a policy of another game.
    PolicyError
        If an array is not a policy.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> from_object(min, "lowest", parse_game("tic-tac-toe")).name
    'lowest'
    """
    try:
        if isinstance(value, type):
            value = value()
        choose, values_of = getattr(value, "choose", None), getattr(value, "action_values", None)
        begin, thread_safe = getattr(value, "begin", None), bool(getattr(value, "thread_safe", False))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AnswerError(f"cannot make the agent {name!r}: {error_line(error)}") from error
    if isinstance(value, Policy):
        if value.table.game != game:
            raise AgentError(f"expected a policy for {game.spec}, got {name!r} for {value.table.game.spec}")
        return value.renamed(name)
    if isinstance(value, np.ndarray | list | tuple):  # an array has a `choose` of its own
        table = table_of(game)
        return policy_from_array(value, table, np.flatnonzero(table.decision_mask).astype(np.int32), name)
    if not is_agent(value):
        raise AgentError(f"agent {name!r}: {no_agent(value)}")
    if callable(choose):
        return FunctionPlayer(name, game, choose, begin, thread_safe)
    if callable(values_of):
        return partial(batched, name, values_of)
    return FunctionPlayer(name, game, value, thread_safe=thread_safe)
