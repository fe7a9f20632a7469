"""Learned values in files: a kind of archive in two forms, over the actions of a table or as a hash table.

The rows of a hash table are there by ascending key, as differences, compressed: a third of their size in memory.
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import MAX_FILE_BYTES, Archive, ArraySpec, load_archive, read_meta
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.games.registry import Game, parse_game
from ttt_fast.policies.files.npz import Q_TABLE_KIND, check_fingerprint, q_table_arrays
from ttt_fast.tables import StateTable, table_of
from ttt_fast.values.dense import EdgeValues
from ttt_fast.values.hashed import HashTable, SortedRows, digest_of

VALUES_KIND = Q_TABLE_KIND
EDGES, HASHED = "edges", "hashed"
"""The forms, as a file's description names them."""
MAX_HASHED_BYTES = 16 << 30
"""Largest size of a hash table's file, packed or unpacked: some hundred million states."""

_HASHED_ARRAYS: Mapping[str, ArraySpec] = {
    "steps": ArraySpec("uint64", (-1,)),
    "values": ArraySpec("float64", (-1, -1)),
    "visits": ArraySpec("uint32", (-1, -1)),
}
_RUN_ARRAYS: Mapping[str, ArraySpec] = {
    "counts": ArraySpec("int64", (3,)),
    "history": ArraySpec("float64", (-1, -1)),
}


class HashedFile(NamedTuple):
    """What a player needs of a file of hashed values."""

    game: Game
    tie: str
    by_board: bool
    table: HashTable


def form_of(path: str | os.PathLike[str]) -> str:
    """Return the form of the values in a file; empty if it holds none, or cannot be read."""
    meta = read_meta(path)
    return str(meta.get("form", EDGES)) if meta.get("kind") == VALUES_KIND else ""


def load_values(path: str | os.PathLike[str]) -> Archive:
    """Return the content of a file of values with the run that made it; the arrays fit the game that it names.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, foreign or newer, or is one of another kind.
    """
    if form_of(path) == HASHED:
        return load_archive(path, {VALUES_KIND: {**_HASHED_ARRAYS, **_RUN_ARRAYS}}, MAX_HASHED_BYTES)
    table = _table_in(path)
    specs = {
        **q_table_arrays(table),
        "tables": ArraySpec("float64", (-1, table.num_edges)),
        "updates": ArraySpec("int64", (table.num_edges,)),
        "greedy": ArraySpec("int32", (table.num_states,)),
        **_RUN_ARRAYS,
    }
    archive = load_archive(path, {VALUES_KIND: specs}, max(MAX_FILE_BYTES, 128 * table.num_edges))
    check_fingerprint(path, archive, table)
    return archive


def _table_in(path: str | os.PathLike[str]) -> StateTable:
    """Return the table of the game that a file names; tic-tac-toe's if it says nothing."""
    game = read_meta(path).get("game", "tic-tac-toe")
    try:
        return table_of(str(game))
    except UsageError as error:
        raise FileFormatError(f"{str(path)!r}: {error}; the file is damaged or foreign") from error


def pack_edges(values: EdgeValues) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file."""
    return {"q_table": values.q, "held": values.held, "tables": values.tables, "updates": values.updates}


def unpack_edges(archive: Archive) -> EdgeValues:
    """Return the values of an archive; raise ValueError unless they are as they were written."""
    tables, updates = archive.arrays["tables"], archive.arrays["updates"]
    values = EdgeValues(table_of(str(archive.meta.get("game", "tic-tac-toe"))), tables, updates)
    if not len(tables) or not np.isfinite(tables).all() or (updates < 0).any():
        raise ValueError("tables")
    if values.sha256() != archive.meta["sha256"]:
        raise ValueError("hash of the table")
    return values


def pack_hashed(rows: SortedRows) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file."""
    return {"steps": np.diff(rows.keys, prepend=np.uint64(0)), "values": rows.values, "visits": rows.visits}


def unpack_hashed(archive: Archive, table: HashTable) -> HashTable:
    """Fill an empty table with the values of an archive; raise ValueError unless they are as they were written."""
    arrays = archive.arrays
    keys = np.cumsum(arrays["steps"], dtype=np.uint64)
    rows = SortedRows(keys, arrays["values"], arrays["visits"])
    columns, counters = table.num_values * table.num_tables, table.rows.visits.shape[1]
    if rows.values.shape != (keys.size, columns) or rows.visits.shape != (keys.size, counters):
        raise ValueError("shapes")
    if (keys[1:] <= keys[:-1]).any() or (keys == ~np.uint64(0)).any():
        raise ValueError("keys")
    if not np.isfinite(rows.values).all() or not rows.visits.any(axis=1).all():
        raise ValueError("values")
    if digest_of(rows) != archive.meta["sha256"]:
        raise ValueError("hash of the values")
    table.fill(rows)
    return table


def describe_hashed(table: HashTable, game: Game, tie: str, by_board: bool) -> dict[str, Any]:
    """Return what a file says of its values, so that they can be played by."""
    return {
        "form": HASHED,
        "game": game.spec,
        "tie": tie,
        "by_board": by_board,
        "num_values": table.num_values,
        "num_tables": table.num_tables,
        "initial": table.rows.initial,
        "states": len(table),
    }


def load_hashed(path: str | os.PathLike[str]) -> HashedFile:
    """Return what a player needs of a file of hashed values.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, foreign or newer.
    """
    archive = load_archive(path, {VALUES_KIND: {**_HASHED_ARRAYS, **_RUN_ARRAYS}}, MAX_HASHED_BYTES)
    meta = archive.meta
    try:
        game, of_each = parse_game(str(meta["game"])), archive.arrays["visits"].shape[1] > 1
        shape = int(meta["num_values"]), float(meta["initial"])
        if shape[0] != (1 if meta["by_board"] else game.num_actions):
            raise ValueError("shapes")
        table = HashTable(*shape, visits_of_each=of_each, num_tables=int(meta["num_tables"]))
        return HashedFile(game, str(meta["tie"]), bool(meta["by_board"]), unpack_hashed(archive, table))
    except (KeyError, TypeError, ValueError, OverflowError, UsageError) as error:
        raise damaged(path, error) from error


def damaged(path: str | os.PathLike[str], error: Exception) -> FileFormatError:
    """Return what is raised for a file that is whole, with a content that cannot be true."""
    return FileFormatError(f"{str(path)!r}: expected learned values, but the content is damaged ({error})")
