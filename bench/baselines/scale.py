"""Plain loops over the arrays of a large table: what each question costs if nothing else is done."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import next_word
from ttt_fast.tables.solution import Solution
from ttt_fast.tables.state_table import Edges

_MASK_24 = np.uint64((1 << 24) - 1)
_24, _40 = np.uint64(24), np.uint64(40)


@kernel
def uniform_reach(edges: Edges, reach: NDArray[np.float64]) -> None:
    """Push probability down the table, every move as likely as the others; `reach` (S,) is zero on entry."""
    reach[0] = 1.0
    for state in range(edges.status.size):
        if edges.status[state] == 0:
            first, end = edges.start[state], edges.start[state + 1]
            share = reach[state] / (end - first)
            for edge in range(first, end):
                reach[edges.child[edge]] += share


@kernel
def float_reach(edges: Edges, x: NDArray[np.float64], o: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
    """Push probability down the table by the chances (E,) of X and O; `reach` (S,) is zero on entry."""
    reach[0] = 1.0
    for state in range(edges.status.size):
        mass = reach[state]
        if edges.player[state] == 1:
            for edge in range(edges.start[state], edges.start[state + 1]):
                reach[edges.child[edge]] += mass * x[edge]
        elif edges.player[state] == 2:
            for edge in range(edges.start[state], edges.start[state + 1]):
                reach[edges.child[edge]] += mass * o[edge]


@kernel
def full_solution(edges: Edges, solution: Solution) -> None:
    """Read and write the arrays of a solution: its best value and distance, and which edges keep them."""
    value, distance, optimal, fastest = solution
    for state in range(edges.status.size - 1, -1, -1):
        if edges.player[state] == 0:
            won = edges.status[state]
            value[state] = 1 if won == 1 else (-1 if won == 2 else 0)
            distance[state] = 0
            continue
        sign, best = (1 if edges.player[state] == 1 else -1), -10000
        for edge in range(edges.start[state], edges.start[state + 1]):  # the value first, then the distance
            mine, far = sign * value[edges.child[edge]], distance[edges.child[edge]]
            best = max(best, mine * 1000 + (-far if mine > 0 else far))
        kept = (best + 500) // 1000
        least = abs(best - kept * 1000)
        value[state], distance[state] = sign * kept, least + 1
        for edge in range(edges.start[state], edges.start[state + 1]):
            same = sign * value[edges.child[edge]] == kept
            optimal[edge], fastest[edge] = same, same and distance[edges.child[edge]] == least


@kernel
def learn_in_order(
    edges: Edges, q: NDArray[np.float64], episodes: int, alpha: float, epsilon: float, stream: np.uint64
) -> None:
    """Learn as X against a uniform opponent, one episode after the other, on the values (E,)."""
    explore_below = np.uint64(round(epsilon * 2.0**24))
    for _ in range(episodes):
        state, last = np.int64(0), np.int64(-1)
        while edges.status[state] == 0:
            first, end = edges.start[state], edges.start[state + 1]
            stream, word = next_word(stream)
            edge = first + np.int64(((word >> _24) * np.uint64(end - first)) >> _40)
            if edges.player[state] == 1:
                greedy = first
                for other in range(first + 1, end):
                    if q[other] > q[greedy]:
                        greedy = other
                if last >= 0:
                    q[last] += alpha * (q[greedy] - q[last])
                if (word & _MASK_24) >= explore_below:
                    edge = np.int64(greedy)
                last = edge
            state = np.int64(edges.child[edge])
        won = edges.status[state]
        q[last] += alpha * ((1.0 if won == 1 else -1.0 if won == 2 else 0.0) - q[last])
