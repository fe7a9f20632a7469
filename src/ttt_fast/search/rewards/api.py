"""Rewards of moves in a search: the functions that every game implements, and the games that count only results.

A search adds the rewards of the moves along a line, each for its mover, and maximises its own sum less
the opponent's.  (An evaluation E of positions is a special case: a move earns E after it less E before it.)
Rewards are integers, so that equal values are equal exactly; `Evaluation.unit` of them make 1.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.mnk import MnkState
from ttt_fast.games.tic_tac_toe import TicTacToeState


class Evaluation(NamedTuple):
    """Rewards of moves, as kernels take them.

    Attributes
    ----------
    mode
        Rule of the game's `reward`; 0 is the result alone.
    unit
        Rewards that make 1.
    win
        Winning the game.
    board
        Winning a small board of Ultimate, or the factor of its value.
    tables
        (T,) int16, look-up tables of the game; empty for most.
    """

    mode: int
    unit: int
    win: int
    board: int
    tables: NDArray[np.int16]


RESULT = 0
"""The mode that every game has: 1 for the move that wins, -1 for one that loses."""
LARGE: Final = 1 << 31
"""More than any sum of rewards."""


def result_evaluation() -> Evaluation:
    """Return the evaluation that every game has: the result alone."""
    return Evaluation(RESULT, 1, 1, 0, frozen(np.empty(0, np.int16)))


def reward(state: api.State, action: int, evaluation: Evaluation) -> int:
    """Return the reward of a legal action of an ongoing state for its player."""
    return api.implementation(reward, state)(state, action, evaluation)


def has_rewards(state: api.GameState) -> bool:
    """Return whether moves of a game earn rewards besides the result (not for kernels).

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> [has_rewards(parse_game(spec).initial_state) for spec in ("ultimate", "ultimate:closed=stay", "connect4")]
    [True, True, False]
    """
    return api.is_implemented(reward, state)


def best_reward(state: api.State, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """Return the largest reward of the actions of an ongoing state, and the number of actions looked at.

    They are looked at in ascending order, up to the first that earns at least `enough`.
    """
    return api.implementation(best_reward, state)(state, enough, evaluation)


def listed(state: api.GameState) -> api.GameState:
    """Return a state whose legal actions are those of `state` as, and as often as, a published program lists them."""
    return api.implementation(listed, state)(state)


for _declared in (reward, best_reward, listed):
    for _type in ("games.ultimate.UltimateState", "games.ultimate_stay.StayState"):
        api.implemented_elsewhere(_declared, _type, "search.rewards.ultimate")


@api.default_of(reward)
def _result_reward(state: api.State, action: int, evaluation: Evaluation) -> int:
    mover = api.player(state)
    result = api.status(api.play(state, action))
    if result == mover:
        return evaluation.win
    return -evaluation.win if result == 3 - mover else 0


@api.implements(best_reward, ConnectFourState)
def _best_result_reward(state: api.State, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """Where only the player to move can win: a move earns a win or nothing."""
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
    """Do what `best_reward` says, for any game, action by action."""
    best, looked_at = -LARGE, 0
    for action in range(api.num_actions(state)):
        if best < enough and api.is_legal(state, action):
            best = max(best, reward(state, action, evaluation))
            looked_at += 1
    return best, looked_at


@api.default_of(listed)
def _as_it_is(state: api.State) -> api.State:
    return state


@api.implements(best_reward, TicTacToeState)
def _best_tic_tac_toe_reward(state: TicTacToeState, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """As in Connect 4, but in misère a move earns nothing or a loss."""
    if state.misere:
        return best_of_all_rewards(state, enough, evaluation)
    return _best_result_reward(state, enough, evaluation)


@api.implements(best_reward, MnkState)
def _best_mnk_reward(state: MnkState, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    return _best_tic_tac_toe_reward(state, enough, evaluation)  # type: ignore[arg-type]
