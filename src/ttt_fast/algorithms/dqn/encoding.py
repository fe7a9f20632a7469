"""Environments for a network: dynamics with encoded states, actions of the game, and symmetries.

An environment is a NamedTuple around the dynamics of `algorithms.dynamics`.  Its own functions are declared here and
implemented for each type.  An action is that of the game, which is an output of the network.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dynamics import ActionDynamics, AnyState, RulesDynamics
from ttt_fast.core.bits import as_int
from ttt_fast.games import api
from ttt_fast.games.api import State, implementation, implements
from ttt_fast.values.inputs import fill_inputs


def encode(env: "Env", state: AnyState, out: NDArray[np.float32], offset: int) -> None:
    """Write the inputs of a state into `out` (flat, float32) from an offset on."""
    implementation(encode, env)(env, state, out, offset)


def place_of(env: "Env", state: AnyState) -> int:
    """Return the index of a state in the table, or 0 without one."""
    return implementation(place_of, env)(env, state)


def transform(env: "Env", state: AnyState, symmetry: int) -> AnyState:
    """Return the image of a state under a symmetry."""
    return implementation(transform, env)(env, state, symmetry)


def transform_action(env: "Env", action: int, symmetry: int) -> int:
    """Return the image of an action under a symmetry."""
    return implementation(transform_action, env)(env, action, symmetry)


class EncodedTable(NamedTuple):
    """The dynamics of a table, with encoded states.  All arrays are flat.

    Attributes
    ----------
    dynamics
        The table, and the fixed opponent as alias slots.
    inputs : (S * I,) int8, num_inputs
        The network inputs of each state.
    num_symmetries
        G; 1 if symmetries are not used.
    state_map : (G * S,) int32, action_map : (G * A,) uint8
        The images of states and actions under each symmetry.
    chance : (E,) float64
        The probability that the opponent plays an edge; empty if targets are sampled.
    """

    dynamics: ActionDynamics
    inputs: NDArray[np.int8]
    num_inputs: int
    num_symmetries: int
    state_map: NDArray[np.int32]
    action_map: NDArray[np.uint8]
    chance: NDArray[np.float64]


@implements(encode, EncodedTable)
def _encode_in_table(env: EncodedTable, state: int, out: NDArray[np.float32], offset: int) -> None:
    first = state * env.num_inputs
    for place in range(env.num_inputs):
        out[offset + place] = np.float32(env.inputs[first + place])


@implements(place_of, EncodedTable)
def _place_in_table(env: EncodedTable, state: int) -> int:
    return state


@implements(transform, EncodedTable)
def _transform_in_table(env: EncodedTable, state: int, symmetry: int) -> int:
    return int(env.state_map[symmetry * env.dynamics.status.size + state])


@implements(transform_action, EncodedTable)
def _transform_action_in_table(env: EncodedTable, action: int, symmetry: int) -> int:
    return int(env.action_map[symmetry * env.dynamics.num_actions + action])


class EncodedRules(NamedTuple):
    """The dynamics of a game by its rules, with encoded states.

    Attributes
    ----------
    dynamics
        The rules, and the opponent.
    as_marks, num_inputs
        Whether the inputs are marks, and the number of inputs, I.
    num_symmetries
        G; 1 if symmetries are not used.
    planes : (planes * rows * columns,) float32, marks : (I or more,) int8
        Work arrays for an observation.
    """

    dynamics: RulesDynamics
    as_marks: bool
    num_inputs: int
    num_symmetries: int
    planes: NDArray[np.float32]
    marks: NDArray[np.int8]


Env: TypeAlias = EncodedTable | EncodedRules


@implements(encode, EncodedRules)
def _encode_by_rules(env: EncodedRules, state: State, out: NDArray[np.float32], offset: int) -> None:
    fill_inputs(state, env.as_marks, env.planes, env.marks)
    for place in range(env.num_inputs):
        out[offset + place] = np.float32(env.marks[place])


@implements(place_of, EncodedRules)
def _place_by_rules(env: EncodedRules, state: State) -> int:
    return 0


@implements(transform, EncodedRules)
def _transform_by_rules(env: EncodedRules, state: State, symmetry: int) -> State:
    return api.transform(state, symmetry)


@implements(transform_action, EncodedRules)
def _transform_action_by_rules(env: EncodedRules, action: int, symmetry: int) -> int:
    return as_int(api.transform_action(env.dynamics.initial, action, symmetry))
