"""The dynamics of the general kernels: a table of states with a fixed opponent, or a game by its rules.

Dynamics are a NamedTuple.  Their functions are declared here and implemented for each type, as those of `games.api` are
for types of state.  A state is an index of the table, or a state of the game.  Actions are the columns
of a row of values: the places among the legal actions of a state of the table, or the actions of the game themselves.
`ActionDynamics` have the actions of the game over a table, too.

A fixed opponent over a table is stored as alias slots, of which a kernel draws one with a random word (Walker; Vose
1991).
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.games import api
from ttt_fast.games.api import State, implementation, implements
from ttt_fast.games.defaults import win_or_block
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, reachable_mask
from ttt_fast.tables.state_table import ROOT, Edges, cached_on_table

StateOrIndex: TypeAlias = int | np.int64 | api.GameState
"""A state of a game, or its index in a table."""
AnyState = TypeVar("AnyState", bound=StateOrIndex)

NO_OPPONENT, RANDOM, DEFAULT, PYTHON_PLAYER = 0, 1, 2, 3
"""Opponents in `RulesDynamics`: none (self-play), random, default, or any player, called in Python."""

FULL_SLOT = (1 << 32) - 1
_MASK_16, _MASK_40 = np.uint64(0xFFFF), np.uint64((1 << 40) - 1)
_8, _16, _32, _40 = (np.uint64(bits) for bits in (8, 16, 32, 40))


class AliasSlots(NamedTuple):
    """The alias slots of every state.

    Attributes
    ----------
    number : (S,) uint8
        Number of slots of each state, one for each action of positive probability (possibly 0).
    slots : (E,) uint64
        The slots of state s begin at edge_start[s]: threshold << 32 | second << 16 | first.  Both `first` and `second`
        are places among the legal actions.  The first action has threshold / 2**32 of the slot, or all of it if both
        are the same.
    """

    number: NDArray[np.uint8]
    slots: NDArray[np.uint64]


@inlined_kernel
def pair_outcomes(
    mass: NDArray[np.float64],
    least: int,
    threshold: NDArray[np.int64],
    second: NDArray[np.int64],
    waiting: NDArray[np.int64],
) -> None:
    """Pair each poor outcome with a rich one, which takes the rest of its slot (Vose's method).

    The last poor outcome is paired with the last rich one.  A rich outcome that becomes poor is appended to the poor
    ones.

    Parameters
    ----------
    mass : (N,) float64
        Probabilities of the outcomes, times their number; overwritten.
    least
        Least threshold.
    threshold, second : (M,) int64
        Output for each pair: the poor outcome's own share of the slot, in units of 2**-32, and the rich outcome.
    waiting : (2, M) int64
        Scratch array, M at least N.
    """
    poor, rich, num_poor, num_rich = waiting[0], waiting[1], 0, 0
    for i in range(mass.size):
        if mass[i] < 1.0:
            poor[num_poor] = i
            num_poor += 1
        else:
            rich[num_rich] = i
            num_rich += 1
    while num_poor > 0 and num_rich > 0:
        num_poor -= 1
        taker, giver = poor[num_poor], rich[num_rich - 1]
        share = max(least, round(mass[taker] * 4294967296.0))
        if share <= FULL_SLOT:  # else the slot is the taker's alone
            threshold[taker], second[taker] = share, giver
            mass[giver] -= 1.0 - mass[taker]
            if mass[giver] < 1.0:
                num_rich -= 1
                poor[num_poor] = giver
                num_poor += 1


@kernel
def fill_slots(edges: Edges, chance: NDArray[np.float64], count: NDArray[np.uint8], slots: NDArray[np.uint64]) -> None:
    """Fill `count` and `slots` by Vose's method."""
    places, mass, waiting = np.empty(256, np.int64), np.empty(256), np.empty((2, 256), np.int64)
    threshold, second = np.empty(256, np.int64), np.empty(256, np.int64)
    for state in range(count.size):
        first, end = edges.start[state], edges.start[state + 1]
        n = 0
        for edge in range(first, end):
            if chance[edge] > 0:
                places[n] = edge - first
                n += 1
        for i in range(n):
            mass[i] = chance[first + places[i]] * n
            threshold[i], second[i] = FULL_SLOT, i
        pair_outcomes(mass[:n], 1, threshold, second, waiting)
        count[state] = n
        for i in range(n):
            packed = threshold[i] << 32 | places[second[i]] << 16 | places[i]
            slots[first + i] = np.uint64(packed)


@cached_on_table(16)
def alias_slots(policy: Policy) -> AliasSlots:
    """Return the slots of a policy; cached, since the runs of a sweep meet the same opponents.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> found = alias_slots(as_policy("random"))
    >>> int(found.number[0]), hex(found.slots[2])
    (9, '0xffffffff00020002')
    """
    table = policy.table
    found = AliasSlots(np.zeros(table.num_states, np.uint8), np.zeros(table.num_edges, np.uint64))
    fill_slots(table.edges, policy.edge_probabilities, found.number, found.slots)
    return found


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


def reachable_states(
    table: StateTable, opponent: Policy | None, seat: int, random_opening: bool = False
) -> NDArray[np.bool_]:
    """Return the states of a learner that can occur in training for some of its play, (S,) bool.

    Without an opponent (self-play) these are all states in which its seat moves.  If the first move is drawn, every
    first move can occur, and the empty board belongs to no seat.
    """
    is_drawn = random_opening & (table.ply == 0)
    own: NDArray[np.bool_] = (table.player == seat) & ~is_drawn
    if opponent is None:
        return own
    played = (own | is_drawn)[table.edge_state] | (opponent.edge_probabilities > 0)
    return reachable_mask(table, played) & own
