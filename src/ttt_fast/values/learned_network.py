"""Learned values of a network: an output for each action of the game, its value for the player to move.

A network with two heads has a policy instead, a softmax over the legal actions, and one more output: the value of the
state for the player to move.

Letters: S states, E edges, P weights, I inputs, A actions, B rows of a batch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec
from ttt_fast.core.elementary import exp
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import Stream
from ttt_fast.games.api import GameState, legal_actions
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game, rules_sha256
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.interrupts import blocks
from ttt_fast.tables import StateTable, table_of
from ttt_fast.values.api import Learned, Packed, TableValues, check_hash
from ttt_fast.values.inputs import fill_inputs, num_inputs, num_planes, table_inputs
from ttt_fast.values.layers import Layers, forward
from ttt_fast.values.network import BATCH, Network, checked_sizes, layer_starts

Shapes = Mapping[str, tuple[str, tuple[int, ...]]]
"""Type and shape of arrays, by name."""
PRODUCTS_AT_ONCE = 1 << 28
"""Products of a weight and a number in a first block, which take less than half a second."""
_RUN = "run_"  # prefix of the arrays from which a run continues


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
    state_values: NDArray[np.float64],
) -> None:
    """Fill the values of the edges of some states, batch by batch; with two heads, the policy and the values of states.

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
    rows : (B * I,) float32, outputs : (B * A,) or (B * (A + 1),) float32, work : (W,) float32
        Work arrays.
    values : (E,) float64
        Output: the values or probabilities of the edges of `states`; other entries are unchanged.
    state_values : (S,) float64
        Output: the values of `states`, from -1 to 1; empty for a network with one head.
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
            first_edge, end = edge_start[state], edge_start[state + 1]
            largest, total = -np.inf, 0.0
            for edge in range(first_edge, end):
                values[edge] = outputs[row * actions + edge_action[edge]]
                largest = max(largest, values[edge])
            if state_values.size > 0:
                for edge in range(first_edge, end):
                    values[edge] = exp(values[edge] - largest)
                    total += values[edge]
                for edge in range(first_edge, end):
                    values[edge] /= total
                state_values[state] = min(1.0, max(-1.0, float(outputs[row * actions + actions - 1])))


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

    def __call__(self, network: Network) -> NDArray[np.float64]:
        """Return the values or probabilities of all edges, (E,) float64; 0 in states of other seats."""
        return self.heads(network)[0]

    def heads(self, network: Network, threads: int = 1) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the numbers of all edges, (E,) float64, and with two heads the values of all states, (S,) float64."""
        table, values, has_heads = self.table, np.zeros(self.table.num_edges), has_two_heads(network, self.table.game)
        state_values = np.zeros(table.num_states if has_heads else 0)
        parts = np.array_split(self.states, threads)

        def fill(number: int) -> None:
            rows, outputs = (np.zeros(BATCH * size, np.float32) for size in (network.sizes[0], network.sizes[-1]))
            work, inputs, states = network.work(), self.inputs.reshape(-1), parts[number]
            for begin, end in blocks(states.size, PRODUCTS_AT_ONCE // network.weights.size):
                given = network.layers, inputs, states[begin:end], table.edge_start, table.edge_action
                fill_edge_values(*given, rows, outputs, work, values, state_values)

        list(run_chunks(fill, 0, threads, threads))
        return values, state_values


def has_two_heads(network: Network, game: Game) -> bool:
    """Return whether a network has an output for the value of the state after those for the actions."""
    return network.sizes[-1] == game.num_actions + 1


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
    max_bytes: ClassVar[int] = 4 << 30  # mostly the replay buffer of an unfinished run
    game: Game
    has_table: bool
    network: Network
    as_marks: bool
    seats: tuple[int, ...]
    state: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    shapes: Shapes = field(default_factory=dict)

    @classmethod
    def specs(cls, meta: JsonObject, table: StateTable | None, is_run: bool) -> Mapping[str, ArraySpec]:
        """Return the arrays of a file, with those of the run that the description names."""
        named = meta.get("run_arrays") if is_run else None
        run = {
            _RUN + name: ArraySpec(str(dtype), tuple(int(length) for length in shape))
            for name, (dtype, shape) in (named if isinstance(named, dict) else {}).items()
        }
        num_weights = int(layer_starts(checked_sizes(meta["sizes"]))[-1])
        return {"weights": ArraySpec("float32", (num_weights,)), **run}

    def to_arrays(self) -> Packed:
        """Return the arrays of a file, and their description."""
        network = self.network
        arrays: dict[str, NDArray[np.generic]] = {"weights": network.weights}
        described = {
            "sizes": list(network.sizes),
            "slope": network.layers.slope,
            "as_marks": self.as_marks,
            "seats": list(self.seats),
            "run_arrays": {name: [dtype, list(shape)] for name, (dtype, shape) in shapes_of(self.state).items()},
            "sha256": self.sha256(),
            **({"rules_sha256": rules} if (rules := rules_sha256(self.game)) else {}),
        }
        if self.has_table:
            arrays |= {"q_table": self.q, "held": self.held}
            described |= self.table.file_meta
        return arrays | {_RUN + name: array for name, array in self.state.items()}, described

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: JsonObject, table: StateTable | None) -> Self:
        """Return the values of a file; raise ValueError unless they are intact."""
        if not np.isfinite(arrays["weights"]).all() or not isinstance(meta["run_arrays"], dict):
            raise ValueError("a weight is not finite, or the arrays of the run are missing")
        network = Network(meta["sizes"], float(meta["slope"]), arrays["weights"])
        state = {name.removeprefix(_RUN): array for name, array in arrays.items() if name.startswith(_RUN)}
        if not all(np.isfinite(array).all() for array in state.values() if array.dtype.kind == "f"):
            raise ValueError("a number in the state of the run is not finite")
        game, seats = parse_game(str(meta["game"])), tuple(int(seat) for seat in meta["seats"])
        values = cls(game, table is not None, network, bool(meta["as_marks"]), seats, state, shapes_of(state))
        if meta.get("rules_sha256", own := rules_sha256(game)) != own:
            raise ValueError(f"the rules of {game.spec}, or the inputs of its states, have changed since")
        if network.sizes[0] != num_inputs(game.initial_state, values.as_marks):
            raise ValueError(f"the network has {network.sizes[0]} inputs, which do not fit {game.spec}")
        if network.sizes[-1] - game.num_actions not in (0, 1) or not set(seats) <= {1, 2}:
            raise ValueError(f"{network.sizes[-1]} outputs or the seats {seats} do not fit {game.spec}")
        check_hash(values, meta)
        return values

    def mover(self, play: Learned) -> "NetworkMover":
        """Return new moves by the network, for one thread."""
        return NetworkMover(self)

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
    def run_shapes(self) -> Shapes:
        """Type and shape of the arrays of the run."""
        return self.shapes

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

    def begun_from(self, learned: Self) -> Self:
        """Return the first values of a run with a learned network."""
        return replace(self, network=learned.network.copy())

    def is_like(self, other: Self) -> bool:
        """Return whether these are networks of equal sizes for the same game, with run arrays of the same shapes."""
        mine, theirs = ((one.game, one.has_table, one.as_marks, one.seats, one.network.sizes) for one in (self, other))
        same_slope = self.network.layers.slope == other.network.layers.slope
        return mine == theirs and same_slope and (not self.state or dict(self.shapes) == dict(other.shapes))

    @property
    def are_probabilities(self) -> bool:
        """Whether the network has a policy and a value."""
        return has_two_heads(self.network, self.game)

    def heads(self, table: StateTable, threads: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return probabilities, (E,), and values, (S,), of all states for both players."""
        return TableForward(table, self.as_marks, (1, 2)).heads(self.network, threads)

    @property
    def table(self) -> StateTable:
        """The states; raises UsageError if the game has no table."""
        if not self.has_table:
            raise UsageError(f"expected a game with a state table, got {self.game.spec!r}")
        return table_of(self.game)

    @cached_property
    def q(self) -> NDArray[np.float64]:
        """The action values of the seats that have learned, or the probabilities of the policy, (E,) float64."""
        return TableForward(self.table, self.as_marks, self.seats)(self.network)

    @property
    def held(self) -> NDArray[np.bool_]:
        """The states in which these seats move, (S,) bool."""
        mask: NDArray[np.bool_] = np.isin(self.table.player, self.seats)
        return mask


class NetworkMover:
    """Moves by a network, for one thread; ties go to the first action."""

    def __init__(self, values: NetworkValues) -> None:
        self._network, self._as_marks = values.network, values.as_marks
        self._has_heads = has_two_heads(values.network, values.game)
        planes, sizes = num_planes(values.game.initial_state), self._network.sizes
        self._planes, self._marks = np.zeros(planes, np.float32), np.zeros(planes, np.int8)
        self._inputs, self._outputs = np.zeros(sizes[0], np.float32), np.zeros(sizes[-1], np.float32)
        self._work = self._network.work(1)

    def choose(self, state: GameState, words: Stream) -> tuple[int, float, int]:
        """Return the action of the highest value in an ongoing state, its value, and the number of legal actions."""
        values = self.action_values(state)
        action = max(values, key=values.__getitem__)
        value = float(self._outputs[-1]) if self._has_heads else values[action]
        return action, value, len(values)

    def action_values(self, state: GameState) -> dict[int, float]:
        """Return the value of each legal action in units of the rewards, or its output before the softmax."""
        outputs = self.outputs(state)
        return {action: float(outputs[action]) for action in legal_actions(state)}

    def outputs(self, state: GameState) -> NDArray[np.float32]:
        """Return the outputs, (A,) or (A + 1,) float32, which the next call overwrites."""
        fill_inputs(state, self._as_marks, self._planes, self._marks)
        self._inputs[:] = self._marks[: self._inputs.size]
        forward(self._network.layers, self._inputs, 1, self._work, self._outputs)
        return self._outputs


def shapes_of(arrays: Mapping[str, NDArray[np.generic]]) -> Shapes:
    """Return types and shapes of arrays.

    Examples
    --------
    >>> shapes_of({"progress": np.zeros(3, np.int64)})
    {'progress': ('int64', (3,))}
    """
    return {name: (str(array.dtype), array.shape) for name, array in arrays.items()}
