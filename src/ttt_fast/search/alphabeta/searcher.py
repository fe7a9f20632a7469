"""Alpha-beta search of a position: the options, the search and the result.

The rules of Bichot's program (`tie` and `rule` of `published`) are flags of the general kernel, in about 40 lines.  A
kernel of its own would need the same stack, horizon and loop over two plies for equal bits and speed, over 120 lines.
The studies also combine `rule` with ordering, uniform ties and a search without pruning.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from ttt_fast.core.errors import UsageError
from ttt_fast.games import api
from ttt_fast.running.interrupts import blocks, check_interrupt
from ttt_fast.search.alphabeta import work as at
from ttt_fast.search.alphabeta.horizon import NO_EVALUATOR, evaluator_rewards
from ttt_fast.search.alphabeta.kernel import search
from ttt_fast.search.alphabeta.work import AlphaBetaSettings, AlphaBetaWork, make_work
from ttt_fast.search.player import ongoing
from ttt_fast.search.rewards.api import LARGE, Evaluation, evaluation_of
from ttt_fast.values.evaluators import Evaluator, memory_bytes

Answer = TypeVar("Answer")
MAX_DEPTH = 81
TIES = {
    "first": at.TIE_FIRST,
    "last": at.TIE_LAST,
    "uniform": at.TIE_UNIFORM,
    "published": at.TIE_PUBLISHED,
}
EVALUATIONS = ("none", "simple", "simple-written", "complex", "complex-written")
_PUBLISHED_INFINITY = 1000  # Bichot's bound, in its units
_CHUNK_NODES = 20_000  # between two checks of the clock: about a millisecond
_CHUNK_EVALUATIONS = 1_000  # the same with an evaluator, which takes as long as many nodes
_FIRST_NODES, _FIRST_EVALUATIONS = 1 << 20, 1 << 9  # of the first call of a search without a limit
_WHOLE = 1 << 62
_MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class SearchOptions:
    """The options of a search.

    Attributes
    ----------
    depth
        Plies, 1 to 81.
    eval
        Rewards besides the result: one of `EVALUATIONS`, all except `none` only for Ultimate; unused with an evaluator.
    tie
        The choice among equally good actions: `first`, `last`, `uniform`; or `published`, as in Bichot's program: among
        the actions that its pruned search returns as equal, including bounds, weighted by their multiplicity.
    rule
        `plain`, or `published`: a position with more than nine listed actions costs two plies (Bichot).
    full
        `draw`, or `loss`: above the horizon a full board is lost for the player to move (Sai).
    prefer
        `none`, or `fast`: among equal results, wins sooner and loses later.
    prune, order
        Whether to prune irrelevant moves, and to search promising actions first; neither changes a value.
    tt
        Size of the transposition table in MiB, 0 for none; does not change a value.
    deepen
        Whether to search to depth 1, 2, … in turn.  With a table and ordering this is often faster than `depth` at
        once.
    ms, nodes
        Limits of time, in milliseconds, and of nodes (0: none), after which deepening stops; either implies `deepen`.
        The player takes the best action of the last complete depth.  With an evaluator and ordering, it takes the best
        action found so far at the next depth, which begins with the previous best action.
    """

    depth: int = 5
    eval: str = "none"
    tie: str = "uniform"
    rule: str = "plain"
    full: str = "draw"
    prefer: str = "none"
    prune: bool = True
    order: bool = True
    tt: int = 0
    deepen: bool = False
    ms: float = 0.0
    nodes: int = 0

    def __post_init__(self) -> None:
        """Raise UsageError if the options are invalid."""
        if not 1 <= self.depth <= MAX_DEPTH:
            raise UsageError(f"expected a depth of 1 to {MAX_DEPTH}, got {self.depth!r}")
        for name, values in _CHOICES.items():
            if getattr(self, name) not in values:
                raise UsageError(f"expected {name} to be {' or '.join(values)}, got {getattr(self, name)!r}")
        if min(self.tt, self.ms, self.nodes) < 0:
            raise UsageError(
                f"expected tt, ms and nodes to be at least 0, got {self.tt!r}, {self.ms!r} and {self.nodes!r}"
            )
        if self.tie == "published" and (self.order or self.tt or self.prefer != "none"):
            raise UsageError(
                "expected tie 'published' without ordering, table or preference: they would change its ties"
            )


_CHOICES = {
    "eval": EVALUATIONS,
    "tie": tuple(TIES),
    "rule": ("plain", "published"),
    "full": ("draw", "loss"),
    "prefer": ("none", "fast"),
}


class AlphaBetaResult(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    action
        The chosen action.
    value
        The minimax value for the player to move, in the units of the evaluation.  By results alone it is 1 for a win
        and -1 for a loss within the depth, and otherwise 0.  It is infinite if a full board counts as a loss.  With an
        evaluator it is between -1 and 1.
    nodes
        Positions examined at all depths, including the root and the horizon.
    depth
        Depth of the last complete search.
    is_exact
        Whether the value is that of the game under best play.  It is if only results count and this depth reaches the
        end of every line, or finds a forced win or loss.  With an evaluator or rewards, `tie` of `published` or `full`
        of `loss` it is never known to be.
    """

    action: int
    value: float
    nodes: int
    depth: int
    is_exact: bool


class AlphaBeta:
    """Minimax search of one game, with its work arrays; for one thread.

    Parameters
    ----------
    state
        Any state of the game, which determines the shape of the states to search.
    options
        The options of the searches.
    evaluator
        An evaluator of `values/evaluators.py`, used by this object alone (default: none).  Its value counts at the
        horizon, and only results count before.

    Raises
    ------
    UsageError
        If the game has no such evaluation.

    Examples
    --------
    >>> from ttt_fast.games.tic_tac_toe import TicTacToeState
    >>> AlphaBeta(TicTacToeState(0, 0, 0), SearchOptions(depth=9, tie="first")).search(TicTacToeState(3, 24, 0))
    AlphaBetaResult(action=2, value=1.0, nodes=..., depth=9, is_exact=True)
    """

    def __init__(self, state: api.GameState, options: SearchOptions, evaluator: Evaluator | None = None) -> None:
        self.options = options
        self._evaluator: Evaluator = NO_EVALUATOR if evaluator is None else evaluator
        self._evaluation = evaluation_of(options.eval, state) if evaluator is None else evaluator_rewards()
        self._limit = math.inf if evaluator is None else 1.0
        self._counts_results = evaluator is None and options.eval == "none" and options.full == "draw"
        self._max_plies = api.max_plies(state)
        depth = min(options.depth, self._max_plies)
        self._work: AlphaBetaWork = make_work(state, depth, options.tt * _MEBIBYTE)
        self._settings = _settings(options, self._evaluation.unit)
        self._used = self._is_cut_short = False

    @property
    def memory_bytes(self) -> int:
        """Bytes of the table, the work arrays and the evaluator."""
        return memory_bytes((*self._work, self._evaluator))

    def forget(self) -> None:
        """Discard earlier searches: numbers of nodes, but not values, depend on them."""
        if self._used:
            self._work.table[:] = 0
            self._work.history[:] = 0
            self._used = False

    def search(self, state: api.GameState, word: int | np.uint64 = 0) -> AlphaBetaResult:
        """Return the best action of an ongoing state, ties drawn with the 64 random bits `word`."""
        (action, value), nodes, depth = self._deepen(state, self._settings, np.uint64(word), self._choice)
        best = int(self._work.frames[0, at.BEST_ACTION])
        if self._is_cut_short and self._evaluator is not NO_EVALUATOR and self.options.order and best != api.NO_ACTION:
            action, value = best, self._value(int(self._work.frames[0, at.BEST]))  # at least as good, searched deeper
        is_decided = value != 0 or depth >= self._complete_depth(state)
        is_exact = self._counts_results and self.options.tie != "published" and is_decided
        return AlphaBetaResult(action, value, nodes, depth, is_exact)

    def exact_values(self, state: api.GameState, nodes: int) -> dict[int, int] | None:
        """Return the exact value of every legal action of an ongoing state, or None if the nodes do not suffice.

        One search goes to the end of the game, whatever the options of depth, limits and ties.  It keeps its results
        in the transposition table for later states.

        Parameters
        ----------
        state
            The state, with at most `options.depth` plies to the end of the longest game.
        nodes
            Number of nodes to search, at least 1.

        Returns
        -------
        dict of int to int, or None
            1 for a win of the player to move, 0 for a draw, -1 for a loss, in ascending order of the actions.

        Raises
        ------
        UsageError
            If other rewards than results count, the depth is too small, or `nodes` is.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> state = parse_game("tic-tac-toe").parse_position("XX.OO....")
        >>> search = AlphaBeta(state, SearchOptions(depth=9))
        >>> search.exact_values(state, 1000), search.exact_values(state, 10)
        ({2: 1, 5: 0, 6: -1, 7: -1, 8: -1}, None)
        """
        ongoing(state)
        plies = self._max_plies - api.ply(state)
        if not self._counts_results:
            raise UsageError("expected eval 'none' and full 'draw' for exact values, got other rewards")
        if nodes < 1 or plies > self.options.depth:
            wanted = f"at least 1 node and a depth of at least {plies} for exact values"
            raise UsageError(f"expected {wanted}, got {nodes!r} and {self.options.depth!r}")
        settings = self._settings._replace(
            ties=at.TIE_VALUES, published_depth=0, scale=1, prefer_fast=0, infinity=1, to_end=1
        )
        if not self._run(state, plies, settings, np.uint64(0), -1, _Limit(0.0, nodes, _FIRST_NODES)):
            return None
        return {action: int(value) for action, value in self._root_pairs()}

    def prepared(self) -> tuple[int, AlphaBetaSettings, Evaluation, Evaluator, AlphaBetaWork]:
        """Return the arguments of the kernel for a search to the full depth, including its arrays."""
        return self.options.depth, self._settings, self._evaluation, self._evaluator, self._work

    def best_actions(self, state: api.GameState) -> list[int]:
        """Return the actions from which `search` chooses uniformly.

        If `tie` is `uniform`, these are the actions of the minimax value, ascending.  If it is `published`, these are
        the actions that the pruned search returns as equal, repeated as in the published list.

        Examples
        --------
        >>> from ttt_fast.games.tic_tac_toe import TicTacToeState
        >>> AlphaBeta(TicTacToeState(0, 0, 0), SearchOptions(depth=9)).best_actions(TicTacToeState(0, 1 << 4, 0))
        [0, 2, 6, 8]
        """
        return self._deepen(state, self._settings, np.uint64(0), self._candidates)[0]

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the minimax value of every legal action of an ongoing state, in ascending order of the actions.

        Examples
        --------
        >>> from ttt_fast.games.tic_tac_toe import TicTacToeState
        >>> AlphaBeta(TicTacToeState(0, 0, 0), SearchOptions(depth=9)).action_values(TicTacToeState(0, 1, 0))
        {1: -1.0, 2: -1.0, 3: -1.0, 4: 0.0, 5: -1.0, 6: -1.0, 7: -1.0, 8: -1.0}
        """
        settings = self._settings._replace(ties=at.TIE_VALUES)
        return self._deepen(state, settings, np.uint64(0), self._root_values)[0]

    def _complete_depth(self, state: api.GameState) -> int:
        """Return a depth that reaches the end of every line."""
        plies = self._max_plies - api.ply(state)
        cost = 2 if self.options.rule == "published" else 1
        return plies * cost + (self.options.full == "loss")  # which needs a ply left at the end

    def _deepen(
        self, state: api.GameState, settings: AlphaBetaSettings, word: np.uint64, read: Callable[[], Answer]
    ) -> tuple[Answer, int, int]:
        """Search by the options; return `read()` after the last complete search, the number of nodes, and its depth."""
        options, nodes, first = self.options, 0, -1
        ongoing(state)
        depths = range(options.depth, options.depth + 1)
        if options.deepen or options.ms or options.nodes:
            depths = range(1, min(options.depth, self._complete_depth(state)) + 1)
        limit = None
        for depth in depths:
            finished = self._run(state, depth, settings, word, first, limit)
            nodes += self._nodes
            self._is_cut_short = not finished
            if not finished:
                break
            answer, reached, first = read(), depth, int(self._work.counters[at.CHOSEN])
            if depth == 1 and (options.ms or options.nodes):  # the clock starts after the compilation of the kernel
                chunk = _CHUNK_NODES if self._evaluator is NO_EVALUATOR else _CHUNK_EVALUATIONS
                limit = _Limit(options.ms / 1000, options.nodes, chunk)
        return answer, nodes, reached

    def _choice(self) -> tuple[int, float]:
        return int(self._work.counters[at.CHOSEN]), self._value(int(self._work.frames[0, at.BEST]))

    def _candidates(self) -> list[int]:
        if self.options.tie in ("first", "last"):
            return [int(self._work.counters[at.CHOSEN])]
        count = int(self._work.frames[0, at.NEXT])
        equal = self._work.root_values[:count] == self._work.frames[0, at.BEST]
        return sorted(self._work.actions[0, :count][equal].tolist())

    def _root_values(self) -> dict[int, float]:
        return {action: self._value(value) for action, value in self._root_pairs()}

    def _root_pairs(self) -> list[tuple[int, int]]:
        """Return the root actions in ascending order, with their values in the units of the kernel."""
        count = int(self._work.frames[0, at.NEXT])
        return sorted(zip(self._work.actions[0, :count].tolist(), self._work.root_values[:count].tolist(), strict=True))

    @property
    def _nodes(self) -> int:
        return int(self._work.counters[at.NODES])

    def _run(
        self,
        state: api.GameState,
        depth: int,
        settings: AlphaBetaSettings,
        word: np.uint64,
        first: int,
        limit: "_Limit | None",
    ) -> bool:
        """Search to one depth; return whether the search was completed within the limit."""
        counters, before = self._work.counters, 0
        counters[at.LEVEL], counters[at.CHOSEN] = -1, first
        self._used = True
        for budget in iter(limit.budget, 0) if limit else self.budgets():
            done = search(state, depth, settings, self._evaluation, self._evaluator, self._work, budget, word)
            if limit:
                limit.nodes -= self._nodes - before
                before = self._nodes
            if done:
                return True
            check_interrupt()
        return False

    def budgets(self) -> Iterator[int]:
        """Yield the nodes of successive calls of the kernel, about half a second each."""
        first = _FIRST_NODES if self._evaluator is NO_EVALUATOR else _FIRST_EVALUATIONS
        return (end - begin for begin, end in blocks(_WHOLE, first))

    def _value(self, value: int) -> float:
        if self._settings.lost_draws and abs(value) == self._settings.infinity:
            return math.copysign(math.inf, value)
        scale = self._settings.scale
        scaled = float((value + scale // 2) // scale / self._evaluation.unit)
        return max(-self._limit, min(scaled, self._limit))


class _Limit:
    """The remaining time and nodes of a search; 0 for no limit."""

    def __init__(self, seconds: float, nodes: int, chunk: int) -> None:
        self.nodes = nodes or math.inf
        self._end = time.perf_counter() + seconds if seconds else math.inf
        self._chunk = chunk

    def budget(self) -> int:
        """Return the number of nodes to search before the next call, 0 for none."""
        return 0 if time.perf_counter() >= self._end else int(max(0, min(self._chunk, self.nodes)))


def _settings(options: SearchOptions, unit: int) -> AlphaBetaSettings:
    fast, published = options.prefer == "fast", options.tie == "published"
    return AlphaBetaSettings(
        pruning=int(options.prune),
        published_depth=int(options.rule == "published"),
        ties=TIES[options.tie],
        ordering=int(options.order),
        lost_draws=int(options.full == "loss"),
        scale=at.PREFERENCE_SCALE if fast else 1,
        prefer_fast=int(fast),
        infinity=_PUBLISHED_INFINITY * unit if published else LARGE,
        to_end=0,
    )
