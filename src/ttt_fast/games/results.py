"""Seats and results: the players, the status of a game, and its result for a seat.

Kernels and arrays use plain integer codes; the two enumerations are for Python callers.  The status code of a win is
the number of the winning seat.  A result without a seat is given from X's side.
"""

from enum import IntEnum
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import inlined_kernel


class Seat(IntEnum):
    """A player of a game.

    Examples
    --------
    >>> Seat.X.other, Seat("o"), Seat.X.text
    (<Seat.O: 2>, <Seat.O: 2>, 'x')
    """

    X = 1
    """Moves first."""
    O = 2  # noqa: E741  (the name of the player)
    """Moves second."""

    @classmethod
    def _missing_(cls, value: object) -> "Seat | None":
        """Return the seat for a letter: Seat("x")."""
        return cls.__members__.get(value.upper()) if isinstance(value, str) else None

    @property
    def other(self) -> "Seat":
        """The opponent's seat."""
        return Seat(3 - self)

    @property
    def text(self) -> str:
        """The seat as one letter: 'x' or 'o'."""
        return self.name.lower()

    @classmethod
    def parse(cls, seat: Any) -> "Seat":
        """Return the seat for 'x', 'X', 'o' or 'O', or for its number.

        Raises
        ------
        UsageError
            If it is neither.
        """
        if isinstance(seat, str) and seat in ("x", "X", "o", "O"):
            return cls[seat.upper()]
        if isinstance(seat, int | np.integer) and seat in (1, 2):
            return cls(int(seat))
        raise UsageError(f"expected x or o as the seat, got {seat!r}")


class FixedSeat(NamedTuple):
    """The agent that moves in one seat of an induced table, in which the other seat is free.

    Attributes
    ----------
    seat
        The seat of the agent: 1 (X) or 2 (O).
    agent
        The text of the agent.
    digest
        A hash of the agent: of its text and version, or of its answers.
    """

    seat: int
    agent: str
    digest: str


class Status(IntEnum):
    """The status of a game; the outcome is given from X's side.

    Examples
    --------
    >>> Status(3)
    <Status.DRAW: 3>
    """

    ONGOING = 0
    """The game is not over."""
    X_WINS = 1
    """X has won: for O a loss."""
    O_WINS = 2
    """O has won: for X a loss."""
    DRAW = 3
    """The game is over without a winner."""


X, O = int(Seat.X), int(Seat.O)  # noqa: E741  (the name of the player)
"""The seats, for kernels."""
ONGOING, X_WINS, O_WINS, DRAW = int(Status.ONGOING), int(Status.X_WINS), int(Status.O_WINS), int(Status.DRAW)
"""The status codes, for kernels."""
WIN, DRAWN, LOSS = 0, 1, 2
"""Results for a seat, in the order of rewards (win, draw, loss) and of counts (X wins, draws, O wins)."""


def check_seat(seat: int | str) -> int:
    """Return the seat, 1 or 'x' (X), 2 or 'o' (O), as a plain integer, or raise UsageError.

    Examples
    --------
    >>> check_seat("o"), check_seat(Seat.X)
    (2, 1)
    """
    if isinstance(seat, str) and seat.upper() in Seat.__members__:
        return int(Seat[seat.upper()])
    if not isinstance(seat, Real) or seat not in (X, O):
        raise UsageError(f"expected x, o, 1 (X) or 2 (O) as the seat, got {shown(seat)}")
    return int(seat)


@inlined_kernel(plain=True)
def result_of(status: int, seat: int) -> int:
    """Return the result of a finished game for a seat: WIN, DRAWN or LOSS.

    Examples
    --------
    >>> result_of(X_WINS, X), result_of(X_WINS, O), result_of(DRAW, O)
    (0, 2, 1)
    """
    if status == DRAW:
        return DRAWN
    return WIN if status == seat else LOSS


@inlined_kernel(plain=True)
def outcome_of(status: int) -> int:
    """Return the outcome of a finished game: 0 X wins, 1 draw, 2 O wins.

    Examples
    --------
    >>> outcome_of(X_WINS), outcome_of(DRAW), outcome_of(O_WINS)
    (0, 1, 2)
    """
    return result_of(status, X)
