"""Tabular Q-learning in self-play, single and double (H. van Hasselt, 2010), as fast as the machine allows.

Step size and epsilon are those of the first episode of a chunk, constant over the chunk.

Letters: S states, A actions, D decision states, E edges (state, action), in the order of the compressed rows of
`StateTable`: `table.child[table.legal_action_mask]` has that order, and so has `q`.

**View.**  Every row holds the values for its player to move, a maximiser.  The states of the players are disjoint, so
that one array is both "two tables, one for each player" (Langan, Hensler) and "one shared table from X's view"
(Smirnov).  The latter has the opposite sign in O's rows, and rewards of O = -rewards of X.  Negation is exact in
floating point, so that all comparisons, ties and values are the same.

**The update** of (s, a) waits for the opponent's action: `q += alpha * (target - q)`.
The target is gamma * max q(s''), where s'' is the state two plies later; if the mover's or the opponent's action ended
the game, it is the mover's reward.  Both players learn, winner and loser.  No state recurs in an episode, so that its
updates touch different rows, none of which is read again in that episode: their order does not matter.

**Draws.**  A chunk has one SplitMix64 stream (`stream, word = next_word(stream)`).

0. At the start of the chunk a gap is drawn: the number of greedy plies, counted across episodes, before the next
   exploring one.
1. Double Q-learning only: at the start of an episode one word is drawn; its bit t is the coin of ply t (1: the second
   table is updated).
2. A ply at which the gap is 0 explores: of n legal actions it plays the (fraction * n >> 26)-th, with the 26-bit
   fraction drawn with the gap; then the next gap is drawn.
3. Any other ply decrements the gap and plays the action of greatest value.  Ties go to the lowest action or, with
   `random_ties` and m > 1 equal actions, to the ((w >> 32) * m >> 32)-th of them with a further word w.

**Gaps.**  Exploration is drawn as gaps between exploring plies: one random word for each exploring ply, not for each
ply.  If every ply explores with probability epsilon, independently, then the gaps are geometric:
P(gap = i) = epsilon * (1 - epsilon)**i.  A greedy ply then costs a decrement.

A word `w` of the stream has three parts.  The high 6 bits are a slot of an alias table.  The 32 bits from bit 26 on are
a fraction to compare with the slot's threshold.  The low 26 bits are the fraction that chooses the action at the end of
the gap.  Outcomes 0 to 62 are the gap; outcome 63 means 63 greedy plies and another draw.  Every probability is off by
less than 2**-31.

**Head.**  The head of a node has all data that a greedy ply needs, in one word.  Bits 0-15: node after the greedy
action.  16: set if several actions are tied for the greatest value (with random ties only).  20-23: number of actions.
24-43: first edge.  44-63: greedy edge.

`bench/baselines/self_play.py` makes the same draws and arithmetic on the (S, A) table: the tables are bit-identical.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dynamics import pair_outcomes
from ttt_fast.algorithms.episodes import Chunks
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import next_word
from ttt_fast.games.results import DRAW, O_WINS, X_WINS, X, outcome_of
from ttt_fast.tables import StateTable

NUM_SLOTS = 64
"""Number of slots of the alias table of gaps."""
_LOWEST = -1.7e308  # less than any value: the value of a missing action
_NO_EDGE = np.uint64(2**64 - 1)  # to be updated: the greedy one
MASK_4, MASK_16, MASK_20, _MASK_26, _MASK_32 = (np.uint64((1 << bits) - 1) for bits in (4, 16, 20, 26, 32))
_TIED = np.uint64(1 << 16)
_STATIC = np.uint64(((1 << 24) - 1) << 20)  # the part of a head that does not change
_0, _1, _2, _6, _12, _20, _24 = (np.uint64(n) for n in (0, 1, 2, 6, 12, 20, 24))
_26, _32, _44, _58, _63 = (np.uint64(n) for n in (26, 32, 44, 58, 63))


class SelfPlayGame(NamedTuple):
    """The game as read-only arrays for the kernels.

    The first D nodes are the ongoing states, in the order of the state table.  The nodes of results start at
    `first_result`, which is even.  Each result (X wins, draw, O wins) has two nodes, for X and for O; `node ^ 1` is
    that of the other player.  The last move of a game leads to the node of the opponent of its player.

    Attributes
    ----------
    edge_start : (D + 1,) uint64
        Edges of node d are edge_start[d] to edge_start[d + 1], by ascending action.
    link : (E,) uint16
        Node after an edge.
    first_result
        First node of the results, uint64: D if D is even, otherwise D + 1.
    max_plies
        Plies of the longest game.
    """

    edge_start: NDArray[np.uint64]
    link: NDArray[np.uint16]
    first_result: np.uint64
    max_plies: int


def self_play_game(table: StateTable) -> SelfPlayGame:
    """Return the arrays of the kernels for a game with alternating players."""
    decisions = np.flatnonzero(table.decision_mask)
    first_result = (decisions.size + 1) // 2 * 2
    node = np.zeros(table.num_states, np.int64)
    node[decisions] = np.arange(decisions.size)
    for status in (X_WINS, DRAW, O_WINS):
        node[table.status == status] = first_result + 2 * outcome_of(status)
    after = table.edge_child.astype(np.int64)
    seen_by_o = (table.player[after] == 0) & (table.player[table.edge_state] == X)
    start = np.append(table.edge_start[decisions], table.num_edges).astype(np.uint64)
    link = (node[after] + seen_by_o).astype(np.uint16)
    return SelfPlayGame(frozen(start), frozen(link), np.uint64(first_result), int(table.ply.max()))


class SelfPlayWorkspace(NamedTuple):
    """The values of the edges and the work arrays of a kernel, updated in place, and the settings of the learner.

    Attributes
    ----------
    q : (T, E + 8) float64
        Values of the edges in each of T tables (1, or 2 for double Q-learning).  Between calls only the first E values
        matter; the others belong to the results.
    visited : (E + 8,) bool
        Edges that have been updated.
    head : (D + 8,) uint64
        The heads.  The nodes of the results, and a node for "nothing to update yet", follow those of the states.
    best, bound : (D + 8,) float64
        Value of the greedy action (unused in double Q-learning), and the least value at which it stays greedy.
    argmax : (2 * (D + 8),) uint64, low : (2 * (D + 8),) float64
        Double Q-learning only: greatest edge of each table, and the least value at which it stays the greatest.
    discount
        Gamma, for every two plies.
    random_ties
        Whether ties are broken uniformly at random instead of by the lowest action.
    """

    q: NDArray[np.float64]
    visited: NDArray[np.bool_]
    head: NDArray[np.uint64]
    best: NDArray[np.float64]
    bound: NDArray[np.float64]
    argmax: NDArray[np.uint64]
    low: NDArray[np.float64]
    discount: float
    random_ties: bool


def self_play_workspace(
    game: SelfPlayGame,
    q: NDArray[np.float64],
    visited: NDArray[np.bool_],
    rewards: NDArray[np.float64],
    discount: float = 1.0,
    random_ties: bool = False,
) -> SelfPlayWorkspace:
    """Return the work arrays, ranked.

    Parameters
    ----------
    game
        The game.
    q : (T, E) float64, visited : (E,) bool
        Initial values of the edges, and the edges that have been updated.
    rewards : (3,) float64
        Rewards of a win, a draw and a loss, for both players.
    discount, random_ties
        As in `SelfPlayWorkspace`.
    """
    first_result, edges = int(game.first_result), game.link.size
    nodes, results = first_result + 8, slice(first_result, first_result + 6)
    of_results = np.stack([rewards, rewards[::-1]], axis=1).reshape(-1)  # in the order of their nodes
    head, best = np.zeros(nodes, np.uint64), np.zeros(nodes)
    head[: game.edge_start.size - 1] = game.edge_start[:-1] << _24 | np.diff(game.edge_start) << _20
    best[results] = of_results
    values, argmax = np.zeros((q.shape[0], edges + 8)), np.zeros(2 * nodes, np.uint64)
    values[:, :edges] = q + 0.0  # no negative zeros
    # in double Q-learning each result has an edge of its own, with the reward as its value in both tables
    values[:, edges : edges + 6] = of_results
    argmax[2 * first_result :] = np.arange(edges, edges + 8).repeat(2)
    work = SelfPlayWorkspace(
        q=values,
        visited=np.append(visited, np.zeros(8, np.bool_)),
        head=head,
        best=best,
        bound=np.zeros(nodes),
        argmax=argmax,
        low=np.zeros(2 * nodes),
        discount=float(discount),
        random_ties=random_ties,
    )
    rank_all = _rank_all if q.shape[0] == 1 else _rank_all_double
    rank_all(game, work)
    return work


@inlined_kernel
def edges_of(head: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the first edge of a node's head, and the number of its edges."""
    return (head >> _24) & MASK_20, (head >> _20) & MASK_4


@inlined_kernel
def greedy_edge(head: np.uint64) -> np.uint64:
    """Return the greedy edge of a node's head."""
    return head >> _44


@kernel
def above(value: float, applies: bool | np.bool_) -> float:
    """Return the next float above a value, or slightly more; without a branch, the value itself if not `applies`."""
    return value + (abs(value) * 2.0**-52 + 1e-300) * (1.0 if applies else 0.0)


@kernel
def pick_tied(word: np.uint64, row: np.uint64, offset: np.uint64, q: NDArray[np.float64]) -> np.uint64:
    """Return one of the tied greatest edges of a row (its head), chosen by the high half of a random word.

    With an `offset` other than 0 the values are sums of two tables at this distance.
    """
    first, num_edges = edges_of(row)
    last = first + num_edges
    greedy = greedy_edge(row)
    value = q[greedy] + (q[greedy + offset] if offset != _0 else 0.0)
    count = _0
    for edge in range(first, last):
        count += np.uint64(q[edge] + (q[edge + offset] if offset != _0 else 0.0) == value)
    left = ((word >> _32) * count) >> _32
    for edge in range(first, last):
        if q[edge] + (q[edge + offset] if offset != _0 else 0.0) == value:
            if left == _0:
                return np.uint64(edge)
            left -= _1
    return greedy


@kernel
def fill_gap_slots(epsilons: NDArray[np.float64], slots: NDArray[np.uint64]) -> None:
    """Fill `slots` (C, 64) with the gaps for each epsilon: threshold << 12 | other outcome << 6 | own outcome."""
    mass, waiting = np.empty(NUM_SLOTS), np.empty((2, NUM_SLOTS), np.int64)
    threshold, second = np.empty(NUM_SLOTS, np.int64), np.empty(NUM_SLOTS, np.int64)
    for row in range(epsilons.size):
        stays = 1.0 - epsilons[row]
        for i in range(NUM_SLOTS):
            share = epsilons[row] if i < NUM_SLOTS - 1 else 1.0
            mass[i] = NUM_SLOTS * share * stays ** float(i)  # the C library's pow, not repeated products
            threshold[i], second[i] = 0, i
        pair_outcomes(mass, 0, threshold, second, waiting)
        for i in range(NUM_SLOTS):
            slots[row, i] = np.uint64(threshold[i] << 12 | second[i] << 6 | i)


@kernel
def draw_gap(stream: np.uint64, slots: NDArray[np.uint64], limit: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the greedy plies before the next exploring one, the 26-bit fraction of its action, and the stream.

    Drawing stops when the gap is longer than `limit`, the largest number of plies left to play.
    """
    gap = _0
    while True:
        stream, word = next_word(stream)
        slot = slots[word >> _58]
        outcome = (slot >> (_0 if ((word >> _26) & _MASK_32) < slot >> _12 else _6)) & _63
        gap += outcome
        if outcome < _63 or gap > limit:
            return gap, word & _MASK_26, stream


@kernel
def _rank(node: np.uint64, game: SelfPlayGame, work: SelfPlayWorkspace) -> None:
    """Recompute the greedy action of a node: its head, its value `best`, and `bound`, its least value to stay greedy.

    The bound is the second greatest value, or a little more where an earlier action would win a tie.  It is infinite
    where the next update must call this function again: to mark a greedy edge without updates, or to end a tie.  The
    loop has no branch, since a processor cannot predict the order of rows.
    """
    q, word = work.q[0], work.head[node]
    edge, num_edges = edges_of(word)
    last = edge + num_edges
    # `value` is the greatest so far, at edge `greedy`; `second` is the greatest of all others
    greedy, value, second = edge, q[edge], _LOWEST
    edge += _1
    while edge < last:
        v = q[edge]
        greedy = edge if v > value else greedy
        second = max(second, min(v, value))
        value = max(v, value)
        edge += _1
    # a later action of equal value is not greedy, so that `second == value` is a tie
    tied = work.random_ties & (second == value)
    work.best[node] = value
    work.bound[node] = np.inf if tied | (not work.visited[greedy]) else above(second, second < value)
    # greedy edge, first edge and number of edges (unchanged), tie, node after the greedy edge
    work.head[node] = greedy << _44 | (word & _STATIC) | (_TIED if tied else _0) | np.uint64(game.link[greedy])


@kernel
def _learn(game: SelfPlayGame, work: SelfPlayWorkspace, chunks: Chunks, counts: NDArray[np.int64]) -> None:
    """Learn from successive chunks; see `learn_self_play`.  This is for a single table.

    Within the call a greedy action's value is in `best`, and its entry in `q` is out of date.

    One flat loop over the plies of a chunk.  Each ply updates the edge of the previous one, whose target is now known:
    the node just chosen or, at the first ply of an episode, `other_view`, the last result from the view of its last
    mover.
    """
    link, q = game.link, work.q[0]
    visited, head, best, bound = work.visited, work.head, work.best, work.bound
    gamma, random_ties, first_result = work.discount, work.random_ties, game.first_result
    gap_slots = np.empty((chunks.streams.size, NUM_SLOTS), np.uint64)
    fill_gap_slots(chunks.epsilons, gap_slots)
    for chunk in range(chunks.streams.size):
        episodes, alpha, stream = chunks.episodes[chunk], chunks.step_sizes[chunk], chunks.streams[chunk]
        gaps = gap_slots[chunk]
        # a gap beyond the last ply of the chunk need not be exact
        limit = np.uint64(episodes * game.max_plies)
        gap, fraction, stream = draw_gap(stream, gaps, limit)
        remaining, x_wins, o_wins = episodes, 0, 0
        node, other_view = _0, first_result
        before, before_edge = first_result + np.uint64(6), _NO_EDGE  # the pending update: none yet
        bound[before] = -np.inf
        while True:
            h = head[node]
            # this ply explores: the fraction, drawn with the gap, selects one of the edges
            if gap == _0:
                edge, num_actions = edges_of(h)
                edge += (fraction * num_actions) >> _26
                after = np.uint64(link[edge])
                gap, fraction, stream = draw_gap(stream, gaps, limit)
            else:
                # a greedy ply: the head holds the node after it, and _NO_EDGE stands for its edge
                gap -= _1
                edge = _NO_EDGE
                after = h & MASK_16
                if h & _TIED:
                    stream, word = next_word(stream)
                    edge = pick_tied(word, h, _0, q)
                    after = np.uint64(link[edge])
            # two plies after `before`: a node of the same player, or the result in this player's view
            seen = after if node != _0 else other_view
            target = best[seen] * (gamma if seen < first_result else 1.0)
            value = best[before]
            low = bound[before]
            # an edge drawn by exploration or from a tie; it may be the greedy one, whose value is in `best`
            if before_edge != _NO_EDGE:
                greedy = greedy_edge(head[before])
                v = value if before_edge == greedy else q[before_edge]
                v += alpha * (target - v)
                q[before_edge] = v
                visited[before_edge] = True
                # the greedy action must stay at v or, where v wins or makes a tie, above it
                rival = above(v, random_ties | (before_edge < greedy))
                low = max(low, _LOWEST if before_edge == greedy else rival)
                bound[before] = low
                value = v if before_edge == greedy else value
            else:
                # the greedy edge, without a look at the row
                value += alpha * (target - value)
            best[before] = value
            # the greedy action may have become another one
            if value < low:
                greedy = greedy_edge(head[before])
                q[greedy] = value
                # the first update of a greedy edge comes here, since the bound of its row is infinite, and marks it
                visited[greedy] |= before_edge == _NO_EDGE
                _rank(before, game, work)
            if remaining == 0:
                break  # this ply was there only for the last update of the last episode
            before, before_edge = node, edge
            node = after
            # results follow one another as X wins, draw, O wins, with two nodes each; `after ^ 1` is the mover's view
            if after >= first_result:
                remaining -= 1
                x_wins += (after - first_result) >> _1 == _0
                o_wins += (after - first_result) >> _1 == _2
                other_view = after ^ _1
                node = _0
        counts[0] += x_wins
        counts[1] += episodes - x_wins - o_wins
        counts[2] += o_wins
    # the values of greedy actions, which are in `best`, return to `q`
    for d in range(game.edge_start.size - 1):
        q[greedy_edge(head[d])] = best[d]


@kernel
def _rank_all(game: SelfPlayGame, work: SelfPlayWorkspace) -> None:
    """Rank all nodes, for a single table."""
    for node in range(game.edge_start.size - 1):
        _rank(np.uint64(node), game, work)


@kernel
def _rank_double(node: np.uint64, game: SelfPlayGame, work: SelfPlayWorkspace) -> None:
    """Recompute the greatest actions of a node, of the sum of both tables and of each; see `_rank`."""
    q_0, q_1, word = work.q[0], work.q[1], work.head[node]
    edge, num_edges = edges_of(word)
    last = edge + num_edges
    # suffix 0, 1: by the first and the second table; without: by their sum
    edge_0, value_0, second_0 = edge, q_0[edge], _LOWEST
    edge_1, value_1, second_1 = edge, q_1[edge], _LOWEST
    greedy, value, second = edge, value_0 + value_1, _LOWEST
    edge += _1
    while edge < last:
        a, b = q_0[edge], q_1[edge]
        v = a + b
        edge_0 = edge if a > value_0 else edge_0
        second_0 = max(second_0, min(a, value_0))
        value_0 = max(a, value_0)
        edge_1 = edge if b > value_1 else edge_1
        second_1 = max(second_1, min(b, value_1))
        value_1 = max(b, value_1)
        greedy = edge if v > value else greedy
        second = max(second, min(v, value))
        value = max(v, value)
        edge += _1
    # index 2 * node + table
    work.argmax[node << _1], work.argmax[node << _1 | _1] = edge_0, edge_1
    work.low[node << _1] = above(second_0, second_0 < value_0)
    work.low[node << _1 | _1] = above(second_1, second_1 < value_1)
    tied = work.random_ties & (second == value)
    work.bound[node] = np.inf if tied | (not work.visited[greedy]) else above(second, second < value)
    work.head[node] = greedy << _44 | (word & _STATIC) | (_TIED if tied else _0) | np.uint64(game.link[greedy])


@kernel
def _learn_double(game: SelfPlayGame, work: SelfPlayWorkspace, chunks: Chunks, counts: NDArray[np.int64]) -> None:
    """Do the same as `_learn` with double Q-learning; `q` is both tables, one after the other.

    Here `q` is always up to date.  A row stores its greatest edge in each table (`argmax`), the greedy edge of the sum
    (`head`), and for each of them the least value at which it stays the greatest.
    """
    link, q = game.link, work.q.reshape(-1)
    visited, head, bound, argmax, low = work.visited, work.head, work.bound, work.argmax, work.low
    gamma, random_ties, first_result = work.discount, work.random_ties, game.first_result
    num_edges = np.uint64(link.size)
    # the second table's value of an edge is at `edge + half`
    half = np.uint64(q.size) >> _1
    gap_slots = np.empty((chunks.streams.size, NUM_SLOTS), np.uint64)
    fill_gap_slots(chunks.epsilons, gap_slots)
    for chunk in range(chunks.streams.size):
        episodes, alpha, stream = chunks.episodes[chunk], chunks.step_sizes[chunk], chunks.streams[chunk]
        gaps = gap_slots[chunk]
        limit = np.uint64(episodes * game.max_plies)
        gap, fraction, stream = draw_gap(stream, gaps, limit)
        # bit t is the coin of ply t; `coin` is that of the edge `before_edge`, to be updated
        stream, coins = next_word(stream)
        remaining, x_wins, o_wins = episodes, 0, 0
        node, other_view = _0, first_result
        before, before_edge, coin, explored = first_result + np.uint64(6), num_edges + np.uint64(6), _0, False
        bound[before] = low[before << _1] = -np.inf
        while True:
            # `explores`: whether `edge` may be another than the greedy one, by exploration or from a tie
            h = head[node]
            explores = gap == _0
            if explores:
                edge, num_actions = edges_of(h)
                edge += (fraction * num_actions) >> _26
                after = np.uint64(link[edge])
                gap, fraction, stream = draw_gap(stream, gaps, limit)
            else:
                gap -= _1
                edge = greedy_edge(h)
                after = h & MASK_16
                if h & _TIED:
                    stream, word = next_word(stream)
                    edge = pick_tied(word, h, half, q)
                    after = np.uint64(link[edge])
                    explores = True
            # as in `_learn`
            seen = after if node != _0 else other_view
            mine = half if coin != _0 else _0
            # table `coin` is updated: its greatest edge of the node, with the value of the other table
            target = q[argmax[seen << _1 | coin] + (half - mine)] * (gamma if seen < first_result else 1.0)
            v = q[before_edge + mine]
            v += alpha * (target - v)
            q[before_edge + mine] = v
            value = v + q[before_edge + (half - mine)]
            # the greatest edge of this table, and the least value at which it stays the greatest
            top = argmax[before << _1 | coin]
            rival = above(v, before_edge < top)
            least = max(low[before << _1 | coin], _LOWEST if before_edge == top else rival)
            low[before << _1 | coin] = least
            # the same for the sum of both tables, whose greedy edge is `before_edge` itself unless `explored`
            least_sum = bound[before]
            if explored:
                visited[before_edge] = True
                greedy = greedy_edge(head[before])
                rival = above(value, random_ties | (before_edge < greedy))
                least_sum = max(least_sum, _LOWEST if before_edge == greedy else rival)
                bound[before] = least_sum
                value = q[greedy] + q[greedy + half]
            # one of the two may have become another edge
            if (value < least_sum) | (q[top + mine] < least):
                visited[before_edge] = True
                _rank_double(before, game, work)
            if remaining == 0:
                break  # this ply was there only for the last update of the last episode
            before, before_edge, explored = node, edge, explores
            # the coin of this ply, whose edge is the next to be updated
            coin = coins & _1
            coins >>= _1
            node = after
            if after >= first_result:
                remaining -= 1
                x_wins += (after - first_result) >> _1 == _0
                o_wins += (after - first_result) >> _1 == _2
                other_view = after ^ _1
                node = _0
                stream, coins = next_word(stream)
        counts[0] += x_wins
        counts[1] += episodes - x_wins - o_wins
        counts[2] += o_wins


@kernel
def _rank_all_double(game: SelfPlayGame, work: SelfPlayWorkspace) -> None:
    """Rank all nodes, for double Q-learning."""
    for node in range(game.edge_start.size - 1):
        _rank_double(np.uint64(node), game, work)


def learn_self_play(game: SelfPlayGame, work: SelfPlayWorkspace, chunks: Chunks, counts: NDArray[np.int64]) -> None:
    """Run successive chunks of episodes; updates `work.q`, `work.visited` and `counts` in place.

    Parameters
    ----------
    game
        The game.
    work
        Values and ranked work arrays, from `self_play_workspace`; two tables mean double Q-learning.
    chunks
        The settings of each chunk.
    counts : (3,) int64
        X's wins, draws and O's wins while both explore; incremented.
    """
    learn = _learn if work.q.shape[0] == 1 else _learn_double
    learn(game, work, chunks, counts)
