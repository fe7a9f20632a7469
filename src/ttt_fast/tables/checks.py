"""Checks that arrays from a file form a valid table; kernels do not check them again."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import api

COLUMN_TYPES = {
    name: np.dtype(dtype)
    for dtype, names in {
        "int8": "status player", "uint8": "edge_action", "int32": "edge_start edge_child ply_start key_order",
        "uint64": "key",
    }.items()
    for name in names.split()
}  # fmt: skip
"""The dtype of each array of a table."""


def check_columns(columns: Mapping[str, NDArray[np.integer]], num_actions: int) -> None:
    """Raise ValueError unless the arrays of a table are consistent.

    Parameters
    ----------
    columns
        The arrays of `StateTable`, one-dimensional and with their dtypes.
    num_actions
        Number of actions of the game.
    """
    start, child, player = columns["edge_start"], columns["edge_child"], columns["player"]
    status, plies = columns["status"], columns["ply_start"]
    states, edges = status.size, child.size
    if states == 0 or {columns[name].size for name in ("player", "key", "key_order")} != {states}:
        raise ValueError("the arrays of the states have different lengths")
    if (
        start.size != states + 1
        or (int(start[0]), int(start[-1])) != (0, edges)
        or columns["edge_action"].size != edges
    ):
        raise ValueError("the number of edges differs from the sum over the states")
    counts = np.diff(start)
    if plies.size < 2 or (int(plies[0]), int(plies[-1])) != (0, states) or not bool((np.diff(plies) > 0).all()):
        raise ValueError("the ply ranges do not cover the states")
    if int(counts.min()) < 0 or not bool(((player > 0) == (counts > 0)).all()):
        raise ValueError("a state with a player to move has no edges, or a terminal state has edges")
    if not (_within(status, api.DRAW) and _within(player, api.O) and bool(((player > 0) == (status == 0)).all())):
        raise ValueError("a status or a player is out of range, or a terminal state has a player to move")
    if not _within(columns["key_order"], states - 1) or (edges and int(columns["edge_action"].max()) >= num_actions):
        raise ValueError("an action or a state index is out of range")
    deciding = np.flatnonzero(counts)
    least = np.minimum.reduceat(child, start[deciding]) if edges else child
    if edges and (int(child.max()) >= states or not bool((least > deciding).all())):
        raise ValueError("a child does not have a larger index than its parent")


def _within(numbers: NDArray[np.integer], largest: int) -> bool:
    """Return whether all numbers are in the range 0 to `largest`."""
    return 0 <= int(numbers.min()) and int(numbers.max()) <= largest
