"""Tree search with priors on a table of states, as in AlphaZero: the PUCT rule, over arrays.

D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Science 362 (2018).  A network has evaluated all states before the search, which therefore only reads arrays: a prior
for each edge, a value for each state.

An edge without visits has the value 0, a draw.  Differences from the paper: statistics belong to the states of the
table and not to the nodes of a tree, so that lines that lead to the same state share them; each search starts without
statistics; and the weight of exploration `c` is constant, where the paper's grows slowly with the visits.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import AgentError
from ttt_fast.core.jit import inlined_kernel, kernel_without_counts
from ttt_fast.core.manifest import available_cores
from ttt_fast.core.plain import frozen
from ttt_fast.core.specs import Option, integer, number
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.interrupts import blocks
from ttt_fast.running.progress import report_progress
from ttt_fast.tables import StateTable
from ttt_fast.values.files import load_shared, other_game

OPTIONS = {
    "net": Option("none", "FILE", str, "file of `train --algorithm alphazero`"),
    "sims": Option("100", "0..1000000", integer(0, 10**6), "simulations per move; 0: the network's own probabilities"),
    "c": Option("1.5", "0..1000000", number(0, 1e6), "weight of exploration"),
}
"""The options of `puct`."""
SIMULATIONS_AT_ONCE = 1 << 16
"""Simulations of a first block, which take less than half a second in every game."""


class Evaluated(NamedTuple):
    """The table of a game with alternating turns, and a network's view of its states.

    Attributes
    ----------
    edge_start : (S + 1,) int32, edge_child : (E,) int32
        From the state table.
    priors : (E,) float64
        The probability of each edge.
    values : (S,) float64
        The value of each state for the player to move, from -1 to 1; of a finished game, for the player whose turn it
        would be.
    """

    edge_start: NDArray[np.int32]
    edge_child: NDArray[np.int32]
    priors: NDArray[np.float64]
    values: NDArray[np.float64]


class Statistics(NamedTuple):
    """The statistics of one search; all are 0 before it.

    Attributes
    ----------
    mean : (E,) float64
        Mean value of the visits of each edge, for its player.
    bonus : (E,) float64
        The prior of each edge divided by its visits plus 1.
    visits : (E,) int32
        Number of visits of each edge.
    state_visits : (S,) int32
        Number of visits of each state, with its expansion; 0: not expanded.
    touched : (S,) int32, num_touched : (1,) int64
        The expanded states.
    path : (2 * (P + 1),) int32
        The edges of a simulation, and its states.
    """

    mean: NDArray[np.float64]
    bonus: NDArray[np.float64]
    visits: NDArray[np.int32]
    state_visits: NDArray[np.int32]
    touched: NDArray[np.int32]
    num_touched: NDArray[np.int64]
    path: NDArray[np.int32]


def make_statistics(table: StateTable) -> Statistics:
    """Return the statistics of a search before it begins."""
    edges, states = table.num_edges, table.num_states
    return Statistics(
        np.zeros(edges), np.zeros(edges), np.zeros(edges, np.int32), np.zeros(states, np.int32),
        np.zeros(states, np.int32), np.zeros(1, np.int64), np.zeros(2 * (table.num_plies + 1), np.int32),
    )  # fmt: skip


def values_at_the_end(table: StateTable) -> NDArray[np.float64]:
    """Return the values of finished games for the player whose turn it would be, 0 in other states, (S,) float64.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> sorted(set(values_at_the_end(table)[table.status != 0].astype(int).tolist()))
    [-1, 0]
    """
    result = np.array([0.0, 1.0, -1.0, 0.0])[table.status]  # for X
    return frozen(np.where(table.ply % 2 == 0, result, -result))


@inlined_kernel
def _expand(game: Evaluated, statistics: Statistics, state: int) -> None:
    for edge in range(game.edge_start[state], game.edge_start[state + 1]):
        statistics.bonus[edge] = game.priors[edge]
    statistics.state_visits[state] = 1
    statistics.touched[statistics.num_touched[0]] = state
    statistics.num_touched[0] += 1


@kernel_without_counts
def clear(game: Evaluated, statistics: Statistics) -> None:
    """Reset the statistics of the states that a search has expanded."""
    for place in range(statistics.num_touched[0]):
        state = statistics.touched[place]
        statistics.state_visits[state] = 0
        for edge in range(game.edge_start[state], game.edge_start[state + 1]):
            statistics.mean[edge] = 0.0
            statistics.visits[edge] = 0
    statistics.num_touched[0] = 0


@kernel_without_counts
def search(
    game: Evaluated, statistics: Statistics, root: int, simulations: int, c: float, root_priors: NDArray[np.float64]
) -> None:
    """Run simulations from a state in which the game is not over, with empty statistics or those of its own search.

    Parameters
    ----------
    game
        The game and the network's view.
    statistics
        The statistics, updated in place.
    root
        The state.
    simulations
        Number of simulations, each of which expands one state or ends a game.
    c
        Weight of exploration.
    root_priors : (A,) float64
        The priors of the root's edges, in their order; exploration at the root may add noise to them.
    """
    mean, bonus, visits, start = statistics.mean, statistics.bonus, statistics.visits, game.edge_start
    half, first = statistics.path.size // 2, start[root]
    if statistics.state_visits[root] == 0:
        _expand(game, statistics, root)
        for edge in range(first, start[root + 1]):
            bonus[edge] = root_priors[edge - first]
    for _ in range(simulations):
        state, depth = as_int(root), 0
        while True:
            factor, best, chosen = c * math.sqrt(statistics.state_visits[state]), -math.inf, as_int(start[state])
            for edge in range(start[state], start[state + 1]):
                score = mean[edge] + factor * bonus[edge]
                if score > best:
                    best, chosen = score, as_int(edge)
            statistics.path[depth], statistics.path[half + depth] = chosen, state
            depth += 1
            state = as_int(game.edge_child[chosen])
            if statistics.state_visits[state] == 0:
                break
        value = game.values[state]
        if start[state + 1] > start[state]:
            _expand(game, statistics, state)
        for place in range(depth - 1, -1, -1):
            value, edge = -value, statistics.path[place]
            number = visits[edge] + 1
            visits[edge] = number
            mean[edge] += (value - mean[edge]) / number
            prior = game.priors[edge] if place > 0 else root_priors[edge - first]
            bonus[edge] = prior / (1 + number)
            statistics.state_visits[statistics.path[half + place]] += 1


def build_policy(table: StateTable, name: str, net: str, sims: int, c: float) -> Policy:
    """Return the policy of the agent `puct`: of the searches from all states, or of the network alone.

    Raises
    ------
    AgentError
        If there is no file, its network has no policy head, or it was trained on another game.
    FileFormatError
        If the file cannot be read.
    """
    wanted = "net=FILE, a network of `train --algorithm alphazero`,"
    if net == OPTIONS["net"].default:
        raise AgentError(f"expected {wanted} got {name!r}")
    learned = load_shared(net)
    values = learned.values
    if not values.are_probabilities:
        raise AgentError(f"expected {wanted} got {net!r}, a file of {values.form!r} values without a policy")
    if table.game not in learned.games:
        raise other_game(net, learned, table.game)
    threads = available_cores()
    priors, state_values = values.heads(table, threads)
    if sims == 0:
        return Policy.from_probabilities(table, priors, name)
    ends = values_at_the_end(table)
    game = Evaluated(table.edge_start, table.edge_child, frozen(priors), frozen(ends + state_values))
    return search_policy(table, game, sims, c, threads, name)


def search_policy(
    table: StateTable, game: Evaluated, simulations: int, c: float, threads: int = 1, name: str = "puct"
) -> Policy:
    """Return the policy that plays the action with the most visits of a search from each state, always an empty one."""
    states, edges = np.flatnonzero(table.player).astype(np.int32), np.zeros(table.num_states, np.int32)
    count = threads * -(-states.size // (threads * max(1, SIMULATIONS_AT_ONCE // simulations)))
    parts, free = np.array_split(states, count), [make_statistics(table) for _ in range(threads)]

    def fill(number: int) -> None:
        some, statistics = parts[number], free.pop()
        chosen = np.zeros(some.size, np.int32)
        for begin, end in blocks(simulations, SIMULATIONS_AT_ONCE):  # one, unless the search of one state takes long
            given = end - begin, end == simulations, c, np.empty(table.num_actions)
            fill_choices(game, statistics, some, *given, chosen)
        edges[some] = chosen
        free.append(statistics)

    for done, _ in enumerate(run_chunks(fill, 0, count, threads), 1):
        report_progress(f"searches of {name}", done * states.size // count, states.size, "states")
    return Policy.from_actions(table, table.edge_action[edges], name)


@kernel_without_counts
def fill_choices(
    game: Evaluated,
    statistics: Statistics,
    states: NDArray[np.int32],
    simulations: int,
    is_last: bool,
    c: float,
    priors: NDArray[np.float64],
    chosen: NDArray[np.int32],
) -> None:
    """Fill the edge of most visits, the first of equal ones, after a search from each of some states, (N,).

    The last of several calls for one state fills it; the earlier ones begin the search.  `priors` (A,) is scratch: a
    copy of the root's, since self-play passes an array that may be written.
    """
    for place in range(states.size):
        state = as_int(states[place])
        first, end = game.edge_start[state], game.edge_start[state + 1]
        for edge in range(first, end):
            priors[edge - first] = game.priors[edge]
        search(game, statistics, state, simulations, c, priors)
        if not is_last:
            continue
        best = first
        for edge in range(first, end):
            best = edge if statistics.visits[edge] > statistics.visits[best] else best
        chosen[place] = best
        clear(game, statistics)
