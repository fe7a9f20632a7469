"""Policies of a Q table: greedy, with any rule for ties, and epsilon-soft."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.scripted import TIE_ORDERS, Weights, mixture
from ttt_fast.tables import StateTable, standard_table

Tie = str | Sequence[int]
"""The choice among equally good actions: `uniform`, `first`, `last`, `column-major`, or an order of all actions."""


def greedy_policy(
    q_table: ArrayLike,
    name: str = "greedy",
    *,
    held: NDArray[np.bool_] | None = None,
    tie: Tie = "first",
    table: StateTable | None = None,
) -> Policy:
    """Return the policy that takes a legal action of the highest value.

    Parameters
    ----------
    q_table
        Values for the player to move, (S, A) float64.  Entries of illegal actions are ignored.
    name
        The name of the policy.
    held
        States that the table knows, (S,) bool (default: all).  In any other state every legal action counts
        as equally good, so that `tie` alone decides.
    tie
        Among equally good actions: the first in an order of all actions, which is `first`, `last`,
        `column-major` or a permutation of 0 to A - 1; or `uniform`: any of them, with equal probability.
    table
        The game (default: ordinary tic-tac-toe).

    Raises
    ------
    PolicyError
        If the shape is wrong, a legal action has a value that is not finite, or `tie` is no such order.

    Examples
    --------
    >>> q_table = np.zeros((5478, 9))
    >>> q_table[0, [4, 8]] = 0.5
    >>> greedy_policy(q_table).greedy_actions()[0], greedy_policy(q_table, tie="last").greedy_actions()[0]
    (np.int64(4), np.int64(8))
    >>> greedy_policy(q_table, tie="uniform").probabilities[0]
    array([0. , 0. , 0. , 0. , 0.5, 0. , 0. , 0. , 0.5])
    """
    table = table or standard_table()
    values = _checked_values(q_table, name, held, table)
    weights = greedy_weights(values, table.legal_action_mask, tie)
    return Policy.from_weights(weights, name, held=held, table=table)


def epsilon_soft_policy(
    q_table: ArrayLike,
    epsilon: Fraction | float,
    name: str = "epsilon-soft",
    *,
    held: NDArray[np.bool_] | None = None,
    tie: Tie = "first",
    table: StateTable | None = None,
) -> Policy:
    """Return the policy that plays at random with probability `epsilon`, and greedily otherwise.

    Parameters
    ----------
    q_table, name, held, tie, table
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
    >>> epsilon_soft_policy(np.zeros((5478, 9)), 0.1).weights[0]
    array([82,  1,  1,  1,  1,  1,  1,  1,  1])
    """
    table = table or standard_table()
    if not 0 <= epsilon <= 1:
        raise PolicyError(f"policy {name!r}: expected an epsilon from 0 to 1, got {epsilon!r}")
    share = epsilon if isinstance(epsilon, Fraction) else Fraction(str(float(epsilon)))
    greedy = greedy_policy(q_table, name, held=held, tie=tie, table=table)
    random = Policy.from_weights(table.legal_action_mask, table=table)
    if greedy.weights is not None and random.weights is not None:
        weights = mixture([(1 - share, greedy.weights), (share, random.weights)])
        if weights is not None:
            weights //= np.maximum(np.gcd.reduce(weights, axis=1), 1)[:, None]
            return Policy.from_weights(weights, name, held=held, table=table)
    probabilities = float(1 - share) * greedy.probabilities + float(share) * random.probabilities
    return Policy.from_probabilities(probabilities, name, held=held, table=table)


def greedy_weights(values: NDArray[np.float64], choices: NDArray[np.bool_], tie: Tie) -> Weights:
    """Return the player that takes the best of its choices.

    Parameters
    ----------
    values
        (S, A) float64, finite where `choices` is set.
    choices
        The actions to choose from, (S, A) bool; a row without any stays 0.
    tie
        As in `greedy_policy`.

    Returns
    -------
    (S, A) int64
        Weights; the probability of an action is its weight over the sum of its row.

    Examples
    --------
    >>> greedy_weights(np.array([[3.0, 3.0, 9.0]]), np.array([[True, True, False]]), "uniform")
    array([[1, 1, 0]])
    """
    masked = np.where(choices, values, -np.inf)
    best = choices & (masked == masked.max(axis=1, keepdims=True))
    if isinstance(tie, str) and tie == "uniform":
        return np.asarray(best, np.int64)
    order = np.array(tie_order(tie, choices.shape[1]))
    weights = np.zeros(choices.shape, np.int64)
    weights[np.arange(choices.shape[0]), order[best[:, order].argmax(axis=1)]] = 1
    weights[~best] = 0
    return weights


def tie_order(tie: Tie, num_actions: int) -> tuple[int, ...]:
    """Return the order in which equally good actions are tried.

    Examples
    --------
    >>> tie_order("last", 9)
    (8, 7, 6, 5, 4, 3, 2, 1, 0)
    """
    order = TIE_ORDERS.get(tie, ()) if isinstance(tie, str) else tuple(int(action) for action in tie)
    if sorted(order) != list(range(num_actions)):
        names = ", ".join(["uniform", *TIE_ORDERS])
        raise PolicyError(f"expected a tie rule {names} or an order of all {num_actions} actions, got {tie!r}")
    return order


def _checked_values(
    q_table: ArrayLike, name: str, held: NDArray[np.bool_] | None, table: StateTable
) -> NDArray[np.float64]:
    """Return the values as float64, 0 in the states that are not held."""
    given = np.asarray(q_table)
    if given.shape != table.child.shape or given.dtype.kind not in "fiu":
        raise PolicyError(
            f"policy {name!r}: expected values of shape {table.child.shape}, got {given.shape} of {given.dtype}"
        )
    values = given.astype(np.float64)
    if held is not None:
        if held.shape != (table.num_states,):
            raise PolicyError(f"expected a mask of {table.num_states} held states, got shape {held.shape}")
        values[~held] = 0.0
    bad = np.argwhere(table.legal_action_mask & ~np.isfinite(values))
    if bad.size:
        state, action = bad[0]
        raise PolicyError(
            f"policy {name!r}: expected finite values, got {values[state, action]} for action {action} at"
            f" {table.board(state)!r}"
        )
    return values
