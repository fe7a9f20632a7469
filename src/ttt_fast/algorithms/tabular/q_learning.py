"""Tabular Q-learning against a fixed stochastic policy, as fast as the machine allows.

This is the kernel that `train` runs by default (`record.LEARNERS`).  Step size and epsilon are those of the first
episode of a chunk, constant over the chunk.

Letters: D decisions of the learner, E edges (its legal actions), R reply slots.

The kernel works on the learner's own decisions and stores the greedy action and its value beside each row, so that a
greedy step is two dependent loads.  `bench/baselines/q_learning.py` makes the same draws and the same arithmetic on the
(S, A) table, scanning a row for every maximum: the tables are bit-identical.

Draws.  A chunk of episodes has one SplitMix64 stream; every step takes one word `w` and splits it.  The low 24 bits
decide whether the learner explores.  The high 40 bits are a fraction `x`, from which successive multiplications make
all further draws.

0. Opponent first (the learner is O): each episode starts with a word of its own, whose high 40 bits serve rule 3
   at the empty board.
1. `explore = (w & 0xFFFFFF) < round(epsilon * 2**24)`; `x = w >> 24`.
2. If exploring, with n legal actions: `x *= n`; the action is the (x >> 40)-th legal one; `x &= 2**40 - 1`.
   Else the action is the greedy one, ties to the lowest.
3. If the game continues, with m slots in the opponent's row: `x *= m`; `slot = x >> 40`; `x &= 2**40 - 1`; the
   reply is the slot's first action if `(x >> 8) < threshold`, else its second.

Every probability is off by less than 2**-31 (the opponent's) and 2**-25 (epsilon).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dynamics import FULL_SLOT, alias_slots
from ttt_fast.algorithms.episodes import Chunks
from ttt_fast.algorithms.measures import MeasuredGame, Scratch, measure_greedy
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import next_word
from ttt_fast.games.results import DRAW, O_WINS, X_WINS, result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables.state_table import ROOT, cached_on_table

_MASK_4, _MASK_16, _MASK_20, _MASK_24, _MASK_40 = (np.uint64((1 << bits) - 1) for bits in (4, 16, 20, 24, 40))
_0, _1, _2, _3, _4, _8 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 8))
_16, _24, _28, _32, _40 = (np.uint64(n) for n in (16, 24, 28, 32, 40))

# The head of a node in one word, the part that a greedy step needs lowest:
#   bits 0-3 number of slots and 4-23 first slot of the greedy action's link, 24-27 greedy action (its place in the
#   row), 28-31 number of actions, 32-63 first edge.


class TwoPly(NamedTuple):
    """A game folded with the opponent's replies, in read-only arrays.

    The first D nodes are the states in which the learner moves, in the order of the state table.  The last three nodes
    are the results (win, draw, loss).  If the opponent moves first, node 0 is the initial state with the single action
    "wait", so that every episode starts at node 0.

    Attributes
    ----------
    head : (D,) uint64
        First edge << 32 | number of actions << 28.  Edges are those of the table; "wait", if present, is the last.
    link : (E,) uint64
        first_slot << 4 | number_of_slots: the opponent's replies to that action, if it is the learner's.
    slot : (R,) uint64
        Walker's alias slots: threshold << 32 | second_node << 16 | first_node.
    """

    head: NDArray[np.uint64]
    link: NDArray[np.uint64]
    slot: NDArray[np.uint64]


@cached_on_table(32)
def fold_replies(opponent: Policy, seat: int) -> TwoPly:
    """Return the game of a learner in `seat` (1 X, 2 O) against a fixed policy; cached, since sweeps share it.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> fold_replies(as_policy("random"), seat=1).head.size
    2423
    """
    table = opponent.table
    own = np.flatnonzero(table.player == seat)
    waits = int(table.player[ROOT] != seat)
    num_nodes = own.size + waits
    node = np.zeros(table.num_states, np.int64)
    node[own] = np.arange(own.size) + waits
    for status in (X_WINS, DRAW, O_WINS):
        node[table.status == status] = num_nodes + result_of(status, seat)
    after, first = node[table.edge_child].astype(np.uint64), table.edge_start[:-1].astype(np.uint64)
    # one slot for each result, the only reply to the end of a game; then those of all edges of the table
    ends, alias = np.arange(num_nodes, num_nodes + 3, dtype=np.uint64), alias_slots(opponent)
    one, other = (first[table.edge_state] + (alias.slots >> bits & _MASK_16) for bits in (_0, _16))
    slot = np.append(
        np.uint64(FULL_SLOT) << _32 | ends << _16 | ends, alias.slots >> _32 << _32 | after[other] << _16 | after[one]
    )
    results = (node - num_nodes).astype(np.uint64) << _4 | _1
    replies = np.where(table.player == 0, results, first + _3 << _4 | alias.number)
    # the root is state 0
    link = np.append(replies[table.edge_child], replies[:waits])
    head = first[own] << _32 | np.diff(table.edge_start).astype(np.uint64)[own] << _28
    wait = np.full(waits, table.num_edges << 32 | 1 << 28, np.uint64)
    return TwoPly(frozen(np.append(wait, head)), frozen(link), frozen(slot))


class QWorkspace(NamedTuple):
    """The values of the edges and the work arrays of the kernel, updated in place, and the settings of the learner.

    Attributes
    ----------
    q : (E,) float64
        Values of the edges; the only array that matters between calls.
    head : (D + 3,) uint64
        The data of a node that a greedy step needs; result nodes have the head of the start.
    best, bound : (D + 3,) float64
        Value of the greedy action, and the least value at which it stays greedy.
    visited : (E,) bool
        Edges that have been updated.
    discount
        Gamma, for every two plies.
    """

    q: NDArray[np.float64]
    head: NDArray[np.uint64]
    best: NDArray[np.float64]
    bound: NDArray[np.float64]
    visited: NDArray[np.bool_]
    discount: float


def make_workspace(
    game: TwoPly, q: NDArray[np.float64], rewards: NDArray[np.float64], discount: float = 1.0
) -> QWorkspace:
    """Return the work arrays, ranked.

    Parameters
    ----------
    game
        The learner's side of the game.
    q : (E,) float64
        Initial values of the edges, none of which has been updated.
    rewards : (3,) float64
        Rewards of a win, a draw and a loss: the values of the results.
    discount
        Gamma.
    """
    nodes = game.head.size + 3
    work = QWorkspace(
        q=np.ascontiguousarray(q, np.float64),
        head=np.append(game.head, np.zeros(3, np.uint64)),
        best=np.append(np.zeros(nodes - 3), rewards),
        bound=np.zeros(nodes),
        visited=np.zeros(game.link.size, np.bool_),
        discount=float(discount),
    )
    rank_all(game, work)
    return work


@inlined_kernel
def _first_edge(head: np.uint64) -> np.uint64:
    return head >> _32


@inlined_kernel
def _num_actions(head: np.uint64) -> np.uint64:
    return (head >> _28) & _MASK_4


@inlined_kernel
def _greedy_action(head: np.uint64) -> np.uint64:
    """Return the greedy action of a node's head, its place in the row."""
    return (head >> _24) & _MASK_4


@inlined_kernel
def _greedy_edge(head: np.uint64) -> np.uint64:
    return (head >> _32) + ((head >> _24) & _MASK_4)


@kernel
def _rank(node: np.uint64, game: TwoPly, work: QWorkspace) -> None:
    """Recompute the greedy action of a node: its head, `best` and `bound`.

    The bound is the maximum of the later actions' values and of the next float above each earlier one's (earlier
    actions win ties).
    """
    q, word = work.q, work.head[node]
    # the k-th action of the row is edge `first + k`
    first = _first_edge(word)
    greedy = _0
    value = q[first]
    earlier = -np.inf
    later = -np.inf
    for k in range(_1, _num_actions(word)):
        v = q[first + k]
        if v > value:
            # the best so far becomes the best of the earlier ones; there are no later ones yet
            earlier = value
            later = -np.inf
            value = v
            greedy = np.uint64(k)
        elif v > later:
            later = v
    work.best[node] = value
    work.bound[node] = max(np.nextafter(earlier, np.inf), later)
    # the upper part of the head stays; below it the greedy action and its link
    work.head[node] = (word >> _28) << _28 | greedy << _24 | game.link[first + greedy]


@kernel
def _copy_start(head: NDArray[np.uint64]) -> None:
    """Copy the head of the start to the nodes of the results, the last three."""
    for i in range(1, 4):
        # a result is followed by the first move of the next episode
        head[head.size - i] = head[0]


@kernel
def rank_all(game: TwoPly, work: QWorkspace) -> None:
    """Fill the work arrays of all nodes from `q`: for a new game, or after a change of `q` by the caller."""
    for node in range(game.head.size):
        _rank(np.uint64(node), game, work)
    _copy_start(work.head)


@kernel
def _opponent_step(slot: NDArray[np.uint64], link: np.uint64, x: np.uint64) -> np.uint64:
    """Return the node after the reply drawn by the 40-bit fraction `x`."""
    # the integer part of x * (number of slots) is the slot; its 40 bits of fraction choose within the slot
    x *= link & _MASK_4
    packed = slot[((link >> _4) & _MASK_20) + (x >> _40)]
    node: np.uint64 = (packed if ((x & _MASK_40) >> _8) < packed >> _32 else packed >> _16) & _MASK_16
    return node


@kernel
def learn_chunks(game: TwoPly, work: QWorkspace, chunks: Chunks, counts: NDArray[np.int64]) -> None:
    """Learn from successive chunks of episodes in one call; each update is visible to the next step.

    Within the call a greedy action's value is in `best`, and its entry in `q` is out of date.  The `bound` may be too
    high, which costs only a needless `_rank`, but never too low.

    One flat loop over the steps of a chunk.  The end of an episode is not a branch, which would be mispredicted once an
    episode, but a successor with the head of the start.  The only unpredictable branch is exploration, which contains
    no further one.

    Parameters
    ----------
    game
        The learner's side of the game.
    work
        Values, marks of updated edges, and work arrays, ranked for this game by `make_workspace`, `rank_all` or an
        earlier call; updated in place, and ranked on return.
    chunks
        The settings of each chunk.
    counts : (3,) int64
        The learner's wins, draws and losses while it explores; incremented.
    """
    link, slot, gamma = game.link, game.slot, work.discount
    q, head, best, bound, visited = work.q, work.head, work.best, work.bound, work.visited
    num_nodes = np.uint64(game.head.size)
    for chunk in range(chunks.streams.size):
        episodes, alpha, stream = chunks.episodes[chunk], chunks.step_sizes[chunk], chunks.streams[chunk]
        explore_below = np.uint64(round(chunks.epsilons[chunk] * 2.0**24))
        remaining, wins, losses = episodes, 0, 0
        node, at = _0, _0  # node: the one being updated; at: the same, or the result through which it was reached
        while remaining > 0:
            stream, word = next_word(stream)
            x = word >> _24
            # the row of `node`, also if `at` is a result
            h = head[at]
            value = best[node]
            low = bound[node]
            if (word & _MASK_24) < explore_below:
                # the k-th action; the rest of the fraction draws the reply
                x *= _num_actions(h)
                k = x >> _40
                edge = _first_edge(h) + k
                after = _opponent_step(slot, link[edge], x & _MASK_40)
                greedy = _greedy_action(h)
                # up to date before it is read: the drawn action may be the greedy one
                q[_greedy_edge(h)] = value
                v = q[edge]
                # best[after]: the highest value of the next row, or the reward of a result
                v += alpha * (best[after] * (gamma if after < num_nodes else 1.0) - v)
                q[edge] = v
                visited[edge] = True
                # an earlier action wins ties: its value counts as the next float, or one a little above
                rival = v + (abs(v) * 2.0**-52 + 1e-300) * (1.0 if k < greedy else 0.0)
                rival = -np.inf if k == greedy else rival
                # the greedy action must now stay above this one, too
                low = rival if rival > low else low
                bound[node] = low
                value = v if k == greedy else value
            else:
                # the lowest bits of a head are the link of its greedy action
                after = _opponent_step(slot, h, x)
                visited[_greedy_edge(h)] = True
                value += alpha * (best[after] * (gamma if after < num_nodes else 1.0) - value)
            best[node] = value
            # the greedy action may have become another one
            if value < low:
                q[_greedy_edge(h)] = value
                _rank(node, game, work)
                if node == _0:
                    _copy_start(head)
            # nodes `num_nodes` to `num_nodes + 2`: win, draw, loss
            over = int(after >= num_nodes)
            remaining -= over
            wins += after == num_nodes
            losses += after == num_nodes + _2
            at = after
            node = _0 if over else after
        counts[0] += wins
        counts[1] += episodes - wins - losses
        counts[2] += losses
    # the values of greedy actions, which are in `best`, return to `q`
    for number in range(game.head.size):
        q[_greedy_edge(head[number])] = best[number]


class CurveRows(NamedTuple):
    """The measures of a learning curve, the times of its rows, and the arrays to fill.

    Attributes
    ----------
    game
        The read-only arrays that all rows share.
    ends : (H,) int64
        The chunks before which a row is measured.
    greedy : (S,) int32
        The greedy edges at the previous row; overwritten.
    scratch
        Work arrays of the measures, allocated once: zeroing them for each row takes longer than measuring.
    rows : (H, K) float64
        Output, a row for each end.
    """

    game: MeasuredGame
    ends: NDArray[np.int64]
    greedy: NDArray[np.int32]
    scratch: Scratch
    rows: NDArray[np.float64]


@kernel
def learn_and_measure(
    game: TwoPly, work: QWorkspace, chunks: Chunks, counts: NDArray[np.int64], curve: CurveRows
) -> None:
    """Learn as `learn_chunks` does up to each of the curve's ends, and measure there.

    The greedy edges are those of the heads: comparing all values again would take as long as all other measures.
    """
    greedy, own = curve.greedy, curve.game.own
    first, waits = 0, game.head.size - own.size  # the number of nodes with the action "wait": 0 or 1
    for row in range(curve.ends.size):
        end = curve.ends[row]
        some = Chunks(
            chunks.episodes[first:end],
            chunks.step_sizes[first:end],
            chunks.epsilons[first:end],
            chunks.streams[first:end],
        )
        learn_chunks(game, work, some, counts)
        changed = as_int(0)
        for node in range(own.size):
            state = own[node]
            chosen = np.int32(_greedy_edge(work.head[waits + node]))
            changed += chosen != greedy[state]
            greedy[state] = chosen
        measure_greedy(curve.game, work.q, greedy, changed, curve.scratch, curve.rows[row])
        first = end
