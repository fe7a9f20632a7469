"""Experience replay of deep Q-learning: encoded states, the buffer of transitions, and minibatches with their targets.

The value of an action is its mover's own expectation (V. Mnih et al., "Human-level control through deep reinforcement
learning", Nature 518, 2015).  Against an opponent, the reply is part of the environment: a transition leads to the next
state in which the learner moves.  In self-play it leads to the other player's state, whose value is negated.

An environment is a NamedTuple around the dynamics of `algorithms.dynamics`.  Its own functions are declared here and
implemented for each type.  An action is that of the game, which is an output of the network.

A transition is a state, the learner's action, and the next state.  The next state is the one in which the learner moves
again, or the end of the game.  In self-play, and if the reply is expected, it is the state of the other player; after
an illegal action it is the same state.  Results are read from the next state.  Over a table of states a transition is
one word; otherwise the two states are rows of numbers.

**Draws.**  A chunk has one SplitMix64 stream.  Each ply takes one word, as in `algorithms.tabular.general`: the lower
24 bits decide whether the learner explores, and the upper 40 bits make all draws.  In penalty mode an illegal choice
takes one more word, which draws a legal action.  Before an episode of self-play with kept networks, one word decides
whether one of them plays, in which seat, and which one.  If openings have no fixed length, one word then draws the
number of plies, and each of these plies takes one word.  Each sample of a minibatch takes one word: its upper half
draws the transition, its lower half the symmetry.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dynamics import ActionDynamics, AnyState, RulesDynamics, fill_actions, mover_of, status_of
from ttt_fast.algorithms.networks.backprop import BackpropScratch, Samples
from ttt_fast.algorithms.networks.optimizers import Moments, Optimizer
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel_without_counts
from ttt_fast.core.rng import below, next_word
from ttt_fast.core.vectors import LANES, pointer, shifted
from ttt_fast.games import api
from ttt_fast.games.api import State, implementation, implements
from ttt_fast.games.results import ONGOING, result_of
from ttt_fast.values.inputs import fill_inputs
from ttt_fast.values.layers import Layers, fill_hidden, last_hidden, num_rows_of, output_at, place_inputs, pointers_of

STEPS, UPDATES, KEPT = 0, 1, 2
"""Indices of `progress`: transitions, updates, networks kept as rivals."""
NUM_UNKNOWN, VERSION = 0, 1
"""Indices of `Targets.current`."""
_MASK_32 = np.uint64(0xFFFFFFFF)
_0, _1, _32, _STRIDE = (np.uint64(number) for number in (0, 1, 32, LANES))
STATE_BITS = 27
"""Bits of a state in a word, which holds two states, an action of 8 bits, and a flag for illegal actions."""
ILLEGAL = 1 << 8
"""Added to an illegal action."""
_MASK_9, _MASK_STATE = np.uint64(0x1FF), np.uint64((1 << STATE_BITS) - 1)
_9, _36 = np.uint64(9), np.uint64(9 + STATE_BITS)


def encode(env: "Env", state: AnyState, out: NDArray[np.float32], offset: int) -> None:
    """Write the inputs of a state into `out` (flat, float32) from an offset on."""
    implementation(encode, env)(env, state, out, offset)


def place_of(env: "Env", state: AnyState) -> int:
    """Return the index of a state in the table, or 0 without one."""
    return implementation(place_of, env)(env, state)


def transform(env: "Env", state: AnyState, symmetry: int) -> AnyState:
    """Return the image of a state under a symmetry."""
    return implementation(transform, env)(env, state, symmetry)


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
    action_map : (G * A,) uint8
        The images of actions under each symmetry.
    planes : (planes * rows * columns,) float32, marks : (I or more,) int8
        Work arrays for an observation.
    """

    dynamics: RulesDynamics
    as_marks: bool
    num_inputs: int
    num_symmetries: int
    action_map: NDArray[np.uint8]
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


def insert(replay: "Replay", at: int, state: AnyState, action: int, next_state: AnyState) -> None:
    """Write a transition to a place."""
    implementation(insert, replay)(replay, at, state, action, next_state)


def transition_at(replay: "Replay", at: int, like: AnyState) -> tuple[AnyState, int, AnyState]:
    """Return the transition at a place: state, action, next state; `like` is any state of the game."""
    return implementation(transition_at, replay)(replay, at, like)


class WordReplay(NamedTuple):
    """Transitions over a table of states.

    Attributes
    ----------
    words : (N,) uint64
        State << 36 | next state << 9 | action.
    """

    words: NDArray[np.uint64]


@implements(insert, WordReplay)
def _insert_word(replay: WordReplay, at: int, state: int, action: int, next_state: int) -> None:
    replay.words[at] = np.uint64(state) << _36 | np.uint64(next_state) << _9 | np.uint64(action)


@implements(transition_at, WordReplay)
def _word_at(replay: WordReplay, at: int, like: int) -> tuple[int, int, int]:
    word = replay.words[at]
    return as_int(word >> _36), as_int(word & _MASK_9), as_int(word >> _9 & _MASK_STATE)


class RowReplay(NamedTuple):
    """Transitions of a game without a table, played by its rules.

    Attributes
    ----------
    states, afters : (N, F) int64
        The states and the next states, as `api.store_state` writes them.
    units : (N,) uint16
        The actions.
    """

    states: NDArray[np.int64]
    afters: NDArray[np.int64]
    units: NDArray[np.uint16]  # the names of the fields are those of members of saved files


Replay: TypeAlias = WordReplay | RowReplay


@implements(insert, RowReplay)
def _insert_row(replay: RowReplay, at: int, state: State, action: int, next_state: State) -> None:
    api.store_state(state, replay.states, at)
    api.store_state(next_state, replay.afters, at)
    replay.units[at] = np.uint16(action)


@implements(transition_at, RowReplay)
def _row_at(replay: RowReplay, at: int, like: State) -> tuple[State, int, State]:
    state, next_state = api.load_state(like, replay.states, at), api.load_state(like, replay.afters, at)
    return state, as_int(replay.units[at]), next_state


class DqnRule(NamedTuple):
    """The rule of deep Q-learning, as plain numbers.

    Attributes
    ----------
    seat
        1 (X) or 2 (O) learns against the opponent, 3 alternating; 0: both learn (self-play).
    max_random_plies
        Plies drawn before an episode: exactly one with `one_random_ply`, else any number up to this one.
    one_random_ply
        Whether the first move is drawn uniformly at random.
    minibatch, train_every, warm_up, target_every, polyak
        As in `DqnSettings`; 0 in place of None.
    """

    seat: int
    max_random_plies: int
    one_random_ply: bool
    minibatch: int
    train_every: int
    warm_up: int
    target_every: int
    polyak: float


class Targets(NamedTuple):
    """The computation of targets, with its scratch buffers.

    Attributes
    ----------
    is_expected
        Whether a target is the mean over the opponent's replies.
    is_double
        Whether the online network chooses the action that the target network evaluates.
    penalizes_illegal
        Whether illegal actions are punished by `illegal_reward` instead of masked.
    discount
        Gamma: for every two plies; in self-play for each ply.
    rewards : (3,) float64
        Rewards of a win, a draw and a loss.
    totals : (B,) float64
        The targets, as sums so far.
    row_sample : (R,) int64, weights : (R,) float64, values : (R,) float32
        The states whose best value is part of a target: the sample of each, its weight in the target, and its value.
    unknown : (R,) int64, next_places : (R,) int64
        The rows whose values are not known, and the places of their states in `known`.
    next_inputs : (R * I,) float32
        Their inputs.
    next_actions : (R * A,) uint8, next_counts : (R,) int64
        Their actions, and the number of their actions.
    best_actions : (R,) int64
        Their actions to evaluate in Double DQN.
    known : (S,) float32, known_since : (S,) int64
        The values of the states of a table by the target network, and its version.  Empty without such values.
    current : (2,) int64
        The number of rows whose values are not known, and the version of the target network, from 1 on.
    legal_actions, all_actions : (A,) uint8
        The legal actions of a state, and all actions of the game.
    work : (W,) float32
        Work array of the forward pass.
    """

    is_expected: bool
    is_double: bool
    penalizes_illegal: bool
    illegal_reward: float
    discount: float
    rewards: NDArray[np.float64]
    totals: NDArray[np.float64]
    row_sample: NDArray[np.int64]
    weights: NDArray[np.float64]
    values: NDArray[np.float32]
    unknown: NDArray[np.int64]
    next_places: NDArray[np.int64]
    next_inputs: NDArray[np.float32]
    next_actions: NDArray[np.uint8]
    next_counts: NDArray[np.int64]
    best_actions: NDArray[np.int64]
    known: NDArray[np.float32]
    known_since: NDArray[np.int64]
    current: NDArray[np.int64]
    legal_actions: NDArray[np.uint8]
    all_actions: NDArray[np.uint8]
    work: NDArray[np.float32]


class TrainState(NamedTuple):
    """The arrays that a run updates, its rule, and scratch buffers.

    Attributes
    ----------
    online, target
        The network that learns, and the network that provides the values of targets.
    rivals : (K * P,) float32
        Weights of earlier networks, one after another.
    moments, optimizer, loss
        The optimizer's moments, the optimizer, and the loss.
    samples, backprop
        The minibatch, and the scratch buffers of an update.
    replay
        The replay buffer of N transitions.
    capacity
        N.
    progress : (3,) int64
        Transitions so far, updates, and networks kept as rivals (`STEPS`).
    rule, targets
        The rule, and the computation of targets.
    """

    online: Layers
    target: Layers
    rivals: NDArray[np.float32]
    moments: Moments
    optimizer: Optimizer
    loss: int
    samples: Samples
    backprop: BackpropScratch
    replay: Replay
    capacity: int
    progress: NDArray[np.int64]
    rule: DqnRule
    targets: Targets


@inlined_kernel
def greedy_place(
    env: Env, layers: Layers, targets: Targets, state: AnyState, actions: NDArray[np.uint8], count: int
) -> int:
    """Return the place of the first of `count` actions with the highest network value."""
    net, work, stride = pointers_of(layers), pointer(targets.work), as_int(_STRIDE)
    # one row of inputs, through the hidden layers; then only the outputs of these actions
    encode(env, state, targets.next_inputs, 0)
    place_inputs(work, stride, pointer(targets.next_inputs), as_int(_0), as_int(_1), env.num_inputs)
    fill_hidden(net, work, stride, as_int(_1))
    hidden = shifted(work, last_hidden(net, stride))
    best, chosen = np.float32(-np.inf), 0
    for place in range(count):
        value = output_at(net, hidden, stride, 0, as_int(actions[place]))
        if value > best:
            best, chosen = value, place
    return chosen


@inlined_kernel
def add_next_state(env: Env, targets: Targets, rows: int, state: AnyState, sample: int, weight: float) -> int:
    """Add a state whose best value is part of a sample's target; return the number of rows."""
    targets.row_sample[rows], targets.weights[rows] = sample, weight
    place = 0
    # a state of the table: its value by this version of the target network may be known
    if targets.known.size > 0:
        place = place_of(env, state)
        if targets.known_since[place] == targets.current[VERSION]:
            targets.values[rows] = targets.known[place]
            return rows + 1
    # otherwise it is the `number`-th row of the forward pass, with A places for its actions
    number, actions = targets.current[NUM_UNKNOWN], targets.legal_actions
    targets.current[NUM_UNKNOWN] += 1
    targets.unknown[number], targets.next_places[number] = rows, place
    encode(env, state, targets.next_inputs, number * env.num_inputs)
    count = fill_actions(env.dynamics, state, actions)
    if targets.penalizes_illegal:
        actions, count = targets.all_actions, targets.all_actions.size
    first = number * targets.all_actions.size
    for number_of_action in range(count):
        targets.next_actions[first + number_of_action] = actions[number_of_action]
    targets.next_counts[number] = count
    return rows + 1


def add_successors(env: Env, targets: Targets, rows: int, state: AnyState, next_state: AnyState, sample: int) -> int:
    """Add the successors of a legal action to a sample's target: a reward, or rows; return the number of rows."""
    return implementation(add_successors, env)(env, targets, rows, state, next_state, sample)


@inlined_kernel
def add_successor(
    env: Env, targets: Targets, rows: int, state: AnyState, next_state: AnyState, sample: int, weight: float
) -> int:
    """Add a next state with its weight to a sample's target: a reward if the game is over, otherwise a row."""
    mover, status = mover_of(env.dynamics, state), status_of(env.dynamics, next_state)
    if status != ONGOING:
        targets.totals[sample] += weight * targets.rewards[result_of(status, mover + 1)]
        return rows
    # the value of the other player's state is the opposite of the mover's
    sign = 1.0 if mover_of(env.dynamics, next_state) == mover else -1.0
    return add_next_state(env, targets, rows, next_state, sample, sign * weight * targets.discount)


@implements(add_successors, EncodedRules)
def _add_by_rules(env: EncodedRules, targets: Targets, rows: int, state: State, next_state: State, sample: int) -> int:
    return add_successor(env, targets, rows, state, next_state, sample, 1.0)


@implements(add_successors, EncodedTable)
def _add_in_table(env: EncodedTable, targets: Targets, rows: int, state: int, next_state: int, sample: int) -> int:
    if not targets.is_expected or env.dynamics.status[next_state] != ONGOING:
        return add_successor(env, targets, rows, state, next_state, sample, 1.0)
    # the opponent moves in `next_state`; each reply has its probability as its share of the target
    for edge in range(env.dynamics.start[next_state], env.dynamics.start[next_state + 1]):
        if env.chance[edge] > 0.0:
            child = as_int(env.dynamics.child[edge])
            rows = add_successor(env, targets, rows, state, child, sample, env.chance[edge])
    return rows


@inlined_kernel
def fill_next_values(layers: Layers, targets: Targets, width: int, only_selects: bool) -> None:
    """Fill the values of all rows that are not known; with `only_selects`, only store the best action of each row.

    Parameters
    ----------
    layers
        The target network; with `only_selects`, the online network.
    targets
        The rows.
    width
        Number of inputs.
    only_selects
        Whether to find the best actions.  Otherwise, Double DQN already knows them.
    """
    net, work, counts = pointers_of(layers), pointer(targets.work), targets.next_counts
    actions, best_actions, num_actions = targets.next_actions, targets.best_actions, targets.all_actions.size
    rows, unknown, values = targets.current[NUM_UNKNOWN], targets.unknown, targets.values
    is_known = targets.is_double and not only_selects
    at_once = num_rows_of(net, targets.work.size)
    stride = at_once * LANES
    hidden = shifted(work, last_hidden(net, stride))
    # as many rows at a time as the work array holds
    for first in range(0, rows, at_once):
        here = min(at_once, rows - first)
        place_inputs(work, stride, pointer(targets.next_inputs), first, here, width)
        fill_hidden(net, work, stride, here)
        for row in range(here):
            # `at`: number of the forward row, whose value belongs to row unknown[at]
            at = first + row
            if is_known:
                # the action that the online network has selected
                value = output_at(net, hidden, stride, row, best_actions[at])
            else:
                value = np.float32(-np.inf)
                for place in range(at * num_actions, at * num_actions + counts[at]):
                    action = as_int(actions[place])
                    one = output_at(net, hidden, stride, row, action)
                    if one > value:
                        value, best_actions[at] = one, action
            # with `only_selects`, the result is `best_actions`
            if not only_selects:
                values[unknown[at]] = value
                if targets.known.size > 0:
                    place = targets.next_places[at]
                    targets.known[place], targets.known_since[place] = value, targets.current[VERSION]


@kernel_without_counts  # inlined, it made the compilation of the loop of episodes 2 s longer, and nothing faster
def fill_minibatch(env: Env, run: TrainState, size: int, now: np.uint64) -> np.uint64:
    """Draw the samples of a minibatch from the first `size` places of the replay buffer; return the stream."""
    targets, replay, samples = run.targets, run.replay, run.samples
    inputs, actions = samples.inputs, samples.actions
    rows, width = 0, env.num_inputs
    targets.current[NUM_UNKNOWN] = 0
    if run.rule.target_every > 0:
        # another version after each copy to the target network
        targets.current[VERSION] = 1 + run.progress[UPDATES] // run.rule.target_every
    for sample in range(run.rule.minibatch):
        now, word = next_word(now)
        # upper half of the word: the transition; lower half: the symmetry
        state, action, next_state = transition_at(replay, below(word, size), env.dynamics.initial)
        is_illegal, action = action >= ILLEGAL, action & (ILLEGAL - 1)
        symmetry = as_int(((word & _MASK_32) * np.uint64(env.num_symmetries)) >> _32)
        if symmetry > 0:
            state, next_state = transform(env, state, symmetry), transform(env, next_state, symmetry)
            action = as_int(env.action_map[symmetry * env.dynamics.num_actions + action])
        encode(env, state, inputs, sample * width)
        actions[sample], targets.totals[sample] = action, 0.0
        if is_illegal:
            targets.totals[sample] = targets.illegal_reward
            # the same player moves again
            rows = add_next_state(env, targets, rows, next_state, sample, targets.discount)
        else:
            rows = add_successors(env, targets, rows, state, next_state, sample)
    if targets.is_double:
        fill_next_values(run.online, targets, width, True)
    fill_next_values(run.target, targets, width, False)
    for row in range(rows):
        # row -> sample
        targets.totals[targets.row_sample[row]] += targets.weights[row] * targets.values[row]
    for sample in range(run.rule.minibatch):
        samples.targets[sample] = np.float32(targets.totals[sample])
    return now
