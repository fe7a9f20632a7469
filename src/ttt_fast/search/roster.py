"""Players of every game, spelled as strings: `random`, `mcts:sims=1000`, `alphabeta:depth=5`, a policy file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ttt_fast._specs import Option, near_names, parse_options, probability
from ttt_fast.errors import AgentError
from ttt_fast.games.registry import Game
from ttt_fast.policies.agents import AGENTS, parse_agent
from ttt_fast.search.alphabeta import player as alphabeta
from ttt_fast.search.player import Player
from ttt_fast.search.simple_players import DefaultPlayer, PolicyPlayer, RandomPlayer


@dataclass(frozen=True)
class Family:
    """A named family of players: what it does, its options, and who makes one.

    Attributes
    ----------
    summary
        What it does, in a line.
    options
        Its options by name.
    build
        Called with the spec, the game, and the values of the options; returns a player for one thread.
    games
        Names of the games that it plays; empty for all of them.
    """

    summary: str
    options: Mapping[str, Option]
    build: Callable[..., Player]
    games: tuple[str, ...] = ()


def _random(spec: str, game: Game) -> Player:
    return RandomPlayer(spec)


def _default(spec: str, game: Game, skill: Any) -> Player:
    return DefaultPlayer(spec, skill)


FAMILIES: dict[str, Family] = {
    "random": Family("draws uniformly from the legal actions", {}, _random),
    "default": Family(
        "wins if it can, else blocks, else moves at random (seed 001)",
        {
            "skill": Option(
                "1", "0..1", probability, "chance that it notices: 1 as described, 0.01 as published code does"
            )
        },
        _default,
    ),
    "alphabeta": Family("searches by minimax with alpha-beta pruning", alphabeta.OPTIONS, alphabeta.build),
    "improved": Family(
        "looks for a win first, late in the game (improved minimax, seed 003)",
        alphabeta.IMPROVED_OPTIONS,
        alphabeta.build_improved,
        ("ultimate",),
    ),
    **{
        f"minimax-{steps}": Family(
            f"{steps}-step minimax with the complex reward and random ties, as coded (seed 003)",
            {},
            alphabeta.build_published,
            ("ultimate",),
        )
        for steps in (1, 3, 5)
    },
}
"""The players that look at a state of any game; in tic-tac-toe every agent string of a policy plays too."""


def is_policy(spec: str) -> bool:
    """Return whether an agent string of tic-tac-toe names a table of probabilities, and not a search.

    Examples
    --------
    >>> is_policy("minimax:tie=first"), is_policy("mix:1/2*random+1/2*minimax")
    (True, True)
    """
    name = spec.strip().partition(":")[0]
    return name in AGENTS or name not in FAMILIES


def make_player(spec: str, game: Game) -> Player:
    """Return a new player, for one thread.

    Parameters
    ----------
    spec
        `name`, `name:option=value,option=value`, or the path of a policy file.
    game
        What is to be played.

    Raises
    ------
    AgentError
        If the string names no player of this game, or an option is unknown or has an impossible value.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> make_player("default:skill=0.5", parse_game("connect4")).name
    'default:skill=0.5'
    """
    spec = spec.strip()
    name, colon, rest = spec.partition(":")
    family = FAMILIES.get(name)
    if game.name == "tic-tac-toe" and (family is None or name in AGENTS):
        return PolicyPlayer(parse_agent(spec))
    if family is None:
        names = [one for one, other in FAMILIES.items() if not other.games or game.name in other.games]
        raise AgentError(f"unknown agent {spec!r} of {game.name}; expected {', '.join(near_names(name, names))}")
    if family.games and game.name not in family.games:
        raise AgentError(f"expected a player of {game.name}, got {spec!r}, which plays {', '.join(family.games)}")
    return family.build(spec, game, **parse_options(spec, rest if colon else None, family.options, AgentError))
