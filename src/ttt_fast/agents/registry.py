"""Players of every game, spelled as strings: `random`, `mcts:sims=1000`, `alphabeta:depth=5`, a policy file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ttt_fast.agents.learned import load_player
from ttt_fast.agents.simple_players import DefaultPlayer, PolicyPlayer, RandomPlayer
from ttt_fast.agents.table_agents import AGENTS, agent_rows, parse_agent, split_agents
from ttt_fast.core.errors import AgentError
from ttt_fast.core.specs import Option, near_names, parse_options, probability
from ttt_fast.games.registry import GAMES, Game
from ttt_fast.search import mcts
from ttt_fast.search.alphabeta import player as alphabeta
from ttt_fast.search.connect_four import player as connect_four
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.player import Player


@dataclass(frozen=True)
class Family:
    """A named family of players: a summary, its options, and the function that makes one.

    Attributes
    ----------
    summary
        Its play, in a line.
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


def _mcts(spec: str, game: Game, **options: Any) -> Player:
    return MctsPlayer(spec, MctsConfig(**options))


FAMILIES: dict[str, Family] = {
    "random": Family("draws uniformly from the legal actions", {}, _random),
    "default": Family(
        "wins if it can, else blocks, else moves at random (Sai)",
        {
            "skill": Option(
                "1", "0..1", probability, "chance that it notices: 1 as described, 0.01 as published code does"
            )
        },
        _default,
    ),
    "mcts": Family("Monte Carlo tree search: plain UCT by default", mcts.OPTIONS, _mcts),
    "mcts-best": Family("Monte Carlo tree search with all that helps in Ultimate", mcts.BEST_OPTIONS, _mcts),
    "alphabeta": Family("searches by minimax with alpha-beta pruning", alphabeta.OPTIONS, alphabeta.build),
    "improved": Family(
        "looks for a win first, late in the game (improved minimax, Bichot)",
        alphabeta.IMPROVED_OPTIONS,
        alphabeta.build_improved,
        ("ultimate",),
    ),
    "solver": Family("plays perfectly", connect_four.OPTIONS, connect_four.build, ("connect4",)),
    **{
        f"minimax-{steps}": Family(
            f"{steps}-step minimax with the complex reward and random ties, as coded (Bichot)",
            {},
            alphabeta.build_published,
            ("ultimate",),
        )
        for steps in (1, 3, 5)
    },
}
"""The players that take a state of any game; in tic-tac-toe every agent string of a policy is a player too."""

_TABLE_SUFFIX = ".npz"
_TABLE_OPTIONS = {"eps": Option("0", "0..1", probability, "chance that it plays any legal action instead")}


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
        The game to play.

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
    if family is None and _TABLE_SUFFIX in spec:
        path, suffix, options = spec.rpartition(_TABLE_SUFFIX)
        values = parse_options(spec, options[1:] if options[:1] == ":" else options or None, _TABLE_OPTIONS, AgentError)
        return load_player(spec, path + suffix, game, values["eps"])
    if family is None:
        names = [one for one, other in FAMILIES.items() if not other.games or game.name in other.games]
        raise AgentError(f"unknown agent {spec!r} of {game.name}; expected {', '.join(near_names(name, names))}")
    if family.games and game.name not in family.games:
        raise AgentError(f"expected a player of {game.name}, got {spec!r}, which plays {', '.join(family.games)}")
    return family.build(spec, game, **parse_options(spec, rest if colon else None, family.options, AgentError))


def split_players(text: str) -> list[str]:
    """Return the players of a comma-separated list, where a comma may also separate options.

    Examples
    --------
    >>> split_players("default:skill=0.5,random,minimax:tie=first,prefer=fast")
    ['default:skill=0.5', 'random', 'minimax:tie=first,prefer=fast']
    """
    return split_agents(text, {option for family in FAMILIES.values() for option in family.options})


def player_rows(game: str | None = None) -> list[dict[str, str]]:
    """Return the players and their options as rows: agent, option, values, default, meaning, games.

    Parameters
    ----------
    game
        Name of the game whose players are listed; None for all games.

    Examples
    --------
    >>> [row["agent"] or row["option"] for row in player_rows("connect4")][:3]
    ['random', 'default', 'skill']
    """
    rows = []
    if game in (None, "tic-tac-toe"):
        rows += [{**row, "games": "tic-tac-toe" if row["agent"] else ""} for row in agent_rows()]
    for name, family in FAMILIES.items():
        played = [one for one in family.games or GAMES if one != "tic-tac-toe" or name not in AGENTS]
        if game is not None and game not in played:
            continue
        shared = {"option": "", "values": "", "default": "", "meaning": family.summary}
        rows.append({"agent": name, **shared, "games": ", ".join(played)})
        rows += [
            {"agent": "", "option": key, "values": one.values, "default": one.default, "meaning": one.summary,
             "games": ""}
            for key, one in family.options.items()
        ]  # fmt: skip
    return rows
