"""Frames in files: parquet with a seal, by which damage shows before anything parses it, and quiet reading without.

Parquet as polars writes it has no checksums.  A changed bit may give other values, an exception, a panic with pages of
backtrace, or a length that no machine has memory for, which ends the process.
"""

import hashlib
import io
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

CURVE_FORMATS = {".parquet": "parquet", ".jsonl": "jsonl", ".csv": "csv"}
"""The formats of curves by the endings of their files."""

_MARK = b"ttt-fast sha256 "
_DIGITS = 64
_TAIL = 8
"""Bytes behind the description at the end of a parquet file: its length, and `PAR1`."""
_quiet = threading.Lock()


def seal(parquet: bytes) -> bytes:
    """Return a parquet file with a hash of its bytes in it.

    The hash stands between the data and the description that ends the file, where readers of parquet never look.

    Examples
    --------
    >>> import io, polars as pl
    >>> stream = io.BytesIO()
    >>> pl.DataFrame({"episodes": [1, 2]}).write_parquet(stream)
    >>> content = seal(stream.getvalue())
    >>> has_seal(content), is_whole(content), is_whole(content.replace(b"episodes", b"episodeS"))
    (True, True, False)
    >>> pl.read_parquet(io.BytesIO(content))["episodes"].to_list()
    [1, 2]
    """
    place = len(parquet) - _TAIL - int.from_bytes(parquet[-_TAIL:-4], "little")
    return b"".join([parquet[:place], _MARK, _digest(parquet), parquet[place:]])


def encode_frame(frame: "pl.DataFrame", form: str) -> bytes:
    """Return a frame as csv, as lines of JSON, or as parquet with a seal.

    Examples
    --------
    >>> import polars as pl
    >>> encode_frame(pl.DataFrame({"episodes": [1, 2]}), "csv").splitlines()
    [b'episodes', b'1', b'2']
    """
    if form == "csv":
        return frame.write_csv().encode()
    if form == "jsonl":
        return frame.write_ndjson().encode()
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return seal(stream.getvalue())


def has_seal(content: bytes) -> bool:
    """Return whether a file has been sealed."""
    return _MARK in content


def is_whole(content: bytes) -> bool:
    """Return whether a sealed file is as it was written; a file without a seal is not."""
    place = content.rfind(_MARK)
    after = place + len(_MARK) + _DIGITS
    return place >= 0 and content[after - _DIGITS : after] == _digest(content[:place], content[after:])


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).hexdigest().encode()


@contextmanager
def without_backtraces() -> Iterator[None]:
    """Keep off standard error what Rust prints there when polars panics; the exception is raised all the same."""
    with _quiet:  # two threads at once would restore each other's silence
        try:
            kept = os.dup(2)
        except OSError:  # standard error is closed
            yield
            return
        try:
            with open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
