"""Bichot's agents: `minimax-N`, and `improved`, which looks for a win first, late in a game."""

from typing import Final

import numpy as np

from ttt_fast import Game, Player, as_player
from ttt_fast.agents.api import Agent, DrawingPlayer, Option, SearchResult, integer
from ttt_fast.evaluators import AlphaBeta, SearchOptions
from ttt_fast.games import api

_VERSIONS: Final = {"coded": 50, "written": 0}  # the improved minimax takes a value above this for a won game
_OPTIONS: Final = {
    "depth": Option("5", "1..20", integer(1, 20), "plies with the complex reward"),
    "extra": Option("2", "0..10", integer(0, 10), "plies more with the simple reward"),
    "start": Option("20", "0..41", integer(0, 41), "own moves before it looks for a win with the simple reward"),
    "version": Option.one_of("|".join(_VERSIONS), "as published code does, or as described"),
}


class ImprovedPlayer(DrawingPlayer):
    """Plays the best action of a search, or a win that a deeper search has found late in the game.

    Parameters
    ----------
    name
        Its agent string.
    game
        Ultimate.
    usual, late
        The options of the search, and of the deeper one, which precedes it late in a game.
    start
        The number of own moves from which the deeper search is used.
    enough
        A value of the deeper search above this number is taken for a win, and the move is played.
    """

    def __init__(
        self, name: str, game: Game, usual: SearchOptions, late: SearchOptions, start: int, enough: float
    ) -> None:
        super().__init__(name)
        self._usual, self._late = (AlphaBeta(game.initial_state, options) for options in (usual, late))
        self._start, self._enough = start, enough

    @property
    def memory_bytes(self) -> int:
        """Bytes of the tables and the work arrays."""
        return self._usual.memory_bytes + self._late.memory_bytes

    def begin(self, stream: np.uint64) -> None:
        """Discard earlier searches; draw ties from `stream`."""
        super().begin(stream)
        self._usual.forget()
        self._late.forget()

    def search(self, state: api.GameState) -> SearchResult:
        """Return the best action, its value in the units of the evaluation, and the nodes of both searches."""
        looked_at = 0
        if self._is_late(state):
            found = self._late.search(state, self._words.word())
            if found.value > self._enough:
                return SearchResult(found.action, found.value, found.nodes)
            looked_at = found.nodes
        found = self._usual.search(state, self._words.word())
        return SearchResult(found.action, found.value, looked_at + found.nodes)

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the exact minimax value of every legal action in the decisive search, never a bound."""
        if self._is_late(state):
            values = self._late.action_values(state)
            if max(values.values()) > self._enough:
                return values
        return self._usual.action_values(state)

    def _is_late(self, state: api.GameState) -> bool:
        return int(api.ply(state)) // 2 >= self._start


def published_options(depth: int, evaluation: str) -> SearchOptions:
    """Return the options of Bichot's minimax agent with random ties, as in the published program."""
    return SearchOptions(depth, evaluation, tie="published", rule="published", order=False)


def minimax(name: str) -> Agent:
    """Return the agent `minimax-N`, with random ties, as in the published program.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> as_player("minimax-1", parse_game("ultimate"))
    <AlphaBetaPlayer minimax-1>
    """
    steps = int(name.removeprefix("minimax-"))

    def player(spec: str, game: Game) -> Player:
        search = as_player(f"alphabeta:depth={steps},eval=complex,tie=published,rule=published", game)
        search.name = spec
        return search

    summary = f"{steps}-step minimax with the complex reward and random ties, as coded (Bichot)"
    return Agent(summary, player=player, games=("ultimate",), study="ultimate")


def improved(name: str) -> Agent:
    """Return the agent `improved`.

    Its player makes two searches late in the game: a deeper search with the simple reward, which looks for a win, and
    the usual search with the complex reward.  The second search is made only if the first one finds no win.

    The version `coded` uses the searches of the published program, and takes a value of the simple reward above 50 for
    a win.  The published scripts search seven or eight plies, in which won small boards alone give at most 40.  The
    version `written` follows Bichot's text: each ply is one move, only equal values are ties, and the complex reward is
    the published one.  It takes a positive value for a win, which is correct if only winning the game has a reward.
    """

    def player(spec: str, game: Game, *, depth: int, extra: int, start: int, version: str) -> ImprovedPlayer:
        if version == "coded":
            usual, late = published_options(depth, "complex"), published_options(depth + extra, "simple")
        else:
            usual, late = SearchOptions(depth, "complex-written"), SearchOptions(depth + extra)
        return ImprovedPlayer(spec, game, usual, late, start, _VERSIONS[version])

    summary = "looks for a win first, late in the game (improved minimax, Bichot)"
    return Agent(summary, _OPTIONS, player=player, games=("ultimate",), study="ultimate")
