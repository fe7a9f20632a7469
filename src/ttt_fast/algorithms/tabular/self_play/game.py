"""The game in self-play: decision states, edges, and results from each player's view.

Letters: S states, A actions, D decision states, E edges (state, action), in the order of the compressed rows of
`StateTable`: `table.child[table.legal_action_mask]` has that order, and so has `q`.

The head of a node holds all data that a greedy ply needs, in one word.  Bits 0-15: node after the greedy action.  16:
set if several actions are tied for the greatest value (with random ties only).  20-23: number of actions.  24-43: first
edge.  44-63: greedy edge.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games.results import DRAW, O_WINS, X_WINS, X, outcome_of
from ttt_fast.tables import StateTable

NUM_RESULT_NODES = 6
LOWEST = -1.7e308
"""Less than any value: the value of a missing action."""

MASK_4, MASK_16, MASK_20 = (np.uint64((1 << bits) - 1) for bits in (4, 16, 20))
TIED = np.uint64(1 << 16)
STATIC = np.uint64(((1 << 24) - 1) << 20)
"""The part of a head that does not change."""

_0, _1, _20, _24, _32, _44 = (np.uint64(n) for n in (0, 1, 20, 24, 32, 44))


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
    rewards : (2, 3) float64
        Rewards of X and of O for a win of X, a draw and a win of O.
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
    rewards: NDArray[np.float64]
    discount: float
    random_ties: bool


def self_play_workspace(
    game: SelfPlayGame,
    q: NDArray[np.float64],
    rewards: NDArray[np.float64],
    discount: float = 1.0,
    random_ties: bool = False,
) -> SelfPlayWorkspace:
    """Return the work arrays, not yet ranked, for a game with initial values (T, E) float64, none of them updated."""
    nodes, edges = int(game.first_result) + NUM_RESULT_NODES + 2, game.link.size
    values = np.zeros((q.shape[0], edges + NUM_RESULT_NODES + 2))
    values[:, :edges] = q + 0.0  # no negative zeros
    return SelfPlayWorkspace(
        q=values,
        visited=np.zeros(values.shape[1], np.bool_),
        head=np.zeros(nodes, np.uint64),
        best=np.zeros(nodes),
        bound=np.zeros(nodes),
        argmax=np.zeros(2 * nodes, np.uint64),
        low=np.zeros(2 * nodes),
        rewards=rewards,
        discount=float(discount),
        random_ties=random_ties,
    )


@inlined_kernel
def edges_of(head: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the first edge of a node's head, and the number of its edges."""
    return (head >> _24) & MASK_20, (head >> _20) & MASK_4


@inlined_kernel
def greedy_edge(head: np.uint64) -> np.uint64:
    """Return the greedy edge of a node's head."""
    return head >> _44


@kernel
def static_heads(edge_start: NDArray[np.uint64], head: NDArray[np.uint64]) -> None:
    """Write number of actions and first edge into the heads of all decision nodes."""
    for node in range(edge_start.size - 1):
        head[node] = edge_start[node] << _24 | (edge_start[node + 1] - edge_start[node]) << _20


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
