"""Locks between processes: one run at a time writes a file or a folder.

A lock ends with its process, however that ends.  On Windows, and on file systems without locks, nothing is locked.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ttt_fast.core.errors import FileWriteError
from ttt_fast.core.signals import tidied_up

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def _lock(stream: IO[bytes]) -> bool:
    """Lock an open file until it is closed; return False if a lock of another stream prevents it."""
    if sys.platform == "win32" or fcntl is None:
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
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
        target = Path(path).resolve()
        if target.exists() and not (target.is_file() or target.is_dir()):
            return None
        beside = target.with_name(f".{target.name}.lock")
        while True:
            stream = open(beside, "ab")
            if not _lock(stream):
                stream.close()
                raise FileWriteError(f"cannot write {str(path)!r}: another run is writing it; wait until it has ended")
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(stream.fileno()), os.stat(beside)):
                    return stream
            stream.close()  # the run that ended has removed this file
    return None
