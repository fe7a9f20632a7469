"""Robust files: atomic replacement, and `.npz` archives with a JSON description, checked on reading.

Every file of this package is first written to a temporary file in the same folder, synchronised, and then renamed to
its final name.  A crash, a full disk or a kill therefore leaves either the old file or the new one.
"""

import contextlib
import errno
import fnmatch
import io
import json
import math
import os
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import OTHER_PROGRAMS, FileFormatError, FileWriteError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.members import array_of, content_of, header_of, sizes
from ttt_fast.core.signals import tidied_up

FORMAT = "ttt-fast"
FORMAT_VERSION = 1
MAX_FILE_BYTES = 256 * 1024 * 1024
"""Size limit of files; a larger file is not read into memory."""
MAX_META_BYTES = 1 << 22
"""Size limit of descriptions."""
_PIECE_BYTES = 1 << 20
"""Size of a read from a device or a pipe, which has no size of its own."""
_LARGE_MEMBER = 1 << 30  # bytes above which sizes are written as 64-bit numbers
_MOST_RATIO = 100
"""Limit on the compression ratio of arrays of any length; those of this package reach at most ten."""
_SMALL_BYTES = 1 << 26
"""Size up to which any compression ratio is allowed."""


class Archive(NamedTuple):
    """The content of a `.npz` file: its kind, its arrays, and its description."""

    kind: str
    arrays: dict[str, NDArray[Any]]
    meta: JsonObject


class ArraySpec(NamedTuple):
    """The specification of an array in an archive.

    Attributes
    ----------
    dtype, shape
        The dtype and the shape; -1 in the shape means any length.
    most
        Maximum number of elements.
    is_read
        Whether the array is read; an array that is not read may be absent.
    """

    dtype: str
    shape: tuple[int, ...]
    most: int | None = None
    is_read: bool = True


ArraySpecs = Mapping[str, ArraySpec | None]
"""The arrays of a kind by name; None for an array that is not read.  A final `*` matches any suffix."""


def write_atomically(path: str | os.PathLike[str], write: Callable[[BinaryIO], object]) -> None:
    """Write a file atomically.

    Parameters
    ----------
    path
        The file to create or replace.  A symbolic link is kept, and its target is replaced.  A device or a pipe
        (`/dev/stdout`) is written to directly.
    write
        Called with a binary stream.

    Raises
    ------
    FileWriteError
        If an error occurs; an existing file at `path` is then unchanged.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as stream:
                write(stream)
            return
        target = Path(path).resolve()
        prefix = f".{target.name[:40]}."
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=".tmp")
    except (OSError, ValueError) as error:
        raise FileWriteError(f"cannot write {str(path)!r}: {_reason(error)}") from error

    def remove() -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)

    with tidied_up(remove):
        try:
            with os.fdopen(descriptor, "wb") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, target)
        except OSError as error:
            raise FileWriteError(f"cannot write {str(path)!r}: {_reason(error)}; nothing was changed") from error
        finally:
            remove()


def check_writable(path: str | os.PathLike[str], makes_folders: bool = False, *, is_folder: bool = False) -> None:
    """Raise a one-line FileWriteError if a file cannot be created or replaced, as a temporary file beside it shows.

    Parameters
    ----------
    path
        The file.
    makes_folders
        Whether missing folders will be created.
    is_folder
        Whether `path` is a folder of files to write.
    """
    try:
        if not is_folder and os.path.exists(path) and not os.path.isfile(path):
            wrong = errno.EISDIR if os.path.isdir(path) else 0 if os.access(path, os.W_OK) else errno.EACCES
            if wrong:
                raise OSError(wrong, os.strerror(wrong))
            return
        folder = Path(path).resolve() if is_folder else Path(path).resolve().parent
        while makes_folders and not folder.exists():
            folder = folder.parent
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, ValueError) as error:
        raise FileWriteError(f"cannot write {str(path)!r}: {_reason(error)}") from error


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents, or raise a one-line FileWriteError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileWriteError(f"cannot make the folder {str(path)!r}: {_reason(error)}") from error


def read_bytes(path: str | os.PathLike[str], max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a file of at most `max_bytes`, or raise a one-line FileFormatError.

    Memory use is bounded by the actual size of the file, however large `max_bytes` is.
    """
    try:
        with open(path, "rb") as stream:
            content = _up_to(max_bytes + 1, stream)
    except (OSError, ValueError) as error:
        raise FileFormatError(f"cannot read {str(path)!r}: {_reason(error)}") from error
    if len(content) > max_bytes:
        raise FileFormatError(f"{str(path)!r}: expected at most {max_bytes} bytes, got more")
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the content of a UTF-8 file without its byte order mark; errors as `read_bytes`."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError(f"{str(path)!r}: expected UTF-8 text, got other bytes") from None


def _up_to(limit: int, stream: BinaryIO) -> bytes:
    """Return the content of a stream, up to `limit` bytes."""
    described = os.fstat(stream.fileno())
    ordinary = stat.S_ISREG(described.st_mode)  # a device has no size, and may be endless
    pieces, left, step = list[bytes](), limit, described.st_size + 1 if ordinary else _PIECE_BYTES
    while left:
        asked = min(step, left)
        piece = stream.read(asked)
        pieces.append(piece)
        if len(piece) < asked:
            break
        left, step = left - asked, _PIECE_BYTES  # the file has grown, or its size is unknown
    return b"".join(pieces)


def save_archive(
    path: str | os.PathLike[str],
    kind: str,
    arrays: Mapping[str, NDArray[np.generic]],
    meta: Mapping[str, object],
    *,
    compressed: bool = False,
) -> None:
    """Write arrays and their JSON description to a `.npz` file, atomically.

    The same arrays and description give the same bytes: unlike `numpy.savez`, no time is stored.  Compression is meant
    for large arrays: it is fast and reduces them to a half or a quarter.
    """
    described = {**meta, "format": FORMAT, "version": FORMAT_VERSION, "kind": kind}
    text = np.array(json.dumps(described, sort_keys=True))
    compression = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED

    def write(stream: BinaryIO) -> None:
        """Write the members one by one, because a copy of large arrays might not fit into memory."""
        with zipfile.ZipFile(stream, "w", compression, compresslevel=1) as archive:
            for name, array in {"meta": text, **arrays}.items():
                with archive.open(f"{name}.npy", "w", force_zip64=array.nbytes > _LARGE_MEMBER) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)

    write_atomically(path, write)


def read_meta(path: str | os.PathLike[str]) -> JsonObject:
    """Return the description of a `.npz` file of this package, without its arrays; empty for any other file."""
    if not os.path.isfile(path):  # a pipe can be read only once
        return {}
    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(str(array_of(content_of(archive, archive.getinfo("meta.npy"), MAX_META_BYTES))[()]))
    except Exception:  # as in `_read_members`; the error is reported when the whole file is read
        return {}
    return meta if isinstance(meta, dict) and meta.get("format") == FORMAT else {}


def load_archive(
    path: str | os.PathLike[str], kinds: Mapping[str, ArraySpecs], max_bytes: int = MAX_FILE_BYTES
) -> Archive:
    """Read a `.npz` file of one of the given kinds and check every array against its specification.

    Names, dtypes and sizes of all arrays are checked before any array is decompressed; checksums are verified on
    reading.

    Parameters
    ----------
    path
        The file.
    kinds
        The arrays of each kind that may be read.
    max_bytes
        Largest size, both compressed and decompressed, of a file that is read into memory; a larger one is refused.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged or truncated, has a newer format version, or has another format or kind.
    """
    with _opened(path, max_bytes) as (archive, members):
        meta = _checked_meta(path, archive, members)
        kind = meta["kind"]
        if kind not in kinds:
            expected = " or ".join(repr(name) for name in kinds)
            raise FileFormatError(f"{str(path)!r}: expected a file of kind {expected}, got {kind!r}")
        specs = kinds[kind]
        read = [name for name, spec in specs.items() if spec is not None and spec.is_read]
        for name in read:
            if name not in members:
                raise FileFormatError(f"{str(path)!r}: expected an array {name!r}, found none; the file is damaged")
        for name, info in members.items():
            if name != "meta" and not any(fnmatch.fnmatchcase(name, known) for known in specs):
                raise FileFormatError(f"{str(path)!r}: expected no array {name!r} in a file of kind {kind!r}")
            if name != "meta":
                _check_member(f"{str(path)!r}: expected {name!r}", archive, info, specs.get(name))
        arrays = {name: array_of(content_of(archive, members[name], max_bytes)) for name in read}
    return Archive(kind, {name: np.asarray(array, order="C") for name, array in arrays.items()}, meta)


def load_arrays(path: str | os.PathLike[str], max_bytes: int = MAX_FILE_BYTES) -> dict[str, NDArray[Any]]:
    """Read a `.npz` file of `numpy.savez`, without a description; a compressed file is refused.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, truncated or of another kind.
    """
    with _opened(path, max_bytes) as (archive, members):
        if any(info.compress_type != zipfile.ZIP_STORED for info in members.values()):
            raise ValueError("a member is compressed")
        return {name: array_of(content_of(archive, info, max_bytes)) for name, info in members.items()}


def check_whole(path: str | os.PathLike[str]) -> dict[str, tuple[int, ...]]:
    """Verify all checksums of a `.npz` file, in little memory, before its content is used.

    Returns
    -------
    dict
        The shapes of its arrays; empty for a pipe, which can be read only once.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged or truncated, has a newer format version, or has another format.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        return {}
    with _opened(path, sys.maxsize) as (archive, members):
        _checked_meta(path, archive, members)
        packed, unpacked = (sum(one) for one in zip(*map(sizes, members.values()), strict=True))
        if unpacked > max(_SMALL_BYTES, _MOST_RATIO * packed):
            raise ValueError("the members are too large")
        shapes = {name: header_of(archive, info)[0] for name, info in members.items()}
        for info in members.values():
            with archive.open(info) as member:
                while member.read(_PIECE_BYTES):
                    pass
    return shapes


@contextlib.contextmanager
def _opened(
    path: str | os.PathLike[str], max_bytes: int
) -> Iterator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]]:
    """Open a zip file of `.npy` members, by name, whose total size is within bounds.

    Exceptions of zipfile, zlib and numpy for damaged bytes are converted to a FileFormatError of one line.
    """
    try:
        with _stream_of(path, max_bytes) as stream, zipfile.ZipFile(stream) as archive:
            infos = archive.infolist()
            packed, unpacked = (sum(one) for one in zip((0, 0), *map(sizes, infos), strict=True))
            if unpacked > max_bytes or packed > stream.seek(0, os.SEEK_END):
                raise ValueError("the members are too large")
            members = {info.filename.removesuffix(".npy"): info for info in infos if info.filename.endswith(".npy")}
            if len(members) < len(infos):
                raise ValueError("a member is repeated or is not an array")
            yield archive, members
    except (FileFormatError, MemoryError):
        raise
    except Exception as error:
        raise FileFormatError(
            f"{str(path)!r}: expected a .npz file of {FORMAT}, but the file is damaged, truncated or of another kind"
            "; restore it from a copy or make it again"
        ) from error


def _stream_of(path: str | os.PathLike[str], max_bytes: int) -> BinaryIO:
    """Open a file, or read a pipe, of at most `max_bytes`, or raise a one-line FileFormatError."""
    if os.path.exists(path) and not os.path.isfile(path):
        return io.BytesIO(read_bytes(path, max_bytes))
    try:
        stream = open(path, "rb")
    except (OSError, ValueError) as error:
        raise FileFormatError(f"cannot read {str(path)!r}: {_reason(error)}") from error
    if os.fstat(stream.fileno()).st_size > max_bytes:
        stream.close()
        raise FileFormatError(f"{str(path)!r}: expected at most {max_bytes} bytes, got more")
    return stream


def _check_member(expected: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, spec: ArraySpec | None) -> None:
    """Raise FileFormatError or ValueError unless a member matches a specification; only its header is read."""
    shape, dtype, start = header_of(archive, info)
    spec = spec or ArraySpec(str(dtype), (-1,) * len(shape))
    fits = len(shape) == len(spec.shape) and all(
        want in (-1, have) for want, have in zip(spec.shape, shape, strict=True)
    )
    if str(dtype) != spec.dtype or not fits:
        raise FileFormatError(f"{expected} of {spec.dtype} and shape {spec.shape}, got {dtype} and {shape}")
    size = math.prod(shape)
    if size * dtype.itemsize != info.file_size - start:
        raise ValueError("the length of an array differs from its header")
    if spec.most is not None and size > spec.most:
        raise FileFormatError(f"{expected} of at most {spec.most:,} elements, got {size:,}; the file is damaged")
    if -1 in spec.shape and info.file_size > max(_SMALL_BYTES, _MOST_RATIO * info.compress_size):
        raise FileFormatError(
            f"{expected} of at most {_MOST_RATIO} times its {info.compress_size:,} packed bytes,"
            f" got {info.file_size:,}; the file is damaged"
        )


def _checked_meta(
    path: str | os.PathLike[str], archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo]
) -> JsonObject:
    text = array_of(content_of(archive, members["meta"], MAX_META_BYTES)) if "meta" in members else None
    try:
        meta = json.loads(str(text[()])) if text is not None else {}
        if meta["format"] != FORMAT:
            raise ValueError("another format")
        if not isinstance(meta["kind"], str) or not isinstance(meta["version"], int):
            raise TypeError("a kind or a version of the wrong type")
    except (KeyError, ValueError, TypeError, IndexError, RecursionError) as error:
        raise FileFormatError(
            f"{str(path)!r}: expected a .npz file of {FORMAT}, got a file that another program wrote{OTHER_PROGRAMS}"
        ) from error
    if meta["version"] > FORMAT_VERSION:
        raise FileFormatError(
            f"{str(path)!r}: written by a newer {FORMAT} (file version {meta['version']}, this program reads"
            f" up to {FORMAT_VERSION}); upgrade {FORMAT}"
        )
    checked: JsonObject = meta
    return checked


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
