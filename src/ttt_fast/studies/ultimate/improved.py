"""The improved minimax with selectable tie rules, set separately for its base and for its deeper search."""

from typing import Any, Final

from ttt_fast import Game, parse_agent
from ttt_fast.evaluators import SearchOptions
from ttt_fast.search.alphabeta.player import AlphaBetaPlayer

NAME: Final = "improved-ties"
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


def improved_of(spec: str, game: Game) -> AlphaBetaPlayer:
    """Return the player of `improved-ties:version=coded,base=true,deeper=false,start=20`.

    With both ties false it plays like `improved` as coded, and with both true like `improved` as written.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("ultimate")
    >>> improved_of("improved-ties:start=0", game).think(game.initial_state).action in range(81)
    True
    """
    told: dict[str, Any] = {**_OPTIONS, **dict(parse_agent(spec).options)}
    complex_reward, simple, rule, enough = _REWARDS[told["version"]]
    searches = list[SearchOptions]()
    for depth, rewards, kind in ((_DEPTH, complex_reward, "base"), (_DEPTH + _EXTRA, simple, "deeper")):
        tie, order = _TIES[told[kind]]
        searches.append(SearchOptions(depth, rewards, tie=tie, rule=rule, order=order))
    return AlphaBetaPlayer(spec, game.initial_state, searches[0], searches[1], int(told["start"]), enough)
