"""Minibatches of deep Q-learning: sampled transitions, and the targets of their action values.

The value of an action is its mover's own expectation (V. Mnih et al., "Human-level control through deep reinforcement
learning", Nature 518, 2015).  Against an opponent, the reply is part of the environment: a transition leads to the next
state in which the learner moves.  In self-play it leads to the other player's state, whose value is negated.

**Draws.**  A chunk has one SplitMix64 stream.  Each ply takes one word, as in `learn.general`: the lower 24 bits decide
whether the learner explores, and the upper 40 bits make all draws.  In penalty mode an illegal choice takes one more
word, which draws a legal action.  Before an episode of self-play with kept networks, one word decides whether one of
them plays, in which seat, and which one.  If openings have no fixed length, one word then draws the number of plies,
and each of these plies takes one word.  Each sample of a minibatch takes one word: its upper half draws the transition,
its lower half the symmetry.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.rng import below, next_word
from ttt_fast.core.vectors import LANES, pointer, shifted
from ttt_fast.games.api import State, implementation, implements
from ttt_fast.games.results import ONGOING, result_of
from ttt_fast.learn.dqn.replay import ILLEGAL, Replay, get
from ttt_fast.learn.dqn.worlds import Seen, SeenRules, SeenTable, fill_units, see, turned, turned_unit
from ttt_fast.learn.networks.backprop import Samples, Scratch
from ttt_fast.learn.networks.optimizers import Moments, Optimizer
from ttt_fast.learn.worlds import AnyState, status_of, turn_of
from ttt_fast.values.layers import Layers, fill_hidden, last_hidden, num_rows_of, output_at, place_inputs, pointers_of

_MASK_32 = np.uint64(0xFFFFFFFF)
_0, _1, _32, _STRIDE = (np.uint64(number) for number in (0, 1, 32, LANES))


class Rule(NamedTuple):
    """The rule of deep Q-learning, as plain numbers.

    Attributes
    ----------
    seat
        1 (X) or 2 (O) learns against the opponent, 3 alternating; 0: both learn (self-play).
    opening
        Plies drawn before an episode: exactly one with `is_one`, else any number up to this one.
    is_one
        Whether the first move is drawn.
    expects
        Whether a target is the mean over the opponent's replies.
    is_double
        Whether the online network chooses the action that the target network evaluates.
    punishes
        Whether illegal actions are punished by `illegal_reward` instead of masked.
    minibatch, train_every, warm_up, target_every, polyak
        As in `DqnSettings`; 0 in place of None.
    discount
        Gamma: for each pair of plies; in self-play for each ply.
    rewards : (3,) float64
        Rewards of a win, a draw and a loss.
    """

    seat: int
    opening: int
    is_one: bool
    expects: bool
    is_double: bool
    punishes: bool
    illegal_reward: float
    minibatch: int
    train_every: int
    warm_up: int
    target_every: int
    polyak: float
    discount: float
    rewards: NDArray[np.float64]


class Room(NamedTuple):
    """Work arrays.

    Attributes
    ----------
    sums : (B,) float64
        The sums of the targets.
    next_inputs : (R * I,) float32
        States whose best value is part of a target.
    next_units : (R * A,) uint8, next_counts : (R,) int64
        Their actions, and the number of their actions.
    owner : (R,) int64, weight : (R,) float64
        The sample of each row, and the weight of the row in its target.
    chosen : (R,) int64
        The action to evaluate in Double DQN.
    legal, every : (A,) uint8
        The legal actions of a state, and all actions of the game.
    work : (W,) float32
        Work array of the forward pass.
    """

    sums: NDArray[np.float64]
    next_inputs: NDArray[np.float32]
    next_units: NDArray[np.uint8]
    next_counts: NDArray[np.int64]
    owner: NDArray[np.int64]
    weight: NDArray[np.float64]
    chosen: NDArray[np.int64]
    legal: NDArray[np.uint8]
    every: NDArray[np.uint8]
    work: NDArray[np.float32]


class Parts(NamedTuple):
    """Everything that a run changes, and its rule.

    Attributes
    ----------
    online, target
        The network that learns, and the network that provides the values of targets.
    rivals : (K * P,) float32
        Weights of earlier networks, one after another.
    moments, optimizer, loss
        The optimizer's moments, the optimizer, and the loss.
    samples, scratch
        The minibatch, and work arrays of an update.
    replay
        The replay buffer of N transitions.
    capacity
        N.
    progress : (3,) int64
        Transitions so far, updates, and networks kept as rivals (`episodes.STEPS`).
    rule, room
        The rule, and the work arrays of targets.
    """

    online: Layers
    target: Layers
    rivals: NDArray[np.float32]
    moments: Moments
    optimizer: Optimizer
    loss: int
    samples: Samples
    scratch: Scratch
    replay: Replay
    capacity: int
    progress: NDArray[np.int64]
    rule: Rule
    room: Room


@inlined_kernel
def best_unit(seen: Seen, layers: Layers, room: Room, state: AnyState, units: NDArray[np.uint8], count: int) -> int:
    """Return the place of the first of `count` actions with the highest network value."""
    net, work, stride = pointers_of(layers), pointer(room.work), as_int(_STRIDE)
    see(seen, state, room.next_inputs, 0)
    place_inputs(work, stride, pointer(room.next_inputs), as_int(_0), as_int(_1), seen.num_inputs)
    fill_hidden(net, work, stride, as_int(_1))
    hidden = shifted(work, last_hidden(net, stride))
    best, chosen = np.float32(-np.inf), 0
    for place in range(count):
        value = output_at(net, hidden, stride, 0, as_int(units[place]))
        if value > best:
            best, chosen = value, place
    return chosen


@inlined_kernel
def add_row(seen: Seen, rule: Rule, room: Room, rows: int, state: AnyState, sample: int, weight: float) -> int:
    """Add a state whose best value is part of a sample's target; return the number of rows."""
    units = room.legal
    see(seen, state, room.next_inputs, rows * seen.num_inputs)
    room.owner[rows], room.weight[rows] = sample, weight
    count = fill_units(seen, state, units)
    if rule.punishes:
        units, count = room.every, room.every.size
    first = rows * room.every.size
    for place in range(count):
        room.next_units[first + place] = units[place]
    room.next_counts[rows] = count
    return rows + 1


def add_successors(seen: Seen, rule: Rule, room: Room, rows: int, state: AnyState, after: AnyState, sample: int) -> int:
    """Add the successors of a legal action to a sample's target: a reward, or rows; return the number of rows."""
    return implementation(add_successors, seen)(seen, rule, room, rows, state, after, sample)


@inlined_kernel
def add_successor(seen: Seen, rule: Rule, room: Room, rows: int, state: AnyState, after: AnyState, sample: int) -> int:
    """Add the next state to a sample's target: a reward if the game is over, otherwise a row."""
    mover, status = turn_of(seen.world, state), status_of(seen.world, after)
    if status != ONGOING:
        room.sums[sample] += rule.rewards[result_of(status, mover + 1)]
        return rows
    sign = 1.0 if turn_of(seen.world, after) == mover else -1.0
    return add_row(seen, rule, room, rows, after, sample, sign * rule.discount)


@implements(add_successors, SeenRules)
def _add_by_rules(seen: SeenRules, rule: Rule, room: Room, rows: int, state: State, after: State, sample: int) -> int:
    return add_successor(seen, rule, room, rows, state, after, sample)


@implements(add_successors, SeenTable)
def _add_in_table(seen: SeenTable, rule: Rule, room: Room, rows: int, state: int, after: int, sample: int) -> int:
    if not rule.expects or seen.world.status[after] != ONGOING:
        return add_successor(seen, rule, room, rows, state, after, sample)
    mover = seen.world.player[state]
    for edge in range(seen.world.start[after], seen.world.start[after + 1]):
        chance = seen.chance[edge]
        if chance > 0.0:
            child = as_int(seen.world.child[edge])
            status = seen.world.status[child]
            if status != ONGOING:
                room.sums[sample] += chance * rule.rewards[result_of(status, mover)]
            else:
                rows = add_row(seen, rule, room, rows, child, sample, chance * rule.discount)
    return rows


@inlined_kernel
def add_values(layers: Layers, rule: Rule, room: Room, rows: int, width: int, chooses: bool) -> None:
    """Add the values of all rows to the targets; with `chooses`, only store the best action of each row.

    Parameters
    ----------
    layers
        The target network; with `chooses`, the online network.
    rule, room
        The rule; the rows and the sums of the targets.
    rows, width
        Number of rows and of inputs.
    chooses
        Whether to find the best actions.  Otherwise, Double DQN already knows them.
    """
    net, work, units, actions = pointers_of(layers), pointer(room.work), room.next_units, room.every.size
    counts, chosen, owner, weight, sums = room.next_counts, room.chosen, room.owner, room.weight, room.sums
    is_known = rule.is_double and not chooses
    at_once = num_rows_of(net, room.work.size)
    stride = at_once * LANES
    hidden = shifted(work, last_hidden(net, stride))
    for first in range(0, rows, at_once):
        here = min(at_once, rows - first)
        place_inputs(work, stride, pointer(room.next_inputs), first, here, width)
        fill_hidden(net, work, stride, here)
        for row in range(here):
            at = first + row
            if is_known:
                value = output_at(net, hidden, stride, row, chosen[at])
            else:
                value = np.float32(-np.inf)
                for place in range(at * actions, at * actions + counts[at]):
                    unit = as_int(units[place])
                    one = output_at(net, hidden, stride, row, unit)
                    if one > value:
                        value, chosen[at] = one, unit
            if not chooses:
                sums[owner[at]] += weight[at] * value


@inlined_kernel
def fill_minibatch(seen: Seen, parts: Parts, size: int, now: np.uint64) -> np.uint64:
    """Draw the samples of a minibatch from the first `size` places of the replay buffer; return the stream."""
    rule, room, replay = parts.rule, parts.room, parts.replay
    inputs, units, targets = parts.samples.inputs, parts.samples.actions, parts.samples.targets
    rows, width = 0, seen.num_inputs
    for sample in range(rule.minibatch):
        now, word = next_word(now)
        state, unit, after = get(replay, below(word, size), seen.world.initial)
        is_illegal, unit = unit >= ILLEGAL, unit & (ILLEGAL - 1)
        symmetry = as_int(((word & _MASK_32) * np.uint64(seen.num_symmetries)) >> _32)
        if symmetry > 0:
            state, after = turned(seen, state, symmetry), turned(seen, after, symmetry)
            unit = turned_unit(seen, unit, symmetry)
        see(seen, state, inputs, sample * width)
        units[sample], room.sums[sample] = unit, 0.0
        if is_illegal:
            room.sums[sample] = rule.illegal_reward
            rows = add_row(seen, rule, room, rows, after, sample, rule.discount)
        else:
            rows = add_successors(seen, rule, room, rows, state, after, sample)
    if rule.is_double:
        add_values(parts.online, rule, room, rows, width, True)
    add_values(parts.target, rule, room, rows, width, False)
    for sample in range(rule.minibatch):
        targets[sample] = np.float32(room.sums[sample])
    return now
