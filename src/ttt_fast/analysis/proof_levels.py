"""The positions that a proven player meets, level by level: all replies of the other side, on the full board."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import mix64
from ttt_fast.games import api
from ttt_fast.values.proven import ProvenTables, ProvenWeights, column_in, tables_of

_BLOCK = 1 << 16  # positions whose children are made at a time


class ProofLevel(NamedTuple):
    """The positions of one ply.

    Attributes
    ----------
    ply
        The number of stones.
    keys : (N,) uint64
        The keys of the distinct ongoing positions, in ascending order.
    failures
        Number of distinct terminal positions after the next ply that the player has not won.
    """

    ply: int
    keys: NDArray[np.uint64]
    failures: int

    @property
    def hash(self) -> str:
        """The sum of the SplitMix64 finaliser of all keys modulo 2**64, as 16 hexadecimal digits."""
        return f"{int(_sum_of_hashes(self.keys)):016x}"


@kernel
def _sum_of_hashes(keys: NDArray[np.uint64]) -> np.uint64:
    total = np.uint64(0)
    for index in range(keys.size):
        total += mix64(keys[index])
    return total


@kernel
def _fill_children(
    tables: ProvenTables, keys: NDArray[np.uint64], seat: int, places: NDArray[np.int32],
    ongoing: NDArray[np.uint64], failed: NDArray[np.uint64],
) -> tuple[int, int]:  # fmt: skip
    """Write the keys of the positions after one ply, with repetitions, and return their numbers.

    Parameters
    ----------
    tables
        The player.
    keys : (N,) uint64
        Ongoing positions with the same player to move.
    seat
        The seat of the player (1 or 2).
    places : (I,) int32
        A scratch buffer.
    ongoing, failed : (N * W,) uint64
        Output: the ongoing positions, and those in which the game is over and the player has not won.
    """
    going, bad = 0, 0
    for index in range(keys.size):
        state = api.state_of_key(tables.like, keys[index])
        only = column_in(tables, state, places) if api.player(state) == seat else -1
        for column in range(tables.order.size):
            if (only < 0 or column == only) and api.is_legal(state, as_int(column)):
                child = api.play(state, as_int(column))
                status = api.status(child)
                if status == api.ONGOING:
                    ongoing[going] = api.state_key(child)
                    going += 1
                elif status != seat:
                    failed[bad] = api.state_key(child)
                    bad += 1
    return going, bad


def levels_of(weights: ProvenWeights) -> Iterator[ProofLevel]:
    """Yield the levels of all games of a player, from the empty board on.

    Examples
    --------
    >>> from ttt_fast.values.proven_files import weights_from
    >>> [level.keys.size for level in levels_of(weights_from("connect4:columns=4,rows=4,length=3", 1))][:4]
    [1, 1, 4, 4]
    """
    tables, ply = tables_of(weights), 0
    places, width = np.empty(tables.start.size, np.int32), tables.order.size
    buffers = np.empty(_BLOCK * width, np.uint64), np.empty(_BLOCK * width, np.uint64)
    keys = np.array([api.state_key(weights.start)], np.uint64)
    while keys.size:
        found: tuple[list[NDArray[np.uint64]], list[NDArray[np.uint64]]] = ([], [])
        for first in range(0, keys.size, _BLOCK):
            counts = _fill_children(tables, keys[first : first + _BLOCK], weights.seat, places, *buffers)
            for pieces, buffer, count in zip(found, buffers, counts, strict=True):
                pieces.append(np.unique(buffer[:count]))
        children, failed = (np.unique(np.concatenate(pieces)) for pieces in found)
        yield ProofLevel(ply, keys, failed.size)
        keys, ply = children, ply + 1
