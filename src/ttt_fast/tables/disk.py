"""Tables of small games on disk, so that later processes need neither enumerate nor solve them again."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache as remembered
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ttt_fast.core import cache
from ttt_fast.core.archive import ArraySpec, load_archive, save_archive
from ttt_fast.core.errors import TttFastError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.plain import frozen
from ttt_fast.games.game import Game
from ttt_fast.tables.checks import COLUMN_TYPES, check_columns
from ttt_fast.tables.solution import Solution
from ttt_fast.tables.state_table import ARRAY_NAMES, StateTable

LARGEST = 100_000
"""States of the largest table that is stored automatically: some megabytes."""
_KIND, _KEPT = "table", "of a table"
_ARRAYS = {
    **{name: ArraySpec(str(dtype), (-1,)) for name, dtype in COLUMN_TYPES.items()},
    "value": ArraySpec("int8", (-1,)), "distance": ArraySpec("int16", (-1,)),
    "optimal": ArraySpec("bool", (-1,)), "fastest": ArraySpec("bool", (-1,)),
}  # fmt: skip


@remembered
def _folder() -> Path:
    """Return the folder of tables, whose name depends on every source file that affects their content."""
    here = Path(__file__).parent
    sources = [cache.sources_digest(str(here / name)) for name in ("enumeration.py", "solution.py")]
    return cache.choose_folder("tables", "".join(sources))


def _path(game: Game, what: str = "") -> Path:
    return _folder() / f"{game.file_name}{what}.npz"


def _meta(game: Game) -> JsonObject:
    """Return the description of a game in the files of its table."""
    return {"name": game.name, "start": list(map(int, game.initial_state)), "rules": game.version}


def stored(game: Game) -> tuple[StateTable, Solution] | None:
    """Return the table and the solution of a game from disk; None if they are missing or damaged."""
    arrays = _load(_path(game), _KIND, _ARRAYS, _meta(game))
    if arrays is None:
        return None
    columns = {name: arrays[name] for name in ARRAY_NAMES}
    try:
        check_columns(columns, game.num_actions)
    except ValueError:
        return None
    table, solution = (
        StateTable.of_arrays(game, columns),
        Solution(*(frozen(arrays[name]) for name in Solution._fields)),
    )
    sizes = [table.num_states] * 2 + [table.num_edges] * 2
    return (table, solution) if [array.size for array in solution] == sizes else None


def _load(
    path: Path, kind: str, arrays: Mapping[str, ArraySpec], meta: Mapping[str, object]
) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a file with the expected description; None if the file is missing or damaged."""
    try:
        archive = load_archive(path, {kind: arrays}) if os.path.exists(path) else None
    except TttFastError:
        return None
    return archive.arrays if archive and meta.items() <= archive.meta.items() else None


def store(table: StateTable, solution: Solution) -> None:
    """Store a small table and its solution on disk; if the disk is full, nothing is stored."""
    _save(_path(table.game), _KIND, {**table.arrays(), **solution._asdict()}, _meta(table.game))


def kept(
    table: StateTable,
    what: str,
    source: str,
    arrays: Mapping[str, ArraySpec],
    make: Callable[[], dict[str, NDArray[Any]]],
) -> dict[str, NDArray[Any]]:
    """Return read-only arrays derived from a table: loaded from disk, or computed, and stored if the table is small.

    Parameters
    ----------
    table
        The table.
    what
        A word that identifies the arrays among those of this table.
    source
        File of the module that computes them; an edit in it or in its imports causes a new computation.
    arrays
        The expected shapes and dtypes.
    make
        Computes and returns the arrays.
    """
    found = None
    if table.fixed is None and table.num_states <= LARGEST and table.game.kind.is_kept:
        path = _path(table.game, f"-{what}")
        stamp = {"table": table.fingerprint, "sources": cache.sources_digest(source)}
        found = _load(path, _KEPT, arrays, stamp)
        if found is None:
            found = make()
            _save(path, _KEPT, found, stamp)
    return {name: frozen(array) for name, array in (make() if found is None else found).items()}


def _save(path: Path, kind: str, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, object]) -> None:
    """Write a file; an error in writing is ignored."""
    with suppress(TttFastError, OSError):
        save_archive(path, kind, arrays, meta)
