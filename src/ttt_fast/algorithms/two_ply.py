"""The game from a learner's view: its own decisions, connected by an action and the opponent's reply.

Letters: D decisions of the learner, E edges (its legal actions), R reply slots.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.alias import FULL_SLOT, alias_slots
from ttt_fast.core.plain import frozen
from ttt_fast.games.results import DRAW, O_WINS, X_WINS, result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, reachable_mask
from ttt_fast.tables.state_table import ROOT, cached_on_table

NUM_RESULTS = 3


class TwoPly(NamedTuple):
    """A game folded with the opponent's replies, in read-only arrays.

    The first D nodes are the states in which the learner moves, in the order of the state table.  The last three nodes
    are the results (win, draw, loss).  If the opponent moves first, node 0 is the initial state with the single action
    "wait", so that every episode starts at node 0.

    Attributes
    ----------
    edge_start : (D + 1,) uint64
        Edges edge_start[d] to edge_start[d + 1] are the actions of node d, ascending: first "wait", if present, then
        those of the learner's states in the table.
    link : (E,) uint64
        first_slot << 4 | number_of_slots: the opponent's replies to that action.
    slot : (R,) uint64
        Walker's alias slots: threshold << 32 | second_node << 16 | first_node.
    """

    edge_start: NDArray[np.uint64]
    link: NDArray[np.uint64]
    slot: NDArray[np.uint64]

    @property
    def num_nodes(self) -> int:
        """Number of the learner's nodes, excluding results."""
        return int(self.edge_start.size) - 1


@cached_on_table(32)
def fold_replies(opponent: Policy, seat: int) -> TwoPly:
    """Return the game of a learner in `seat` (1 X, 2 O) against a fixed policy; cached, since sweeps share it.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> fold_replies(as_policy("random"), seat=1).num_nodes
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
    # A finished game has one reply: its result.
    slots = [FULL_SLOT << 32 | end << 16 | end for end in range(num_nodes, num_nodes + NUM_RESULTS)]
    nodes, terminal = node.tolist(), (table.player == 0).tolist()
    alias, first_edge = alias_slots(opponent), table.edge_start.tolist()
    counts, packed, after = alias.number.tolist(), alias.slots.tolist(), table.edge_child.tolist()
    known: dict[int, int] = {}

    def link(state: int) -> int:
        if terminal[state]:
            return (nodes[state] - num_nodes) << 4 | 1
        if state not in known:
            first = first_edge[state]
            known[state] = len(slots) << 4 | counts[state]
            for slot in packed[first : first + counts[state]]:
                replies = nodes[after[first + (slot >> 16 & 0xFFFF)]] << 16 | nodes[after[first + (slot & 0xFFFF)]]
                slots.append(slot >> 32 << 32 | replies)
        return known[state]

    links = [link(ROOT)] * waits
    links += [link(after) for after in table.edge_child[np.isin(table.edge_state, own)].tolist()]
    start = waits + np.cumsum([0, *np.diff(table.edge_start)[own]])
    starts = np.append([0] * waits, start)
    return TwoPly(*(frozen(np.array(one, np.uint64)) for one in (starts, links, slots)))


def reachable_states(
    table: StateTable, opponent: Policy | None, seat: int, random_opening: bool = False
) -> NDArray[np.bool_]:
    """Return the states of a learner that can occur in training for some of its play, (S,) bool.

    Without an opponent (self-play) these are all states in which its seat moves.  If the first move is drawn, every
    first move can occur, and the empty board belongs to no seat.
    """
    own: NDArray[np.bool_] = table.player == seat
    if random_opening:
        own = own & (table.ply > 0)
    if opponent is None:
        return own
    is_free = (table.player == seat) | (random_opening & (table.ply == 0))
    played = is_free[table.edge_state] | (opponent.edge_probabilities > 0)
    return reachable_mask(table, played) & own
