"""Double Q-learning in self-play (H. van Hasselt, "Double Q-learning", 2010): see `kernels`."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.learn.chunks import Chunks
from ttt_fast.learn.self_play.exploration import draw_gap
from ttt_fast.learn.self_play.game import SelfPlayGame, Workspace
from ttt_fast.learn.self_play.heads import (
    LOWEST,
    MASK_4,
    MASK_16,
    MASK_20,
    STATIC,
    TIED,
    above,
    pick_tied,
    static_heads,
)

_GAMMA = np.uint64(GOLDEN_GAMMA)
_0, _1, _2, _20, _24, _26, _44 = (np.uint64(n) for n in (0, 1, 2, 20, 24, 26, 44))


@kernel
def _rank(
    node: np.uint64,
    random_ties: bool,
    q: NDArray[np.float64],
    link: NDArray[np.uint16],
    visited: NDArray[np.bool_],
    head: NDArray[np.uint64],
    bound: NDArray[np.float64],
    argmax: NDArray[np.uint64],
    low: NDArray[np.float64],
) -> None:
    """Find the greatest actions of a node again, of the sum of both tables and of each; see `_rank`."""
    word = head[node]
    edge = (word >> _24) & MASK_20
    last = edge + ((word >> _20) & MASK_4)
    half = np.uint64(q.size) >> _1
    edge_0, value_0, second_0 = edge, q[edge], LOWEST
    edge_1, value_1, second_1 = edge, q[edge + half], LOWEST
    greedy, value, second = edge, value_0 + value_1, LOWEST
    edge += _1
    while edge < last:
        a, b = q[edge], q[edge + half]
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
    argmax[node << _1], argmax[node << _1 | _1] = edge_0, edge_1
    low[node << _1] = above(second_0, second_0 < value_0)
    low[node << _1 | _1] = above(second_1, second_1 < value_1)
    tied = random_ties & (second == value)
    bound[node] = np.inf if tied | (not visited[greedy]) else above(second, second < value)
    head[node] = greedy << _44 | (word & STATIC) | (TIED if tied else _0) | np.uint64(link[greedy])


@kernel
def _prepare(game: SelfPlayGame, work: Workspace, rewards: NDArray[np.float64], random_ties: bool) -> None:
    """Fill the work arrays, and the values of the results (and of "nothing to update yet", the last two)."""
    edge_start, link, q = game.edge_start, game.link, work.q.reshape(-1)
    visited, head, bound, argmax, low = work.visited, work.head, work.bound, work.argmax, work.low
    static_heads(edge_start, head)
    for d in range(np.uint64(edge_start.size - 1)):
        _rank(np.uint64(d), random_ties, q, link, visited, head, bound, argmax, low)
    edges, result = edge_start[edge_start.size - 1], edge_start.size // 2 * 2
    half = np.uint64(q.size) >> _1
    for i in range(8):
        edge = edges + np.uint64(i)
        q[edge] = q[edge + half] = rewards[i & 1, i >> 1] if i < 6 else 0.0
        argmax[2 * (result + i)] = argmax[2 * (result + i) + 1] = edge


@kernel
def _learn(
    game: SelfPlayGame,
    work: Workspace,
    chunks: Chunks,
    slots: NDArray[np.uint64],
    chunk: int,
    random_ties: bool,
    gamma: float,
    counts: NDArray[np.int64],
) -> None:
    """Do the same as `_learn` of `kernels` with double Q-learning; `q` is both tables, one after the other.

    Here `q` is always up to date.  A row remembers its greatest edge in each table (`argmax`), the greedy one of the
    sum (`head`), and for each the least value that keeps it the greatest.
    """
    episodes, alpha, stream = chunks.episodes[chunk], chunks.step_sizes[chunk], chunks.streams[chunk]
    link, q = game.link, work.q.reshape(-1)
    visited, head, bound, argmax, low = work.visited, work.head, work.bound, work.argmax, work.low
    num_nodes = np.uint64(game.edge_start.size - 1)
    first_result = (num_nodes + _1) >> _1 << _1
    num_edges = np.uint64(link.size)
    half = np.uint64(q.size) >> _1
    limit = np.uint64(episodes * game.max_plies)
    gap, fraction, stream = draw_gap(stream, slots, limit)
    stream += _GAMMA
    coins = mix64(stream)
    remaining, x_wins, o_wins = episodes, 0, 0
    node, other_view = _0, first_result
    before, before_edge, coin, explored = first_result + np.uint64(6), num_edges + np.uint64(6), _0, False
    bound[before] = low[before << _1] = -np.inf
    while True:
        h = head[node]
        explores = gap == _0
        if explores:
            edge = ((h >> _24) & MASK_20) + ((fraction * ((h >> _20) & MASK_4)) >> _26)
            after = np.uint64(link[edge])
            gap, fraction, stream = draw_gap(stream, slots, limit)
        else:
            gap -= _1
            edge = h >> _44
            after = h & MASK_16
            if h & TIED:
                stream += _GAMMA
                edge = pick_tied(mix64(stream), h, half, q)
                after = np.uint64(link[edge])
                explores = True
        seen = after if node != _0 else other_view
        mine = half if coin != _0 else _0
        target = q[argmax[seen << _1 | coin] + (half - mine)] * (gamma if seen < first_result else 1.0)
        v = q[before_edge + mine]
        v += alpha * (target - v)
        q[before_edge + mine] = v
        value = v + q[before_edge + (half - mine)]
        top = argmax[before << _1 | coin]
        rival = above(v, before_edge < top)
        least = max(low[before << _1 | coin], LOWEST if before_edge == top else rival)
        low[before << _1 | coin] = least
        least_sum = bound[before]
        if explored:
            visited[before_edge] = True
            greedy = head[before] >> _44
            rival = above(value, random_ties | (before_edge < greedy))
            least_sum = max(least_sum, LOWEST if before_edge == greedy else rival)
            bound[before] = least_sum
            value = q[greedy] + q[greedy + half]
        if (value < least_sum) | (q[top + mine] < least):
            visited[before_edge] = True
            _rank(before, random_ties, q, link, visited, head, bound, argmax, low)
        if remaining == 0:
            break  # this ply was there only for the last update of the last episode
        before, before_edge, explored = node, edge, explores
        coin = coins & _1
        coins >>= _1
        node = after
        if after >= first_result:
            remaining -= 1
            x_wins += (after - first_result) >> _1 == _0
            o_wins += (after - first_result) >> _1 == _2
            other_view = after ^ _1
            node = _0
            stream += _GAMMA
            coins = mix64(stream)
    counts[0] += x_wins
    counts[1] += episodes - x_wins - o_wins
    counts[2] += o_wins


@kernel
def learn_double_chunks(
    game: SelfPlayGame,
    work: Workspace,
    rewards: NDArray[np.float64],
    random_ties: bool,
    gamma: float,
    chunks: Chunks,
    slots: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> None:
    """Learn from successive chunks in one call: all nodes are ranked once, not for each chunk.

    As `learn_chunks` of `kernels`, with the slots of `fill_gap_slots` for each chunk, (C, 64) uint64.
    """
    _prepare(game, work, rewards, random_ties)
    for chunk in range(chunks.streams.size):
        _learn(game, work, chunks, slots[chunk], chunk, random_ties, gamma, counts)
