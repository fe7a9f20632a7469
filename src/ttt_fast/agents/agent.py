"""What an agent is: a name with options, the games that it plays, and what it can make."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ttt_fast.core.specs import Option
from ttt_fast.games.game import Game
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import Player


@dataclass(frozen=True)
class Agent:
    """A named family of agents.

    Attributes
    ----------
    summary
        What it does, in a line.
    options
        Its options by name.
    policy
        Called with a table, the agent string and the values of the options; returns a policy.  None if it makes none.
    player
        Called with the agent string, a game and the values of the options; returns a player for one thread.  None if
        it plays only where its policy does.
    fill
        As `policy`, where that takes a search of every state: called only when an exact result is asked for.  None if
        the moves of the player are not known in advance.
    games
        Names of the games that it plays; empty for all of them.
    plays
        Whether it plays one of these games with its options; None: it plays all of them.
    details
        Returns more about it in words, which may take the reading of files; None: there is no more.
    """

    summary: str
    options: Mapping[str, Option] = field(default_factory=dict)
    policy: Callable[..., Policy] | None = None
    player: Callable[..., Player] | None = None
    fill: Callable[..., Policy] | None = None
    games: tuple[str, ...] = ()
    plays: Callable[[Game], bool] | None = None
    details: Callable[[], str] | None = None

    def fits(self, game: Game) -> bool:
        """Return whether the agent plays a game."""
        return (not self.games or game.name in self.games) and (self.plays is None or self.plays(game))
