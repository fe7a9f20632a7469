"""The agent `learned`: the strongest evaluation shipped with the package for a game, in its most suitable search.

Each file in `weights/` contains learned values.  Its description contains the game or games, and the search: an agent
string of `mcts` or `alphabeta` without the file.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from ttt_fast.core.archive import read_meta
from ttt_fast.core.errors import AgentError
from ttt_fast.core.specs import Option, integer, number, or_auto, parse_options
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.search.alphabeta import player as alphabeta
from ttt_fast.search.mcts import player as mcts
from ttt_fast.search.player import Player

WEIGHTS = Path(__file__).parent / "weights"
GAMES: Final = ("connect4", "ultimate")
"""Games that may have files; the files determine the supported variants."""
_SEARCHES: Final = {"mcts": mcts, "alphabeta": alphabeta}


OPTIONS: Final[Mapping[str, Option]] = {
    "ms": Option("auto", "0..3600000", or_auto(number(0, 3_600_000)), "milliseconds a move; auto: none beside a count"),
    "sims": Option("auto", "N", or_auto(integer(1, 10**8)), "simulations a move, if its search is mcts"),
    "nodes": Option("auto", "N", or_auto(integer(0, 10**15)), "nodes a move, if its search is alphabeta"),
    "depth": Option("auto", "N", or_auto(integer(1, 81)), "plies, if its search is alphabeta"),
}
"""The options of `learned`; auto: the value in the file, else the default of the search."""
_COUNTS: Final = ("sims", "nodes", "depth")


class Shipped(NamedTuple):
    """A file of weights.

    Attributes
    ----------
    path
        The file.
    games
        The games of the training.
    search
        The search in which the evaluation plays best, as an agent string.
    """

    path: Path
    games: tuple[Game, ...]
    search: str


@cache
def shipped(folder: Path) -> tuple[Shipped, ...]:
    """Return the evaluations in a folder, ordered by file name."""
    found = []
    for path in sorted(folder.glob("*.npz")):
        meta = read_meta(path)
        specs = meta.get("games") or [str(meta.get("game"))]
        found.append(Shipped(path, tuple(parse_game(one) for one in specs), meta.get("search", "mcts")))
    return tuple(found)


def path_for(game: Game, spec: str) -> Path:
    """Return the file of a game's evaluation, or raise AgentError if none ships with the package.

    Examples
    --------
    >>> path_for(parse_game("connect4"), "learned").name
    'connect4.npz'
    """
    return _found(game, spec).path


def _found(game: Game, spec: str) -> Shipped:
    fitting = [one for one in shipped(WEIGHTS) if game in one.games]
    found = min(fitting, key=lambda one: len(one.games), default=None)  # a file of this game alone comes first
    if found is None:
        have = ", ".join(dict.fromkeys(one.spec for file in shipped(WEIGHTS) for one in file.games)) or "none"
        raise AgentError(f"expected a game with a learned evaluation ({have}) for {spec!r}, got {game.spec!r}")
    return found


def _settings(found: Shipped, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the search of a file, without its time limit if `values` contains a count."""
    name, colon, rest = found.search.partition(":")
    settings = parse_options(found.search, rest if colon else None, _SEARCHES[name].OPTIONS, AgentError)
    if values.get("ms") is None and any(values.get(one) for one in _COUNTS):
        settings["ms"] = 0
    return settings


def budgets() -> str:
    """Describe the search of each game and its budget for a move.

    Examples
    --------
    >>> budgets()[:46]
    'in connect4 alphabeta with 100 ms a move; in u'
    """
    parts = []
    for game in dict.fromkeys(one for file in shipped(WEIGHTS) for one in file.games):
        found = _found(game, "learned")
        name, settings = found.search.partition(":")[0], _settings(found, {})
        limits = {"ms": "ms", "sims": "simulations", "nodes": "nodes", "depth": "plies"}
        budget = next(
            (f"{settings[key]:,.10g} {unit}" for key, unit in limits.items() if settings.get(key)), "no limit"
        )
        parts.append(f"in {game.spec} {name} with {budget} a move")
    return "; ".join(parts)


def build(spec: str, game: Game, **values: Any) -> Player:
    """Return the player of `learned` with these values of `OPTIONS`; a given count disables the time limit.

    Parameters
    ----------
    spec
        Its agent string.
    game
        The game.
    **values
        The options; None for the value in the file.

    Raises
    ------
    AgentError
        If the package contains no evaluation of the game, or its search has no such option.
    """
    found = _found(game, spec)
    name, settings = found.search.partition(":")[0], _settings(found, values)
    for key, value in values.items():
        if value is None:
            continue
        if key not in settings:
            known = " or ".join(f"{one}=" for one in OPTIONS if one in settings)
            raise AgentError(f"expected {known} in {spec!r}, which is a search by {name} in {game.spec}, got {key}=")
        settings[key] = value if key != "ms" or name != "mcts" else round(value)
    settings["leaf" if name == "mcts" else "eval"] = str(found.path)
    player: Player = _SEARCHES[name].build(spec, game, **settings)
    return player
