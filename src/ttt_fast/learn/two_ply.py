"""The game in a learner's view: its own decisions, joined by an action and the opponent's reply.

Letters: D decisions of the learner, E edges (its legal actions), R reply slots.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, reachable_mask
from ttt_fast.tables.state_table import ROOT

FULL_SLOT = (1 << 32) - 1
NUM_RESULTS = 3
WIN, DRAW, LOSS = 0, 1, 2
"""Results from the learner's side; their nodes follow the decisions."""

RESULT_OF_STATUS = {
    rules.X: {rules.X_WINS: WIN, rules.DRAW: DRAW, rules.O_WINS: LOSS},
    rules.O: {rules.X_WINS: LOSS, rules.DRAW: DRAW, rules.O_WINS: WIN},
}


class TwoPly(NamedTuple):
    """A game folded with the opponent's replies, in read-only arrays.

    Nodes are the D decisions of the learner in the order of the states, then one node for each result (win,
    draw, loss).  Where the opponent moves first, node 0 is the start with one action ("wait"), so that every
    episode starts at node 0.

    Attributes
    ----------
    edge_start : (D + 1,) uint64
        Actions of node d are the edges edge_start[d] to edge_start[d + 1], by ascending action.
    edge_state, edge_action : (E,) int64
        Place of an edge in the (S, A) table; state -1 for "wait".
    link : (E,) uint64
        first_slot << 4 | number_of_slots: the opponent's replies to that action.
    slot : (R,) uint64
        Walker's alias slots: threshold << 32 | second_node << 16 | first_node.
    """

    edge_start: NDArray[np.uint64]
    edge_state: NDArray[np.int64]
    edge_action: NDArray[np.int64]
    link: NDArray[np.uint64]
    slot: NDArray[np.uint64]

    @property
    def num_nodes(self) -> int:
        """Number of the learner's nodes, without those of the results."""
        return int(self.edge_start.size) - 1


def alias_row(probabilities: Sequence[float]) -> list[tuple[int, int, int]]:
    """Return Walker's alias slots for a row of probabilities, built by Vose's method.

    Parameters
    ----------
    probabilities
        One for each action; actions of probability zero get no slot and are in no slot of another action.

    Returns
    -------
    list of (threshold, first action, second action)
        A slot for each action of positive probability, ascending; the first action has threshold / 2**32 of
        the slot, or all of it where both actions are the same.

    Notes
    -----
    M. D. Vose, "A linear algorithm for generating random numbers with a given distribution" (1991).

    Examples
    --------
    >>> alias_row([0.25, 0.0, 0.75])
    [(2147483648, 0, 2), (4294967295, 2, 2)]
    """
    actions = [action for action, probability in enumerate(probabilities) if probability > 0]
    count = len(actions)
    mass = [float(probabilities[action]) * count for action in actions]
    threshold, second = [FULL_SLOT] * count, list(range(count))
    small = [i for i in range(count) if mass[i] < 1.0]
    large = [i for i in range(count) if mass[i] >= 1.0]
    while small and large:
        i, j = small.pop(), large[-1]
        share = max(1, round(mass[i] * 2**32))
        if share <= FULL_SLOT:  # else the slot is i's alone
            threshold[i], second[i] = share, j
            mass[j] -= 1.0 - mass[i]
            if mass[j] < 1.0:
                small.append(large.pop())
    return [(threshold[i], actions[i], actions[second[i]]) for i in range(count)]


def fold_replies(opponent: Policy, seat: int) -> TwoPly:
    """Return the game of a learner in `seat` (1 X, 2 O) against a fixed policy.

    Examples
    --------
    >>> from ttt_fast.agents.registry import parse_agent
    >>> fold_replies(parse_agent("random"), seat=1).num_nodes
    2423
    """
    table = opponent.table
    own = np.flatnonzero(table.player == seat)
    waits = int(table.player[ROOT] != seat)
    num_nodes = own.size + waits
    node = np.zeros(table.num_states, np.int64)
    node[own] = np.arange(own.size) + waits
    for status, result in RESULT_OF_STATUS[seat].items():
        node[table.status == status] = num_nodes + result
    # A finished game has one reply: its result.
    slots = [FULL_SLOT << 32 | end << 16 | end for end in range(num_nodes, num_nodes + NUM_RESULTS)]
    nodes, children, terminal = node.tolist(), table.child.tolist(), (table.player == 0).tolist()
    rows = opponent.probabilities.tolist()
    known: dict[int, int] = {}

    def link(state: int) -> int:
        if terminal[state]:
            return (nodes[state] - num_nodes) << 4 | 1
        if state not in known:
            row = alias_row(rows[state])
            known[state] = len(slots) << 4 | len(row)
            after = children[state]
            for threshold, first, second in row:
                slots.append(threshold << 32 | nodes[after[second]] << 16 | nodes[after[first]])
        return known[state]

    edges = [(-1, 0, link(ROOT))] if waits else []
    start = [0] if waits else []
    for state in own.tolist():
        start.append(len(edges))
        edges += [(state, action, link(after)) for action, after in enumerate(children[state]) if after >= 0]
    game = TwoPly(
        np.array([*start, len(edges)], np.uint64),
        np.array([edge[0] for edge in edges]),
        np.array([edge[1] for edge in edges]),
        np.array([edge[2] for edge in edges], np.uint64),
        np.array(slots, np.uint64),
    )
    for array in game:
        array.flags.writeable = False
    return game


def reachable_states(
    table: StateTable, opponent: Policy | None, seat: int, random_opening: bool = False
) -> NDArray[np.bool_]:
    """Return the states of a learner that can occur in training for some of its play, (S,) bool.

    Without an opponent (self-play) those are all states in which its seat is to move.  Where the first move is drawn,
    every one can occur, and the empty board belongs to no seat.
    """
    own: NDArray[np.bool_] = table.player == seat
    if random_opening:
        own = own & (table.ply > 0)
    if opponent is None:
        return own
    is_free = (table.player == seat) | (random_opening & (table.ply == 0))
    played = is_free[table.edge_state] | (opponent.edge_probabilities > 0)
    return reachable_mask(table, played) & own
