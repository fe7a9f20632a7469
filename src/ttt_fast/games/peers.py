"""The OpenSpiel counterparts of the games (Lanctot et al. 2019, arXiv:1908.09453): their names and moves there.

Most games have the same actions in both libraries.  In OpenSpiel's Ultimate a free move takes two actions of the same
player, a board and then a cell of it.  Every other move is a cell of the board that the opponent's move has determined.
"""

from collections.abc import Sequence
from typing import Any

from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.mnk import MnkState, rows_of
from ttt_fast.games.tic_tac_toe import TicTacToeState

NO_BOARD = -1
"""The value for no chosen board: always, except after the first half of a free move of Ultimate."""


class Peer:
    """A game of OpenSpiel in which every action has a number of its own.

    Parameters
    ----------
    spec
        The text with which OpenSpiel loads the game.
    numbers
        OpenSpiel's number of each action.
    """

    def __init__(self, spec: str, numbers: Sequence[int] = ()) -> None:
        self.spec, self.numbers = spec, numbers

    def steps(self, state: Any, action: int) -> tuple[int, ...]:
        """Return the OpenSpiel actions that make up one action of this package, in order."""
        return (self.numbers[action],)

    def action(self, state: Any, board: int, step: int) -> int:
        """Return the action that an OpenSpiel action completes, or -1 if it only begins a move by choosing a board."""
        return self.numbers.index(step)


def tic_tac_toe(start: TicTacToeState) -> Peer | None:
    """Return the peer of tic-tac-toe; None for misère, which OpenSpiel lacks."""
    return None if start.misere else Peer("tic_tac_toe", range(9))


def mnk(start: MnkState) -> Peer | None:
    """Return the peer of tic-tac-toe on a board of another size."""
    rows, columns = rows_of(start), start.columns
    peer = Peer(f"mnk(m={columns},n={rows},k={start.length})", range(rows * columns))
    return None if start.misere else peer


def connect_four(start: ConnectFourState) -> Peer:
    """Return the peer of Connect 4."""
    columns = start.bottom.bit_count()
    return Peer(f"connect_four(columns={columns},rows={start.rows},x_in_row={start.length})", range(columns))
