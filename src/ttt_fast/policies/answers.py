"""The answers of functions of states, checked one by one."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AnswerError, PolicyError
from ttt_fast.core.foreign import reason_of
from ttt_fast.games.api import GameState
from ttt_fast.games.registry import Game
from ttt_fast.tables import StateTable
from ttt_fast.tables.states import states_of

_BITS = 64  # of an action: no game has as many as numpy's integers have
Answer = int | Sequence[float] | NDArray[Any]
"""What a function says of a state: an action, or a number for each of all A actions."""


def answers_of(
    function: Callable[[Any], Answer], table: StateTable, states: NDArray[np.int32], name: str
) -> NDArray[Any]:
    """Return what a function says of each state: (N,) int64 actions, or (N, A) float64; errors as `answer_of`."""
    known, answers = states_of(table), []
    for number in states.tolist():
        answers.append(answer_of(function, known[number], table.game, name))
    kinds = {type(answer) for answer in answers}
    if len(kinds) > 1:
        raise PolicyError(f"policy {name!r}: expected an action for every state, or numbers for all, got both")
    return np.array(answers)


def answer_of(function: Callable[[Any], Answer], state: GameState, game: Game, name: str) -> Any:
    """Return what a function says of a state of a game: an int, or (A,) float64.

    Raises
    ------
    AnswerError
        If it fails, or says something else.
    """
    try:
        said = function(state)
        number = _number(said)
        row = np.zeros(0) if number is not None else _row(said)
    except (AnswerError, KeyboardInterrupt):
        raise
    except BaseException as error:  # `sys.exit` too
        board = game.format_position(state)
        raise AnswerError(f"policy {name!r}: the function failed at {board!r}: {reason_of(error)}") from error
    if number is not None and number.bit_length() < _BITS:
        return number
    if row.shape != (game.num_actions,):
        wanted, board = f"an action or {game.num_actions} numbers", game.format_position(state)
        raise AnswerError(f"policy {name!r}: expected {wanted} at {board!r}, got {shown(said)}")
    return row


def _number(said: Any) -> int | None:
    """Return an action, None if something else was said."""
    try:
        return index(said)
    except TypeError:
        return None


def _row(said: Any) -> NDArray[np.float64]:
    """Return numbers, none if something else was said."""
    try:
        return np.asarray(said, np.float64)
    except (ValueError, TypeError):
        return np.zeros(0)
