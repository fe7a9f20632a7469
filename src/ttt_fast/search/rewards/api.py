"""Rewards of moves in a search: the functions that every game implements, and the games that count only results.

A search adds the rewards of the moves along a line, each for its player, and maximises its own sum minus the
opponent's.  (An evaluation E of positions is a special case: the reward of a move is E after it minus E before it.)
Rewards are integers, so that ties are exact; `Evaluation.unit` is the reward that corresponds to 1.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.mnk import MnkState
from ttt_fast.games.tic_tac_toe import TicTacToeState


class Evaluation(NamedTuple):
    """Rewards of moves, in the form for kernels.

    Attributes
    ----------
    mode
        Rule of the game's `reward`; 0 is the result alone.
    unit
        The reward that corresponds to a value of 1.
    win
        The reward of winning the game.
    board
        The reward of winning a small board of Ultimate, or the factor of its value.
    tables
        (T,) int16, look-up tables of the game; empty for most.
    """

    mode: int
    unit: int
    win: int
    board: int
    tables: NDArray[np.int16]


RESULT = 0
"""The mode available in every game: 1 for a winning move, -1 for a losing move."""
LARGE: Final = 1 << 31
"""A number above any sum of rewards."""


def result_evaluation(unit: int = 1, win: int = 1) -> Evaluation:
    """Return the evaluation by the result alone, available in every game."""
    return Evaluation(RESULT, unit, win, 0, frozen(np.empty(0, np.int16)))


def reward(state: api.State, action: int, evaluation: Evaluation) -> int:
    """Return the reward of a legal action of an ongoing state for its player."""
    return api.implementation(reward, state)(state, action, evaluation)


NAMED: Final[dict[type, Callable[[], Mapping[str, Evaluation]]]] = {}
"""Functions that return the evaluations of a game by name, by types of states."""


def has_rewards(state: api.GameState) -> bool:
    """Return whether moves of a game have rewards besides the result (not for kernels).

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> [has_rewards(parse_game(spec).initial_state) for spec in ("ultimate", "ultimate:closed=stay", "connect4")]
    [True, True, False]
    """
    return api.is_implemented(reward, state)


def evaluation_of(name: str, state: api.GameState) -> Evaluation:
    """Return an evaluation of a game by its name; `none` is the result alone (not for kernels).

    Raises
    ------
    UsageError
        If moves of the game have no rewards besides the result.
    """
    if name == "none":
        return result_evaluation()
    if not has_rewards(state):
        raise UsageError(f"expected eval 'none' in a game other than Ultimate, got {name!r}")
    return NAMED[type(state)]()[name]


def best_reward(state: api.State, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """Return the largest reward of the actions of an ongoing state, and the number of actions examined.

    Actions are examined in ascending order, up to the first with a reward of at least `enough`.
    """
    return api.implementation(best_reward, state)(state, enough, evaluation)


def result_bounds(state: api.State) -> tuple[int, int]:
    """Return bounds of the result of an ongoing state under best play, for the player to move.

    The result is 1 for a win, 0 for a draw and -1 for a loss.  An immediate win has the bounds 1 and 1.
    """
    return api.implementation(result_bounds, state)(state)


def listed(state: api.GameState) -> api.GameState:
    """Return `state` with its legal actions in the order and multiplicity of a published program."""
    return api.implementation(listed, state)(state)


@api.default_of(reward)
def _result_reward(state: api.State, action: int, evaluation: Evaluation) -> int:
    mover = api.player(state)
    result = api.status(api.play(state, action))
    if result == mover:
        return evaluation.win
    return -evaluation.win if result == 3 - mover else 0


@api.implements(best_reward, ConnectFourState)
def _best_result_reward(state: api.State, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """Return the largest reward if only the player to move can win: the reward of a move is a win or 0."""
    winning = api.winning_action(state)
    if enough <= 0:  # the first action earns that, and more only if it wins
        for action in range(winning):
            if api.is_legal(state, action):
                return 0, 1
        return (0, 1) if winning == api.NO_ACTION else (evaluation.win, 1)
    if winning == api.NO_ACTION:
        return 0, api.num_legal_actions(state)
    if evaluation.win < enough:
        return evaluation.win, api.num_legal_actions(state)
    looked_at = 1
    for action in range(winning):
        looked_at += api.is_legal(state, action)
    return evaluation.win, looked_at


@api.default_of(best_reward)
def best_of_all_rewards(state: api.State, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """Implement `best_reward` for any game, action by action."""
    best, looked_at = -LARGE, 0
    for action in range(api.num_actions(state)):
        if best < enough and api.is_legal(state, action):
            best = max(best, reward(state, action, evaluation))
            looked_at += 1
    return best, looked_at


@api.default_of(result_bounds)
def _winning_bounds(state: api.State) -> tuple[int, int]:
    return (1, 1) if api.winning_action(state) != api.NO_ACTION else (-1, 1)


@api.default_of(listed)
def _as_it_is(state: api.State) -> api.State:
    return state


@api.implements(best_reward, TicTacToeState)
def _best_tic_tac_toe_reward(state: TicTacToeState, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """Return the largest reward as in Connect 4; in misère the reward of a move is 0 or a loss."""
    if state.misere:
        return best_of_all_rewards(state, enough, evaluation)
    return _best_result_reward(state, enough, evaluation)


@api.implements(best_reward, MnkState)
def _best_mnk_reward(state: MnkState, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    return _best_tic_tac_toe_reward(state, enough, evaluation)  # type: ignore[arg-type]
