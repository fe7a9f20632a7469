"""The location and validity of the disk cache for compiled kernels and tables.

numba's disk cache detects an edit in the file of a cached function, but not in the files of the functions that it
calls.  Each entry therefore includes a hash of every source of the package that its kernel can reach by imports.  The
hash also covers the sources that implement the game of each state type in the signature.  A kernel whose sources are
unchanged is found again, regardless of other edits.
"""

import atexit
import hashlib
import json
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
_MARKER = "ttt_fast.json"
_SECONDS_KEPT = 30 * 24 * 3600.0
"""Age after which an unused folder of other settings is removed."""
_ENTRY_KEPT = 24 * 3600.0
"""Seconds since the last use after which compiled code of other sources is removed, when its kernel is recompiled."""
_DIGEST = hashlib.sha256().digest_size
_NAME = re.compile(r"(?:kernels|tables)-[0-9a-f]{16}")
_IMPORT = re.compile(rb"^from ttt_fast(?:\.([\w.]+))? import +(\([^)]*\)|[^\n]*)", re.MULTILINE)
_REMARK = re.compile(rb"#.*")
_WORD = re.compile(rb"\w+")


@cache
def _source(module: str) -> bytes | None:
    """Return the source of a module by its dotted name below `ttt_fast`, or None if the module does not exist."""
    path = PACKAGE.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        try:
            return candidate.read_bytes()
        except OSError:
            continue
    return None


def imported_modules(source: bytes) -> set[str]:
    """Return the modules of the package that a source imports at its left margin, which its kernels can refer to.

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
def _imports_of(module: str) -> set[str]:
    """Return the modules of the package that a module imports."""
    return imported_modules(_source(module) or b"")


@cache
def reached_modules(module: str) -> frozenset[str]:
    """Return a module of the package and all modules that it imports, directly or indirectly."""
    reached: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _imports_of(name)
    return frozenset(reached)


@cache
def modules_of(path: str) -> tuple[bytes, frozenset[str]]:
    """Return the source of a file, empty if it is a module of the package, and the modules of the package it reaches.

    The file may be outside the package, for example a user's game or benchmark.
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


def file_stamp(path: str | os.PathLike[str]) -> tuple[int, ...]:
    """Return the identity of a file and the time of its last change, a key for its cached content; () if missing."""
    try:
        one = os.stat(path)
    except (OSError, ValueError):
        return ()  # reading reports the error
    return one.st_dev, one.st_ino, one.st_ctime_ns, one.st_mtime_ns, one.st_size


def _candidate_parents() -> Iterator[Path]:
    """Yield the candidate parents of the cache folder, best first; the last resort is a private temporary folder."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        yield Path(named).absolute()
    yield PACKAGE / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if os.path.isabs(home):  # a relative path is invalid by its specification; "~": no home folder
        yield Path(home) / "ttt_fast"


def _is_private(described: os.stat_result) -> bool:
    """Return whether a file's group is private to its owner: the primary group, of the same name, without others.

    Systems with such groups use a umask of 002, which leaves folders writable by the group.
    """
    if sys.platform == "win32":
        return False
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(described.st_uid), grp.getgrgid(described.st_gid)
    except KeyError:
        return False
    is_own = (user.pw_gid, user.pw_name) == (described.st_gid, group.gr_name)
    return is_own and set(group.gr_mem) <= {user.pw_name}


def _is_ours_alone(folder: Path) -> bool:
    """Return whether no other user can put files into a folder, or replace it or a folder above it.

    The entries of the cache are unpickled and executed.  Folders above must belong to this user or to root.  They may
    be writable by others only if the sticky bit protects their content.  The members of a group count as others, unless
    it is the owner's private group.
    """
    if not hasattr(os, "getuid"):
        return True
    mine = os.getuid()
    for place in (folder, *folder.resolve().parents):
        described = place.stat()
        mode, is_protected = described.st_mode, place != folder and described.st_mode & stat.S_ISVTX
        is_open = mode & stat.S_IWOTH or (mode & stat.S_IWGRP and not _is_private(described))
        if described.st_uid not in ((mine,) if place == folder else (mine, 0)) or (is_open and not is_protected):
            return False
    return True


def _opened(folder: Path) -> bool:
    """Create a cache folder or accept an existing one; return whether it is usable."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not _is_ours_alone(folder):
            return False
        marked = json.dumps({"made_by": "ttt_fast", "package": str(PACKAGE)}).encode()
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(marked)  # a full disk is noticed here, and not by an empty marker
        (folder / _MARKER).write_bytes(marked)
        return True
    except OSError:
        return False


def _remove_stale(parent: Path, keep: Path) -> None:
    """Delete folders that this package made for other settings and that have not been used for a month."""
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
    """Return the first usable folder for cached data.

    The order is NUMBA_CACHE_DIR, the package's own `__pycache__`, the user's cache folder, and a private temporary
    folder.  The last is used with read-only site-packages and no home folder, and its content is made again in each
    process.  A folder is skipped if other users can write to it or to a folder above it.

    Parameters
    ----------
    kind
        `kernels` or `tables`: the beginning of the folder's name.
    settings
        Text whose hash forms the rest of the name, so that other settings use another folder.
    """
    name = f"{kind}-{hashlib.sha256(settings.encode()).hexdigest()[:16]}"
    for parent in _candidate_parents():
        if _opened(parent / name):
            _remove_stale(parent, keep=parent / name)
            return parent / name
    try:
        private = Path(tempfile.mkdtemp(prefix="ttt_fast-"))
        (private / name).mkdir()
    except OSError:
        return Path(os.devnull) / name  # nothing can be stored in this process
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private / name


class Entries:
    """The compiled code of a function on disk: one file per key, with a checksum before the code.

    numba's own index is one file for all signatures of a function.  If two processes write it, one entry is lost.
    Reading it also imports the types of every signature, possibly while another kernel is being compiled.

    Parameters
    ----------
    folder, name
        The folder of the files, and the prefix of their names.
    dumps
        Serializes the data of numba to bytes.
    """

    def __init__(self, folder: Path, name: str, dumps: Callable[[object], bytes]) -> None:
        self._folder, self._name, self._dumps = folder, re.sub(r"[^\w.-]", "_", name)[-80:], dumps

    def _path(self, key: tuple[object, object]) -> Path:
        sources, other = (hashlib.sha256(repr(part).encode()).hexdigest() for part in key)
        return self._folder / f"{self._name}.{sources[:12]}.{other[:20]}.nbc"

    def load(self, key: tuple[object, object]) -> Any:
        """Return the data stored under a key; None if the file is missing or damaged."""
        path = self._path(key)
        try:
            content = path.read_bytes()
            if content[:_DIGEST] != hashlib.sha256(content[_DIGEST:]).digest():
                return None
            found = pickle.loads(memoryview(content)[_DIGEST:])
            os.utime(path)
            return found
        except (OSError, ImportError, AttributeError):
            return None

    def save(self, key: tuple[object, object], data: object) -> None:
        """Store `data` under a key; a reader never sees a partial file.  If the disk is full, nothing is stored.

        Parameters
        ----------
        key
            A pair: the hash of the sources, and the rest.  Code of other sources that was not used for a day is
            removed.
        data
            The data to be stored.
        """
        path, content = self._path(key), self._dumps(data)
        self._remove(lambda other: not other.name.startswith(path.name[:-24]) and _unused(other) > _ENTRY_KEPT)
        name = ""
        try:
            made, name = tempfile.mkstemp(dir=self._folder, prefix=f"{path.name}.tmp.")
            with open(made, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            os.replace(name, path)
        except OSError as error:
            with suppress(OSError):
                os.unlink(name)
            _warn_unsaved(self._folder, error.strerror or str(error))

    def flush(self) -> None:
        """Remove all stored data of the function."""
        self._remove(lambda path: True)

    def _remove(self, unwanted: Callable[[Path], bool]) -> None:
        for path in self._folder.glob(f"{self._name}.*.nbc*"):  # temporary files of killed processes, too
            with suppress(OSError):  # removed meanwhile, or, on Windows, read by another process
                if unwanted(path):
                    path.unlink()


@cache
def _warn_unsaved(folder: Path, reason: str) -> None:
    """Say once that compiled code is not stored."""
    warnings.warn(
        f"compiled code cannot be stored in {folder} ({reason.lower()}); every process compiles it again", stacklevel=2
    )


def _unused(path: Path) -> float:
    """Return the seconds since the last use of a file, 0 if another process has removed it."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
