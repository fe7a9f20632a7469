"""The game in self-play: decision states, edges, and results in each player's view.

Letters: S states, A actions, D decision states, E edges (state, action), in the order of the compressed rows of
`StateTable`: `table.child[table.legal_action_mask]` has that order, and so has `q`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games.results import DRAW, O_WINS, X_WINS, X, outcome_of
from ttt_fast.tables import StateTable

NUM_RESULT_NODES = 6


class SelfPlayGame(NamedTuple):
    """The game for the kernels, in read-only arrays.

    Nodes are the D decision states in the order of the states.  From `first_result`, an even number, two follow
    for each result (X wins, draw, O wins): X's view and O's view, so that `node ^ 1` is the other view.
    A finished game leads to the view of the player who would move next, the one who acted two plies before.

    Attributes
    ----------
    edge_start : (D + 1,) uint64
        Edges of node d are edge_start[d] to edge_start[d + 1], by ascending action.
    link : (E,) uint16
        Node after an edge.
    first_result
        First node of the results, uint64: D, or D + 1 to be even.
    max_plies
        Plies of the longest game.
    """

    edge_start: NDArray[np.uint64]
    link: NDArray[np.uint16]
    first_result: np.uint64
    max_plies: int


def self_play_game(table: StateTable) -> SelfPlayGame:
    """Return the arrays of the kernels for a game in which the players alternate."""
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
    for array in (start, link):
        array.flags.writeable = False
    return SelfPlayGame(start, link, np.uint64(first_result), int(table.ply.max()))


class Workspace(NamedTuple):
    """The values of the edges and the work arrays of a kernel, all of them updated in place.

    Attributes
    ----------
    q : (T, E + 8) float64
        Values of the edges in each of T tables (1, or 2 for double Q); between calls only the first E count.
        The rest belongs to the results.
    visited : (E + 8,) bool
        Edges that have been updated.
    head : (D + 8,) uint64
        See `heads`; nodes of results and one for "nothing to update yet" follow the decisions.
    best, bound : (D + 8,) float64
        Value of the greedy action (double Q: of no use), and the least value at which it stays greedy.
    argmax : (2 * (D + 8),) uint64, low : (2 * (D + 8),) float64
        Double Q only: greatest edge of each table, and the least value at which it stays that.
    """

    q: NDArray[np.float64]
    visited: NDArray[np.bool_]
    head: NDArray[np.uint64]
    best: NDArray[np.float64]
    bound: NDArray[np.float64]
    argmax: NDArray[np.uint64]
    low: NDArray[np.float64]


def self_play_workspace(game: SelfPlayGame, q: NDArray[np.float64]) -> Workspace:
    """Return the work arrays for a game, and values to begin with, (T, E) float64, none of which has been updated."""
    nodes, edges = int(game.first_result) + NUM_RESULT_NODES + 2, game.link.size
    values = np.zeros((q.shape[0], edges + NUM_RESULT_NODES + 2))
    values[:, :edges] = q + 0.0  # no negative zeros
    return Workspace(
        q=values,
        visited=np.zeros(values.shape[1], np.bool_),
        head=np.zeros(nodes, np.uint64),
        best=np.zeros(nodes),
        bound=np.zeros(nodes),
        argmax=np.zeros(2 * nodes, np.uint64),
        low=np.zeros(2 * nodes),
    )
