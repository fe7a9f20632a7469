"""Players that search: `alphabeta:depth=5,eval=complex`, Bichot's `minimax-5` and improved minimax."""

from typing import Any

import numpy as np

from ttt_fast.core.errors import AgentError
from ttt_fast.core.rng import Stream
from ttt_fast.core.specs import Option, choice, integer, number
from ttt_fast.games import api
from ttt_fast.games.ultimate import UltimateState
from ttt_fast.search.alphabeta.searcher import EVALUATIONS, MAX_DEPTH, TIES, AlphaBeta, SearchOptions
from ttt_fast.search.player import Thought

_AUTO_DEPTH, _AUTO_TABLE_MB = 5, 16
_YES_NO = choice("yes", "no")
_VERSIONS = {"coded": 50, "written": 0}  # the improved minimax takes a value above this for a won game


def _number_or_auto(low: int, high: int) -> Any:
    parse = integer(low, high)
    return lambda text: None if text == "auto" else parse(text)


OPTIONS = {
    "depth": Option("auto", f"1..{MAX_DEPTH}", _number_or_auto(1, MAX_DEPTH), "plies; auto: 5, or all with a limit"),
    "eval": Option(
        "auto",
        "|".join(EVALUATIONS),
        choice("auto", *EVALUATIONS),
        "rewards beside the result (Bichot); auto: complex in Ultimate, none elsewhere",
    ),
    "tie": Option("uniform", "|".join(TIES), choice(*TIES), "choice of equally good moves; published: Bichot"),
    "rule": Option("plain", "plain|published", choice("plain", "published"), "cost of a ply; published: Bichot"),
    "full": Option("draw", "draw|loss", choice("draw", "loss"), "a full board: a draw, or lost (as Sai coded it)"),
    "prefer": Option("none", "none|fast", choice("none", "fast"), "fast: wins sooner and loses later"),
    "prune": Option("yes", "yes|no", _YES_NO, "no: plain minimax"),
    "order": Option("auto", "yes|no", choice("auto", "yes", "no"), "promising moves first; auto: yes if ties allow it"),
    "tt": Option("auto", "0..4096", _number_or_auto(0, 4096), "MiB of the transposition table; auto: 16 with a limit"),
    "deepen": Option("no", "yes|no", _YES_NO, "search to depth 1, 2, ... in turn"),
    "ms": Option("0", "0..3600000", number(0, 3_600_000), "stop deepening after this time, in milliseconds; 0: never"),
    "nodes": Option("0", "N", integer(0, 10**15), "stop deepening after N nodes; 0: never"),
}
"""The options of `alphabeta`."""

IMPROVED_OPTIONS = {
    "depth": Option("5", "1..20", integer(1, 20), "plies with the complex reward"),
    "extra": Option("2", "0..10", integer(0, 10), "plies more with the simple reward"),
    "start": Option("20", "0..41", integer(0, 41), "own moves before it looks for a win with the simple reward"),
    "version": Option("coded", "|".join(_VERSIONS), choice(*_VERSIONS), "as published code does, or as described"),
}
"""The options of `improved`."""


class AlphaBetaPlayer:
    """Plays the best action of a search.

    Parameters
    ----------
    name
        Its agent string.
    state
        Any state of the game.
    options
        The options of the search.
    """

    def __init__(self, name: str, state: Any, options: SearchOptions) -> None:
        self.name = name
        self._search = AlphaBeta(state, options)
        self._words = Stream(np.uint64(0))

    @property
    def memory_bytes(self) -> int:
        """Bytes of the table and the work arrays."""
        return self._search.memory_bytes

    def begin(self, stream: np.uint64) -> None:
        """Forget earlier searches; draw ties from `stream` from now on."""
        self._search.forget()
        self._words = Stream(stream)

    def think(self, state: Any) -> Thought:
        """Return the best action, its value in the units of the evaluation, and the nodes of the search."""
        result = self._search.search(state, self._words.word())
        return Thought(result.action, result.value, result.nodes)

    def action_values(self, state: Any) -> dict[int, float]:
        """Return the minimax value of every legal action of an ongoing state, bounds never."""
        return self._search.action_values(state)


class ImprovedMinimaxPlayer:
    """Bichot's improved minimax: late in the game it first looks deeper, with the simple reward, for a win.

    As coded both searches are those of the published program, and a simple value above 50 is taken for a win.
    In the seven or eight plies of its scripts boards alone earn 40 at most.  As described a ply is a ply, ties are
    true ones, and the complex reward is the printed one.  A positive value is then a win, which holds where only
    winning the game earns anything.

    Parameters
    ----------
    name
        Its agent string.
    state
        Any state of Ultimate.
    depth
        Plies of the search with the complex reward.
    extra
        Further plies of the search with the simple one.
    start
        Number of own moves before it looks deeper.
    version
        `coded` or `written`.
    """

    def __init__(self, name: str, state: Any, depth: int, extra: int, start: int, version: str) -> None:
        self.name, self._start, self._enough = name, start, _VERSIONS[version]
        if version == "coded":
            searches = published_options(depth, "complex"), published_options(depth + extra, "simple")
        else:
            searches = SearchOptions(depth, "complex-written"), SearchOptions(depth + extra, "none")
        self._complex, self._simple = (AlphaBeta(state, options) for options in searches)
        self._words = Stream(np.uint64(0))

    @property
    def memory_bytes(self) -> int:
        """Bytes of both searches."""
        return self._complex.memory_bytes + self._simple.memory_bytes

    def begin(self, stream: np.uint64) -> None:
        """Forget earlier searches; draw ties from `stream` from now on."""
        self._complex.forget()
        self._simple.forget()
        self._words = Stream(stream)

    def _is_late(self, state: Any) -> bool:
        return api.ply(state) // 2 >= self._start

    def think(self, state: Any) -> Thought:
        """Return the move of a win that the simple search is sure of, else that of the complex search."""
        looked_at = 0
        if self._is_late(state):
            found = self._simple.search(state, self._words.word())
            if found.value > self._enough:
                return Thought(found.action, found.value, found.nodes)
            looked_at = found.nodes
        result = self._complex.search(state, self._words.word())
        return Thought(result.action, result.value, looked_at + result.nodes)

    def action_values(self, state: Any) -> dict[int, float]:
        """Return the value of every legal action in the deciding search: the simple one where that finds a win."""
        if self._is_late(state):
            values = self._simple.action_values(state)
            if max(values.values()) > self._enough:
                return values
        return self._complex.action_values(state)


def published_options(depth: int, evaluation: str) -> SearchOptions:
    """Return the options of Bichot's minimax agent with random ties, as coded."""
    return SearchOptions(depth, evaluation, tie="published", depth_rule="published", ordering=False)


def build(spec: str, game: Any, **values: Any) -> AlphaBetaPlayer:
    """Return the player of an `alphabeta` spec with these values of `OPTIONS`; AgentError if they do not fit.

    Examples
    --------
    >>> from ttt_fast.core.specs import parse_options
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> player = build("alphabeta:depth=8", game, **parse_options("", "depth=8", OPTIONS))
    >>> player.think(game.state_after("3141")).value
    1.0
    """
    state, limited = game.initial_state, bool(values["ms"] or values["nodes"])
    evaluation, published = values["eval"], values["tie"] == "published"
    if evaluation == "auto":
        evaluation = "complex" if isinstance(state, UltimateState) else "none"
    elif evaluation != "none" and not isinstance(state, UltimateState):
        raise AgentError(f"expected eval=none in a game other than ultimate, got {spec!r}")
    table_mb = values["tt"] if values["tt"] is not None else _AUTO_TABLE_MB * (limited and not published)
    ordering = not published if values["order"] == "auto" else values["order"] == "yes"
    if published and (ordering or table_mb or values["prefer"] != "none"):
        raise AgentError(f"expected tie=published without order=yes, tt or prefer, which change its ties, got {spec!r}")
    options = SearchOptions(
        depth=values["depth"] or (MAX_DEPTH if limited else _AUTO_DEPTH),
        evaluation=evaluation,
        tie=values["tie"],
        depth_rule=values["rule"],
        full_board=values["full"],
        prefer=values["prefer"],
        pruning=values["prune"] == "yes",
        ordering=ordering,
        table_mb=table_mb,
        deepening=values["deepen"] == "yes",
        seconds=values["ms"] / 1000,
        nodes=values["nodes"],
    )
    return AlphaBetaPlayer(spec, state, options)


def build_published(spec: str, game: Any) -> AlphaBetaPlayer:
    """Return Bichot's N-step minimax agent with random ties, `minimax-N`."""
    return AlphaBetaPlayer(spec, game.initial_state, published_options(int(spec.removeprefix("minimax-")), "complex"))


def build_improved(spec: str, game: Any, **values: Any) -> ImprovedMinimaxPlayer:
    """Return Bichot's improved minimax with these values of `IMPROVED_OPTIONS`."""
    return ImprovedMinimaxPlayer(spec, game.initial_state, **values)
