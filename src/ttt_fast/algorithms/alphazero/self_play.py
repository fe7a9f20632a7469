"""AlphaZero on a table of states: self-play by search, a network with two heads, and its training.

D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Science 362 (2018).  An iteration is a chunk of games.  Before it, the network is evaluated for all states of the table
in one pass, and the searches of the games (`search.puct`) read the resulting arrays.  After it, the network is trained
on positions of the last iterations: the visits of their searches, and the results of their games.

Letters: S states, E edges, A actions, G games of an iteration, P plies of the longest game, R iterations of the replay
buffer, N = G * P positions, B samples of a minibatch, I inputs.

**Draws.**  A game has one SplitMix64 stream.  With random openings, a game takes a word for the number of their plies,
and one for each.  It takes for each move the gamma numbers of the noise, if there is any, and one
word for the move, if it is drawn.  The minibatches of an iteration have a stream of their own: for each sample one
word, whose upper half draws the position and whose lower half draws the symmetry.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.networks.backprop import (
    ILLEGAL_TARGET,
    POLICY_AND_VALUE,
    BackpropScratch,
    Samples,
    update,
)
from ttt_fast.algorithms.networks.optimizers import Moments, Optimizer
from ttt_fast.core.bits import as_int
from ttt_fast.core.elementary import gamma
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.rng import below, next_word
from ttt_fast.search.puct import Evaluated, Statistics, clear, search
from ttt_fast.values.layers import Layers

_32, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


class SelfPlay(NamedTuple):
    """The settings of the games, as plain numbers.

    Attributes
    ----------
    simulations, c
        Simulations before each move, and the weight of exploration.
    noise, noise_shape
        The share of the Dirichlet noise in the priors of the root, and its parameter.
    drawn_plies
        Plies of a game whose moves are drawn in proportion to the visits; later moves are the most visited ones.
    search_share
        The share of the search's value in the target of the value head; the rest is the result of the game.
    opening_plies
        The largest number of random plies before a game, which nobody learns from.
    """

    simulations: int
    c: float
    noise: float
    noise_shape: float
    drawn_plies: int
    search_share: float
    opening_plies: int


class Positions(NamedTuple):
    """Positions of games with their targets, in the order of play.

    Attributes
    ----------
    states : (N,) int32
        The states.
    policies : (N, A) float32
        The shares of the visits of each action; `ILLEGAL_TARGET` for illegal ones.
    values : (N,) float32
        The targets of the value for the player to move.
    """

    states: NDArray[np.int32]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]


@inlined_kernel
def _fill_root_priors(
    game: Evaluated, state: int, rule: SelfPlay, stream: np.uint64, priors: NDArray[np.float64]
) -> np.uint64:
    """Fill the priors of a root with noise, in the order of its edges; return the stream after the draws."""
    first, end = game.edge_start[state], game.edge_start[state + 1]
    total = 0.0
    if rule.noise > 0.0:
        # gamma numbers divided by their sum have a Dirichlet distribution
        for place in range(end - first):
            priors[place], stream = gamma(rule.noise_shape, stream)
            total += priors[place]
    # priors[place] is of edge `first + place`
    share = rule.noise if total > 0.0 else 0.0
    for place in range(end - first):
        drawn = share * priors[place] / total if share > 0.0 else 0.0
        priors[place] = (1.0 - share) * game.priors[first + place] + drawn
    return stream


@inlined_kernel
def _opened(game: Evaluated, most: int, stream: np.uint64) -> tuple[int, int, np.uint64]:
    """Return the state after at most `most` random plies, their number, and the stream; no ply ends the game."""
    stream, word = next_word(stream)
    state, plies = as_int(0), below(word, most + 1)
    for ply in range(plies):
        stream, word = next_word(stream)
        first, end = game.edge_start[state], game.edge_start[state + 1]
        child = as_int(game.edge_child[first + below(word, end - first)])
        # a state without edges is over
        if game.edge_start[child + 1] == game.edge_start[child]:
            return state, as_int(ply), stream
        state = child
    return state, as_int(plies), stream


@kernel
def play_games(
    game: Evaluated,
    statistics: Statistics,
    edge_action: NDArray[np.uint8],
    rule: SelfPlay,
    streams: NDArray[np.uint64],
    at: NDArray[np.int64],
    priors: NDArray[np.float64],
    out: Positions,
    results: NDArray[np.int64],
    budget: int,
) -> None:
    """Play games of self-play and write their positions, until a number of simulations has been made.

    Parameters
    ----------
    game, statistics
        The game with the network's view, and statistics, empty before the first and after the last game.
    edge_action : (E,) uint8
        From the state table.
    rule
        The settings.
    streams : (G,) uint64
        A random stream for each game, advanced.
    at : (6,) int64
        The progress, 0 at the beginning: finished games, positions, those before the current game, its state, the
        simulations from there so far, and the random plies of its opening.
    priors : (A,) float64
        Those of the current state.
    out
        Output, filled from the beginning; room for G * P positions.
    results : (3,) int64
        The numbers of games that the first player won, drew and lost, increased by those of these games.
    budget
        The number of simulations.
    """
    start = game.edge_start
    number, count, begin, state, searched, opening = at[0], at[1], at[2], at[3], at[4], at[5]
    while number < streams.size and budget > 0:
        stream = streams[number]
        if rule.opening_plies > 0 and state == 0 and searched == 0:
            state, opening, stream = _opened(game, rule.opening_plies, stream)
        first, end = start[state], start[state + 1]
        # a new root
        if searched == 0:
            stream = _fill_root_priors(game, state, rule, stream, priors)
        simulations = min(budget, rule.simulations - searched)
        search(game, statistics, state, simulations, rule.c, priors)
        budget, searched = budget - simulations, searched + simulations
        # the budget ends within this search: the next call continues it
        if searched < rule.simulations:
            streams[number] = stream
            break
        value, chosen, searched = 0.0, first, as_int(0)
        for action in range(out.policies.shape[1]):
            out.policies[count, action] = ILLEGAL_TARGET
        for edge in range(first, end):
            # edge -> action, a column of the policy
            share = statistics.visits[edge] / rule.simulations
            out.policies[count, edge_action[edge]] = np.float32(share)
            value += share * statistics.mean[edge]
            chosen = edge if statistics.visits[edge] > statistics.visits[chosen] else chosen
        if count - begin < rule.drawn_plies:
            stream, word = next_word(stream)
            # an edge in proportion to its visits
            left, chosen = below(word, rule.simulations), first
            while left >= statistics.visits[chosen]:
                left -= statistics.visits[chosen]
                chosen += 1
        clear(game, statistics)
        out.states[count], out.values[count] = state, np.float32(value)
        streams[number], state = stream, as_int(game.edge_child[chosen])
        count += 1
        # a state with edges is ongoing
        if start[state + 1] > start[state]:
            continue
        result = game.values[state]  # for the player whose turn it would be
        # the positions of this game, with the players in turn; at last `result` is that of the player who began
        for place in range(count - 1, begin - 1, -1):
            result = -result
            target = (1.0 - rule.search_share) * result + rule.search_share * out.values[place]
            out.values[place] = np.float32(target)
        results[1 - as_int(result if opening & 1 == 0 else -result)] += 1
        number, begin, state, opening = number + 1, count, as_int(0), as_int(0)
    at[0], at[1], at[2], at[3], at[4], at[5] = number, count, begin, state, searched, opening


class Replay(NamedTuple):
    """The positions of the last iterations.

    Attributes
    ----------
    states : (R, N) int32, policies : (R, N, A) float32, values : (R, N) float32
        As in `Positions`, iteration by iteration; the oldest is replaced.
    counts : (R,) int64
        Number of positions of each iteration.
    """

    states: NDArray[np.int32]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]
    counts: NDArray[np.int64]


class TrainingInputs(NamedTuple):
    """Inputs and symmetries for the training of a network.

    Attributes
    ----------
    inputs : (S, I) int8
        The network's inputs of each state.
    state_map : (K, S) int32, action_map : (K, A) uint8
        The images of states and actions under the symmetries; one of each, the identity, if they are not used.
    """

    inputs: NDArray[np.int8]
    state_map: NDArray[np.int32]
    action_map: NDArray[np.uint8]


@kernel
def train_network(
    layers: Layers,
    moments: Moments,
    scratch: BackpropScratch,
    samples: Samples,
    rule: Optimizer,
    replay: Replay,
    source: TrainingInputs,
    steps: int,
    step_size: float,
    stream: np.uint64,
) -> float:
    """Update a network by minibatches of drawn positions; return the mean loss before the updates.

    Parameters
    ----------
    layers, moments, scratch, samples, rule
        The network with an output for each action and one for the value, and the arrays of its updates.
    replay
        The positions, at least one.
    source
        Inputs and symmetries.
    steps, step_size
        Number of updates, and their step size.
    stream
        The random stream.
    """
    width, made = layers.sizes[0], layers.sizes[layers.sizes.size - 1]
    total, error = as_int(replay.counts.sum()), 0.0
    for _ in range(steps):
        for sample in range(samples.actions.size):
            stream, word = next_word(stream)
            # the number of a position among all becomes its place in iteration `row`
            place, row = below(word, total), 0
            while place >= replay.counts[row]:
                place -= replay.counts[row]
                row += 1
            symmetry = as_int((word & _LOW) * np.uint64(source.action_map.shape[0]) >> _32)
            state = source.state_map[symmetry, replay.states[row, place]]
            for column in range(width):
                samples.inputs[sample * width + column] = source.inputs[state, column]
            # the state is transformed, and the target of each action belongs to its image; the last output is the value
            for action in range(made - 1):
                image = source.action_map[symmetry, action]
                samples.targets[sample * made + image] = replay.policies[row, place, action]
            samples.targets[sample * made + made - 1] = replay.values[row, place]
        error += update(layers, moments, scratch, samples, rule, as_int(POLICY_AND_VALUE), step_size)
    return error / max(steps, 1)
