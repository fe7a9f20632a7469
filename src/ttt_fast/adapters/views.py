"""Observations of a state for environments: planes for either player, legal actions, text and pictures."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Game, UsageError
from ttt_fast.games import api

RENDER_MODES = ("ansi", "rgb_array")
_CELL = 24
_COLOURS = np.array([[255, 255, 255], [192, 57, 43], [33, 102, 172]], np.uint8)
"""RGB colours of an empty cell, of X and of O, as in SVG pictures."""


def check_render_mode(mode: str | None, game: Game) -> None:
    """Raise UsageError unless a render mode (None, `ansi` or `rgb_array`) can show positions of a game.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> check_render_mode("rgb_array", parse_game("connect4"))
    """
    if mode is not None and mode not in RENDER_MODES:
        raise UsageError(f"expected 'ansi' or 'rgb_array' as the render mode, got {mode!r}")
    if mode == "rgb_array" and not _has_marks(game.initial_state):
        raise UsageError(
            f"expected 'ansi' as the render mode of {game.spec!r}, whose states have no marks to draw, got {mode!r}"
        )


def _has_marks(state: api.GameState) -> bool:
    """Return whether the first two planes of a state are the marks of either player."""
    return api.observation_shape(state)[0] > 1


def seen_by(state: api.GameState, seat: int) -> NDArray[np.uint8]:
    """Return the observation of a state by the player of a seat, on either player's turn.

    Parameters
    ----------
    state
        Any state.
    seat
        1 (X) or 2 (O).

    Returns
    -------
    NDArray[np.uint8]
        (planes, rows, columns), as from `api.observe`.  For the player not to move, the two planes of each pair (own
        and opponent's) are swapped.  An unpaired last plane, and a single plane, are the same for both players.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> state = parse_game("tic-tac-toe").state_after("1")
    >>> seen_by(state, 1)[0].sum(), seen_by(state, 2)[0].sum()
    (np.uint64(1), np.uint64(0))
    """
    planes = api.observe(state).astype(np.uint8)
    if api.player(state) == seat or not _has_marks(state):
        return planes
    order = np.arange(len(planes))
    pairs = len(planes) // 2 * 2
    order[:pairs] ^= 1
    return planes[order]


def mask_of(state: api.GameState) -> NDArray[np.int8]:
    """Return the mask of the legal actions of any state, (A,) int8: all ones if the game is over.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> mask_of(parse_game("tic-tac-toe").state_after("12")).tolist()
    [1, 0, 0, 1, 1, 1, 1, 1, 1]
    """
    if api.status(state) != api.ONGOING:  # no softmax over the mask is then nan
        return np.ones(api.num_actions(state), np.int8)
    return api.legal_action_mask(state).astype(np.int8)


def picture_of(state: api.GameState) -> NDArray[np.uint8]:
    """Return the marks of a state as coloured squares between grey lines, (rows * 24, columns * 24, 3) uint8.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> picture_of(parse_game("connect4").initial_state).shape
    (144, 168, 3)
    """
    x, o = seen_by(state, api.X)[:2]
    pixels: NDArray[np.uint8] = _COLOURS[x + 2 * o].repeat(_CELL, 0).repeat(_CELL, 1)
    pixels[::_CELL], pixels[:, ::_CELL] = 128, 128
    return pixels


def rendered(game: Game, state: api.GameState, mode: str | None) -> Any:
    """Return a position as a board of text (`ansi`) or as a picture (`rgb_array`); None without a render mode.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> print(rendered(game, game.state_after("12"), "ansi"))
     0 │ X │ O
    ───┼───┼───
     3 │ 4 │ 5
    ───┼───┼───
     6 │ 7 │ 8
    """
    if mode == "ansi":
        return str(game.drawing(state))
    return picture_of(state) if mode == "rgb_array" else None
