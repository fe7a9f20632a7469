"""Players by alpha-beta search: `alphabeta:depth=5,eval=complex`."""

from typing import Any

import numpy as np

from ttt_fast.core.errors import AgentError
from ttt_fast.core.specs import Option, choice, integer, name_or_file, number, or_auto, yes_no
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.policies.policy import Policy
from ttt_fast.search.alphabeta.policy import search_policy
from ttt_fast.search.alphabeta.searcher import EVALUATIONS, MAX_DEPTH, TIES, AlphaBeta, SearchOptions
from ttt_fast.search.player import DrawingPlayer, SearchResult, check_turns, ongoing
from ttt_fast.search.rewards.api import has_rewards
from ttt_fast.tables import StateTable
from ttt_fast.values.evaluators import Evaluator
from ttt_fast.values.files import load_evaluator

_AUTO_DEPTH, _AUTO_TABLE_MB = 5, 16


OPTIONS = {
    "depth": Option("auto", f"1..{MAX_DEPTH}", or_auto(integer(1, MAX_DEPTH)), "plies; auto: 5, or all with a limit"),
    "eval": Option(
        "auto", "|".join((*EVALUATIONS, "FILE")), name_or_file("auto", *EVALUATIONS),
        "rewards beside the result (Bichot), or a learned evaluation; auto: complex in Ultimate, none elsewhere",
    ),
    "tie": Option.one_of("|".join(TIES), "choice of equally good moves; published: Bichot", "uniform"),
    "rule": Option.one_of("plain|published", "cost of a ply; published: Bichot"),
    "full": Option.one_of("draw|loss", "a full board: a draw, or lost (as Sai coded it)"),
    "prefer": Option.one_of(
        "auto|none|fast", "fast: wins sooner and loses later, without rewards; auto: fast with a file"
    ),
    "prune": yes_no("no: plain minimax", "yes"),
    "order": Option("auto", "yes|no", choice("auto", "yes", "no"), "promising moves first; auto: yes if ties allow it"),
    "tt": Option("auto", "0..4096", or_auto(integer(0, 4096)), "MiB of the transposition table; auto: 16 with a limit"),
    "deepen": yes_no("search to depth 1, 2, ... in turn"),
    "ms": Option("0", "0..3600000", number(0, 3_600_000), "stop deepening after this time, in milliseconds; 0: never"),
    "nodes": Option("0", "N", integer(0, 10**15), "stop deepening after N nodes; 0: never"),
}  # fmt: skip
"""The options of `alphabeta`."""


class AlphaBetaPlayer(DrawingPlayer):
    """Plays the best action of a search.

    Parameters
    ----------
    name
        Its agent string.
    state
        Any state of the game.
    options
        The options of the search.
    evaluator
        The evaluator of the search (`AlphaBeta`; default: none).
    """

    def __init__(
        self, name: str, state: api.GameState, options: SearchOptions, *, evaluator: Evaluator | None = None
    ) -> None:
        super().__init__(name)
        check_turns(name, state)
        self._search = AlphaBeta(state, options, evaluator)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the table and the work arrays."""
        return self._search.memory_bytes

    def begin(self, stream: np.uint64) -> None:
        """Discard earlier searches; draw ties from `stream`."""
        super().begin(stream)
        self._search.forget()

    def search(self, state: api.GameState) -> SearchResult:
        """Return the best action, its value in the units of the evaluation, and the nodes."""
        found = self._search.search(state, self._words.word())
        return SearchResult(found.action, found.value, found.nodes)

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the exact minimax value of every legal action, never a bound.

        Under a limit of time or nodes there are none: a search of all values would be shallower than that of the move.
        """
        if self._search.options.ms or self._search.options.nodes:
            ongoing(state)
            return {}
        return self._search.action_values(state)


def options_of(spec: str, game: Game, **values: Any) -> tuple[SearchOptions, Evaluator | None]:
    """Return the search of an `alphabeta` spec with these values of `OPTIONS`, and its evaluator or None.

    Raises
    ------
    AgentError
        If the values are inconsistent with each other or with the game.
    FileFormatError
        If the evaluation is a file that cannot be read.
    """
    limited = bool(values["ms"] or values["nodes"])
    evaluation, published = values["eval"], values["tie"] == "published"
    evaluator = None
    if evaluation == "auto":
        evaluation = "complex" if has_rewards(game.initial_state) else "none"
    elif evaluation not in EVALUATIONS:
        if published:
            raise AgentError(f"expected tie=first, last or uniform with a file, got {spec!r}")
        evaluator, evaluation = load_evaluator(evaluation, game), "none"
    elif evaluation != "none" and not has_rewards(game.initial_state):
        raise AgentError(f"expected eval=none in a game other than ultimate, got {spec!r}")
    usual_mb = _AUTO_TABLE_MB * (limited and not published)
    settled = {
        "depth": values["depth"] or (MAX_DEPTH if limited else _AUTO_DEPTH),
        "eval": evaluation,
        "prefer": ("none" if evaluator is None else "fast") if values["prefer"] == "auto" else values["prefer"],
        "tt": usual_mb if values["tt"] is None else values["tt"],
        "order": not published if values["order"] == "auto" else values["order"] == "yes",
    }
    if published and (settled["order"] or settled["tt"] or settled["prefer"] != "none"):
        raise AgentError(f"expected tie=published without order=yes, tt or prefer, which change its ties, got {spec!r}")
    if settled["prefer"] == "fast" and evaluation != "none":
        wanted = "prefer=fast with eval=none or a file, since rewards of other moves may exceed that of a win"
        raise AgentError(f"expected {wanted}, got {spec!r} with eval={evaluation}")
    return SearchOptions(**values | settled), evaluator


def build(spec: str, game: Game, **values: Any) -> AlphaBetaPlayer:
    """Return the player of an `alphabeta` spec with these values of `OPTIONS`; errors as for `options_of`.

    Examples
    --------
    >>> from ttt_fast.core.specs import parse_options
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> player = build("alphabeta:depth=8", game, **parse_options("", "depth=8", OPTIONS))
    >>> player.search(game.state_after("3141")).value
    1.0
    """
    options, evaluator = options_of(spec, game, **values)
    return AlphaBetaPlayer(spec, game.initial_state, options, evaluator=evaluator)


def fill(table: StateTable, spec: str, **values: Any) -> Policy:
    """Return the policy of an `alphabeta` spec over a table (`search_policy`); errors as for `options_of`."""
    return search_policy(table, spec, *options_of(spec, table.game, **values))
