"""The rules of a game as a graph: every state and action is listed once, so that a state is a number.

Kernels read all properties of the game from the integer array of its graph, regardless of the origin of the rules
(`games.custom`).  One state type therefore serves every such game, and every kernel works on it, including those of
searches.  The array of a graph never moves and is kept as long as the process lives.  A state holds its address, which
is valid only in this process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import inlined_kernel, intrinsic
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import below
from ttt_fast.games import api

if TYPE_CHECKING:
    from llvmlite import ir
    from numba.core.typing.templates import Signature

_NUM_ACTIONS, _MAX_PLIES, _ALTERNATES, _NUM_FEATURES, _FEATURES, _HEADER = range(6)
"""The header numbers of a graph, the last of them the offset of the features; then the offset of each state's row."""
_STATUS, _PLAYER, _PLY, _COUNT, _ROW = range(5)
"""The header numbers of a row; then the actions of the state, ascending, and the successor states."""
_NUMBER_BITS: Final = 32

_held: dict[int, NDArray[np.int32]] = {}
"""The array of every graph, by its address."""
_PROCESS = os.urandom(8)
"""A random token that distinguishes this process, and its forks, from all others."""


def _number(address: int, place: int) -> int:
    return int(_held[int(address)][place])


def _number_in_kernels() -> object:
    from llvmlite import ir
    from numba import extending, types

    def declare(context: object, address: object, place: object) -> tuple[Signature, Callable[..., ir.Value]] | None:
        if not (isinstance(address, types.Integer) and isinstance(place, types.Integer)):
            return None

        def emit(
            target: object, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
        ) -> ir.Value:
            first = builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())
            return builder.sext(builder.load(builder.gep(first, [arguments[1]])), ir.IntType(64))

        return types.int64(types.int64, types.int64), emit

    return extending.intrinsic(declare)


_number_at = intrinsic(_number, _number_in_kernels)
"""The number at an offset of the graph at an address."""


class GraphState(NamedTuple):
    """A state of a game that is defined by its graph.

    Attributes
    ----------
    number
        The number of the state in the graph; 0 for the initial state.
    address
        The address of the integer array of the graph.
    """

    number: int
    address: int

    def __reduce__(self) -> tuple[Callable[[int, int, bytes], GraphState], tuple[int, int, bytes]]:
        """Return the arguments of a copy, which is valid only in this process."""
        return _copied, (*self, _PROCESS)


def _copied(number: int, address: int, process: bytes) -> GraphState:
    if process != _PROCESS:
        raise UsageError("expected a state of a custom game of this process, got a state from another process")
    return GraphState(number, address)


class GameGraph(NamedTuple):
    """A game as arrays, with S states and E legal actions in all, ascending in each state.

    Attributes
    ----------
    num_actions
        Number of actions A.
    status, player, ply : (S,) int
        The status, the player to move (1 X, 2 O; 0 if the game is over), and the number of plies before each state.
    edge_start : (S + 1,) int, edge_action, edge_child : (E,) int
        As in a table of states (`tables.StateTable`).
    features : (S, I) int, optional
        The observation of each state; the bits of its number without them.
    """

    num_actions: int
    status: NDArray[np.int64]
    player: NDArray[np.int64]
    ply: NDArray[np.int64]
    edge_start: NDArray[np.int64]
    edge_action: NDArray[np.int64]
    edge_child: NDArray[np.int64]
    features: NDArray[np.int64] = frozen(np.zeros((0, 0), np.int64))


def initial_state(graph: GameGraph) -> GraphState:
    """Return the initial state of a game, and keep its graph in memory from then on.

    Examples
    --------
    >>> one_move = GameGraph(1, *map(np.array, ([0, 1], [1, 0], [0, 1], [0, 1, 1], [0], [1])))
    >>> state = initial_state(one_move)
    >>> api.legal_actions(state), api.status(api.play(state, 0)) == api.X_WINS
    ([0], True)
    """
    counts = np.diff(graph.edge_start)
    size = counts.size
    rows = _HEADER + size + _ROW * np.arange(size) + 2 * graph.edge_start[:-1]
    end = _HEADER + size * (1 + _ROW) + 2 * graph.edge_child.size
    numbers = np.zeros(end + graph.features.size, np.int32)
    numbers[end:] = graph.features.ravel()
    moves = graph.player != 0
    alternates = (graph.player == 1 + graph.ply % 2)[moves].all()
    numbers[:_HEADER] = graph.num_actions, graph.ply.max(), alternates, graph.features.shape[1], end
    numbers[_HEADER : _HEADER + size] = rows
    for place, column in ((_STATUS, graph.status), (_PLAYER, graph.player), (_PLY, graph.ply), (_COUNT, counts)):
        numbers[rows + place] = column
    first = np.repeat(rows + _ROW - graph.edge_start[:-1], counts) + np.arange(graph.edge_child.size)
    numbers[first] = graph.edge_action
    numbers[first + np.repeat(counts, counts)] = graph.edge_child
    address = int(numbers.ctypes.data)
    _held[address] = frozen(numbers)
    return GraphState(0, address)


def numbers_of(state: GraphState) -> NDArray[np.int32]:
    """Return the array of the graph of a state, which is the whole game: its moves, results, players and features."""
    return _held[state.address]


@inlined_kernel(plain=True)
def _row(state: GraphState) -> int:
    return _number_at(state.address, _HEADER + state.number)


@inlined_kernel(plain=True)
def _place_of(state: GraphState, action: int) -> int:
    """Return the offset of a legal action in the array, -1 if it is illegal."""
    first = _row(state) + _ROW
    for place in range(first, first + _number_at(state.address, first - _ROW + _COUNT)):
        if _number_at(state.address, place) == action:
            return as_int(place)
    return as_int(-1)


@api.implements(api.play, GraphState, plain=True)
def play(state: GraphState, action: int) -> GraphState:
    """Return the state at the other end of the edge of an action."""
    count = _number_at(state.address, _row(state) + _COUNT)
    return GraphState(_number_at(state.address, _place_of(state, as_int(action)) + count), state.address)


@api.implements(api.status, GraphState, plain=True)
def status(state: GraphState) -> int:
    """Return the status."""
    return _number_at(state.address, _row(state) + _STATUS)


@api.implements(api.player, GraphState, plain=True)
def player(state: GraphState) -> int:
    """Return the player to move, 0 if the game is over."""
    return _number_at(state.address, _row(state) + _PLAYER)


@api.implements(api.alternates, GraphState, plain=True)
def alternates(state: GraphState) -> bool:
    """Return whether X is to move after every even number of plies, and only then."""
    return _number_at(state.address, _ALTERNATES) == 1


@api.implements(api.ply, GraphState, plain=True)
def ply(state: GraphState) -> int:
    """Return the number of plies before the state."""
    return _number_at(state.address, _row(state) + _PLY)


@api.implements(api.num_legal_actions, GraphState, plain=True)
def num_legal_actions(state: GraphState) -> int:
    """Return the number of edges."""
    return _number_at(state.address, _row(state) + _COUNT)


@api.implements(api.fill_legal_actions, GraphState, plain=True)
def fill_legal_actions(state: GraphState, actions: NDArray[np.uint8]) -> int:
    """Write the actions of the edges."""
    first = _row(state) + _ROW
    count = _number_at(state.address, first - _ROW + _COUNT)
    for place in range(count):
        actions[place] = _number_at(state.address, first + place)
    return count


@api.implements(api.is_legal, GraphState, plain=True)
def is_legal(state: GraphState, action: int) -> bool:
    """Return whether some edge has this action."""
    return _place_of(state, action) >= 0


@api.implements(api.winning_action, GraphState)
def winning_action(state: GraphState) -> int:
    """Return the action of the first edge to a state that the player to move has won."""
    first, mover = _row(state) + _ROW, player(state)
    count = _number_at(state.address, first - _ROW + _COUNT)
    for place in range(first, first + count):
        if status(GraphState(_number_at(state.address, place + count), state.address)) == mover:
            return _number_at(state.address, place)
    return api.NO_ACTION


@api.implements(api.random_action, GraphState)
def random_action(state: GraphState, word: np.uint64) -> int:
    """Return the action of a random edge."""
    first = _row(state) + _ROW
    return _number_at(state.address, first + as_int(below(word, _number_at(state.address, first - _ROW + _COUNT))))


@api.implements(api.state_key, GraphState, plain=True)
def state_key(state: GraphState) -> np.uint64:
    """Return the number of the state."""
    return np.uint64(state.number)


@api.implements(api.state_of_key, GraphState, plain=True)
def state_of_key(like: GraphState, key: np.uint64) -> GraphState:
    """Return the state with a given number."""
    return GraphState(as_int(key), like.address)


@api.implements(api.num_actions, GraphState, plain=True)
def num_actions(state: GraphState) -> int:
    """Return the number of actions of the game."""
    return _number_at(state.address, _NUM_ACTIONS)


@api.implements(api.max_plies, GraphState, plain=True)
def max_plies(state: GraphState) -> int:
    """Return the number of plies of the longest game."""
    return _number_at(state.address, _MAX_PLIES)


@api.implements(api.observation_shape, GraphState, plain=True)
def observation_shape(state: GraphState) -> tuple[int, int, int]:
    """Return the shape of a row of features or bits."""
    features = _number_at(state.address, _NUM_FEATURES)
    return 1, 1, features if features > 0 else _NUMBER_BITS


@api.implements(api.fill_observation, GraphState, plain=True)
def fill_observation(state: GraphState, out: NDArray[np.float32]) -> None:
    """Write the features of the state, or the bits of its number."""
    features = _number_at(state.address, _NUM_FEATURES)
    first = _number_at(state.address, _FEATURES) + features * state.number
    for place in range(features):
        out[place] = _number_at(state.address, first + place)
    for bit in range(_NUMBER_BITS if features == 0 else 0):
        out[bit] = state.number >> bit & 1
