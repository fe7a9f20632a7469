"""The settings of a contest."""

from dataclasses import dataclass
from typing import Literal, get_args

from ttt_fast.core.checks import with_known_names
from ttt_fast.core.errors import UsageError
from ttt_fast.play.match import MatchConfig

Seats = Literal["ab", "ba", "both"]
"""Seatings: the first agent plays X, the second one does, or each in half of the games."""


@with_known_names
@dataclass(frozen=True)
class ContestConfig(MatchConfig):
    """Everything that decides the bits of a contest, besides its agents; players with a time limit are exempt.

    The settings of `MatchConfig` but for games, seed and match_index concern games that are counted.

    Attributes
    ----------
    game
        The game, as a string.
    swap
        Whether half of the games that are counted have the seats swapped; the same as `seats="both"`.
    seats
        `ab`: the first agent plays X; `ba`: the second one does; `both`: each in half of the games.  None: `ab` where
        games are counted, `both` where they are played one by one.
    openings
        `none`, `random:PLIES`, or a file of lines of play, with which games begin that are played one by one; None:
        no preference, so that policies are counted.

    Examples
    --------
    >>> ContestConfig(100, game="connect4").game
    'connect4'
    """

    game: str = "tic-tac-toe"
    swap: bool = False
    openings: str | None = None
    seats: Seats | None = None

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        if self.seats not in (None, *get_args(Seats)):
            raise UsageError(f"expected seats of 'ab', 'ba' or 'both', got {self.seats!r}")
        if self.swap and self.seats in ("ab", "ba"):
            raise UsageError(f"expected --swap, which is --seats both, or --seats {self.seats}, got both")
