"""Validation of the arrays of a policy: values of legal actions, and masks of states."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.policies.weights import MAX_WEIGHT
from ttt_fast.tables.block import Block

Number = TypeVar("Number", bound=np.integer | np.floating)
Mask = NDArray[np.bool_]
ROW_SUM_TOLERANCE, _ROUNDING = 1e-4, 1e-12
"""Largest error of the sum of a row of probabilities, which 32 bits stay far below, and that of 64 bits."""


def edge_array(table: Block, values: ArrayLike, name: str, dtype: np.dtype[Number]) -> NDArray[Number]:
    """Return a read-only array of one value per legal action, (E,), from such an array or an (S, A) array.

    Raises
    ------
    PolicyError
        If the shape or the dtype is wrong.
    """
    given = np.asarray(values)
    shape = (table.num_states, table.num_actions)
    if given.shape not in (shape, (table.num_edges,)):
        raise PolicyError(f"policy {name!r}: expected an array of shape {shape}, got {given.shape}")
    if given.dtype.kind not in ("fiub" if dtype.kind == "f" else "iub"):
        raise PolicyError(f"policy {name!r}: expected an array of {dtype}, got {given.dtype}")
    if given.ndim == 1 and given.dtype == dtype and given.base is None and not given.flags.writeable:
        return given  # a large array is not copied
    return np.array(table.of_edges(given) if given.ndim == 2 else given, dtype, order="C")


def refuse_edges(
    table: Block, name: str, wanted: str, is_bad: Callable[[NDArray[Number]], Mask], edges: NDArray[Number]
) -> None:
    """Raise PolicyError for the first invalid entry, if any; entries are (E,)."""
    for _, of_states in table.blocks():
        for place in np.flatnonzero(is_bad(edges[of_states]))[:1].tolist():
            edge = of_states.start + place
            board = table.board(int(np.searchsorted(table.edge_start, edge, "right")) - 1)
            action = table.edge_action[edge]
            raise PolicyError(f"policy {name!r}: expected {wanted}, got {edges[edge]} for action {action} at {board!r}")


def refuse_states(table: Block, name: str, wanted: str, bad: Mask, found: NDArray[np.generic], first: int = 0) -> None:
    """Raise PolicyError for the first of the `bad` states, if any; `bad` is a mask that begins at state `first`."""
    for place in np.flatnonzero(bad)[:1].tolist():
        board = table.board(first + place)
        raise PolicyError(f"policy {name!r}: expected {wanted} at {board!r}, got {found[place]}")


def checked_edges(table: Block, values: ArrayLike, name: str, dtype: np.dtype[Number]) -> NDArray[Number]:
    """Return the entries of legal actions after the checks common to floats and integers."""
    edges, given = edge_array(table, values, name, dtype), np.asarray(values)
    if given.ndim == 2:
        for state, action in np.argwhere((given != 0) & ~table.legal_action_mask)[:1].tolist():
            raise PolicyError(
                f"policy {name!r}: expected no mass on illegal actions, got {given[state, action]} for action"
                f" {action} at {table.board(state)!r}"
            )
    if dtype.kind == "f":
        refuse_edges(table, name, "finite probabilities", lambda part: ~np.isfinite(part), edges)
    refuse_edges(table, name, "no negative entry", lambda part: part < 0, edges)
    return edges


def checked_weights(table: Block, values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return the weights of the legal actions, (E,)."""
    edges = checked_edges(table, values, name, np.dtype(np.int64))
    most = min(MAX_WEIGHT, (2**63 - 1) // table.num_actions)
    if (largest := int(edges.max(initial=0))) > most:
        raise PolicyError(f"policy {name!r}: expected weights up to {most}, got {largest}")
    sums = table.row_sums(edges)
    refuse_states(table, name, "a move", table.decision_mask & (sums <= 0), sums)
    return edges


def checked_probabilities(table: Block, values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return the probabilities of the legal actions, (E,), each row divided by its sum (`divisors`)."""
    edges = checked_edges(table, values, name, np.dtype(np.float64))
    for states, of_states in table.blocks():
        sums = table.reduced(np.add, edges[of_states], states)
        divided_by = np.where(table.decision_mask[states], divisors(sums), 1.0)
        refuse_states(table, name, "probabilities that sum to 1", np.isnan(divided_by), sums, states.start)
        if (divided_by != 1.0).any():
            edges = np.require(edges, requirements="W")  # a copy of a read-only array
            edges[of_states] /= table.to_edges(divided_by, states)
    return edges


def divisors(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers by which rows of probabilities are divided, from their sums, (N,); nan for sums other than 1.

    The only place that decides which rows are probabilities.  Rows of 64 bits keep their bits.

    Examples
    --------
    >>> divisors(np.array([1 + 1e-15, 1.00002, 1.001, np.nan]))
    array([1.     , 1.00002,     nan,     nan])
    """
    error = np.abs(sums - 1.0)
    return np.where(error <= _ROUNDING, 1.0, np.where(error <= ROW_SUM_TOLERANCE, sums, np.nan))


def checked_held(held: Mask | None, table: Block) -> Mask:
    """Return the domain of a policy, (S,) bool; all decision states for None."""
    if held is None:
        return table.decision_mask
    if held.shape != (table.num_states,):
        raise PolicyError(f"expected a mask of {table.num_states} held states, got shape {held.shape}")
    return held & table.decision_mask
