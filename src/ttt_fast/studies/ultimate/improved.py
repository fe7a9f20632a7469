"""The improved minimax with its ties chosen: those of its base and those of its deeper search, each by itself."""

from typing import Final

from ttt_fast.core.specs import Option, integer, one_of, parse_options
from ttt_fast.games.game import Game
from ttt_fast.search.alphabeta.player import AlphaBetaPlayer, LateSearch
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions

NAME: Final = "improved-ties"
_DEPTH: Final = 5
_EXTRA: Final = 2
_TIES: Final = {"true": ("uniform", True), "false": ("published", False)}
"""The ties of a search, and whether it may order its moves."""
_REWARDS: Final = {
    "coded": ("complex", "simple", "published", 50.0),
    "written": ("complex-written", "none", "plain", 0.0),
}
"""Rewards of the base and of the deeper search, what a ply costs, and the value above which a move is a win."""
_OPTIONS: Final = {
    "version": one_of("|".join(_REWARDS), "all but the ties as published code does, or as described"),
    "base": one_of("|".join(_TIES), "ties of the search with the complex reward"),
    "deeper": one_of("|".join(_TIES), "ties of the deeper search"),
    "start": Option("20", "0..41", integer(0, 41), "own moves before it looks for a win"),
}


def improved_of(spec: str, game: Game) -> AlphaBetaPlayer:
    """Return the player of `improved-ties:version=coded,base=true,deeper=false,start=20`.

    With both ties false it plays as `improved` as coded, with both true as `improved` as written.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("ultimate")
    >>> improved_of("improved-ties:start=0", game).think(game.initial_state).action in range(81)
    True
    """
    told = parse_options(spec, spec.partition(":")[2] or None, _OPTIONS)
    complex_reward, simple, rule, enough = _REWARDS[told["version"]]
    searches = []
    for depth, rewards, kind in ((_DEPTH, complex_reward, "base"), (_DEPTH + _EXTRA, simple, "deeper")):
        tie, order = _TIES[told[kind]]
        searches.append(SearchOptions(depth, rewards, tie=tie, rule=rule, order=order))
    state = game.initial_state
    return AlphaBetaPlayer(spec, state, searches[0], LateSearch(AlphaBeta(state, searches[1]), told["start"], enough))
