"""Query a function in every state of a table, to obtain its policy and thus its exact strength."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, AnswerError, PolicyError
from ttt_fast.core.external import error_line
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.policies.arrays import policy_from_array
from ttt_fast.policies.policy import Policy
from ttt_fast.running.progress import report_progress
from ttt_fast.tables.block import Block

Answer = int | Sequence[float] | NDArray[Any]
"""The result of a function of a state: an action, or a number for each of the A actions."""
_STATES_BETWEEN_REPORTS = 256
_BITS = 64  # of an action: no game has as many as numpy's integers have


def tabulate(
    table: Block,
    name: str,
    choose: Callable[[GameState], Answer],
    begin: Callable[[np.uint64], object] = lambda stream: None,
) -> Policy:
    """Return the policy of a deterministic agent, which is queried twice in every state.

    Parameters
    ----------
    table
        The game: S states.
    name
        The name of the policy.
    choose
        Returns an action, or a probability for each action, in any ongoing state.
    begin
        Called before each pass over the states, with a different stream each time.  The second pass is in reverse
        order: the result may depend neither on random numbers nor on the order of the queries.

    Raises
    ------
    AgentError
        If the results of the two passes differ in a state.
    AnswerError
        If the agent fails, or returns an illegal move.

    Examples
    --------
    >>> from ttt_fast.games import api
    >>> from ttt_fast.tables import table_of
    >>> tabulate(table_of("tic-tac-toe"), "last", lambda state: api.legal_actions(state)[-1])
    <Policy last of tic-tac-toe: choice, holds 4,520 of 4,520 states>
    """
    states = np.flatnonzero(table.decision_mask).astype(np.int32)
    queries = 0

    def reported(state: GameState) -> Answer:
        nonlocal queries
        if queries % _STATES_BETWEEN_REPORTS == 0:
            report_progress(f"{name}, queried twice", queries, 2 * states.size, "states")
        queries += 1
        return choose(state)

    begin(chunk_stream(0))
    first = answers_in(states, reported, table, name)
    try:
        policy = policy_from_array(first, table, states, name)  # an illegal move is reported at once
    except PolicyError as error:
        raise AnswerError(str(error)) from error
    begin(chunk_stream(1))
    again = answers_in(states[::-1], reported, table, name)[::-1]
    differs = np.ones(1, np.bool_) if first.shape != again.shape else (first != again).reshape(states.size, -1).any(1)
    for place in np.flatnonzero(differs)[:1].tolist():
        board, answers = table.board(int(states[place])), f"{shown(first[place])} and then {shown(again[place])}"
        if first.ndim == again.ndim == 1:
            answers = " and then ".join(repr(table.game.format_moves([int(one[place])])) for one in (first, again))
        raise AgentError(
            f"expected a deterministic agent for an exact policy, but {name!r} returned {answers} at {board!r};"
            " `ttt-fast match` plays with such agents"
        )
    return policy


def answers_in(
    states: NDArray[np.int32], function: Callable[[Any], Answer], table: Block, name: str
) -> NDArray[np.int64] | NDArray[np.float64]:
    """Query a function once in each of some states; return (N,) int64 actions, or (N, A) float64 numbers.

    Parameters
    ----------
    states : (N,) int32
        Indices of the states.
    function, table, name
        The function, the game, and the name of its policy, for messages.

    Raises
    ------
    PolicyError
        If the function returns actions in some states and numbers in others; AnswerError as for `checked_answer`.
    """
    known, answers = table.states, []
    for number in states.tolist():
        answers.append(checked_answer(function, known[number], table.game, name))
    kinds = {type(answer) for answer in answers}
    if len(kinds) > 1:
        raise PolicyError(f"policy {name!r}: expected an action in every state, or numbers in every state, got both")
    return np.array(answers)


def checked_answer(
    function: Callable[[Any], Answer], state: GameState, game: Game, name: str
) -> int | NDArray[np.float64]:
    """Return the result of a function in a state of a game: an int, or (A,) float64.

    Raises
    ------
    AnswerError
        If the function fails, or returns anything else.
    """
    try:
        answer = function(state)
        number = _number(answer)
        row = np.zeros(0) if number is not None else _row(answer)
    except (AnswerError, KeyboardInterrupt):
        raise
    except BaseException as error:  # `sys.exit` too
        board = game.format_position(state)
        raise AnswerError(f"policy {name!r}: the function failed at {board!r}: {error_line(error)}") from error
    if number is not None and number.bit_length() < _BITS:
        return number
    if row.shape != (game.num_actions,):
        wanted, board = f"an action or {game.num_actions} numbers", game.format_position(state)
        raise AnswerError(f"policy {name!r}: expected {wanted} at {board!r}, got {shown(answer)}")
    return row


def _number(answer: Any) -> int | None:
    """Convert the result of a function to an action; return None if it is not one, such as True."""
    if isinstance(answer, bool):
        return None
    try:
        return index(answer)
    except TypeError:
        return None


def _row(answer: Answer) -> NDArray[np.float64]:
    """Convert the result of a function to an array of numbers; empty if it is anything else."""
    try:
        return np.asarray(answer, np.float64)
    except (ValueError, TypeError):
        return np.zeros(0)
