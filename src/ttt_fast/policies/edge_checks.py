"""Validation of the arrays of a policy: values of legal actions, and masks of states."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.tables import StateTable

Number = TypeVar("Number", bound=np.integer | np.floating)
Mask = NDArray[np.bool_]


def edge_array(table: StateTable, values: ArrayLike, name: str, dtype: np.dtype[Number]) -> NDArray[Number]:
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
    table: StateTable, name: str, wanted: str, is_bad: Callable[[NDArray[Number]], Mask], edges: NDArray[Number]
) -> None:
    """Raise PolicyError for the first invalid entry, if any; entries are (E,)."""
    for _, of_states in table.blocks():
        for place in np.flatnonzero(is_bad(edges[of_states]))[:1].tolist():
            edge = of_states.start + place
            board = table.board(int(np.searchsorted(table.edge_start, edge, "right")) - 1)
            action = table.edge_action[edge]
            raise PolicyError(f"policy {name!r}: expected {wanted}, got {edges[edge]} for action {action} at {board!r}")


def refuse_states(
    table: StateTable, name: str, wanted: str, bad: Mask, found: NDArray[np.generic], first: int = 0
) -> None:
    """Raise PolicyError for the first of the `bad` states, if any; `bad` is a mask that begins at state `first`."""
    for place in np.flatnonzero(bad)[:1].tolist():
        board = table.board(first + place)
        raise PolicyError(f"policy {name!r}: expected {wanted} at {board!r}, got {found[place]}")


def checked_edges(table: StateTable, values: ArrayLike, name: str, dtype: np.dtype[Number]) -> NDArray[Number]:
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


def checked_held(held: Mask | None, table: StateTable) -> Mask:
    """Return the domain of a policy, (S,) bool; all decision states for None."""
    if held is None:
        return table.decision_mask
    if held.shape != (table.num_states,):
        raise PolicyError(f"expected a mask of {table.num_states} held states, got shape {held.shape}")
    return held & table.decision_mask
