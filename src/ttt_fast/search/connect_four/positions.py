"""Positions as two words: validation, children, and the number of plies to the end of the game."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import BoardError, UsageError
from ttt_fast.games.api import GameState
from ttt_fast.games.connect_four import ConnectFourState, has_line
from ttt_fast.games.game import Game
from ttt_fast.search.connect_four.geometry import BOARD, BOTTOM, CENTRE_ORDER, COLUMNS, STANDARD, BoardSize, geometry

Words = tuple[int, int]
"""A position: the stones of the player to move, and all stones (`geometry` has the order of the bits)."""


def board_size(game: Game) -> BoardSize:
    """Return the board of a game of Connect 4; raise UsageError for other games."""
    length = getattr(game.initial_state, "length", None)
    if game.spec.partition(":")[0] != "connect4" or length != 4:
        raise UsageError(f"expected connect4 with four in a row, for which there is a solver, got {game.spec!r}")
    return BoardSize(game.num_actions, int(ConnectFourState(*game.initial_state).rows))


def words_of(state: GameState) -> Words:
    """Return a state of Connect 4 as the solver's two words."""
    position = ConnectFourState(*state)
    return int(position.own), int(position.occupied)


def children(position: Words, size: BoardSize = STANDARD) -> Iterable[tuple[int, Words | None]]:
    """Yield pairs (action, position after it, or None if it completes four), from the centre outwards.

    Examples
    --------
    >>> [action for action, child in children((0, 0))]
    [3, 2, 4, 1, 5, 0, 6]
    """
    board = geometry(size)
    playable = (position[1] + int(board[BOTTOM])) & int(board[BOARD])
    for order in range(size.width):
        action = int(board[CENTRE_ORDER + order])
        move = playable & int(board[COLUMNS + action])
        if move:
            won = has_line(position[0] | move, size.height, 4)
            yield action, None if won else (position[0] ^ position[1], position[1] | move)


def plies_to_end(score: int, ply: int, size: BoardSize = STANDARD) -> int:
    """Return the number of plies until the end if both play best.

    Examples
    --------
    >>> plies_to_end(1, 0), plies_to_end(0, 40), plies_to_end(-18, 5)
    (41, 2, 2)
    """
    if score == 0:
        return size.cells - ply
    winner = ply & 1 if score > 0 else 1 - (ply & 1)
    last = size.cells + 1 - 2 * abs(score)  # stones before the winning one, or one less
    last -= (last & 1) != winner
    return last + 1 - ply


def have_four(stones: NDArray[np.uint64], size: BoardSize) -> NDArray[np.bool_]:
    """Return, for each word of one player's stones, (N,) uint64, whether four of them are in a line."""
    found = np.zeros(len(stones), np.bool_)
    for step in (1, size.stride - 1, size.stride, size.stride + 1):
        pair = stones & (stones >> np.uint64(step))
        found |= (pair & (pair >> np.uint64(2 * step))) != 0
    return found


def check_positions(positions: NDArray[np.uint64], size: BoardSize = STANDARD) -> None:
    """Raise BoardError unless each pair of words is a position of this board in a game that has not ended.

    Parameters
    ----------
    positions
        (N, 2) uint64: the stones of the player to move and all stones.
    size
        The board.
    """
    board = geometry(size)
    me, stones = positions[:, 0], positions[:, 1]
    # In a column whose stones leave no gap, stones + bottom has a single bit, above them.
    tops = stones + board[BOTTOM]
    wrong = (me & ~stones | stones & ~board[BOARD] | tops & stones) != 0
    wrong |= np.bitwise_count(tops & ~stones) != size.width
    counts = np.bitwise_count(stones).astype(np.int64)
    wrong |= np.bitwise_count(me) != counts // 2
    ended = (counts == size.cells) | have_four(me, size) | have_four(me ^ stones, size)
    for bad, what in ((wrong, "a position of alternate moves"), (ended, "a game that has not ended")):
        if bad.any():
            index = int(np.flatnonzero(bad)[0])
            shown = tuple(hex(int(word)) for word in positions[index])
            raise BoardError(f"expected {what} on a board of {size.width}x{size.height}, got {shown!r}")
