"""The dynamics of the general kernels: a table of states with a fixed opponent, or a game by its rules.

Dynamics are a NamedTuple.  Their functions are declared here and implemented for each type, as those of `games.api` are
for types of state.  A state is an index of the table, or a state of the game.  Actions are the columns
of a row of values: the places among the legal actions of a state of the table, or the actions of the game themselves.
`ActionDynamics` have the actions of the game over a table, too.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.alias import AliasSlots, alias_slots
from ttt_fast.games import api
from ttt_fast.games.api import State, implementation, implements
from ttt_fast.games.defaults import win_or_block
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import ROOT

StateOrIndex: TypeAlias = int | np.int64 | api.GameState
"""A state of a game, or its index in a table."""
AnyState = TypeVar("AnyState", bound=StateOrIndex)

NO_OPPONENT, RANDOM, DEFAULT, PYTHON_PLAYER = 0, 1, 2, 3
"""Opponents in `RulesDynamics`: none (self-play), random, default, or any player, called in Python."""

_MASK_16, _MASK_40 = np.uint64(0xFFFF), np.uint64((1 << 40) - 1)
_8, _16, _32, _40 = (np.uint64(bits) for bits in (8, 16, 32, 40))


def fill_actions(dynamics: "Dynamics", state: AnyState, actions: NDArray[np.uint8]) -> int:
    """Fill `actions` (A,), initially 0, 1, 2, …, with those of an ongoing state, ascending; return their number."""
    return implementation(fill_actions, dynamics)(dynamics, state, actions)


def transition(dynamics: "Dynamics", state: AnyState, action: int) -> AnyState:
    """Return the state after a legal action."""
    return implementation(transition, dynamics)(dynamics, state, action)


def status_of(dynamics: "Dynamics", state: AnyState) -> int:
    """Return the status of a state."""
    return implementation(status_of, dynamics)(dynamics, state)


def mover_of(dynamics: "Dynamics", state: AnyState) -> int:
    """Return the player to move: 0 (X), 1 (O), or -1 if the game is over."""
    return implementation(mover_of, dynamics)(dynamics, state)


def opponent_step(dynamics: "Dynamics", state: AnyState, x: np.uint64) -> AnyState:
    """Return the state after the move of the fixed opponent, drawn by the 40-bit fraction `x`."""
    return implementation(opponent_step, dynamics)(dynamics, state, x)


class TableDynamics(NamedTuple):
    """A table of states, and the policy of a fixed opponent as alias slots.

    Attributes
    ----------
    num_actions, max_plies
        The maximum number of actions of a state, and of plies of a game.
    initial
        State in which every game begins.
    start, child, action, status, player
        `edge_start`, `edge_child`, `edge_action`, `status` and `player` of the table.
    num_slots : (S,) uint8, slots : (E,) uint64
        The slots of each state, from its first edge on: threshold << 32 | second place << 16 | first place.
    """

    num_actions: int
    max_plies: int
    initial: int | np.int64
    start: NDArray[np.int32]
    child: NDArray[np.int32]
    action: NDArray[np.uint8]
    status: NDArray[np.int8]
    player: NDArray[np.int8]
    num_slots: NDArray[np.uint8]
    slots: NDArray[np.uint64]


@implements(fill_actions, TableDynamics)
def _fill_places(dynamics: TableDynamics, state: int, actions: NDArray[np.uint8]) -> int:
    return int(dynamics.start[state + 1] - dynamics.start[state])


@implements(transition, TableDynamics)
def _move_in_table(dynamics: TableDynamics, state: int, action: int) -> int:
    return int(dynamics.child[dynamics.start[state] + action])


@implements(status_of, TableDynamics)
def _status_in_table(dynamics: TableDynamics, state: int) -> int:
    return int(dynamics.status[state])


@implements(mover_of, TableDynamics)
def _turn_in_table(dynamics: TableDynamics, state: int) -> int:
    return int(dynamics.player[state]) - 1


@implements(opponent_step, TableDynamics)
def _reply_in_table(dynamics: TableDynamics, state: int, x: np.uint64) -> int:
    x *= np.uint64(dynamics.num_slots[state])
    first = np.uint64(dynamics.start[state])
    slot = dynamics.slots[first + (x >> _40)]
    place = (slot if ((x & _MASK_40) >> _8) < slot >> _32 else slot >> _16) & _MASK_16
    return int(dynamics.child[first + place])


class ActionDynamics(TableDynamics):
    """A table of states whose actions are those of the game, which are outputs of a network."""


@implements(fill_actions, ActionDynamics)
def _fill_actions_of_table(dynamics: ActionDynamics, state: int, actions: NDArray[np.uint8]) -> int:
    first, end = dynamics.start[state], dynamics.start[state + 1]
    for place in range(end - first):
        actions[place] = dynamics.action[first + place]
    return int(end - first)


@implements(transition, ActionDynamics)
def _move_by_action(dynamics: ActionDynamics, state: int, action: int) -> int:
    edge = dynamics.start[state]
    while dynamics.action[edge] != action:
        edge += 1
    return int(dynamics.child[edge])


class RulesDynamics(NamedTuple):
    """A game by its rules.

    Attributes
    ----------
    num_actions, max_plies
        The maximum number of actions of a state, and of plies of a game.
    initial
        State in which every game begins.
    opponent
        NO_OPPONENT, RANDOM or DEFAULT: the opponent of the learner.
    actions : (A,) uint8
        Work array for the opponent's legal actions.
    """

    num_actions: int
    max_plies: int
    initial: api.GameState
    opponent: int
    actions: NDArray[np.uint8]


Dynamics: TypeAlias = TableDynamics | RulesDynamics


@implements(fill_actions, RulesDynamics)
def _fill_legal(dynamics: RulesDynamics, state: State, actions: NDArray[np.uint8]) -> int:
    return api.fill_legal_actions(state, actions)


@implements(transition, RulesDynamics)
def _move_by_rules(dynamics: RulesDynamics, state: State, action: int) -> State:
    return api.play(state, action)


@implements(status_of, RulesDynamics)
def _status_by_rules(dynamics: RulesDynamics, state: State) -> int:
    return api.status(state)


@implements(mover_of, RulesDynamics)
def _turn_by_rules(dynamics: RulesDynamics, state: State) -> int:
    return api.player(state) - 1 if api.status(state) == api.ONGOING else -1


@implements(opponent_step, RulesDynamics)
def _reply_by_rules(dynamics: RulesDynamics, state: State, x: np.uint64) -> State:
    if dynamics.opponent == DEFAULT:
        win, block = win_or_block(state)
        if win != api.NO_ACTION:
            return api.play(state, win)
        if block != api.NO_ACTION:
            return api.play(state, block)
    count = api.fill_legal_actions(state, dynamics.actions)
    return api.play(state, int(dynamics.actions[(x * np.uint64(count)) >> _40]))


def table_dynamics(table: StateTable, opponents: Sequence[Policy]) -> list[TableDynamics]:
    """Return the dynamics with each opponent; in self-play a single one, without an opponent."""
    sizes = table.num_actions, table.num_plies, np.int64(ROOT)
    parts = *sizes, table.edge_start, table.edge_child, table.edge_action, table.status, table.player
    nobody = AliasSlots(np.zeros(0, np.uint8), np.zeros(0, np.uint64))
    return [TableDynamics(*parts, *slots) for slots in [alias_slots(one) for one in opponents] or [nobody]]
