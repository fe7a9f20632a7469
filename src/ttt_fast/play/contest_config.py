"""The settings of a contest."""

from dataclasses import dataclass

from ttt_fast.play.match import MatchConfig


@dataclass(frozen=True)
class ContestConfig(MatchConfig):
    """Everything that decides the bits of a contest, besides its agents; players with a time limit are exempt.

    The settings of `MatchConfig` but for games, seed and match_index concern games that are counted.

    Attributes
    ----------
    game
        The game, as a string.
    swap
        Whether half of the games that are counted have the seats swapped; others always have.
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
