"""Worlds encoded for a network: inputs in place of row marks, actions of the game, and symmetries.

An encoded world is a NamedTuple around a world of `learn.worlds`.  The functions are declared here and implemented for
each type, like those of the worlds.  A unit is an output of the network, that is, an action of the game.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.api import State, implementation, implements
from ttt_fast.learn.algorithms import DqnSettings
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.opponents import rules_worlds
from ttt_fast.learn.settings import EXPECTED, MARKS
from ttt_fast.learn.worlds import AnyState, RulesWorld, TableWorld, table_worlds
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, find_symmetry, table_of
from ttt_fast.values.inputs import fill_inputs, num_inputs, num_planes, table_inputs


def fill_units(seen: "Seen", state: AnyState, units: NDArray[np.uint8]) -> int:
    """Fill `units` (A,) with the legal actions of an ongoing state, ascending; return their number."""
    return implementation(fill_units, seen)(seen, state, units)


def take(seen: "Seen", state: AnyState, place: int, unit: int) -> AnyState:
    """Return the state after the legal action `unit`, which is at `place` among the legal actions."""
    return implementation(take, seen)(seen, state, place, unit)


def see(seen: "Seen", state: AnyState, out: NDArray[np.float32], offset: int) -> None:
    """Write the inputs of a state into `out` (flat, float32) from an offset on."""
    implementation(see, seen)(seen, state, out, offset)


def turned(seen: "Seen", state: AnyState, symmetry: int) -> AnyState:
    """Return the image of a state under a symmetry."""
    return implementation(turned, seen)(seen, state, symmetry)


def turned_unit(seen: "Seen", unit: int, symmetry: int) -> int:
    """Return the image of an action under a symmetry."""
    return implementation(turned_unit, seen)(seen, unit, symmetry)


class SeenTable(NamedTuple):
    """An encoded table of states.  All arrays are flat.

    Attributes
    ----------
    world
        The table, and the fixed opponent as alias slots.
    edge_action : (E,) uint8
        The action of each edge.
    inputs : (S * I,) int8, num_inputs
        The network inputs of each state.
    num_symmetries
        G; 1 if symmetries are not used.
    state_map : (G * S,) int32, action_map : (G * A,) uint8
        The images of states and actions under each symmetry.
    chance : (E,) float64
        The probability that the opponent plays an edge; empty if targets are sampled.
    """

    world: TableWorld
    edge_action: NDArray[np.uint8]
    inputs: NDArray[np.int8]
    num_inputs: int
    num_symmetries: int
    state_map: NDArray[np.int32]
    action_map: NDArray[np.uint8]
    chance: NDArray[np.float64]


@implements(fill_units, SeenTable)
def _fill_units_of_table(seen: SeenTable, state: int, units: NDArray[np.uint8]) -> int:
    first, end = seen.world.start[state], seen.world.start[state + 1]
    for place in range(end - first):
        units[place] = seen.edge_action[first + place]
    return int(end - first)


@implements(take, SeenTable)
def _take_in_table(seen: SeenTable, state: int, place: int, unit: int) -> int:
    return int(seen.world.child[seen.world.start[state] + place])


@implements(see, SeenTable)
def _see_in_table(seen: SeenTable, state: int, out: NDArray[np.float32], offset: int) -> None:
    first = state * seen.num_inputs
    for place in range(seen.num_inputs):
        out[offset + place] = np.float32(seen.inputs[first + place])


@implements(turned, SeenTable)
def _turned_in_table(seen: SeenTable, state: int, symmetry: int) -> int:
    return int(seen.state_map[symmetry * seen.world.status.size + state])


@implements(turned_unit, SeenTable)
def _turned_unit_in_table(seen: SeenTable, unit: int, symmetry: int) -> int:
    return int(seen.action_map[symmetry * seen.world.num_actions + unit])


class SeenRules(NamedTuple):
    """An encoded game, played by its rules.

    Attributes
    ----------
    world
        The rules, and the opponent.
    as_marks, num_inputs
        Whether the inputs are marks, and the number of inputs, I.
    num_symmetries
        G; 1 if symmetries are not used.
    planes : (planes * rows * columns,) float32, marks : (I or more,) int8
        Work arrays for an observation.
    """

    world: RulesWorld
    as_marks: bool
    num_inputs: int
    num_symmetries: int
    planes: NDArray[np.float32]
    marks: NDArray[np.int8]


Seen: TypeAlias = SeenTable | SeenRules


@implements(fill_units, SeenRules)
def _fill_units_by_rules(seen: SeenRules, state: State, units: NDArray[np.uint8]) -> int:
    return api.fill_legal_actions(state, units)


@implements(take, SeenRules)
def _take_by_rules(seen: SeenRules, state: State, place: int, unit: int) -> State:
    return api.play(state, unit)


@implements(see, SeenRules)
def _see_by_rules(seen: SeenRules, state: State, out: NDArray[np.float32], offset: int) -> None:
    fill_inputs(state, seen.as_marks, seen.planes, seen.marks)
    for place in range(seen.num_inputs):
        out[offset + place] = np.float32(seen.marks[place])


@implements(turned, SeenRules)
def _turned_by_rules(seen: SeenRules, state: State, symmetry: int) -> State:
    return api.transform(state, symmetry)


@implements(turned_unit, SeenRules)
def _turned_unit_by_rules(seen: SeenRules, unit: int, symmetry: int) -> int:
    return as_int(api.transform_action(seen.world.initial, unit, symmetry))


def worlds_of(config: TrainingConfig, opponents: Sequence[Policy]) -> list[SeenTable] | list[SeenRules]:
    """Return the encoded world of each stage of a run; in self-play a single one, without an opponent.

    Examples
    --------
    >>> seen = worlds_of(TrainingConfig("self", algorithm="dqn"), [])[0]
    >>> seen.num_inputs, seen.num_symmetries, seen.inputs.size
    (18, 8, 98604)
    """
    game, settings = config.played, DqnSettings.of(config)
    as_marks = settings.input == MARKS
    start = game.initial_state
    if config.has_table:
        shared = _shared_arrays(table_of(game), as_marks, settings.symmetries)
        chances = [one.edge_probabilities if settings.target == EXPECTED else np.zeros(0) for one in opponents]
        worlds = table_worlds(table_of(game), opponents)
        return [
            SeenTable(*(world, *shared, frozen(np.array(chance))))
            for world, chance in zip(worlds, chances or [np.zeros(0)], strict=True)
        ]
    size = num_planes(start)
    number = int(api.num_symmetries(start)) if settings.symmetries else 1
    room = np.zeros(size, np.float32), np.zeros(size, np.int8)
    return [
        SeenRules(world, as_marks, num_inputs(start, as_marks), number, *room)
        for world in rules_worlds(game, [agent for _, agent in config.stages()], any_player=True)
    ]


@lru_cache(maxsize=4)
def _shared_arrays(
    table: StateTable, as_marks: bool, has_symmetries: bool
) -> tuple[NDArray[np.uint8], NDArray[np.int8], int, int, NDArray[np.int32], NDArray[np.uint8]]:
    """Return the arrays of a table that its runs share, from `edge_action` to `action_map`."""
    inputs = table_inputs(table, as_marks)
    states = np.arange(table.num_states, dtype=np.int32)[None]
    actions = np.arange(table.num_actions, dtype=np.uint8)[None]
    if has_symmetries:
        symmetry = find_symmetry(table)
        states, actions = symmetry.state_map, symmetry.action_map
    flat = (frozen(np.ascontiguousarray(one).ravel()) for one in (states, actions))
    return table.edge_action, frozen(inputs.ravel()), inputs.shape[1], len(states), *flat
