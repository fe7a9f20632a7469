"""The store of tables: a folder of memory-mapped arrays for each, checksummed, within a quota.

A folder is written under a temporary name and then renamed, so that it is never seen incomplete.  Processes share its
pages.  The least recently opened large tables are removed to make room for new ones.  Every opening compares the
checksums of all files, and a table whose files have changed on disk is made again.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache as remembered
from math import inf
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core import cache
from ttt_fast.core.archive import MAX_META_BYTES
from ttt_fast.core.errors import UsageError
from ttt_fast.core.locks import CAN_LOCK, lock
from ttt_fast.core.manifest import JsonObject, available_cores
from ttt_fast.core.plain import frozen
from ttt_fast.games.game import Game
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
_LOCK = "lock"
"""A lock file in a folder under construction, locked by the writing process."""
_SECONDS_OF_A_WRITER = 3600.0
"""Age after which a folder counts as abandoned; used only if files cannot be locked."""
_BLOCK_BYTES = 1 << 20
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError)
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


class KeptTables(NamedTuple):
    """The tables on disk: their folder, the most recently used first, and folders left by interrupted commands."""

    folder: Path
    tables: list[KeptTable]
    leftovers: list[Path]

    @property
    def quota(self) -> int:
        """Size limit of all tables together, in bytes."""
        return quota()

    def remove(self) -> None:
        """Delete the tables and the unfinished folders."""
        for path in [*(one.path for one in self.tables), *self.leftovers]:
            remove(path)


@remembered
def folder() -> Path:
    """Return the folder of all tables."""
    found = cache.choose_folder("tables", "folders of arrays, format 3")
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
    return {**found, "sources": _sources(), "fixed": None if fixed is None else [fixed.seat, fixed.agent, fixed.digest]}


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
    path, stamp = _path(table.game, what=what), {"table": table.fingerprint, "source": cache.sources_digest(source)}
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
        wanted = described["arrays"]
        if not all(re.fullmatch(r"[a-z0-9_]+", one) for one in wanted):
            raise ValueError("an array has an invalid name")
        changed = [one for one, checksum in _checksums(path, wanted).items() if wanted[one] != checksum]
        if changed:
            raise ValueError(f"{', '.join(changed)} changed since the table was written")
        # kernels accept arrays, not subclasses of arrays
        columns = {one: np.asarray(np.load(path / f"{one}.npy", mmap_mode="r")) for one in wanted}
        os.utime(path / _DESCRIPTION)
    except _UNREADABLE as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        warnings.warn(f"the kept table of {spec} is damaged and is made again: {reason}", stacklevel=3)
        remove(path)
        return None
    return columns


def _keep_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], described: JsonObject) -> bool:
    """Write arrays to a folder, which replaces an older one; return whether there is room for them."""
    with suppress(OSError):
        if not _make_room(sum(array.nbytes for array in arrays.values())):
            return False
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder()) as made, open(Path(made, _LOCK), "wb") as locked:
            lock(locked)
            new = Path(made) / "table"
            new.mkdir()
            for name, array in arrays.items():
                np.save(new / f"{name}.npy", array, allow_pickle=False)
            text = _signed({**described, "arrays": _checksums(new, arrays)})
            (new / _DESCRIPTION).write_text(text, encoding="utf-8")
            remove(path)
            os.replace(new, path)
            return True
    return False


def _signed(described: JsonObject) -> str:
    """Return the text of a description, including its checksum."""
    unsigned = json.dumps({**described, "checksum": None}, sort_keys=True)
    return json.dumps({**described, "checksum": hashlib.sha256(unsigned.encode()).hexdigest()}, sort_keys=True)


def _description_in(path: Path) -> JsonObject:
    """Return the description of the table in a folder; raise one of `_UNREADABLE` if it has been altered."""
    with _opened(path / _DESCRIPTION) as file:
        text = file.read(MAX_META_BYTES).decode()
    described: JsonObject = json.loads(text)
    if not isinstance(described, dict) or _signed(described) != text:
        raise ValueError(f"{_DESCRIPTION} has changed since it was written")
    return described


def _opened(path: Path) -> IO[bytes]:
    """Open a file without a buffer; raise ValueError if it is not a regular file, since opening a pipe may block."""
    if not path.is_file():
        raise ValueError(f"{path.name} is missing, or is not a regular file")
    return open(path, "rb", buffering=0)


def _checksums(path: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the checksum of each array's file: a hash of the hashes of its blocks, computed by several threads."""
    pieces, digests = [], {name: hashlib.sha256() for name in names}
    for name in digests:
        with _opened(path / f"{name}.npy") as file:
            pieces += [(name, start) for start in range(0, os.fstat(file.fileno()).st_size, _BLOCK_BYTES)]

    def checksum(number: int) -> bytes:
        name, start = pieces[number]
        with _opened(path / f"{name}.npy") as file:
            file.seek(start)
            block = file.read(_BLOCK_BYTES)
        return len(block).to_bytes(4, "little") + zlib.crc32(block).to_bytes(4, "little")

    threads = min(available_cores(), 1 + len(pieces) // 32)
    for (name, _), found in zip(pieces, run_chunks(checksum, 0, len(pieces), threads), strict=True):
        digests[name].update(found)
    return {name: digest.hexdigest() for name, digest in digests.items()}


def tables_on_disk(game: Game | None = None) -> KeptTables:
    """Return the tables on disk, of one game (without unfinished folders) or of all games."""
    found = []
    for path in folder().glob(f"*{_SUFFIX}" if game is None else f"{game.file_name}*{_SUFFIX}"):
        with suppress(*_UNREADABLE):
            described = _description_in(path)
            size = sum(one.stat().st_size for one in path.iterdir())
            opened = (path / _DESCRIPTION).stat().st_mtime
            numbers = int(described["states"]), int(described["edges"]), size, opened
            found.append(KeptTable(str(described["spec"]), *numbers, path))
    return KeptTables(folder(), sorted(found, key=lambda one: -one.opened), _leftovers() if game is None else [])


def _leftovers() -> list[Path]:
    """Return unfinished folders that no process is writing, such as those left by killed commands, and damaged ones."""
    return [
        path
        for path in (folder().iterdir() if folder().is_dir() else ())
        if path.is_dir() and not (path / _DESCRIPTION).is_file() and not _is_being_written(path)
    ]


def _is_being_written(path: Path) -> bool:
    """Return whether a process is writing a folder; its lock is released however the process ends."""
    try:
        with _opened(path / _LOCK) as file:
            if not CAN_LOCK:
                return time.time() - os.fstat(file.fileno()).st_mtime < _SECONDS_OF_A_WRITER
            return not lock(file, shared=True)
    except (OSError, ValueError):
        return False


def remove(path: Path) -> None:
    """Delete the folder of a table, or any file in its place; processes that have mapped the table can still use it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _make_room(needed: int) -> bool:
    """Remove leftovers, then the least recently used tables, until a new table fits; return whether it fits."""
    if needed > SMALL_BYTES:
        allowed = quota()
        if needed > allowed:
            return False
        for path in _leftovers():
            remove(path)
        kept = [one for one in tables_on_disk().tables if one.bytes > SMALL_BYTES]
        while kept and needed + sum(one.bytes for one in kept) > allowed:
            remove(kept.pop().path)
    return shutil.disk_usage(folder()).free > 1.1 * needed
