"""Large tables on disk: a folder of memory-mapped arrays for each, within a quota.

The folder of a table is written under a temporary name and then renamed, so that it is never seen incomplete.  Its name
contains the game and the version of its rules.  The least recently opened tables are removed to make space for new
ones.

Every opening compares the checksums of all files: arrays, headers and description.  A table whose files have changed on
disk is therefore made again.  Changes while a table is open are not detected.
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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache as remembered
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core import cache
from ttt_fast.core.archive import MAX_META_BYTES
from ttt_fast.core.errors import UsageError
from ttt_fast.core.locks import CAN_LOCK, lock
from ttt_fast.core.manifest import JsonObject, available_cores
from ttt_fast.games.game import Game
from ttt_fast.running.executors import run_chunks
from ttt_fast.tables.state_table import ARRAY_NAMES, Arrays, StateTable

QUOTA_VARIABLE = "TTT_FAST_TABLES_GB"
"""Environment variable: the size limit of all stored tables together, in gigabytes."""
_QUOTA_GB = 20.0
_FORMAT = 2
_SUFFIX = ".table"
_DESCRIPTION = "table.json"
_LOCK = "lock"
"""A lock file in a folder under construction, held by the writing process."""
_SECONDS_OF_A_WRITER = 3600.0
"""Age after which a folder counts as abandoned; used only if files cannot be locked."""
_BLOCK_BYTES = 1 << 20
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError)
"""Exceptions raised when damaged files are read."""


class KeptTable(NamedTuple):
    """A table on disk.

    Attributes
    ----------
    game
        The text of the game.
    states, edges
        The numbers of states and edges.
    bytes
        Size of the folder.
    opened
        Time of the last use, in seconds since the epoch.
    path
        The folder.
    """

    game: str
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
    """Return the folder of all large tables."""
    found = cache.choose_folder("tables", f"folders of arrays, format {_FORMAT}")
    with suppress(OSError):
        found.mkdir(parents=True, exist_ok=True)
    return found


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


def path_of(name: str) -> Path:
    """Return the folder of the table with a given name."""
    return folder() / f"{name}{_SUFFIX}"


def _path(game: Game) -> Path:
    return path_of(game.file_name)


def described_game(game: Game) -> JsonObject:
    """Return the description of a game in the folder of its table."""
    return {"format": _FORMAT, "game": game.name, "start": list(map(int, game.initial_state)), "rules": game.version}


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

    threads = available_cores()
    for (name, _), found in zip(pieces, run_chunks(checksum, 0, len(pieces), threads), strict=True):
        digests[name].update(found)
    return {name: digest.hexdigest() for name, digest in digests.items()}


class KeptTables(NamedTuple):
    """The large tables on disk.

    Attributes
    ----------
    folder
        The folder that contains them.
    tables
        The tables, most recently used first.
    leftovers
        Unfinished folders left by interrupted commands.
    """

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


def tables_on_disk(game: Game | None = None) -> KeptTables:
    """Return the large tables on disk, of one game (without unfinished folders) or of all games."""
    found = [one for one in kept_tables() if game is None or one.path.name.startswith(game.file_name)]
    return KeptTables(folder(), found, leftovers() if game is None else [])


def kept_tables() -> list[KeptTable]:
    """Return the large tables on disk, most recently used first."""
    found = []
    for path in folder().glob(f"*{_SUFFIX}"):
        with suppress(*_UNREADABLE):
            described = _description_in(path)
            size = sum(one.stat().st_size for one in path.iterdir())
            opened = (path / _DESCRIPTION).stat().st_mtime
            found.append(
                KeptTable(str(described["spec"]), int(described["states"]), int(described["edges"]), size, opened, path)
            )
    return sorted(found, key=lambda one: -one.opened)


def leftovers() -> list[Path]:
    """Return unfinished folders that no process is writing, such as those left by killed commands."""
    kept = {one.path for one in kept_tables()}
    return [path for path in folder().iterdir() if path.is_dir() and path not in kept and not _is_being_written(path)]


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


def is_kept(game: Game) -> bool:
    """Return whether the table of a game has a folder on disk."""
    return _path(game).is_dir()


def open_table(game: Game) -> StateTable | None:
    """Return the table of a game from disk, with its arrays mapped into memory.

    Returns
    -------
    StateTable or None
        None if the table is missing or damaged.  A damaged table is removed with a warning that gives the reason.
    """
    columns = open_arrays(game.file_name, described_game(game), game.spec, ARRAY_NAMES)
    return None if columns is None else StateTable.of_arrays(game, columns)


def open_arrays(name: str, expected: JsonObject, spec: str, names: Iterable[str]) -> Arrays | None:
    """Return the arrays of a table on disk, mapped into memory; None if the table is missing or damaged.

    Parameters
    ----------
    name
        The name of its folder.
    expected
        Entries that its description must have.
    spec
        The text of the table, for a warning.
    names
        The arrays that it must have, apart from those that the description lists.
    """
    path = path_of(name)
    if not path.is_dir():
        return None
    try:
        described = _description_in(path)
        if {**described, **expected} != described:
            raise ValueError("the table belongs to another game or version")
        wanted = list(dict.fromkeys([*names, *described["arrays"]]))
        if not all(re.fullmatch(r"[a-z0-9_]+", one) for one in wanted):
            raise ValueError("an array has an invalid name")
        changed = [one for one, checksum in _checksums(path, wanted).items() if described["arrays"][one] != checksum]
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


def keep_table(table: StateTable) -> bool:
    """Write the table of a game to disk; return whether the quota and the disk space sufficed.

    The least recently used tables are removed if the quota requires it.
    """
    arrays = table.arrays()
    described = {**described_game(table.game), "spec": table.game.spec}
    described |= {"states": table.num_states, "edges": table.num_edges}
    with suppress(OSError):
        if not make_room(sum(array.nbytes for array in arrays.values())):
            return False
        with new_folder() as new:
            for name, array in arrays.items():
                write_array(new, name, array)
            finish(new, table.game.file_name, described)
            return True
    return False


@contextmanager
def new_folder() -> Iterator[Path]:
    """Create a temporary folder for the files of a new table; it is removed unless `finish` renames it."""
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder()) as made, open(Path(made, _LOCK), "wb") as file:
        lock(file)
        new = Path(made) / "table"
        new.mkdir()
        yield new


def write_array(new: Path, name: str, array: NDArray[Any]) -> Path:
    """Write an array of a new table; return its file."""
    path = new / f"{name}.npy"
    with open(path, "wb") as file:
        np.save(file, array, allow_pickle=False)
        _sync(file)
    return path


def finish(new: Path, name: str, described: JsonObject) -> None:
    """Describe the arrays of a new table, and rename its folder, which replaces an older one."""
    arrays = _checksums(new, sorted(path.stem for path in new.glob("*.npy")))
    with open(new / _DESCRIPTION, "w", encoding="utf-8") as text:
        text.write(_signed({**described, "arrays": arrays}))
        _sync(text)
    path = path_of(name)
    remove(path)
    os.replace(new, path)


def _sync(file: IO[bytes] | IO[str]) -> None:
    file.flush()
    os.fsync(file.fileno())


def free_bytes() -> int:
    """Return the free space of the disk with the large tables; 0 if they have no folder."""
    try:
        return shutil.disk_usage(folder()).free
    except OSError:
        return 0


def make_room(needed: int) -> bool:
    """Remove leftovers, then the least recently used tables, until a new file fits; return whether it fits."""
    for path in leftovers():
        remove(path)
    allowed, kept = quota(), kept_tables()
    if needed > allowed:
        return False
    while kept and needed + sum(one.bytes for one in kept) > allowed:
        remove(kept.pop().path)
    return free_bytes() > 1.1 * needed
