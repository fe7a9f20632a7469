"""Learned values of a network: an output for each action of the game, its value for the player to move.

Letters: S states, E edges, P weights, I inputs, A actions, B rows of a batch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games.game import Game
from ttt_fast.tables import StateTable, table_of
from ttt_fast.values.api import TableValues
from ttt_fast.values.inputs import table_inputs
from ttt_fast.values.layers import Layers, forward
from ttt_fast.values.network import BATCH, Network

Shapes = Mapping[str, tuple[str, tuple[int, ...]]]
"""Type and shape of arrays, by name."""


@kernel
def fill_edge_values(
    layers: Layers,
    inputs: NDArray[np.int8],
    states: NDArray[np.int32],
    edge_start: NDArray[np.int32],
    edge_action: NDArray[np.uint8],
    rows: NDArray[np.float32],
    outputs: NDArray[np.float32],
    work: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Fill the values of the edges of some states, batch by batch.

    Parameters
    ----------
    layers
        The network.
    inputs : (S * I,) int8
        Inputs of all states.
    states : (N,) int32
        The states to evaluate.
    edge_start : (S + 1,) int32, edge_action : (E,) uint8
        From the state table.
    rows : (B * I,) float32, outputs : (B * A,) float32, work : (W,) float32
        Work arrays.
    values : (E,) float64
        Output: the values of the edges of `states`; other entries are unchanged.
    """
    width, actions = layers.sizes[0], layers.sizes[layers.sizes.size - 1]
    at_once = rows.size // width
    for first in range(0, states.size, at_once):
        here = min(at_once, states.size - first)
        for row in range(here):
            state = states[first + row]
            for place in range(width):
                rows[row * width + place] = inputs[state * width + place]
        forward(layers, rows, here, work, outputs)
        for row in range(here):
            state = states[first + row]
            for edge in range(edge_start[state], edge_start[state + 1]):
                values[edge] = outputs[row * actions + edge_action[edge]]


class TableForward:
    """The forward pass over all states of a table in which the given seats move.

    Parameters
    ----------
    table
        The game.
    as_marks
        Whether the inputs are marks.
    seats
        The seats.

    Examples
    --------
    >>> tic_tac_toe = TableForward(table_of("tic-tac-toe"), True, (1,))
    >>> values = tic_tac_toe(Network.random((9, 16, 9), seed=1))
    >>> values.shape, int((values != 0).sum())
    ((16167,), 8631)
    """

    def __init__(self, table: StateTable, as_marks: bool, seats: tuple[int, ...]) -> None:
        self.table, self.inputs = table, table_inputs(table, as_marks)
        self.states = frozen(np.flatnonzero(np.isin(table.player, seats)).astype(np.int32))
        self._rows = np.zeros(BATCH * self.inputs.shape[1], np.float32)
        self._outputs = np.zeros(BATCH * table.num_actions, np.float32)

    def __call__(self, network: Network) -> NDArray[np.float64]:
        """Return the values of all edges, (E,) float64; 0 in states of other seats."""
        table, values = self.table, np.zeros(self.table.num_edges)
        given = network.layers, self.inputs.reshape(-1), self.states, table.edge_start, table.edge_action
        fill_edge_values(*given, self._rows, self._outputs, network.work(), values)
        return values


@dataclass(frozen=True, eq=False, repr=False)
class NetworkValues(TableValues):
    """Action values of a network.

    Attributes
    ----------
    game, has_table
        The game, and whether its table of states is used, so that the values make a policy.
    network
        The network.
    as_marks
        Whether the inputs are marks instead of planes.
    seats
        The seats that have learned.
    state
        The arrays from which the run continues; empty before it begins and after its end.
    shapes
        Their types and shapes.
    """

    form: ClassVar[str] = "network"
    game: Game
    has_table: bool
    network: Network
    as_marks: bool
    seats: tuple[int, ...]
    state: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    shapes: Shapes = field(default_factory=dict)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the weights."""
        return int(self.network.weights.nbytes)

    @property
    def run_bytes(self) -> int:
        """Bytes that a run needs: its arrays, their initial copies, and the inputs of all states."""
        own = sum(np.dtype(dtype).itemsize * prod(shape) for dtype, shape in self.shapes.values())
        table = self.table.num_states * self.network.sizes[0] if self.has_table else 0
        return 2 * (self.memory_bytes + own) + table

    @property
    def can_go_on(self) -> bool:
        """Whether the arrays of the run are present."""
        return bool(self.state)

    def sizes(self) -> dict[str, int]:
        """Return the number of weights and biases, and their bytes."""
        return {"weights": self.network.num_parameters, "memory_bytes": self.memory_bytes}

    def sha256(self) -> str:
        """Return the hash of the network."""
        return self.network.sha256()

    def is_like(self, other: Self) -> bool:
        """Return whether these are networks of equal sizes for the same game, with run arrays of the same shapes."""
        mine, theirs = ((one.game, one.has_table, one.as_marks, one.seats, one.network.sizes) for one in (self, other))
        same_slope = self.network.layers.slope == other.network.layers.slope
        return mine == theirs and same_slope and (not self.state or dict(self.shapes) == dict(other.shapes))

    @property
    def table(self) -> StateTable:
        """The states; raises UsageError if the game has no table."""
        if not self.has_table:
            raise UsageError(f"expected a game with a state table, got {self.game.spec!r}")
        return table_of(self.game)

    @cached_property
    def q(self) -> NDArray[np.float64]:
        """The action values of the seats that have learned, (E,) float64."""
        return TableForward(self.table, self.as_marks, self.seats)(self.network)

    @property
    def held(self) -> NDArray[np.bool_]:
        """The states in which these seats move, (S,) bool."""
        mask: NDArray[np.bool_] = np.isin(self.table.player, self.seats)
        return mask


def shapes_of(arrays: Mapping[str, NDArray[np.generic]]) -> Shapes:
    """Return types and shapes of arrays.

    Examples
    --------
    >>> shapes_of({"progress": np.zeros(3, np.int64)})
    {'progress': ('int64', (3,))}
    """
    return {name: (str(array.dtype), array.shape) for name, array in arrays.items()}
