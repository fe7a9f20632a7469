"""Who plays in this study: Bichot's agents as coded and corrected, and ours."""

from typing import Any, Final, NamedTuple

import numpy as np

from ttt_fast.agents.registry import make_player
from ttt_fast.games.registry import parse_game
from ttt_fast.games.ultimate import UltimateState
from ttt_fast.games.ultimate_duplicates import DuplicatesState
from ttt_fast.search.player import Player, Thought
from ttt_fast.studies.ultimate.published import AGENTS, DQN

GAME: Final = parse_game("ultimate")
PLAYED: Final = tuple(agent for agent in AGENTS if agent != DQN)
"""The agents of Fig. 5 without the DQN."""
IMPROVED: Final = "improved"
OURS: Final = "mcts-best:sims=5000"
"""Our agent against Bichot's."""


class Agent(NamedTuple):
    """An agent as it is made.

    Attributes
    ----------
    spec
        An agent string of the command line.
    duplicates
        Whether it sees the published program's lists of moves, with their duplicates (only searches of `mcts`).

    Examples
    --------
    >>> str(Agent("mcts:sims=100,formula=log-ratio", True)), str(Agent("random"))
    ('mcts:sims=100,formula=log-ratio with duplicated moves', 'random')
    """

    spec: str
    duplicates: bool = False

    def __str__(self) -> str:
        """Return the agent string, and what it does not say."""
        return self.spec + (" with duplicated moves" if self.duplicates else "")

    def make(self) -> Player:
        """Return a new player, for one thread."""
        player = make_player(self.spec, GAME)
        return DuplicatesPlayer(player) if self.duplicates else player


class DuplicatesPlayer:
    """A player of Ultimate that sees every move as often as the published program lists it.

    Parameters
    ----------
    player
        Who plays.

    Examples
    --------
    >>> player = Agent("mcts:sims=50,formula=log-ratio", True).make()
    >>> player.begin(np.uint64(1))
    >>> 0 <= player.think(GAME.initial_state).action < 81
    True
    """

    def __init__(self, player: Player) -> None:
        self.name, self._player = player.name, player

    @property
    def memory_bytes(self) -> int:
        """Bytes of the player's trees."""
        return self._player.memory_bytes

    def begin(self, stream: np.uint64) -> None:
        """Begin a game."""
        self._player.begin(stream)

    def think(self, state: Any) -> Thought:
        """Return the move in a state of Ultimate."""
        return self._player.think(DuplicatesState(UltimateState(*state)))


def as_coded(agent: str, c: float | None = None) -> Agent:
    """Return an agent of Fig. 5 as the published program has it; `c` is its exploration, where it is not that of HEAD.

    Examples
    --------
    >>> as_coded("minimax-5").spec, as_coded("mcts-500", 0.5).spec
    ('minimax-5', 'mcts:sims=500,formula=log-ratio,c=0.5')
    """
    if agent.startswith("mcts"):
        return Agent(f"mcts:sims={_number(agent)},formula=log-ratio{_weight(c)}", True)
    return Agent(agent)


def corrected(agent: str, c: float | None = None) -> Agent:
    """Return an agent of Fig. 5 with its defects mended: moves listed once, true ties, UCB1.

    What is a choice and not a defect stays: the rewards as coded, and that a position with more than nine moves
    costs two plies.

    Examples
    --------
    >>> corrected("minimax-5").spec, corrected("mcts-500").spec
    ('alphabeta:depth=5,eval=complex,rule=published', 'mcts:sims=500')
    """
    if agent.startswith("mcts"):
        return Agent(f"mcts:sims={_number(agent)}{_weight(c)}")
    if agent.startswith("minimax"):
        return Agent(f"alphabeta:depth={_number(agent)},eval=complex,rule=published")
    return Agent(agent)


def _number(agent: str) -> int:
    return int(agent.rpartition("-")[2])


def _weight(c: float | None) -> str:
    return "" if c is None else f",c={c:g}" if c == round(c, 6) else f",c={c!r}"
