"""Large tables on disk: a folder of arrays that are mapped into memory, not read, within a quota.

The folder of a table appears whole, by renaming it.  It is named by the game and the version of its rules.  Tables that
have not been opened for the longest time make room for new ones.
"""

import json
import os
import shutil
import tempfile
import time
import warnings
from contextlib import suppress
from datetime import datetime
from functools import cache as remembered
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core import cache
from ttt_fast.core.errors import UsageError
from ttt_fast.games.registry import Game
from ttt_fast.tables.checks import COLUMN_TYPES, check_columns
from ttt_fast.tables.state_table import ARRAY_NAMES, StateTable

QUOTA_VARIABLE = "TTT_FAST_TABLES_GB"
"""Environment variable: gigabytes that all kept tables may take together."""
_QUOTA_GB = 20.0
_FORMAT = 1
_SUFFIX = ".table"
_DESCRIPTION = "table.json"
_SECONDS_OF_A_WRITER = 3600.0
"""After so long without a new byte nobody is writing a table any more."""


class KeptTable(NamedTuple):
    """A table on disk.

    Attributes
    ----------
    game
        The game, as it was spelled.
    states, edges
        Their numbers.
    bytes
        Size of the folder.
    opened
        Seconds since the epoch when it was last used.
    path
        The folder.
    """

    game: str
    states: int
    edges: int
    bytes: int
    opened: float
    path: Path

    def row(self) -> dict[str, Any]:
        """Return the row of `ttt-fast tables`."""
        opened = datetime.fromtimestamp(self.opened).isoformat(" ", "seconds")
        return {**self._asdict(), "opened": opened, "path": str(self.path)}


@remembered
def folder() -> Path:
    """Return the folder of all large tables."""
    found = cache.choose_folder("tables", f"folders of arrays, format {_FORMAT}")
    found.mkdir(parents=True, exist_ok=True)
    return found


def quota() -> int:
    """Return the bytes that all kept tables may take together.

    Raises
    ------
    UsageError
        If TTT_FAST_TABLES_GB is no such number.
    """
    text = os.environ.get(QUOTA_VARIABLE, str(_QUOTA_GB))
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = -1.0
    if not 0 <= gigabytes < 1e6:
        raise UsageError(f"expected a number of gigabytes in {QUOTA_VARIABLE}, got {text!r}")
    return int(gigabytes * 1e9)


def _path(game: Game) -> Path:
    return folder() / f"{game.file_name}{_SUFFIX}"


def _description(game: Game) -> dict[str, Any]:
    """Return what a folder says of the game that it belongs to."""
    return {"format": _FORMAT, "game": game.name, "start": list(map(int, game.initial_state)), "rules": game.version}


def kept_tables() -> list[KeptTable]:
    """Return the large tables on disk, those used last first."""
    found = []
    for path in folder().glob(f"*{_SUFFIX}"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            told = json.loads((path / _DESCRIPTION).read_text(encoding="utf-8"))
            size = sum(one.stat().st_size for one in path.iterdir())
            opened = (path / _DESCRIPTION).stat().st_mtime
            found.append(KeptTable(str(told["spec"]), int(told["states"]), int(told["edges"]), size, opened, path))
    return sorted(found, key=lambda one: -one.opened)


def leftovers(seconds: float = 0.0) -> list[Path]:
    """Return the folders beside the tables that are none: killed commands leave such, as does a lost description.

    Parameters
    ----------
    seconds
        Only those in which nothing has been written for so long.
    """
    kept, found = {one.path for one in kept_tables()}, []
    for path in folder().iterdir():
        with suppress(OSError):
            written = max(one.stat().st_mtime for one in (path, *path.rglob("*")))
            if path.is_dir() and path not in kept and time.time() - written >= seconds:
                found.append(path)
    return found


def remove(path: Path) -> None:
    """Delete the folder of a table; processes that have it mapped go on with it."""
    shutil.rmtree(path, ignore_errors=True)


def is_kept(game: Game) -> bool:
    """Return whether there is a folder for the table of a game."""
    return _path(game).is_dir()


def open_table(game: Game) -> StateTable | None:
    """Return the table of a game from disk, its arrays mapped into memory.

    Returns
    -------
    StateTable or None
        None if it is not there, or no good: then a warning says why, and the folder is removed.
    """
    path = _path(game)
    if not is_kept(game):
        return None
    try:
        told = json.loads((path / _DESCRIPTION).read_text(encoding="utf-8"))
        if not isinstance(told, dict) or {**told, **_description(game)} != told:
            raise ValueError("it belongs to another game, or another version")
        columns = {name: _mapped(path / f"{name}.npy", name) for name in ARRAY_NAMES}
        check_columns(columns, game.num_actions)
        os.utime(path / _DESCRIPTION)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        warnings.warn(f"the kept table of {game.spec} is damaged and is made again: {reason}", stacklevel=2)
        remove(path)
        return None
    return StateTable(game, **columns)


def _mapped(path: Path, name: str) -> NDArray[Any]:
    """Return an array of a folder, mapped read-only; raise ValueError if it is none, or of another type."""
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.ndim != 1 or array.dtype != COLUMN_TYPES[name]:
        raise ValueError(f"expected one row of {COLUMN_TYPES[name]} in {path.name}, got {array.shape} of {array.dtype}")
    return np.asarray(array)  # kernels know arrays, not their subclasses


def keep_table(table: StateTable) -> bool:
    """Write the table of a game to disk; return whether the quota and the disk had room.

    Tables that have not been used for the longest time are removed if the quota asks for it.
    """
    arrays = table.arrays()
    needed = sum(array.nbytes for array in arrays.values())
    with suppress(OSError):
        if not _make_room(needed):
            return False
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder()) as made:
            new = Path(made) / "table"
            new.mkdir()
            for name, array in arrays.items():
                with open(new / f"{name}.npy", "wb") as file:
                    np.save(file, array, allow_pickle=False)
                    _sync(file)
            told = {**_description(table.game), "spec": table.game.spec}
            told |= {"states": table.num_states, "edges": table.num_edges}
            with open(new / _DESCRIPTION, "w", encoding="utf-8") as text:
                json.dump(told, text)
                _sync(text)
            path = _path(table.game)
            remove(path)
            os.replace(new, path)
            return True
    return False


def _sync(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def _make_room(needed: int) -> bool:
    """Remove what is no table, then the tables used longest ago until a new one fits; return whether it does."""
    for path in leftovers(_SECONDS_OF_A_WRITER):
        remove(path)
    allowed, kept = quota(), kept_tables()
    if needed > allowed:
        return False
    while kept and needed + sum(one.bytes for one in kept) > allowed:
        remove(kept.pop().path)
    return shutil.disk_usage(folder()).free > 1.1 * needed
