"""Games of this study: a piece of work is a range of games of one contest, each with its own random streams."""

import threading
from typing import Any, Final

import numpy as np

from ttt_fast import Game, Player, as_player, parse_agent, parse_game
from ttt_fast.agents.api import SearchResult, WrappedPlayer
from ttt_fast.evaluators import SearchOptions
from ttt_fast.games.ultimate.duplicates import DuplicatesState
from ttt_fast.kernels import chunk_stream
from ttt_fast.studies.engine.games import StudyKey, play_games
from ttt_fast.studies.ultimate.agents import ImprovedPlayer
from ttt_fast.studies.ultimate.bertholon import NAME, BertholonPlayer

IMPROVED: Final = "improved-ties"
_DEPTH: Final = 5
_EXTRA: Final = 2
_TIES: Final = {"true": ("uniform", True), "false": ("published", False)}
"""The tie rule of a search, and whether the search may order its moves."""
_REWARDS: Final = {
    "coded": ("complex", "simple", "published", 50.0),
    "written": ("complex-written", "none", "plain", 0.0),
}
"""Rewards of the base and of the deeper search, the cost of a ply, and the value above which a move is a win."""
_OPTIONS: Final = {"version": "coded", "base": "true", "deeper": "true", "start": "20"}
"""The options: `version`, for all details except ties; ties of both searches; own moves before the deeper search."""


def improved_of(spec: str, game: Game) -> ImprovedPlayer:
    """Return the player of `improved-ties:version=coded,base=true,deeper=false,start=20`.

    With both ties false it plays like `improved` as coded, and with both true like `improved` as written.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("ultimate")
    >>> improved_of("improved-ties:start=0", game).search(game.initial_state).action in range(81)
    True
    """
    described: dict[str, Any] = {**_OPTIONS, **dict(parse_agent(spec).options)}
    complex_reward, simple, rule, enough = _REWARDS[described["version"]]
    searches = list[SearchOptions]()
    for depth, rewards, kind in ((_DEPTH, complex_reward, "base"), (_DEPTH + _EXTRA, simple, "deeper")):
        tie, order = _TIES[described[kind]]
        searches.append(SearchOptions(depth, rewards, tie=tie, rule=rule, order=order))
    return ImprovedPlayer(spec, game, searches[0], searches[1], int(described["start"]), enough)


DUPLICATED: Final = " with duplicated moves"
"""Suffix of an agent string: the search lists moves with the same repetitions as the published program."""
_PLAYERS_KEPT = 4
_own = threading.local()
_compiling = threading.Lock()


class DuplicatesPlayer(WrappedPlayer):
    """A player of Ultimate whose moves are listed with the same repetitions as in the published program."""

    def search(self, state: Any) -> SearchResult:
        """Return the move in a state of Ultimate."""
        twin: Any = DuplicatesState(state)  # it holds a state instead of a tuple of integers
        return self.player.search(twin)


def player_of(agent: str, game: Game) -> Player:
    """Return a new player, for one thread.

    Examples
    --------
    >>> game = parse_game("ultimate")
    >>> type(player_of("mcts:sims=50,formula=log-ratio with duplicated moves", game)).__name__
    'DuplicatesPlayer'
    """
    if agent == NAME:
        return BertholonPlayer(NAME)
    if agent.startswith(IMPROVED):
        return improved_of(agent, game)
    player = as_player(agent.removesuffix(DUPLICATED), game)
    return DuplicatesPlayer(player) if agent.endswith(DUPLICATED) else player


def _kept_player(agent: str, game: Game, side: int) -> Player:
    """Return this thread's compiled player; an agent against itself uses two players."""
    kept: dict[Any, Player] = _own.__dict__.setdefault("players", {})
    key = (agent, game.spec, side)
    if key not in kept:
        while len(kept) >= _PLAYERS_KEPT:
            del kept[next(iter(kept))]
        with _compiling:
            kept[key] = player_of(agent, game)
            kept[key].begin(chunk_stream(0))
            kept[key].search(game.initial_state)
    return kept[key]


def play(first: str, second: str, game: str, seats: str, key: list[int], begin: int, end: int) -> dict[str, Any]:
    """Play the games `begin` to `end` of a contest.

    Parameters
    ----------
    first, second
        Agent strings.
    game
        The rules.
    seats
        `swapped`: seats alternate from game to game; otherwise the first agent begins.
    key
        Numbers that separate the random streams of this contest from those of other contests.
    begin, end
        The numbers of the games.

    Returns
    -------
    dict
        `counts` (2, 3): wins, draws and losses of the first agent, in games that it begins and in games that the second
        begins; `moves` and `nodes` (2,): of each agent; `plies` (games,).

    Examples
    --------
    >>> play("random", "random", "ultimate", "first", [0], 0, 20)["counts"].sum(axis=1).tolist()
    [20, 0]
    """
    rules = parse_game(game)
    players = _kept_player(first, rules, 0), _kept_player(second, rules, 1)
    keys = [
        ((StudyKey.ULTIMATE_MATCHES, *key, number), int(seats == "swapped" and number % 2))
        for number in range(begin, end)
    ]
    found = play_games(rules, players, keys)
    _, moves, nodes = found.spent.T
    counts = found.counts.astype(np.int64)
    return {"counts": counts, "moves": moves, "nodes": nodes, "plies": found.plies}
