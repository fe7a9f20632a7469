"""Rules for ties: the choice of a greedy policy among equally good actions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.policies.mixing import Weights
from ttt_fast.tables import StateTable

Tie = str | Sequence[int]
"""A rule for ties: `uniform`, `first`, `last`, `column-major`, or a permutation of the actions."""
TIE_NAMES = ("uniform", "first", "last", "column-major")


def greedy_weights(table: StateTable, values: NDArray[np.float64], choices: NDArray[np.bool_], tie: Tie) -> Weights:
    """Return the weights of the player that takes the best of its choices.

    Parameters
    ----------
    table
        The game.
    values
        (E,) float64, finite where `choices` is set.
    choices
        Edges to choose from, (E,) bool; at least one in every decision state.
    tie
        As in `Policy.from_values`.

    Returns
    -------
    (E,) int64
        Weights; the probability of an action is its weight divided by the sum over its state.

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
    if num_actions == 9:  # langan's order of the cells of a square, rotated
        named["column-major"] = (0, 3, 6, 1, 4, 7, 2, 5, 8)  # type: ignore[assignment]
    order = tuple(named.get(tie, ())) if isinstance(tie, str) else tuple(int(action) for action in tie)
    if sorted(order) != list(range(num_actions)):
        names = ", ".join(["uniform", *named])
        raise PolicyError(
            f"expected one of {names}, or a list of all {num_actions} actions, as the order of ties, got {tie!r}"
        )
    return order
