"""Valuable contents of files, training runs and games of contests, which commands overwrite only on request."""

import os
from pathlib import Path
from typing import NamedTuple

from ttt_fast.core.archive import check_writable, read_meta
from ttt_fast.core.errors import UsageError
from ttt_fast.core.manifest import JsonObject

_MAX_HEAD_BYTES = 1 << 20


class KeptWork(NamedTuple):
    """The work stored in a file.

    Attributes
    ----------
    text
        A description for messages.
    length
        Episodes of a finished training run; None for work that can be resumed.
    """

    text: str
    length: int | None = None


def kept_work(path: str | os.PathLike[str]) -> KeptWork | None:
    """Return the work stored in a file; None for any other file.

    Only the description in the file is read, so that files of newer versions are protected too.
    """
    suffix = Path(path).suffix
    if not Path(path).is_file() or suffix not in (".npz", ".jsonl"):
        return None
    if suffix == ".jsonl":
        with open(path, "rb") as stream:
            head = stream.readline(_MAX_HEAD_BYTES)
        return KeptWork("the games of a contest") if head.startswith(b'{"schema": "ttt-fast/games/') else None
    meta = read_meta(path)
    if meta.get("kind") == "matches":
        return KeptWork("the games of a contest")
    return _training(meta)


def _training(meta: JsonObject) -> KeptWork | None:
    """Return the training run of a description; None if nothing has been learned yet."""
    try:
        wanted, chunk = int(meta["config"]["episodes"]), int(meta["config"]["chunk_episodes"])
        done = min(int(meta["chunks_done"]) * chunk, wanted)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if not done:
        return None
    if done < wanted:
        return KeptWork(f"{done:,} of {wanted:,} episodes of an unfinished run")
    return KeptWork(f"a finished run of {wanted:,} episodes", wanted)


def check_output(
    path: str | os.PathLike[str],
    length: float = 0,
    *,
    force: bool | None = None,
    makes_folders: bool = False,
    is_folder: bool = False,
) -> None:
    """Raise an error if a command must not write to a file or folder; called before anything is loaded or computed.

    Parameters
    ----------
    path
        The file or folder.
    length
        Episodes of the run to be written.  A finished run may be overwritten by a run of at least the same length.
    force
        Whether all work may be overwritten; None if the command has no such option.
    makes_folders
        Whether the command creates the folders that are missing.
    is_folder
        Whether the path is a folder, into which the command writes files.

    Raises
    ------
    UsageError
        If the file contains work that can be resumed, or a longer run.
    FileWriteError
        If the file or folder cannot be written.
    """
    check_writable(path, makes_folders, is_folder=is_folder)
    work = None if force else kept_work(path)
    if work is None or (work.length is not None and work.length <= length):
        return
    wanted = "another file" if force is None else "another file, or --force to overwrite this one"
    hint = (
        f"; --resume {path} continues that work" if work.length is None else f", more than {length:,}" if length else ""
    )
    raise UsageError(f"expected {wanted}, got {str(path)!r}, which contains {work.text}{hint}")
