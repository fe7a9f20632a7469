"""The store of tables: a folder of memory-mapped arrays for each, checksummed, within a quota.

A folder is written under a temporary name and then renamed, so that it is never seen incomplete.  Processes share its
pages.  The least recently opened large tables are removed to make room for new ones.  Every opening compares types,
shapes and checksums of all arrays, and a table that has changed on disk is made again.
"""

import json
import os
import shutil
import tempfile
import warnings
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache as remembered
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core import cache
from ttt_fast.core.errors import UsageError
from ttt_fast.core.locks import is_abandoned, lock
from ttt_fast.core.manifest import JsonObject, available_cores
from ttt_fast.core.plain import frozen
from ttt_fast.games.game import Game
from ttt_fast.games.registry import rules_sha256
from ttt_fast.running.executors import run_chunks
from ttt_fast.tables.block import Block
from ttt_fast.tables.state_table import ARRAY_NAMES, Arrays, FixedSeat, StateTable

QUOTA_VARIABLE = "TTT_FAST_TABLES_GB"
"""Environment variable: the size limit of all stored large tables together, in gigabytes."""
_QUOTA_GB = 20.0
SMALL_BYTES = 1 << 25
"""Size of a table to which the quota does not apply."""
_SUFFIX = ".table"
_DESCRIPTION = "table.json"
_FOR_THREADS = 1 << 24
"""Bytes from which several threads compute checksums; their import takes 5 ms."""
_UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, RecursionError)
"""Exceptions raised when damaged files are read."""


class KeptTable(NamedTuple):
    """A table on disk.

    Attributes
    ----------
    table
        The text of the game, and of the agent in a fixed seat.
    states, edges
        The numbers of states and edges.
    bytes
        Size of the folder.
    opened
        Time of the last use, in seconds since the epoch.
    path
        The folder.
    """

    table: str
    states: int
    edges: int
    bytes: int
    opened: float
    path: Path

    def row(self) -> JsonObject:
        """Return the row of `ttt-fast info tables`."""
        opened = datetime.fromtimestamp(self.opened).isoformat(" ", "seconds")
        return {**self._asdict(), "opened": opened, "path": str(self.path)}


@remembered
def folder() -> Path:
    """Return the folder of all tables."""
    found = cache.choose_folder("tables", "folders of arrays, format 4")
    with suppress(OSError):
        found.mkdir(parents=True, exist_ok=True)
    return found


@remembered
def _sources() -> str:
    """Return a hash of the sources that determine the content of a table."""
    here = Path(__file__).parent
    return "".join(cache.sources_digest(str(here / name))[:16] for name in ("enumeration.py", "solution.py"))


def quota() -> int:
    """Return the size limit of all stored tables together, in bytes.

    Raises
    ------
    UsageError
        If TTT_FAST_TABLES_GB is not a valid number of gigabytes.
    """
    text = os.environ.get(QUOTA_VARIABLE, str(_QUOTA_GB))
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = -1.0
    if not 0 <= gigabytes < 1e6:
        raise UsageError(f"expected a number of gigabytes in {QUOTA_VARIABLE}, got {text!r}")
    return int(gigabytes * 1e9)


def _path(game: Game, fixed: FixedSeat | None = None, what: str = "") -> Path:
    seat = "" if fixed is None else f"-{'xo'[fixed.seat - 1]}-{fixed.digest[:16]}"
    return folder() / f"{game.file_name}{seat}{what and '-'}{what}{_SUFFIX}"


def _described(game: Game, fixed: FixedSeat | None) -> JsonObject:
    """Return what the description of a table must state."""
    found = {"game": game.name, "start": list(map(int, game.initial_state)), "rules": game.version}
    found["sources"] = _sources() + rules_sha256(game)
    return {**found, "fixed": None if fixed is None else [fixed.seat, fixed.agent, fixed.digest]}


def is_kept(game: Game, fixed: FixedSeat | None = None) -> bool:
    """Return whether a table has a folder on disk."""
    return (fixed is None or bool(fixed.digest)) and _path(game, fixed).is_dir()


def open_table(game: Game, fixed: FixedSeat | None = None, most: float = inf) -> tuple[StateTable, Arrays] | None:
    """Return a table of at most `most` states from disk, with its arrays mapped into memory, and all stored arrays.

    Returns
    -------
    tuple or None
        None if the table is missing or damaged.  A damaged table is removed with a warning that gives the reason.
    """
    arrays = _open_arrays(_path(game, fixed), _described(game, fixed), game.spec, most)
    if arrays is None or not arrays.keys() >= set(ARRAY_NAMES):
        return None
    return StateTable.of_arrays(game, arrays, fixed), arrays


def keep_table(table: StateTable, more: Mapping[str, NDArray[Any]] | None = None) -> bool:
    """Write a table and further arrays to disk; return whether the quota and the disk space sufficed."""
    game, fixed = table.game, table.fixed
    spec = game.spec if fixed is None else f"{game.spec} with {fixed.agent} as {'XO'[fixed.seat - 1]}"
    sizes = {"spec": spec, "states": table.num_states, "edges": table.num_edges}
    return _keep_arrays(_path(game, fixed), {**table.arrays(), **(more or {})}, {**_described(game, fixed), **sizes})


def derived(table: Block, what: str, source: str, make: Callable[[], Arrays]) -> Arrays:
    """Return read-only arrays derived from some states: of a whole game from disk, if they are stored there.

    Parameters
    ----------
    table
        The table.
    what
        A word that identifies the arrays among those of this table.
    source
        File of the module that computes them; an edit in it or in its imports causes a new computation.
    make
        Computes and returns the arrays.
    """
    if not isinstance(table, StateTable) or table.fixed is not None or not table.game.kind.is_kept:
        return {name: frozen(array) for name, array in make().items()}
    sources, path = cache.sources_digest(source) + rules_sha256(table.game), _path(table.game, what=what)
    stamp = {"table": table.fingerprint, "source": sources}
    found = _open_arrays(path, stamp, f"{what} of {table.game.spec}")
    if found is None:
        found = {name: frozen(array) for name, array in make().items()}
        _keep_arrays(
            path, found, {**stamp, "spec": f"{table.game.spec}: {what}", "states": table.num_states, "edges": 0}
        )
    return found


def _open_arrays(path: Path, expected: JsonObject, spec: str, most: float = inf) -> Arrays | None:
    """Return the arrays of a folder whose description has the expected entries; None if it is missing or damaged."""
    if not path.is_dir():
        return None
    try:
        described = _description_in(path)
        if {**described, **expected} != described:
            remove(path)  # of another version
            return None
        if described["states"] > most:
            return None
        arrays = {name: _mapped(path / f"{name}.npy") for name in described["arrays"]}
        changed = [name for name, found in _checked(arrays).items() if found != described["arrays"][name]]
        if changed:
            raise ValueError(f"{', '.join(changed)} changed since the table was written")
        os.utime(path / _DESCRIPTION)
    except _UNREADABLE as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        warnings.warn(f"the kept table of {spec} is damaged and is made again: {reason}", stacklevel=3)
        remove(path)
        return None
    return arrays


def _keep_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], described: JsonObject) -> bool:
    """Write arrays to a folder, which replaces an older one; return whether there is room for them."""
    with suppress(OSError):
        if not _make_room(sum(array.nbytes for array in arrays.values())):
            return False
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder()) as made, open(f"{made}/lock", "wb") as writing:
            lock(writing)
            new = Path(made) / "table"
            new.mkdir()
            for name, array in arrays.items():
                np.save(new / f"{name}.npy", array, allow_pickle=False)
            described = {**described, "arrays": _checked(arrays)}
            (new / _DESCRIPTION).write_text(json.dumps(described), encoding="utf-8")
            with suppress(*_UNREADABLE):
                if _description_in(path) == described:  # another process was faster, and others may be reading it
                    return True
            remove(path)
            os.replace(new, path)
            return True
    return False


def _description_in(path: Path) -> JsonObject:
    """Return the description of the table in a folder."""
    described: JsonObject = json.loads(_regular(path / _DESCRIPTION).read_bytes())
    return described


def _regular(path: Path) -> Path:
    """Return the path of a regular file; raise ValueError for any other, since opening a pipe may block."""
    if not path.is_file():
        raise ValueError(f"{path.name} is missing, or is not a regular file")
    return path


def _mapped(path: Path) -> NDArray[Any]:
    """Return the array of a file, mapped into memory, and not as the subclass of arrays, which kernels refuse."""
    return np.asarray(np.load(_regular(path), mmap_mode="r"))


def _checked(arrays: Mapping[str, NDArray[Any]]) -> dict[str, list[Any]]:
    """Return type, shape and checksum of each array; several threads compute the checksums of large ones."""
    listed = list(arrays.values())
    threads = min(available_cores(), len(listed)) if sum(one.nbytes for one in listed) > _FOR_THREADS else 1
    sums = run_chunks(lambda place: zlib.crc32(listed[place].data), 0, len(listed), threads)
    return {
        name: [str(one.dtype), list(one.shape), found] for (name, one), found in zip(arrays.items(), sums, strict=True)
    }


def tables_on_disk(game: Game | None = None) -> list[KeptTable]:
    """Return the tables on disk, of one game or of all games, the most recently used first."""
    found = []
    for path in folder().glob(f"*{_SUFFIX}" if game is None else f"{game.file_name}*{_SUFFIX}"):
        with suppress(*_UNREADABLE):
            described = _description_in(path)
            size = sum(one.stat().st_size for one in path.iterdir())
            opened = (path / _DESCRIPTION).stat().st_mtime
            numbers = int(described["states"]), int(described["edges"]), size, opened
            found.append(KeptTable(str(described["spec"]), *numbers, path))
    return sorted(found, key=lambda one: -one.opened)


def leftovers() -> list[Path]:
    """Return the unfinished folders of killed commands: those without a description or a living writer."""
    return [
        path
        for path in (folder().iterdir() if folder().is_dir() else ())
        if path.is_dir() and not (path / _DESCRIPTION).is_file()
        if is_abandoned(writing if (writing := path / "lock").exists() else path)
    ]


def remove(path: Path) -> None:
    """Delete the folder of a table, or any file in its place; processes that have mapped the table can still use it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def clear(game: Game | None = None) -> tuple[list[KeptTable], int]:
    """Delete the tables of one game, or of all games with the leftovers; return the tables, and how many leftovers."""
    kept, unfinished = tables_on_disk(game), leftovers() if game is None else []
    for path in [*(one.path for one in kept), *unfinished]:
        remove(path)
    return kept, len(unfinished)


def described() -> str:
    """Return a text about the folder and its size limit."""
    return f"tables in {folder()}, which may hold {quota() / 1e9:g} GB"


def _make_room(needed: int) -> bool:
    """Remove leftovers, then the least recently used tables, until a new table fits; return whether it fits."""
    for path in leftovers():
        remove(path)
    if needed > SMALL_BYTES:
        allowed = quota()
        if needed > allowed:
            return False
        kept = [one for one in tables_on_disk() if one.bytes > SMALL_BYTES]
        while kept and needed + sum(one.bytes for one in kept) > allowed:
            remove(kept.pop().path)
    return shutil.disk_usage(folder()).free > 1.1 * needed
