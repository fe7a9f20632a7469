"""The state table of a game: every reachable state as an integer, and the moves between states as arrays.

The boards of a table on nine cells are found by the base-3 codes of published programs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import BoardError, UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import Scalar, frozen
from ttt_fast.games import api, tic_tac_toe
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.results import FixedSeat as FixedSeat
from ttt_fast.games.tic_tac_toe import NUM_CELLS

ROOT = 0
"""Index of the first state."""
NO_STATE = -1
"""Entry of `child` for illegal actions."""
_BLOCK_EDGES, _LAST_EDGE = 1 << 22, np.int32(2**31 - 1)
Arrays = dict[str, NDArray[Any]]
"""Arrays by name."""
NARROW_STATES = 2**15 - 1
NARROW_ACTIONS = 15
"""Limits of states and actions for the fastest kernels, which pack them into 16 bits and 4 bits."""
POWERS_OF_3 = 3 ** np.arange(NUM_CELLS)
"""Weights of the nine cells in the code of a board: the sum of mark * 3**cell."""


def blocks_of(edge_start: NDArray[np.int32]) -> Iterator[tuple[slice, slice]]:
    """Yield slices of states and of their edges, with some millions of edges and at least one state each."""
    first, states = 0, edge_start.size - 1
    while first < states:
        end = int(np.searchsorted(edge_start, edge_start[first] + _BLOCK_EDGES, "right")) - 1
        end = min(max(end, first + 1), states)
        yield slice(first, end), slice(int(edge_start[first]), int(edge_start[end]))
        first = end


class Edges(NamedTuple):
    """The arrays of a table that kernels read: `edge_start`, `edge_child`, `status` and `player` of `StateTable`."""

    start: NDArray[np.int32]
    child: NDArray[np.int32]
    status: NDArray[np.int8]
    player: NDArray[np.int8]


@kernel
def _observe_all(like: api.State, keys: NDArray[np.uint64], out: NDArray[np.float32]) -> None:
    """Fill `out`, (N, planes * rows * columns), with the observations of the states of N keys."""
    for place in range(keys.size):
        api.fill_observation(api.state_of_key(like, keys[place]), out[place])


@dataclass(frozen=True, eq=False, repr=False)
class StateTable:
    """All reachable states of a game (S) and the legal actions of each (E edges in all), in read-only arrays.

    States are numbered level by level in the order of discovery, actions ascending.  Index 0 is the initial state, and
    every child has a larger index than its parent.  Forward propagation and backward induction are therefore single
    loops.

    Attributes
    ----------
    game
        The game.
    edge_start : (S + 1,) int32
        The legal actions of state s are the edges edge_start[s] to edge_start[s + 1] - 1.
    edge_action : (E,) uint8, edge_child : (E,) int32
        Action of each edge, and the state after it.
    status : (S,) int8
        0 ongoing, 1 X has won, 2 O has won, 3 draw.
    player : (S,) int8
        Player to move: 1 X, 2 O, 0 in a terminal state.
    ply_start : (P + 2,) int32
        The states after p plies are ply_start[p] to ply_start[p + 1] - 1; P is the length of the longest game.
    key : (S,) uint64
        `api.state_key` of each state; `api.state_of_key` is its inverse.
    key_order : (S,) int32
        The states of each ply by ascending key, so that bisection finds the index of a state.
    fixed
        The fixed seat of an induced table, which holds the states that remain when an agent moves in this seat.  None
        for the table of a whole game.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table = table_of("tic-tac-toe")
    >>> table, table.board(1), table.child[0, :3].tolist()
    (<StateTable of tic-tac-toe: 5,478 states, 16,167 edges>, 'X........', [1, 2, 3])
    """

    game: Game
    edge_start: NDArray[np.int32]
    edge_action: NDArray[np.uint8]
    edge_child: NDArray[np.int32]
    status: NDArray[np.int8]
    player: NDArray[np.int8]
    ply_start: NDArray[np.int32]
    key: NDArray[np.uint64]
    key_order: NDArray[np.int32]
    fixed: FixedSeat | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only; kernels are compiled for read-only arrays."""
        for array in self.arrays().values():
            frozen(array)

    @classmethod
    def of_arrays(cls, game: Game, arrays: Arrays, fixed: FixedSeat | None = None) -> "StateTable":
        """Return the table of a game from its arrays by name."""
        columns: Any = {name: arrays[name] for name in ARRAY_NAMES}
        return cls(game, **columns, fixed=fixed)

    def arrays(self) -> Arrays:
        """Return the arrays by name."""
        return {name: value for name, value in vars(self).items() if name in ARRAY_NAMES}

    def __repr__(self) -> str:
        """Return a one-line summary."""
        seat = "" if self.fixed is None else f" with {self.fixed.agent} as {'XO'[self.fixed.seat - 1]}"
        return f"<StateTable of {self.game.spec}{seat}: {self.num_states:,} states, {self.num_edges:,} edges>"

    @property
    def num_states(self) -> int:
        """Number of states, S."""
        return int(self.status.size)

    @property
    def num_edges(self) -> int:
        """Number of legal actions of all states, E."""
        return int(self.edge_action.size)

    @property
    def num_actions(self) -> int:
        """Number of actions, A."""
        return self.game.num_actions

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
        return digest.hexdigest()[:16]

    @cached_property
    def decision_mask(self) -> NDArray[np.bool_]:
        """States with a player to move, (S,) bool."""
        return frozen(self.player != 0)

    @cached_property
    def ply(self) -> NDArray[np.int8]:
        """Plies played before each state, (S,) int8."""
        return frozen(np.repeat(np.arange(self.num_plies + 1, dtype=np.int8), np.diff(self.ply_start)))

    @cached_property
    def edge_state(self) -> NDArray[np.int32]:
        """State before each edge, (E,) int32."""
        return frozen(np.repeat(np.arange(self.num_states, dtype=np.int32), np.diff(self.edge_start)))

    @cached_property
    def child(self) -> NDArray[np.int32]:
        """State after an action, (S, A) int32; -1 where the action is illegal."""
        return frozen(self.dense(self.edge_child, NO_STATE))

    @cached_property
    def legal_action_mask(self) -> NDArray[np.bool_]:
        """Legal action mask, (S, A) bool; all False in a terminal state."""
        return frozen(self.dense(np.ones(self.num_edges, np.bool_), False))

    def dense(self, edges: NDArray[Scalar], missing: float = 0) -> NDArray[Scalar]:
        """Return one number per edge, (E,), as an (S, A) array, with `missing` for illegal actions.

        Examples
        --------
        >>> from ttt_fast.tables import table_of
        >>> table = table_of("tic-tac-toe")
        >>> table.dense(table.edge_child)[1]
        array([ 0, 10, 11, 12, 13, 14, 15, 16, 17], dtype=int32)
        """
        rows = np.full((self.num_states, self.num_actions), missing, edges.dtype)
        rows[self.edge_state, self.edge_action] = edges
        return rows

    def of_edges(self, rows: NDArray[Scalar]) -> NDArray[Scalar]:
        """Return the entries of the legal actions of an (S, A) array, (E,): the inverse of `dense`."""
        return np.ascontiguousarray(rows[self.edge_state, self.edge_action])

    def to_edges(self, rows: NDArray[Scalar], states: slice = slice(None)) -> NDArray[Scalar]:
        """Repeat the number of each state, (S,), for each of its edges, (E,); both for a slice of states."""
        last = self.num_states if states.stop is None else states.stop
        return np.repeat(rows, np.diff(self.edge_start[slice(states.start, last + 1)]))

    def blocks(self) -> Iterator[tuple[slice, slice]]:
        """Yield slices of states and of their edges, small enough that arrays of their size need little memory."""
        return blocks_of(self.edge_start)

    def reduced(
        self, ufunc: np.ufunc, edges: NDArray[np.generic], states: slice, dtype: type[np.generic] | None = None
    ) -> NDArray[Any]:
        """Return edge values of some states, reduced to one value per state; 0 in terminal states."""
        deciding, first = self.decision_mask[states], self.edge_start[:-1][states]
        rows = np.zeros(deciding.size, dtype or edges.dtype)
        if edges.size:
            rows[deciding] = ufunc.reduceat(edges, first[deciding] - first[0], dtype=dtype)
        return rows

    def _reduced_by_blocks(
        self, ufunc: np.ufunc, edges: NDArray[np.generic], dtype: type[np.generic] | None = None
    ) -> NDArray[Any]:
        """Return edge values of the whole table, (E,), reduced block by block to one value per state, (S,)."""
        parts = [self.reduced(ufunc, edges[of_states], states, dtype) for states, of_states in self.blocks()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def row_sums(self, edges: NDArray[np.bool_ | np.number]) -> NDArray[Any]:
        """Return the sum of edge values, (E,), over the legal actions of each state, (S,); True counts as 1."""
        return self._reduced_by_blocks(np.add, edges, np.int64 if edges.dtype.kind in "bui" else None)

    def row_max(self, edges: NDArray[Scalar]) -> NDArray[Scalar]:
        """Return the maximum of edge values over the legal actions of each state, (S,); 0 in terminal states."""
        return self._reduced_by_blocks(np.maximum, edges)

    def first_best_edges(self, edges: NDArray[np.generic]) -> NDArray[np.int32]:
        """Return the first edge with the largest value in each state, (S,) int32; 0 in terminal states."""
        found = np.zeros(self.num_states, np.int32)
        for states, of_states in self.blocks():
            here = edges[of_states]
            is_best = here == self.to_edges(self.reduced(np.maximum, here, states), states)
            place = np.where(is_best, np.arange(of_states.start, of_states.stop, dtype=np.int32), _LAST_EDGE)
            found[states] = self.reduced(np.minimum, place, states)
        return found

    def state(self, index: int) -> GameState:
        """Return the state with a given index.

        Examples
        --------
        >>> from ttt_fast.tables import table_of
        >>> table_of("connect4:columns=4,rows=4").state(1)
        ConnectFourState(own=0, occupied=1, bottom=33825, rows=4, length=4)
        """
        state: GameState = api.state_of_key(self.game.initial_state, self.key[self.check_state(index)])
        return state

    def observe(self, states: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the observations of some states, (N,) indices: (N, planes, rows, columns) float32.

        Examples
        --------
        >>> from ttt_fast.tables import table_of
        >>> table_of("tic-tac-toe").observe(np.array([0, 1], np.int32)).sum(axis=(1, 2, 3)).tolist()
        [0.0, 1.0]
        """
        like = self.game.initial_state
        planes, rows, columns = api.observation_shape(like)
        flat = np.zeros((states.size, planes * rows * columns), np.float32)
        _observe_all(like, frozen(self.key[states]), flat)
        return flat.reshape(-1, planes, rows, columns)

    def indices_of(self, keys: NDArray[np.uint64], plies: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the states with the given keys at the given plies, (N,) int32; -1 if there is no such state."""
        found = np.full(keys.size, NO_STATE, np.int32)
        for ply in np.unique(plies[(plies >= 0) & (plies <= self.num_plies)]).tolist():
            first, end = self.ply_start[ply : ply + 2].tolist()
            order, asked = self.key_order[first:end], np.flatnonzero(plies == ply)
            place = np.searchsorted(self.key[first:end], keys[asked], sorter=order - first)
            candidate = order[np.minimum(place, order.size - 1)]
            found[asked] = np.where(self.key[candidate] == keys[asked], candidate, NO_STATE)
        return found

    def index_of(self, state: GameState) -> int:
        """Return the index of a state, -1 if it is not reachable."""
        key = np.array([int(api.state_key(state))], np.uint64)
        return int(self.indices_of(key, np.array([api.ply(state)]))[0])

    def state_index(self, text: str) -> int:
        """Return the index of the state given by its marks (`Game.parse_position`).

        Raises
        ------
        BoardError
            If the text is not a position, or no sequence of legal moves reaches it.

        Examples
        --------
        >>> from ttt_fast.tables import table_of
        >>> table_of("tic-tac-toe").state_index("X........")
        1
        """
        index = self.index_of(self.game.parse_position(text))
        if index == NO_STATE:
            play = "legal play" if self.fixed is None else f"{self.fixed.agent!r} as {'XO'[self.fixed.seat - 1]}"
            raise BoardError(f"expected a board that {play} reaches, got {text!r}")
        return index

    def check_state(self, state: int) -> int:
        """Return a state index as a plain integer, or raise UsageError if there is no such state."""
        try:
            number = whole_number(state, "a state index")
        except UsageError:
            number = -1
        if not 0 <= number < self.num_states:
            raise UsageError(f"expected a state index from 0 to {self.num_states - 1}, got {shown(state)}")
        return number

    def board(self, state: int) -> str:
        """Return the text of a state's board, the inverse of `state_index`."""
        return self.game.format_position(self.state(state))

    def path_counts(self) -> NDArray[np.int64]:
        """Return the number of move sequences that lead to each state, (S,) int64.

        The sum over the states of a ply is perft; the sum over the terminal states is the number of games.

        Examples
        --------
        >>> from ttt_fast.tables import table_of
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


ARRAY_NAMES = ("edge_start", "edge_action", "edge_child", "status", "player", "ply_start", "key", "key_order")


def is_ordinary(game: Game) -> bool:
    """Return whether a game is ordinary tic-tac-toe, the game of the published programs."""
    return game.initial_state == tic_tac_toe.initial_state()


@lru_cache(maxsize=4)
def boards_of(table: StateTable) -> NDArray[np.uint8]:
    """Return the marks of every state of a game on nine cells, (S, 9) uint8: 0 empty, 1 X, 2 O.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> boards_of(table_of("tic-tac-toe"))[10]
    array([1, 2, 0, 0, 0, 0, 0, 0, 0], dtype=uint8)
    """
    bits = np.arange(NUM_CELLS, dtype=np.uint64)
    own, other = ((table.key[:, None] >> (bits + np.uint64(shift))) & np.uint64(1) for shift in (0, NUM_CELLS))
    mover = (1 + table.ply % 2)[:, None]
    return frozen((own * mover + other * (3 - mover)).astype(np.uint8))


@lru_cache(maxsize=4)
def index_of_code(table: StateTable) -> NDArray[np.int32]:
    """Return the state of each base-3 code, (3**9,) int32; -1 for boards that are not reachable."""
    found = np.full(3**NUM_CELLS, NO_STATE, np.int32)
    found[boards_of(table) @ POWERS_OF_3] = np.arange(table.num_states)
    return frozen(found)
