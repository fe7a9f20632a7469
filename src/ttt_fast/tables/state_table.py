"""The state table of a game: every reachable state as an integer, and the moves between states as arrays.

The boards of a table on nine cells are found by the base-3 codes of published programs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar, cast
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import BoardError
from ttt_fast.core.plain import frozen
from ttt_fast.games import api, tic_tac_toe
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.results import FixedSeat as FixedSeat
from ttt_fast.games.tic_tac_toe import NUM_CELLS
from ttt_fast.tables.block import Block

Function = TypeVar("Function", bound=Callable[..., Any])

ROOT = 0
"""Index of the first state."""
NO_STATE = -1
"""Entry of `child` for illegal actions."""
Arrays = dict[str, NDArray[Any]]
"""Arrays by name."""
NARROW_STATES = 2**15 - 1
NARROW_ACTIONS = 15
"""Limits of states and actions for the fastest kernels, which pack them into 16 bits and 4 bits."""
POWERS_OF_3 = 3 ** np.arange(NUM_CELLS)
"""Weights of the nine cells in the code of a board: the sum of mark * 3**cell."""


class Edges(NamedTuple):
    """The arrays of a table that kernels read: `edge_start`, `edge_child`, `status` and `player` of `StateTable`."""

    start: NDArray[np.int32]
    child: NDArray[np.int32]
    status: NDArray[np.int8]
    player: NDArray[np.int8]


@dataclass(frozen=True, eq=False, repr=False)
class StateTable(Block):
    """All reachable states of a game (S) and the legal actions of each (E edges in all), in read-only arrays.

    States are numbered level by level in the order of discovery, actions ascending.  Index 0 is the initial state, and
    every child has a larger index than its parent.  Forward propagation and backward induction are therefore single
    loops.

    Attributes
    ----------
    game, edge_start, edge_action, player, key
        As in `Block`: (S + 1,) int32, (E,) uint8, (S,) int8 and (S,) uint64.
    edge_child : (E,) int32
        The state after each edge.
    status : (S,) int8
        0 ongoing, 1 X has won, 2 O has won, 3 draw.
    ply_start : (P + 2,) int32
        The states after p plies are ply_start[p] to ply_start[p + 1] - 1; P is the length of the longest game.
    fixed
        A seat whose moves an agent has fixed: only states that remain are in the table, and the states of this seat
        have only the edges that the agent may play.  None for the table of a whole game.
    weights : (E,) unsigned or float64
        With a fixed seat: numbers in proportion to the probabilities of its edges.  None if the edges of each state are
        equally likely.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> table, table.board(1), table.child[0, :3].tolist()
    (<StateTable of tic-tac-toe: 5,478 states, 16,167 edges>, 'X........', [1, 2, 3])
    """

    edge_child: NDArray[np.int32]
    status: NDArray[np.int8]
    ply_start: NDArray[np.int32]
    fixed: FixedSeat | None = None
    weights: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only; kernels are compiled for read-only arrays."""
        for array in self.arrays().values():
            frozen(array)

    @classmethod
    def of_arrays(cls, game: Game, arrays: Arrays, fixed: FixedSeat | None = None) -> "StateTable":
        """Return the table of a game from its arrays by name."""
        columns: Any = {name: arrays[name] for name in ARRAY_NAMES}
        return cls(game, **columns, fixed=fixed, weights=arrays.get("weights"))

    def arrays(self) -> Arrays:
        """Return the arrays by name."""
        named = {name: getattr(self, name) for name in ARRAY_NAMES}
        return named if self.weights is None else {**named, "weights": self.weights}

    def __repr__(self) -> str:
        """Return a one-line summary."""
        seat = "" if self.fixed is None else f" with {self.fixed.agent} as {'XO'[self.fixed.seat - 1]}"
        return f"<StateTable of {self.game.spec}{seat}: {self.num_states:,} states, {self.num_edges:,} edges>"

    @property
    def num_plies(self) -> int:
        """Plies of the longest game, P."""
        return int(self.ply_start.size) - 2

    @cached_property
    def widest_ply(self) -> int:
        """Number of states of the ply with the most states, W."""
        return int(np.diff(self.ply_start).max())

    def ply_of(self, state: int) -> int:
        """Return the number of plies before a state."""
        return int(np.searchsorted(self.ply_start, state, "right")) - 1 if state else 0

    @cached_property
    def places_of_two_plies(self) -> NDArray[np.int64]:
        """For each ply, the index of a state minus the state, (P + 2,), in an array of two plies, (2 * W,)."""
        return frozen(np.arange(self.num_plies + 2) % 2 * self.widest_ply - self.ply_start)

    @cached_property
    def edges(self) -> Edges:
        """The arrays that kernels read."""
        return Edges(self.edge_start, self.edge_child, self.status, self.player)

    @property
    def is_narrow(self) -> bool:
        """Whether states and actions are few enough for dense arrays of 16 bits."""
        return self.num_states <= NARROW_STATES and self.num_actions <= NARROW_ACTIONS

    @cached_property
    def fingerprint(self) -> str:
        """16 hex digits that distinguish this table from those of other games."""
        digest = sha256(self.status.tobytes())
        digest.update(self.edge_child.tobytes())
        if not self.game.alternates:  # the graph does not tell who moves
            digest.update(self.player.tobytes())
        return digest.hexdigest()[:16]

    @property
    def file_meta(self) -> dict[str, str]:
        """Description of the game of the table in a file."""
        return {"game": self.game.spec, "table": self.fingerprint}

    @cached_property
    def ply(self) -> NDArray[np.int8]:
        """Plies played before each state, (S,) int8."""
        return frozen(np.repeat(np.arange(self.num_plies + 1, dtype=np.int8), np.diff(self.ply_start)))

    @cached_property
    def child(self) -> NDArray[np.int32]:
        """State after an action, (S, A) int32; -1 where the action is illegal."""
        return frozen(self.dense(self.edge_child, NO_STATE))

    @cached_property
    def _key_orders(self) -> dict[int, NDArray[np.int32]]:
        return {}

    def order_of_ply(self, ply: int) -> NDArray[np.int32]:
        """Return the states of a ply by ascending key, relative to the first, so that bisection finds a state."""
        if ply not in self._key_orders:
            here = self.key[slice(*self.ply_start[ply : ply + 2])]
            self._key_orders[ply] = np.argsort(here).astype(np.int32)
        return self._key_orders[ply]

    def indices_of(self, keys: NDArray[np.uint64], plies: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the states with the given keys at the given plies, (N,) int32; -1 if there is no such state."""
        found = np.full(keys.size, NO_STATE, np.int32)
        known = plies[(plies >= 0) & (plies <= self.num_plies)]
        for ply in np.flatnonzero(np.bincount(known)).tolist():  # np.unique would import numpy.ma, 10 ms
            first, end = self.ply_start[ply : ply + 2].tolist()
            order, asked = self.order_of_ply(ply), np.flatnonzero(plies == ply)
            place = np.searchsorted(self.key[first:end], keys[asked], sorter=order)
            candidate = first + order[np.minimum(place, order.size - 1)]
            found[asked] = np.where(self.key[candidate] == keys[asked], candidate, NO_STATE)
        return found

    def index_of(self, state: GameState) -> int:
        """Return the index of a state, -1 if it is not reachable."""
        key = np.array([int(api.state_key(state))], np.uint64)
        return int(self.indices_of(key, np.array([api.ply(state)]))[0])

    def state_index(self, position: str | GameState) -> int:
        """Return the index of a state, or of the state given by its marks (`Game.parse_position`).

        Raises
        ------
        BoardError
            If the text is not a position, or no sequence of legal moves reaches it.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> table_of("tic-tac-toe").state_index("X........")
        1
        """
        state = self.game.parse_position(position) if isinstance(position, str) else position
        index = self.index_of(state)
        if index == NO_STATE:
            text = position if isinstance(position, str) else self.game.format_position(state)
            play = "legal play" if self.fixed is None else f"{self.fixed.agent!r} as {'XO'[self.fixed.seat - 1]}"
            raise BoardError(f"expected a board that {play} reaches, got {text!r}")
        return index

    def path_counts(self) -> NDArray[np.int64]:
        """Return the number of move sequences that lead to each state, (S,) int64.

        The sum over the states of a ply is perft; the sum over the terminal states is the number of games.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> table = table_of("tic-tac-toe")
        >>> paths = table.path_counts()
        >>> [int(paths[table.ply == ply].sum()) for ply in range(1, 10)]
        [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
        >>> int(paths[table.status != 0].sum())
        255168
        """
        paths = np.zeros(self.num_states, np.int64)
        paths[ROOT] = 1
        for ply in range(self.num_plies):
            first, end = (int(self.edge_start[self.ply_start[ply + ahead]]) for ahead in (0, 1))
            np.add.at(paths, self.edge_child[first:end], paths[self.edge_state[first:end]])
        return paths


ARRAY_NAMES = ("edge_start", "edge_action", "edge_child", "status", "player", "ply_start", "key")


def shortest_line(table: StateTable, status: int) -> list[int] | None:
    """Return the actions of a shortest game that ends with a status; None if no game does.

    Among the shortest games, the one whose states were discovered first is returned.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> shortest_line(table_of("tic-tac-toe"), 2)
    [0, 1, 2, 4, 3, 7]
    """
    ended = np.flatnonzero(table.status == status)
    if not ended.size:
        return None
    ply = table.ply_of(int(ended[0]))
    reached, line = ended[ended < table.ply_start[ply + 1]], list[int]()
    for before in range(ply - 1, -1, -1):
        first, end = (int(table.edge_start[table.ply_start[before + ahead]]) for ahead in (0, 1))
        edge = first + int(np.isin(table.edge_child[first:end], reached).argmax())
        line.append(int(table.edge_action[edge]))
        reached = np.searchsorted(table.edge_start, [edge], "right") - 1
    return line[::-1]


def is_ordinary(game: Game) -> bool:
    """Return whether a game is ordinary tic-tac-toe, the game of the published programs."""
    return game.initial_state == tic_tac_toe.initial_state()


def cached_on_table(most: int) -> Callable[[Function], Function]:
    """Cache the latest results, at most `most`, of a function of a table or a policy, which go with that table.

    A cache of the whole process would keep large tables in memory after their last use.
    """

    def decorate(function: Function) -> Function:
        @wraps(function)
        def cached(first: Any, *others: Any, **options: Any) -> Any:
            table: Block = getattr(first, "table", first)
            if function not in table.caches:
                owner = ref(table)
                table.caches[function] = lru_cache(most)(
                    lambda one, *others, **options: function(owner() if one is None else one, *others, **options)
                )
            return table.caches[function](None if first is table else first, *others, **options)

        return cast(Function, cached)

    return decorate


@cached_on_table(1)
def boards_of(table: StateTable) -> NDArray[np.uint8]:
    """Return the marks of every state of a game on nine cells, (S, 9) uint8: 0 empty, 1 X, 2 O.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> boards_of(table_of("tic-tac-toe"))[10]
    array([1, 2, 0, 0, 0, 0, 0, 0, 0], dtype=uint8)
    """
    bits = np.arange(NUM_CELLS, dtype=np.uint64)
    own, other = ((table.key[:, None] >> (bits + np.uint64(shift))) & np.uint64(1) for shift in (0, NUM_CELLS))
    mover = (1 + table.ply % 2)[:, None]
    return frozen((own * mover + other * (3 - mover)).astype(np.uint8))


@cached_on_table(1)
def index_of_code(table: StateTable) -> NDArray[np.int32]:
    """Return the state of each base-3 code, (3**9,) int32; -1 for boards that are not reachable."""
    found = np.full(3**NUM_CELLS, NO_STATE, np.int32)
    found[boards_of(table) @ POWERS_OF_3] = np.arange(table.num_states)
    return frozen(found)
