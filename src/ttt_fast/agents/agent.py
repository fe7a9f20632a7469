"""The definition of an agent: its options, its games, and the functions that create its policy and its player."""

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
        A one-line description.
    options
        Its options by name.
    policy
        Called with a table, the agent string and the values of the options; returns a policy.  None if the agent has no
        policy.
    player
        Called with the agent string, a game and the values of the options; returns a player for one thread.  None if
        the agent plays only games in which it has a policy.
    fill
        Like `policy`, but searches every state; called only if an exact result is requested.  None if the moves of the
        player are not known in advance.
    games
        Names of the games that the agent plays; empty for all games.
    plays
        Returns whether the agent plays one of these games with its options.  None if it plays all of them.
    details
        Returns a longer description, and may read files for it; None without one.
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
