"""Policies of a Q table: greedy, with any rule for ties, and epsilon-soft."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.policies.edge_checks import checked_held, edge_array, refuse_edges
from ttt_fast.policies.mixing import Weights, mixture, reduced
from ttt_fast.policies.policy import MAX_WEIGHT, Policy
from ttt_fast.tables import StateTable

Tie = str | Sequence[int]
"""Which of equally good actions: `uniform`, `first`, `last`, `column-major`, or all actions in an order."""
TIE_NAMES = ("uniform", "first", "last", "column-major")
IN_PROPORTION = "in-proportion"
"""In place of a rule for ties: the values are counts, and each action is played in proportion to its own."""


def greedy_policy(
    table: StateTable,
    values: ArrayLike,
    name: str = "greedy",
    *,
    held: NDArray[np.bool_] | None = None,
    tie: Tie = "first",
) -> Policy:
    """Return the policy that takes a legal action of the highest value.

    Parameters
    ----------
    table
        The game, S states with E legal actions in all.
    values
        Values for the player to move: (E,) float64 for the legal actions, or an (S, A) array, whose entries of
        illegal actions are ignored.
    name
        The name of the policy.
    held
        States that the table knows, (S,) bool (default: all).  In any other state every legal action counts
        as equally good, so that `tie` alone decides.
    tie
        Among equally good actions: the first in an order of all actions, which is `first`, `last`,
        `column-major` (of nine cells) or a permutation of 0 to A - 1; or `uniform`: any of them, with equal
        probability.

    Raises
    ------
    PolicyError
        If the shape is wrong, a legal action has a value that is not finite, or `tie` is no such order.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table = table_of("tic-tac-toe")
    >>> q_table = np.zeros((5478, 9))
    >>> q_table[0, [4, 8]] = 0.5
    >>> [int(greedy_policy(table, q_table, tie=tie).greedy_actions()[0]) for tie in ("first", "last")]
    [4, 8]
    >>> greedy_policy(table, q_table, tie="uniform").probabilities[0]
    array([0. , 0. , 0. , 0. , 0.5, 0. , 0. , 0. , 0.5])
    """
    edges = edge_array(table, values, name, np.dtype(np.float64))
    edges[~checked_held(held, table)[table.edge_state]] = 0.0
    refuse_edges(table, name, "finite values", lambda part: ~np.isfinite(part), edges)
    weights = greedy_weights(table, edges, np.ones(table.num_edges, np.bool_), tie)
    return Policy.from_weights(table, weights, name, held=held)


def counted_policy(
    table: StateTable, counts: ArrayLike, name: str = "counted", *, held: NDArray[np.bool_] | None = None
) -> Policy:
    """Return the policy that plays each action in proportion to its count, and any where nothing was counted.

    Parameters
    ----------
    table
        The game, S states with E legal actions in all.
    counts
        Whole numbers, at least 0: (E,) for the legal actions, or an (S, A) array.
    name, held
        As in `greedy_policy`.

    Raises
    ------
    PolicyError
        If the shape is wrong, or a number is no count.

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
    """Return the policy of what was learned: by a rule for ties the greedy one, or IN_PROPORTION to the values.

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
    return greedy_policy(table, values, name, held=held, tie=rule)


def epsilon_soft_policy(
    table: StateTable,
    values: ArrayLike,
    epsilon: Fraction | float,
    name: str = "epsilon-soft",
    *,
    held: NDArray[np.bool_] | None = None,
    tie: Tie = "first",
) -> Policy:
    """Return the policy that plays at random with probability `epsilon`, and greedily otherwise.

    Parameters
    ----------
    table, values, name, held, tie
        As in `greedy_policy`.
    epsilon
        Probability of a uniformly random legal action, which may be the greedy one.  The policy is exact
        where the fraction (0.1 is read as 1/10) leaves integers that fit into 64 bits.

    Raises
    ------
    PolicyError
        If `epsilon` is not in [0, 1], or for a reason of `greedy_policy`.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> epsilon_soft_policy(table_of("tic-tac-toe"), np.zeros((5478, 9)), 0.1).weights[0]
    array([82,  1,  1,  1,  1,  1,  1,  1,  1])
    """
    if not 0 <= epsilon <= 1:
        raise PolicyError(f"policy {name!r}: expected an epsilon from 0 to 1, got {epsilon!r}")
    share = epsilon if isinstance(epsilon, Fraction) else Fraction(str(float(epsilon)))
    greedy, random = greedy_policy(table, values, name, held=held, tie=tie), Policy.uniform(table)
    parts = [(1 - share, greedy), (share, random)]
    weights = mixture(parts)
    if weights is not None:
        return Policy.from_weights(table, reduced(table, weights), name, held=held)
    probabilities = sum(float(part) * policy.edge_probabilities for part, policy in parts)
    return Policy.from_probabilities(table, probabilities, name, held=held)


def greedy_weights(table: StateTable, values: NDArray[np.float64], choices: NDArray[np.bool_], tie: Tie) -> Weights:
    """Return the player that takes the best of its choices.

    Parameters
    ----------
    table
        The game.
    values
        (E,) float64, finite where `choices` is set.
    choices
        Edges to choose from, (E,) bool; at least one of every decision state.
    tie
        As in `greedy_policy`.

    Returns
    -------
    (E,) int64
        Weights; the probability of an action is its weight over the sum of its state's.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table = table_of("tic-tac-toe")
    >>> weights = greedy_weights(table, np.arange(16167) % 3.0, np.ones(16167, bool), "last")
    >>> weights[:9]
    array([0, 0, 0, 0, 0, 0, 0, 0, 1])
    """
    masked = np.where(choices, values, -np.inf)
    best = choices & (masked == table.row_max(masked)[table.edge_state])
    if isinstance(tie, str) and tie == "uniform":
        return np.asarray(best, np.int64)
    rank = np.argsort(tie_order(tie, table.num_actions))[table.edge_action]
    preferred = np.where(best, -rank, -table.num_actions - 1)
    return np.asarray(best & (preferred == table.row_max(preferred)[table.edge_state]), np.int64)


def tie_order(tie: Tie, num_actions: int) -> tuple[int, ...]:
    """Return the order in which equally good actions are tried.

    Examples
    --------
    >>> tie_order("last", 9)
    (8, 7, 6, 5, 4, 3, 2, 1, 0)
    """
    named = {"first": range(num_actions), "last": range(num_actions - 1, -1, -1)}
    if num_actions == 9:  # the order of a square's cells that langan's program has, turned
        named["column-major"] = (0, 3, 6, 1, 4, 7, 2, 5, 8)  # type: ignore[assignment]
    order = tuple(named.get(tie, ())) if isinstance(tie, str) else tuple(int(action) for action in tie)
    if sorted(order) != list(range(num_actions)):
        names = ", ".join(["uniform", *named])
        raise PolicyError(f"expected a tie rule {names} or an order of all {num_actions} actions, got {tie!r}")
    return order
