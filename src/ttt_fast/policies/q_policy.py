"""Policies of learned values: greedy, or proportional to counts."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.policies.edge_checks import edge_array, refuse_edges
from ttt_fast.policies.mixing import MAX_WEIGHT
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable

IN_PROPORTION = "in-proportion"
"""Used in place of a rule for ties: the values are counts, and each action is played in proportion to its count."""


def counted_policy(
    table: StateTable, counts: ArrayLike, name: str = "counted", *, held: NDArray[np.bool_] | None = None
) -> Policy:
    """Return the policy that plays each action in proportion to its count; uniform in states without counts.

    Parameters
    ----------
    table
        The game, S states with E legal actions in all.
    counts
        Non-negative integers: (E,) for the legal actions, or an (S, A) array.
    name, held
        As in `Policy.from_values`.

    Raises
    ------
    PolicyError
        If the shape is wrong, or a number is not a count.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table = table_of("tic-tac-toe")
    >>> counts = np.zeros(16167)
    >>> counts[:3] = 1, 0, 3
    >>> counted_policy(table, counts).probabilities[0, :3]
    array([0.25, 0.  , 0.75])
    """
    edges = edge_array(table, counts, name, np.dtype(np.float64))
    refuse_edges(table, name, "whole numbers", lambda part: (part != np.floor(part)) | (abs(part) > MAX_WEIGHT), edges)
    empty = table.row_sums(edges) == 0
    return Policy.from_weights(table, np.where(empty[table.edge_state], 1, edges).astype(np.int64), name, held=held)


def policy_of_values(table: StateTable, values: ArrayLike, name: str, held: NDArray[np.bool_], rule: str) -> Policy:
    """Return the policy of learned values: greedy with a rule for ties, or proportional to them for IN_PROPORTION.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table, counts = table_of("tic-tac-toe"), np.array([1, 3] + [0] * 16165)
    >>> rules = "first", IN_PROPORTION
    >>> [policy_of_values(table, counts, "p", table.decision_mask, rule).probabilities[0, 1] for rule in rules]
    [np.float64(1.0), np.float64(0.75)]
    """
    if rule == IN_PROPORTION:
        return counted_policy(table, values, name, held=held)
    return Policy.from_values(table, values, name, held=held, tie=rule)
