"""Frames in files, read and written; parquet files have a seal that reveals damage before parsing.

Parquet files written by polars have no checksums.  A changed bit may result in other values, an exception, or a length
beyond the memory of any machine, which ends the process.
"""

import hashlib
import io
import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_fast.core.errors import FileFormatError, TttFastError, UsageError

if TYPE_CHECKING:
    import polars as pl

CURVE_FORMATS = {".parquet": "parquet", ".jsonl": "jsonl", ".csv": "csv"}
"""The formats of curves by file name suffix."""

READABLE_FORMATS = (".parquet", ".csv", ".jsonl", ".json")
"""The file name suffixes that `read_frame` accepts."""

_claimed: set[int] = set()
"""The process that has used the threads of polars; after a fork, also its parent."""
_MARK = b"ttt-fast sha256 "
_DIGITS = 64
_TAIL = 8
"""Bytes after the footer of a parquet file: its length, and `PAR1`."""


def claim_threads() -> None:
    """Note that this process uses the threads of polars; raise TttFastError if only its parent has them.

    A forked process has none of its parent's threads, so that polars would wait for them without end.
    """
    _claimed.add(os.getpid())
    if len(_claimed) > 1:
        raise TttFastError(
            "expected a process of its own, got one that was forked after polars had started its threads; start"
            " workers with multiprocessing.get_context('spawn') (docs/GOTCHAS.md)"
        )


def seal(parquet: bytes) -> bytes:
    """Return a parquet file with an embedded hash of its bytes.

    The hash lies between the data and the footer, in a place that parquet readers ignore.

    Examples
    --------
    >>> import io, polars as pl
    >>> stream = io.BytesIO()
    >>> pl.DataFrame({"episodes": [1, 2]}).write_parquet(stream)
    >>> content = seal(stream.getvalue())
    >>> is_whole(content), is_whole(content.replace(b"episodes", b"episodeS"))
    (True, False)
    >>> pl.read_parquet(io.BytesIO(content))["episodes"].to_list()
    [1, 2]
    """
    place = len(parquet) - _TAIL - int.from_bytes(parquet[-_TAIL:-4], "little")
    return b"".join([parquet[:place], _MARK, _digest(parquet), parquet[place:]])


def encode_frame(frame: "pl.DataFrame", form: str) -> bytes:
    """Return a frame as csv, as JSON lines, or as parquet with a seal.

    Examples
    --------
    >>> import polars as pl
    >>> encode_frame(pl.DataFrame({"episodes": [1, 2]}), "csv").splitlines()
    [b'episodes', b'1', b'2']
    """
    claim_threads()
    if form == "csv":
        return frame.write_csv().encode()
    if form == "jsonl":
        return frame.write_ndjson().encode()
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return seal(stream.getvalue())


def frame_of(rows: Iterable[Mapping[str, Any]]) -> "pl.DataFrame":
    """Return the rows of a command as a frame, with lists and dictionaries as JSON texts.

    Examples
    --------
    >>> frame_of([{"games": 3, "plies": {5: 1, 9: 2}}]).rows()
    [(3, '{"5": 1, "9": 2}')]
    """
    import polars as pl

    flat = [{k: json.dumps(v) if isinstance(v, dict | list | tuple) else v for k, v in row.items()} for row in rows]
    return pl.DataFrame(flat, infer_schema_length=None)


def read_frame(path: str | os.PathLike[str]) -> "pl.DataFrame":
    """Return the rows of a parquet, CSV or JSON-lines file, or of a JSON file written by a command.

    Raises
    ------
    UsageError
        If the file name suffix is not supported.
    FileFormatError
        If the file is missing, damaged, empty or of another kind.

    Examples
    --------
    >>> import tempfile, polars as pl
    >>> frame = pl.DataFrame({"episodes": [1, 2], "wins": [0.5, 0.75]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "curve.parquet").write_bytes(encode_frame(frame, "parquet"))
    ...     read_frame(Path(folder, "curve.parquet")).equals(frame)
    True
    """
    import polars as pl

    from ttt_fast.core.archive import read_bytes  # which imports numpy

    suffix = Path(path).suffix.lower()
    if suffix not in READABLE_FORMATS:
        raise UsageError(f"expected a file that ends in {', '.join(READABLE_FORMATS)}, got {str(path)!r}")
    claim_threads()
    content = read_bytes(path)
    try:
        if suffix == ".parquet" and _MARK in content and not is_whole(content):
            raise ValueError("the content does not match the checksum")
        frame = _parsed(content, suffix)
        if not all(name.isprintable() for name in frame.columns):
            raise ValueError("a column name contains control characters")
        return frame
    except (Exception, pl.exceptions.PanicException) as error:  # damaged bytes may raise any exception
        raise FileFormatError(
            f"{str(path)!r}: expected a {suffix[1:]} file of rows, but it is damaged, empty or of another kind"
        ) from error


def _parsed(content: bytes, suffix: str) -> "pl.DataFrame":
    """Return the rows of a file's content, by the suffix of its name."""
    import polars as pl

    content = content.removeprefix(BOM_UTF8)
    if suffix == ".parquet":
        return pl.read_parquet(io.BytesIO(content))
    if suffix == ".json":
        return pl.DataFrame(json.loads(content)["rows"], infer_schema_length=None)
    read = pl.read_csv if suffix == ".csv" else pl.read_ndjson
    return read(io.BytesIO(content), infer_schema_length=None)


def is_whole(content: bytes) -> bool:
    """Return whether a file has a valid seal."""
    place = content.rfind(_MARK)
    after = place + len(_MARK) + _DIGITS
    return place >= 0 and content[after - _DIGITS : after] == _digest(content[:place], content[after:])


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).hexdigest().encode()
