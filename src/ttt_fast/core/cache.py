"""Where compiled kernels and small tables are kept between processes, and when they may be used again.

numba's disk cache sees an edit in the file of a cached function, but not in the files of the functions that it calls.
Each entry therefore carries a hash of every source of the package that its kernel can reach by imports.  It also
covers the sources that implement the game of each type of state in the signature.  A kernel whose sources have not
changed is found again, whatever else has been edited.
"""

import atexit
import hashlib
import json
import os
import pickle
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
_MARKER = "ttt_fast.json"
_SECONDS_KEPT = 30 * 24 * 3600.0
"""A folder of other settings that no process has opened for so long is removed."""
_ENTRY_KEPT = 24 * 3600.0
"""Compiled code of other sources is removed when its kernel is compiled again, unless used within so many seconds."""
_NAME = re.compile(r"(?:kernels|tables)-[0-9a-f]{16}")
_IMPORT = re.compile(rb"^from ttt_fast(?:\.([\w.]+))? import +(\([^)]*\)|[^\n]*)", re.MULTILINE)
_REMARK = re.compile(rb"#.*")
_WORD = re.compile(rb"\w+")


@cache
def _source(module: str) -> bytes | None:
    """Return the source of a module of the package by its dotted name below `ttt_fast`, None if there is none."""
    path = PACKAGE.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        try:
            return candidate.read_bytes()
        except OSError:
            continue
    return None


def imported_modules(source: bytes) -> set[str]:
    """Return the modules of the package that a source imports at its left margin: what its kernels can name.

    Examples
    --------
    >>> sorted(imported_modules(b"from ttt_fast.games import api"))
    ['games', 'games.api']
    """
    found = set()
    for base, names in _IMPORT.findall(source):
        package = base.decode()
        inner = (word.decode() for word in _WORD.findall(_REMARK.sub(b"", names)))
        found |= {package, *(f"{package}.{name}".lstrip(".") for name in inner)}
    return {module for module in found if module and _source(module) is not None}


@cache
def reached_modules(module: str) -> frozenset[str]:
    """Return a module of the package and all that it imports, directly or not."""
    reached: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imported_modules(_source(name) or b"")
    return frozenset(reached)


@cache
def modules_of(path: str) -> tuple[bytes, frozenset[str]]:
    """Return the source of a file, empty if it is a module of the package, and the modules of the package it reaches.

    The file may be outside of the package: a game or a benchmark by somebody else.
    """
    try:
        inner = Path(path).resolve().relative_to(PACKAGE)
    except ValueError:
        source = Path(path).read_bytes() if Path(path).is_file() else b""  # typed at a prompt
        return source, frozenset(name for module in imported_modules(source) for name in reached_modules(module))
    return b"", reached_modules(".".join(inner.with_suffix("").parts).removesuffix(".__init__"))


@cache
def sources_digest(path: str) -> str:
    """Return the hash of a source file and of every module of the package that it reaches."""
    source, modules = modules_of(path)
    digest = hashlib.sha256(source)
    for name in sorted(modules):
        digest.update(name.encode())
        digest.update(_source(name) or b"")
    return digest.hexdigest()


def _candidate_parents() -> Iterator[Path]:
    """Yield the parents of the cache folder, best first (a private temporary folder is the last resort)."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        yield Path(named).absolute()
    yield PACKAGE / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if os.path.isabs(home):  # a relative one is invalid by its specification; "~": there is no home
        yield Path(home) / "ttt_fast"


def _is_private(group: int, owner: int) -> bool:
    """Return whether a group is the private one of a user: the primary one, of the same name, with no other member.

    Systems that give each user such a group have a umask of 002, which leaves folders writable by the group.
    """
    import grp
    import pwd

    try:
        user, described = pwd.getpwuid(owner), grp.getgrgid(group)
    except KeyError:
        return False
    is_own = user.pw_gid == group and user.pw_name == described.gr_name
    return is_own and set(described.gr_mem) <= {user.pw_name}


def _is_writable_by_others(described: os.stat_result) -> bool:
    by_group = described.st_mode & stat.S_IWGRP and not _is_private(described.st_gid, described.st_uid)
    return bool(described.st_mode & stat.S_IWOTH or by_group)


def _is_ours_alone(folder: Path) -> bool:
    """Return whether nobody else can put files into a folder, or replace it or a folder above it.

    The entries of the cache are unpickled and run.  Folders above must belong to this user or to root, and be
    writable by others only where the sticky bit protects their content.  The members of a group are others, unless it
    is the owner's private group.
    """
    if not hasattr(os, "getuid"):
        return True
    for place in (folder, *folder.resolve().parents):
        described = place.stat()
        if described.st_uid not in (os.getuid(), 0):
            return False
        is_protected = described.st_mode & stat.S_ISVTX and place != folder
        if not is_protected and _is_writable_by_others(described):
            return False
    return folder.stat().st_uid == os.getuid()


def _opened(folder: Path) -> bool:
    """Make a cache folder or take an existing one; return whether it can be used."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not _is_ours_alone(folder):
            return False
        marker = folder / _MARKER
        marker.write_text(json.dumps({"made_by": "ttt_fast", "package": str(PACKAGE)}), encoding="utf-8")
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _remove_stale(parent: Path, keep: Path) -> None:
    """Delete folders that this package made for other settings and that nobody has opened for a month."""
    for path in parent.iterdir():
        try:
            if path == keep or not _NAME.fullmatch(path.name) or path.is_symlink():
                continue
            made = json.loads((path / _MARKER).read_text(encoding="utf-8"))
            unused = time.time() - (path / _MARKER).stat().st_mtime
            if made["made_by"] == "ttt_fast" and unused > _SECONDS_KEPT and path.stat().st_uid == keep.stat().st_uid:
                shutil.rmtree(path, ignore_errors=True)
        except (OSError, ValueError, KeyError, TypeError):
            continue


def choose_folder(kind: str, settings: str) -> Path:
    """Return the first usable folder for what is kept between processes.

    The order is NUMBA_CACHE_DIR, the package's own `__pycache__`, the user's cache folder, and a private temporary
    one (read-only site-packages and no home: everything is then made again in each process).  A folder that others
    can write to, or that lies in one, is passed over.

    Parameters
    ----------
    kind
        `kernels` or `tables`: the beginning of the folder's name.
    settings
        Text of whose hash the rest of the name is made: other settings, another folder.
    """
    name = f"{kind}-{hashlib.sha256(settings.encode()).hexdigest()[:16]}"
    for parent in _candidate_parents():
        if _opened(parent / name):
            _remove_stale(parent, keep=parent / name)
            return parent / name
    private = Path(tempfile.mkdtemp(prefix="ttt_fast-"))
    (private / name).mkdir()
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private / name


class Entries:
    """The compiled code of a function on disk: one file per key.

    numba's own index is one file for all signatures of a function: of two processes that write it, one is lost, and
    reading it imports the types of every signature, also while another kernel is being compiled.

    Parameters
    ----------
    folder, name
        Where the files are, and how their names begin.
    dumps
        Returns the bytes of what numba wants to keep.
    """

    def __init__(self, folder: Path, name: str, dumps: Callable[[object], bytes]) -> None:
        self._folder, self._name, self._dumps = folder, re.sub(r"[^\w.-]", "_", name)[-80:], dumps

    def _path(self, key: tuple[object, object]) -> Path:
        sources, other = (hashlib.sha256(repr(part).encode()).hexdigest() for part in key)
        return self._folder / f"{self._name}.{sources[:12]}.{other[:20]}.nbc"

    def load(self, key: tuple[object, object]) -> Any:
        """Return what is kept under a key, None if nothing is or the file is damaged."""
        path = self._path(key)
        try:
            found = pickle.loads(path.read_bytes())
            os.utime(path)
            return found
        except (OSError, EOFError, ImportError, AttributeError, pickle.UnpicklingError):
            return None

    def save(self, key: tuple[object, object], data: object) -> None:
        """Keep `data` under a key; a reader finds the whole file or none.

        Parameters
        ----------
        key
            What stands for the sources, and the rest.  Code of other sources that was not used for a day is removed.
        data
            What to keep.
        """
        path, content = self._path(key), self._dumps(data)
        self._remove(lambda other: not other.name.startswith(path.name[:-24]) and _unused(other) > _ENTRY_KEPT)
        made, name = tempfile.mkstemp(dir=self._folder, prefix=f"{path.name}.tmp.")
        with open(made, "wb") as file:
            file.write(content)
        os.replace(name, path)

    def flush(self) -> None:
        """Remove all that is kept of the function."""
        self._remove(lambda path: True)

    def _remove(self, unwanted: Callable[[Path], bool]) -> None:
        for path in self._folder.glob(f"{self._name}.*.nbc*"):  # temporary files of killed processes, too
            if unwanted(path):
                path.unlink(missing_ok=True)


def _unused(path: Path) -> float:
    """Return the seconds since a file was used last, 0 if another process has removed it."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
