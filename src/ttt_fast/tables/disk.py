"""Tables of small games on disk, so that a process need neither enumerate nor solve what another one has."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache as remembered
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core import cache
from ttt_fast.core.archive import ArraySpec, load_archive, save_archive
from ttt_fast.core.errors import TttFastError
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.tables.solution import Solution
from ttt_fast.tables.state_table import ARRAY_NAMES, StateTable

LARGEST = 100_000
"""States of the largest table that is kept without being asked for: some megabytes."""
_KIND, _KEPT = "table", "of a table"
_OF_TYPE = {
    "bool": "optimal fastest", "int8": "status player value", "int16": "distance", "uint8": "edge_action",
    "int32": "edge_start edge_child ply_start key_order", "uint64": "key",
}  # fmt: skip
_ARRAYS = {name: ArraySpec(dtype, (-1,)) for dtype, names in _OF_TYPE.items() for name in names.split()}


@remembered
def _folder() -> Path:
    """Return the folder of tables, named by every source that decides their content."""
    here = Path(__file__).parent
    sources = [cache.sources_digest(str(here / name)) for name in ("enumeration.py", "solution.py")]
    return cache.choose_folder("tables", "".join(sources))


def _path(game: Game, what: str = "") -> Path:
    name = sha256(repr((game.name, game.version, tuple(map(int, game.initial_state)))).encode()).hexdigest()[:16]
    return _folder() / f"{game.name}-{name}{what}.npz"


def _meta(game: Game) -> dict[str, Any]:
    """Return what a file says of the game that it belongs to."""
    return {"name": game.name, "start": list(map(int, game.initial_state)), "rules": game.version}


def stored(game: Game) -> tuple[StateTable, Solution] | None:
    """Return the table and the solution of a game from disk; None if they are not there, or damaged."""
    if not game.kind.is_kept:
        return None
    arrays = _load(_path(game), _KIND, _ARRAYS, _meta(game))
    if arrays is None:
        return None
    table = StateTable(game, **{name: arrays[name] for name in ARRAY_NAMES})
    solution = Solution(*(frozen(arrays[name]) for name in Solution._fields))
    return (table, solution) if _fits(table, solution) else None


def _load(
    path: Path, kind: str, arrays: Mapping[str, ArraySpec], meta: Mapping[str, Any]
) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a file whose description says what is asked; None if it is not there, or damaged."""
    try:
        archive = load_archive(path, {kind: arrays}) if os.path.exists(path) else None
    except TttFastError:
        return None
    return archive.arrays if archive and meta.items() <= archive.meta.items() else None


def _fits(table: StateTable, solution: Solution) -> bool:
    """Return whether the parts of a file fit each other: kernels trust them."""
    states, edges, counts = table.num_states, table.num_edges, np.diff(table.edge_start)
    return (
        states > 0
        and table.edge_start.size == states + 1
        and {array.size for array in (table.player, table.key, table.key_order, *solution[:2])} == {states}
        and {array.size for array in (table.edge_child, *solution[2:])} == {edges}
        and (int(table.edge_start[0]), int(table.edge_start[-1])) == (0, edges)
        and table.ply_start.size > 1
        and (int(table.ply_start[0]), int(table.ply_start[-1])) == (0, states)
        and bool((np.diff(table.ply_start) > 0).all() and (counts >= 0).all())
        and bool((table.edge_child > table.edge_state).all() and (table.edge_child < states).all())
        and bool((table.edge_action < table.num_actions).all())
        and _are_within(table.status, api.DRAW)
        and _are_within(table.player, api.O)
        and bool(((table.player > 0) == (counts > 0)).all() and ((table.player > 0) == (table.status == 0)).all())
        and _are_within(table.key_order, states - 1)
    )


def _are_within(numbers: NDArray[Any], largest: int) -> bool:
    """Return whether all numbers are 0 to the largest one."""
    return 0 <= int(numbers.min()) and int(numbers.max()) <= largest


def _is_kept(table: StateTable) -> bool:
    """Return whether what belongs to a table is kept on disk."""
    return table.num_states <= LARGEST and table.game.kind.is_kept


def store(table: StateTable, solution: Solution) -> None:
    """Keep a small table and its solution on disk; a full disk only costs time later."""
    if not _is_kept(table):
        return
    _save(_path(table.game), _KIND, {**table.arrays(), **solution._asdict()}, _meta(table.game))


def kept(
    table: StateTable,
    what: str,
    source: str,
    arrays: Mapping[str, ArraySpec],
    make: Callable[[], dict[str, NDArray[Any]]],
) -> dict[str, NDArray[Any]]:
    """Return read-only arrays that belong to a table: from disk, or made and then kept there if the table is small.

    Parameters
    ----------
    table
        The table.
    what
        A word for what they are, which no other arrays of this table have.
    source
        File of the module that makes them: an edit in what it imports makes them again.
    arrays
        What they must be.
    make
        Returns them.
    """
    small, path = _is_kept(table), _path(table.game, f"-{what}")
    stamp = {"table": table.fingerprint, "sources": cache.sources_digest(source)}
    found = _load(path, _KEPT, arrays, stamp) if small else None
    if found is None:
        found = make()
        if small:
            _save(path, _KEPT, found, stamp)
    return {name: frozen(array) for name, array in found.items()}


def _save(path: Path, kind: str, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
    """Write a file if that is possible."""
    with suppress(TttFastError, OSError):
        save_archive(path, kind, arrays, meta)
