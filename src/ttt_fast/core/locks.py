"""Locks between processes: one run at a time writes a file or a folder.

A lock ends with its process, however that ends.  On Windows, and on file systems without locks, nothing is locked.
"""

import contextlib
import errno
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ttt_fast.core.errors import FileWriteError
from ttt_fast.core.signals import tidied_up

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SECONDS_OF_A_WRITER, _SECONDS_TO_LOCK = 3600.0, 60.0
"""Ages above which an unfinished file may be abandoned: where nothing can be locked, and elsewhere."""


def plain_name(path: str | os.PathLike[str]) -> str:
    """Return the text of a path, which is shown in tables and pages; raise ValueError for control characters in it."""
    if _CONTROLS.search(text := os.fspath(path)):
        raise ValueError("the name contains control characters; rename the file")
    return text


def real_path(path: str | os.PathLike[str]) -> Path:
    """Return a plain path without symbolic links; raise OSError for links in a circle on each version of Python."""
    found = os.path.realpath(plain_name(path))
    if os.path.islink(found):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return Path(found)


def is_abandoned(path: Path) -> bool:
    """Return whether an unfinished file, or a folder, has no living writer, which would have locked a file at once."""
    with contextlib.suppress(OSError):
        locked, age = None, time.time() - path.stat().st_mtime
        if path.is_file():
            with open(path, "rb") as stream:
                locked = lock(stream)
        return locked is not False and age > (_SECONDS_TO_LOCK if locked else _SECONDS_OF_A_WRITER)
    return False


def lock(stream: IO[bytes] | int) -> bool | None:
    """Lock an open file until it is closed; return False if another stream has locked it, None without locks."""
    if sys.platform == "win32" or fcntl is None:
        return None
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


@contextlib.contextmanager
def only_writer(path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Lock a file or a folder by an empty file beside it, which is removed at the end.

    A missing folder, a device or a pipe is not locked; neither is None.

    Raises
    ------
    FileWriteError
        If another run has locked it.
    """
    stream = None if path is None or fcntl is None else _locked(path)
    if stream is None:
        yield
        return
    with stream, tidied_up(lambda: Path(stream.name).unlink(missing_ok=True)):
        try:
            yield
        finally:
            Path(stream.name).unlink(missing_ok=True)  # while it is locked


def _locked(path: str | os.PathLike[str]) -> IO[bytes] | None:
    """Return the locked file beside a path; None if there can be none."""
    with contextlib.suppress(OSError, ValueError):
        target = real_path(path)
        if target.exists() and not (target.is_file() or target.is_dir()):
            return None
        beside = target.with_name(f".{target.name}.lock")
        while True:
            stream = open(beside, "ab")
            if lock(stream) is False:
                stream.close()
                raise FileWriteError(f"cannot write {str(path)!r}: another run is writing it; wait until it has ended")
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(stream.fileno()), os.stat(beside)):
                    return stream
            stream.close()  # the run that ended has removed this file
    return None
