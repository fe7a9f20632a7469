"""Blocks: some states of a game with their legal actions, the states about which agents are asked together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import Scalar, frozen
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game

_BLOCK_EDGES, _LAST_EDGE = 1 << 22, np.int32(2**31 - 1)


def blocks_of(edge_start: NDArray[np.int32]) -> Iterator[tuple[slice, slice]]:
    """Yield slices of states and of their edges, with some millions of edges and at least one state each."""
    first, states = 0, edge_start.size - 1
    while first < states:
        end = int(np.searchsorted(edge_start, edge_start[first] + _BLOCK_EDGES, "right")) - 1
        end = min(max(end, first + 1), states)
        yield slice(first, end), slice(int(edge_start[first]), int(edge_start[end]))
        first = end


@kernel
def _observe_all(like: api.State, keys: NDArray[np.uint64], out: NDArray[np.float32]) -> None:
    """Fill `out`, (N, planes * rows * columns), with the observations of the states of N keys."""
    for place in range(keys.size):
        api.fill_observation(api.state_of_key(like, keys[place]), out[place])


@kernel
def fill_block(
    like: api.State,
    keys: NDArray[np.uint64],
    edge_start: NDArray[np.int32],
    edge_action: NDArray[np.uint8],
    player: NDArray[np.int8],
) -> None:
    """Fill the players (N,), the offsets (N + 1,) and the legal actions (at most N * A) of some states."""
    edge = 0
    for place in range(keys.size):
        state = api.state_of_key(like, keys[place])
        player[place] = 0
        if api.status(state) == api.ONGOING:
            player[place] = api.player(state)
            edge += api.fill_legal_actions(state, edge_action[edge:])
        edge_start[place + 1] = edge


class States(dict[int, GameState]):
    """The states of a block by their index, each created on first access."""

    def __init__(self, block: "Block") -> None:
        super().__init__()
        self.block = block

    def __missing__(self, index: int) -> GameState:
        """Create the state of an index."""
        self[index] = self.block.state(index)
        return self[index]


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """Some states of a game (S), in any order, and the legal actions of each (E edges in all), in read-only arrays.

    A policy that depends on each state alone is made over a block by the same functions as over a whole table.

    Attributes
    ----------
    game
        The game.
    edge_start : (S + 1,) int32
        The legal actions of state s are the edges edge_start[s] to edge_start[s + 1] - 1.
    edge_action : (E,) uint8
        Action of each edge.
    player : (S,) int8
        Player to move: 1 X, 2 O, 0 in a terminal state.
    key : (S,) uint64
        `api.state_key` of each state; `api.state_of_key` is its inverse.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> start = Block.of_keys(game, np.array([int(api.state_key(game.initial_state))], np.uint64))
    >>> start.edge_action.tolist(), start.player.tolist()
    ([0, 1, 2, 3, 4, 5, 6], [1])
    """

    game: Game
    edge_start: NDArray[np.int32]
    edge_action: NDArray[np.uint8]
    player: NDArray[np.int8]
    key: NDArray[np.uint64]

    @classmethod
    def of_keys(cls, game: Game, keys: NDArray[np.uint64]) -> "Block":
        """Return the block of some states, (N,) keys."""
        key, states = frozen(np.array(keys, np.uint64)), keys.size
        start, player = np.zeros(states + 1, np.int32), np.empty(states, np.int8)
        action = np.empty(states * game.num_actions, np.uint8)
        fill_block(game.initial_state, key, start, action, player)
        return cls(game, frozen(start), frozen(action[: int(start[-1])].copy()), frozen(player), key)

    def part(self, states: NDArray[np.integer]) -> "Block":
        """Return the block of some of these states, by their indices."""
        counts = np.diff(self.edge_start)[states]
        start = np.concatenate([np.zeros(1, np.int32), np.cumsum(counts, dtype=np.int32)])
        columns = start, self.edge_action[self.edges_of(states)], self.player[states], self.key[states]
        return Block(self.game, *map(frozen, columns))

    def edges_of(self, states: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the edges of some states, state by state."""
        first = self.edge_start[states].astype(np.int64)
        counts = self.edge_start[states + 1] - first
        return np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))

    @property
    def num_states(self) -> int:
        """Number of states, S."""
        return int(self.key.size)

    @property
    def num_edges(self) -> int:
        """Number of legal actions of all states, E."""
        return int(self.edge_action.size)

    @property
    def num_actions(self) -> int:
        """Number of actions, A."""
        return self.game.num_actions

    @cached_property
    def caches(self) -> dict[Callable[..., Any], Callable[..., Any]]:
        """The functions by `cached_on_table`, with their results for these states."""
        return {}

    @cached_property
    def states(self) -> States:
        """The states by their index; all callers share the same objects.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> table_of("tic-tac-toe").states[1]
        TicTacToeState(own=0, other=1, misere=0)
        """
        return States(self)

    @cached_property
    def decision_mask(self) -> NDArray[np.bool_]:
        """States with a player to move, (S,) bool."""
        return frozen(self.player != 0)

    @cached_property
    def edge_state(self) -> NDArray[np.int32]:
        """State before each edge, (E,) int32."""
        return frozen(np.repeat(np.arange(self.num_states, dtype=np.int32), np.diff(self.edge_start)))

    @cached_property
    def legal_action_mask(self) -> NDArray[np.bool_]:
        """Legal action mask, (S, A) bool; all False in a terminal state."""
        return frozen(self.dense(np.ones(self.num_edges, np.bool_), False))

    def dense(self, edges: NDArray[Scalar], missing: float = 0) -> NDArray[Scalar]:
        """Return one number per edge, (E,), as an (S, A) array, with `missing` for illegal actions.

        Examples
        --------
        >>> from ttt_fast import table_of
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
        >>> from ttt_fast import table_of
        >>> table_of("connect4:columns=4,rows=4").state(1)
        ConnectFourState(own=0, occupied=1, bottom=33825, rows=4, length=4)
        """
        state: GameState = api.state_of_key(self.game.initial_state, self.key[self.check_state(index)])
        return state

    def observe(self, states: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the observations of some states, (N,) indices: (N, planes, rows, columns) float32.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> table_of("tic-tac-toe").observe(np.array([0, 1], np.int32)).sum(axis=(1, 2, 3)).tolist()
        [0.0, 1.0]
        """
        like = self.game.initial_state
        planes, rows, columns = api.observation_shape(like)
        flat = np.zeros((states.size, planes * rows * columns), np.float32)
        _observe_all(like, frozen(self.key[states]), flat)
        return flat.reshape(-1, planes, rows, columns)

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
        """Return the text of a state's board, which `StateTable.state_index` reads."""
        return self.game.format_position(self.state(state))
