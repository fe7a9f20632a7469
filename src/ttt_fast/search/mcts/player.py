"""Monte Carlo tree search as a player: its options, its trees, its move and its value of each action."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import repeat
from math import nan, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.specs import Option, integer, name_or_file, number, or_auto, yes_no
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.running.interrupts import blocks, check_interrupt
from ttt_fast.search.mcts.backup import MctsSettings
from ttt_fast.search.mcts.simulate import simulate
from ttt_fast.search.mcts.tree import ROOT_INDEX, ROW_BYTES, UNEXPANDED, Tree, copy_subtree, make_tree, plant
from ttt_fast.search.player import Described, SearchResult, check_turns, ongoing
from ttt_fast.search.rollouts import RANDOM, WIN_OR_BLOCK, RolloutEvaluator, rollout_evaluator
from ttt_fast.values.evaluators import Evaluator, memory_bytes
from ttt_fast.values.files import load_evaluator

_ROLLOUTS: Final = {"random": RANDOM, "win-or-block": WIN_OR_BLOCK}
ROLLOUT: Final = "rollout"
_FIRST_SIMULATIONS: Final = 1 << 9  # of the first call of the kernel: an evaluator may be a large network
_SIMULATIONS_PER_LOOK: Final = 256  # with a time limit, the clock is read between two calls
_OPENINGS_PER_LOOK: Final = 32  # the same where a simulation values all children of a node
_MEGABYTE: Final = 1 << 20


@dataclass(frozen=True)
class MctsConfig:
    """The settings of a search.

    Attributes
    ----------
    sims
        Simulations per move (with `reuse`: new ones).
    ms
        Milliseconds per move, instead of `sims`, if above 0; results then depend on the machine and its load.
    c
        Weight of exploration, on the scale of results from 0 (loss) to 1 (win): sqrt(2) is Kocsis and Szepesvári's.
    formula
        'ucb1': mean + c sqrt(ln N / n); 'log-ratio': mean + c sqrt(ln(N / n)), as in Bichot's program, which also plays
        the last of the most visited actions.
    rollout
        'random', or 'win-or-block': win at once, else take a cell that wins for the opponent, else random; unused with
        other evaluators.
    expand
        'one': a simulation adds one node.  'all': it adds all children of a node, each with its own value, and backs up
        the best value.  'auto': 'one' with rollouts, which do not support 'all', and otherwise 'all'.
    solver
        Whether the search proves results; proved results decide.
    reuse
        Whether to keep the tree below the current position for the next move.
    memory
        Megabytes for trees; when they are full, the tree no longer grows.
    """

    sims: int = 1000
    ms: int = 0
    c: float = sqrt(2)
    formula: str = "ucb1"
    rollout: str = "random"
    expand: str = "auto"
    solver: bool = False
    reuse: bool = False
    memory: int = 256

    def settings(self, rollouts: bool = True) -> MctsSettings:
        """Return the settings for the kernel, with or without `rollouts` at the leaves.

        Raises
        ------
        UsageError
            If rollouts are combined with the expansion of all children at once.
        """
        if rollouts and self.expand == "all":
            raise UsageError("expected expand=one or auto with leaf=rollout, got 'all'")
        expand_all = not rollouts and self.expand != "one"
        return MctsSettings(float(self.c), self.formula == "log-ratio", bool(self.solver), expand_all)


OPTIONS: Mapping[str, Option] = {
    "sims": Option("1000", "1..100000000", integer(1, 10**8), "simulations a move"),
    "ms": Option("0", "0..3600000", integer(0, 3_600_000), "milliseconds a move instead of sims, if above 0"),
    "c": Option(repr(sqrt(2)), "0..100", number(0, 100), "weight of exploration; results count 0, 0.5, 1"),
    "formula": Option.one_of("ucb1|log-ratio", "log-ratio: sqrt(ln(N/n)), ties to the last (Bichot)"),
    "rollout": Option.one_of("|".join(_ROLLOUTS), "how games are played out"),
    "leaf": Option(
        "rollout", "rollout|FILE", name_or_file(ROLLOUT), "value of a new position: by a game played out, or learned"
    ),
    "expand": Option.one_of(
        "auto|one|all", "children that get a value at a time; auto: one by rollouts, all by a file"
    ),
    "solver": yes_no("prove wins, draws and losses during the search"),
    "reuse": yes_no("keep the tree below the position reached"),
    "memory": Option("256", "1..65536", integer(1, 65536), "megabytes for trees"),
}
"""The options of `mcts`."""
BEST_C_OF_ROLLOUTS: Final = 0.5
BEST_C_OF_FILE: Final = 0.12
"""Weights of exploration in `mcts-best`: an evaluator from a file, which has no noise, needs a smaller one."""
_BEST_C = replace(
    OPTIONS["c"],
    default="auto",
    parse=or_auto(OPTIONS["c"].parse),
    summary=f"{OPTIONS['c'].summary}; auto: {BEST_C_OF_ROLLOUTS}, with a file {BEST_C_OF_FILE}",
)
_BEST_DEFAULTS: Final = {"rollout": "win-or-block", "solver": "yes", "reuse": "yes"}
BEST_OPTIONS: Final[Mapping[str, Option]] = {
    **{name: replace(one, default=_BEST_DEFAULTS.get(name, one.default)) for name, one in OPTIONS.items()},
    "c": _BEST_C,
}
"""The options of `mcts-best`: those of `mcts` with the settings that won most games.

Rollouts with wins and blocks take several times as long as random ones.  At equal time they still win, in Connect 4 and
in Ultimate, and so does a small weight of exploration.
"""
"""The options of `mcts` (default: plain UCT)."""


class RootStatistics(NamedTuple):
    """The statistics of a search over the L legal actions of a position, in ascending order of the actions.

    Attributes
    ----------
    action
        (L,) int64.
    visits
        (L,) int64: simulations that began with the action; with `expand` 'all' one more, for its own value.
    value
        (L,) float64: expected result for the player to move, from -1 to 1; nan if never tried.
    order
        (L,) int64: rank in the order of first visits, from 0; -1 if never tried.
    result
        (L,) int64: status of the game under best play, if proved, else 0.
    """

    action: NDArray[np.int64]
    visits: NDArray[np.int64]
    value: NDArray[np.float64]
    order: NDArray[np.int64]
    result: NDArray[np.int64]


def _most_visited(tree: Tree, mover: int, latest: bool) -> int:
    """Return the row of the child of the root to play, for the player `mover`.

    A proved win is best and a proved loss worst; a proved draw is best if the root is a proved draw.  Otherwise the
    most visits decide, then the points, or (`latest`) the latest first visit.
    """
    first, count = int(tree.first_child[ROOT_INDEX]), int(tree.num_visited[ROOT_INDEX])
    rows, number = slice(first, first + count), np.arange(count)
    rank = np.ones(4, np.int64)
    rank[[mover, 3 - mover, api.DRAW]] = 3, 0, 1 + (tree.result[ROOT_INDEX] == api.DRAW)
    ties = (number,) if latest else (-number, tree.points[rows])
    return first + int(np.lexsort((*ties, tree.visits[rows], rank[tree.result[rows]]))[-1])


class MctsPlayer(Described):
    """A player by tree search; each object is used by one thread.

    Parameters
    ----------
    name
        Its agent string.
    config
        The settings of its searches.
    evaluator
        An evaluator of `values/evaluators.py`, used by this player alone (default: rollouts).

    Notes
    -----
    A type of state for a study may list an action several times in `fill_legal_actions`, and draw accordingly in
    `random_action` and `play_random`, such as `games.ultimate.duplicates` for Bichot's program.  Each copy of an action
    is a separate child, up to 1,024 per node, and `search` returns the action of the most visited child.  That program
    also expands finished nodes, which needs no emulation: all games below such a node have the same result, so that
    other visits and values are unchanged.

    Examples
    --------
    >>> from ttt_fast.games import connect_four
    >>> player = MctsPlayer("mcts:sims=2000", MctsConfig(sims=2000))
    >>> player.begin(np.uint64(1))
    >>> result = player.search(connect_four.initial_state())
    >>> result.action, result.nodes
    (3, 2000)
    """

    def __init__(self, name: str, config: MctsConfig, evaluator: Evaluator | None = None) -> None:
        self.name, self.config = name, config
        self._evaluator = rollout_evaluator(_ROLLOUTS[config.rollout]) if evaluator is None else evaluator
        self._settings = config.settings(isinstance(self._evaluator, RolloutEvaluator))
        self._path = np.zeros(2, np.int32)
        self._trees: list[Tree] = []
        self._origin = np.empty(0, np.int32)
        self._peak_rows = 0
        self._mover = 1
        self._root: api.GameState | None = None  # the position of the root; None: the tree is empty
        self._stream = np.uint64(0)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the used rows of trees, and of scratch arrays."""
        return self._peak_rows * ROW_BYTES + memory_bytes((self._evaluator, self._path))

    def begin(self, stream: np.uint64) -> None:
        """Discard the tree; draw from `stream`."""
        self._root = None
        self._stream = np.uint64(stream)

    def search(self, state: api.GameState) -> SearchResult:
        """Search from an ongoing state; return the move, its value and the simulations made."""
        self._take_root(ongoing(state))
        simulations = self._search(state)
        tree, self._mover = self._trees[0], int(api.player(state))
        self._peak_rows = max(self._peak_rows, sum(int(one.used[0]) for one in self._trees))
        child = _most_visited(tree, self._mover, self.config.formula == "log-ratio")
        return SearchResult(int(tree.action[child]), float(self._value(child)), simulations)

    def root_statistics(self) -> RootStatistics:
        """Return visits and value of every legal action of the position last passed to `search`.

        Examples
        --------
        >>> from ttt_fast.games import tic_tac_toe
        >>> player = MctsPlayer("mcts", MctsConfig(sims=9))
        >>> _ = player.search(tic_tac_toe.initial_state())
        >>> player.root_statistics().visits
        array([1, 1, 1, 1, 1, 1, 1, 1, 1])
        """
        tree = self._trees[0]
        first, count = int(tree.first_child[ROOT_INDEX]), int(tree.num_children[ROOT_INDEX])
        tried = int(tree.num_visited[ROOT_INDEX])
        children = np.arange(first, first + count)
        by_action = children[np.argsort(tree.action[children], kind="stable")]
        is_tried = by_action < first + tried
        return RootStatistics(
            tree.action[by_action].astype(np.int64),
            np.where(is_tried, tree.visits[by_action], 0).astype(np.int64),
            np.array([self._value(int(child)) if child < first + tried else nan for child in by_action]),
            np.where(is_tried, by_action - first, -1),
            np.where(is_tried, tree.result[by_action], api.ONGOING).astype(np.int64),
        )

    def visit_counts(self) -> dict[int, int]:
        """Return the number of simulations of the last search that began with each legal action."""
        found = self.root_statistics()
        counts = dict.fromkeys(found.action.tolist(), 0)
        for action, visits in zip(found.action.tolist(), found.visits.tolist(), strict=True):
            counts[action] += visits  # a game may list an action several times
        return counts

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Search from an ongoing state; return the value, from -1 to 1, of each visited action.

        Examples
        --------
        >>> from ttt_fast.games import connect_four
        >>> player = MctsPlayer("mcts", MctsConfig(sims=2000))
        >>> values = player.action_values(connect_four.initial_state())
        >>> max(values, key=values.get)
        3
        """
        self.search(state)
        return self.visit_values()

    def visit_values(self) -> dict[int, float]:
        """Return the value, from -1 to 1, of each action that the last search visited."""
        found = self.root_statistics()
        best: dict[int, float] = {}
        for row in np.lexsort((found.visits, found.action)).tolist():  # the most visited of the copies of an action
            if found.visits[row]:
                best[int(found.action[row])] = float(found.value[row])
        return best

    def _value(self, child: int) -> float:
        """Return the value of a visited child of the root for the player to move at the root, from -1 to 1."""
        tree = self._trees[0]
        result = int(tree.result[child])
        if result != api.ONGOING:
            return 0.0 if result == api.DRAW else (1.0 if result == self._mover else -1.0)
        return float(tree.points[child]) / int(tree.visits[child]) - 1

    def _take_root(self, state: api.GameState) -> None:
        """Make `state` the root of the tree, with its subtree if that is kept, otherwise without children."""
        if not self._trees:
            check_turns(self.name, state)
            actions = api.num_actions(state)
            rows = self.config.memory * _MEGABYTE // ROW_BYTES // (2 if self.config.reuse else 1)
            if not (self.config.reuse or self.config.ms):
                rows = min(rows, 1 + (self.config.sims + 1) * actions)  # memory is allocated only as it is used
            self._trees = [make_tree(max(rows, 1 + actions)) for _ in range(2 if self.config.reuse else 1)]
            self._origin = np.empty(self._trees[0].visits.size if self.config.reuse else 0, np.int32)
            self._path = np.zeros(int(api.max_plies(state)) + 2, np.int32)
        row = self._find(state) if self.config.reuse and self._root is not None else -1
        if row > 0:
            copy_subtree(self._trees[0], row, self._trees[1], self._origin)
            self._trees.reverse()
        elif row < 0:
            plant(self._trees[0])
        self._root = state

    def _find(self, state: api.GameState) -> int:
        """Return the row of an unproved state in the tree, the root or a grandchild of it; otherwise -1."""
        tree = self._trees[0]
        if self._root is None:
            return -1
        if tree.result[ROOT_INDEX] == api.ONGOING and state == self._root:
            return ROOT_INDEX
        for child in self._children(ROOT_INDEX):
            if tree.result[child] == api.ONGOING:
                between = api.play(self._root, int(tree.action[child]))
                for row in self._children(child):
                    if tree.result[row] == api.ONGOING and api.play(between, int(tree.action[row])) == state:
                        return row
        return -1

    def _children(self, row: int) -> range:
        """Return the rows of the visited children of a node."""
        first = int(self._trees[0].first_child[row])
        return range(first, first + (0 if first == UNEXPANDED else int(self._trees[0].num_visited[row])))

    def _search(self, state: api.GameState) -> int:
        """Run the simulations of a move; return their number."""
        started = time.perf_counter()
        total, per_look = 0, _OPENINGS_PER_LOOK if self._settings.expand_all else _SIMULATIONS_PER_LOOK
        by_number = (end - begin for begin, end in blocks(self.config.sims, _FIRST_SIMULATIONS))
        for step in repeat(per_look) if self.config.ms else by_number:
            done, stream = simulate(
                state, self._trees[0], self._settings, step, self._stream, self._path, self._evaluator
            )
            self._stream = np.uint64(stream)
            total += int(done)
            check_interrupt()
            if done < step or (self.config.ms and 1000 * (time.perf_counter() - started) >= self.config.ms):
                break
        return total


def build(spec: str, game: Game, *, leaf: str, **values: Any) -> MctsPlayer:
    """Return the player of an `mcts` spec with these values of `OPTIONS`.

    Raises
    ------
    AgentError
        If X and O do not alternate, the values are inconsistent, or the evaluator is a file of another game.
    FileFormatError
        If the evaluator is a file that cannot be read.

    Examples
    --------
    >>> from ttt_fast.core.specs import parse_options
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> build("mcts:sims=20", game, **parse_options("", "sims=20", OPTIONS)).config.sims
    20
    """
    check_turns(spec, game.initial_state)
    return MctsPlayer(spec, MctsConfig(**values), None if leaf == ROLLOUT else load_evaluator(leaf, game))


def build_best(spec: str, game: Game, *, c: float | None, leaf: str, **values: Any) -> MctsPlayer:
    """Return the player of an `mcts-best` spec with these values of `BEST_OPTIONS`; errors as for `build`.

    Examples
    --------
    >>> from ttt_fast.core.specs import parse_options
    >>> from ttt_fast import parse_game
    >>> build_best("mcts-best", parse_game("ultimate"), **parse_options("", None, BEST_OPTIONS)).config.c
    0.5
    """
    usual = BEST_C_OF_ROLLOUTS if leaf == ROLLOUT else BEST_C_OF_FILE
    return build(spec, game, leaf=leaf, c=usual if c is None else c, **values)
