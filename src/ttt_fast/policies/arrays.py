"""Policies from arrays of actions, probabilities, scores, learned values or counts."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import PolicyError
from ttt_fast.policies.edge_checks import edge_array, refuse_edges
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.weights import MAX_WEIGHT
from ttt_fast.tables.block import Block

IN_PROPORTION = "in-proportion"
"""Used in place of a rule for ties: the values are counts, and each action is played in proportion to its count."""


def policy_from_array(
    given: ArrayLike, table: Block, states: NDArray[np.int32], name: str = "policy", *, scores: bool = False
) -> Policy:
    """Return the policy given by an array; in states outside `states` it is uniformly random.

    Parameters
    ----------
    given
        (N,) or (S,) integers, the actions; or (N, A), (S, A) or (E,) probabilities.
    table
        The game: S states, E legal actions in all, A actions.
    states : (N,) int32
        The states in the policy's domain, ascending; entries of `given` for other states are ignored.
    name
        The name of the policy.
    scores
        Whether the numbers are scores, such as action values, instead of probabilities.  The legal action with the
        highest score is played, the first of equal ones.

    Raises
    ------
    PolicyError
        If an action is not legal, an illegal action has a positive probability, or a row does not sum to 1.  Also if a
        number is not finite, or a shape is wrong.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> states = np.flatnonzero(table.player == 1).astype(np.int32)
    >>> scores = np.tile([1, 2, 3, 4, 9, 8, 7, 6, 5], (states.size, 1))
    >>> policy_from_array(scores, table, states, scores=True).greedy_actions()[0]
    np.uint8(4)
    """
    numbers = _array(given, name)
    if numbers.ndim == 1 and numbers.dtype.kind in "iu" and numbers.size in (states.size, table.num_states):
        chosen = numbers if numbers.size == states.size else numbers[states]
        return Policy.from_actions(table, chosen, name, states=states)
    edges, is_held = _edge_numbers(table, numbers, states, name, scores)
    held = np.zeros(table.num_states, np.bool_)
    held[states] = True
    if scores:
        return Policy.from_values(table, np.where(is_held, edges, 0.0), name, held=held)
    edges = np.where(is_held, edges, Policy.uniform(table).edge_probabilities)
    return Policy.from_probabilities(table, edges, name, held=held)


def _array(given: ArrayLike, name: str) -> NDArray[Any]:
    try:
        numbers = np.asarray(given)
    except (ValueError, TypeError):
        numbers = np.asarray(None)
    numbers = numbers.astype(np.float64) if numbers.dtype == np.bool_ else numbers  # one-hot rows
    if numbers.dtype.kind not in "fiu":
        wanted = "a policy, a function of a state, an array of numbers, a file or an agent string"
        raise PolicyError(f"policy {name!r}: expected {wanted}, got {shown(given)}")
    return numbers


def _edge_numbers(
    table: Block, numbers: NDArray[np.number], states: NDArray[np.int32], name: str, scores: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a number for each edge, (E,) float64, and a mask of the edges of `states`, (E,) bool."""
    row = np.full(table.num_states, -1, np.int64)
    row[states] = np.arange(states.size)
    is_held = row[table.edge_state] >= 0
    if numbers.shape == (table.num_edges,):
        return numbers.astype(np.float64), is_held
    actions = table.num_actions
    if numbers.shape not in ((states.size, actions), (table.num_states, actions)):
        of_actions = f"({states.size},) or ({table.num_states},) actions (whole numbers)"
        of_rows = f"({states.size}, {actions}), ({table.num_states}, {actions}) or ({table.num_edges},) numbers"
        raise PolicyError(
            f"policy {name!r}: expected {of_actions}, or {of_rows}, got shape {numbers.shape} of {numbers.dtype}"
        )
    rows = numbers if numbers.shape[0] == states.size else numbers[states]
    place, action = row[table.edge_state[is_held]], table.edge_action[is_held]
    edges = np.zeros(table.num_edges)
    edges[is_held] = rows[place, action]
    if not scores:
        illegal = rows != 0
        illegal[place, action] = False
        for number, wrong in np.argwhere(illegal)[:1].tolist():
            raise PolicyError(
                f"policy {name!r}: expected no mass on illegal actions, got {rows[number, wrong]} for action {wrong}"
                f" at {table.board(int(states[number]))!r}"
            )
    return edges, is_held


def counted_policy(
    table: Block, counts: ArrayLike, name: str = "counted", *, held: NDArray[np.bool_] | None = None
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
    >>> from ttt_fast import table_of
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


def policy_of_values(table: Block, values: ArrayLike, name: str, held: NDArray[np.bool_], rule: str) -> Policy:
    """Return the policy of learned values: greedy with a rule for ties, or proportional to them for IN_PROPORTION.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table, counts = table_of("tic-tac-toe"), np.array([1, 3] + [0] * 16165)
    >>> rules = "first", IN_PROPORTION
    >>> [policy_of_values(table, counts, "p", table.decision_mask, rule).probabilities[0, 1] for rule in rules]
    [np.float64(1.0), np.float64(0.75)]
    """
    if rule == IN_PROPORTION:
        return counted_policy(table, values, name, held=held)
    return Policy.from_values(table, values, name, held=held, tie=rule)
