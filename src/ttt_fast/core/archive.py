"""Files that survive: atomic replacement, and `.npz` archives with a JSON description, checked on reading.

Every file of this package is first written to a temporary file in the same folder, synchronised, and moved
over the old one.  A crash, a full disk or a kill then leaves either the old file or the new one.
"""

import contextlib
import copy
import io
import json
import math
import os
import stat
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import FileFormatError, FileWriteError
from ttt_fast.core.signals import tidied_up

FORMAT = "ttt-fast"
FORMAT_VERSION = 1
MAX_FILE_BYTES = 256 * 1024 * 1024
"""Few files of this package are larger; a larger one is taken for foreign and is not read into memory."""
MAX_META_BYTES = 1 << 22
"""No description is longer."""
_PIECE_BYTES = 1 << 20
"""What a device or a pipe, which has no size, is read by."""
_LARGE_MEMBER = 1 << 30  # bytes from which on sizes are written as 64 bits


class Archive(NamedTuple):
    """The content of a `.npz` file: its kind, its arrays, and its description."""

    kind: str
    arrays: dict[str, NDArray[Any]]
    meta: dict[str, Any]


class ArraySpec(NamedTuple):
    """The specification of an array in an archive; -1 in the shape means any length."""

    dtype: str
    shape: tuple[int, ...]


def write_atomically(path: str | os.PathLike[str], write: Callable[[BinaryIO], object]) -> None:
    """Write a file whole or not at all.

    Parameters
    ----------
    path
        The file to make or replace.  A symbolic link stays, and the file that it points to is replaced; a
        device or a pipe (`/dev/stdout`) is written to as it is.
    write
        Called with a binary stream.

    Raises
    ------
    FileWriteError
        If anything goes wrong; the old file at `path` is then untouched.
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


def make_folder(path: Path) -> None:
    """Make a folder and those above it, or raise a one-line FileWriteError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileWriteError(f"cannot make the folder {str(path)!r}: {_reason(error)}") from error


def read_bytes(path: str | os.PathLike[str], max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a file of at most `max_bytes`, or raise a one-line FileFormatError.

    No more memory is asked for than the file has bytes, however many it may have.
    """
    try:
        with open(path, "rb") as stream:
            content = _up_to(max_bytes + 1, stream)
    except (OSError, ValueError) as error:
        raise FileFormatError(f"cannot read {str(path)!r}: {_reason(error)}") from error
    if len(content) > max_bytes:
        raise FileFormatError(f"{str(path)!r}: expected at most {max_bytes} bytes, got more")
    return content


def _up_to(limit: int, stream: BinaryIO) -> bytes:
    """Return what a stream holds, or its first `limit` bytes."""
    described = os.fstat(stream.fileno())
    ordinary = stat.S_ISREG(described.st_mode)  # a device has no size, and may have no end
    pieces, left, step = list[bytes](), limit, described.st_size + 1 if ordinary else _PIECE_BYTES
    while left:
        asked = min(step, left)
        piece = stream.read(asked)
        pieces.append(piece)
        if len(piece) < asked:
            break
        left, step = left - asked, _PIECE_BYTES  # the file has grown, or does not tell its size
    return b"".join(pieces)


def save_archive(
    path: str | os.PathLike[str],
    kind: str,
    arrays: Mapping[str, NDArray[Any]],
    meta: Mapping[str, Any],
    *,
    compressed: bool = False,
) -> None:
    """Write arrays and their JSON description to a `.npz` file, atomically.

    The same arrays and description give the same bytes: unlike `numpy.savez`, no time is stored.  Compression is
    for large arrays: it is fast, and halves or quarters them.
    """
    described = {**meta, "format": FORMAT, "version": FORMAT_VERSION, "kind": kind}
    text = np.array(json.dumps(described, sort_keys=True))
    compression = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED

    def write(stream: BinaryIO) -> None:
        """Write the members as they come: a copy of large arrays might not fit the memory."""
        with zipfile.ZipFile(stream, "w", compression, compresslevel=1) as archive:
            for name, array in {"meta": text, **arrays}.items():
                with archive.open(f"{name}.npy", "w", force_zip64=array.nbytes > _LARGE_MEMBER) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)

    write_atomically(path, write)


def read_meta(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the description of a `.npz` file of ours without its arrays; empty for a foreign or damaged file."""
    if not os.path.isfile(path):  # a pipe can be read but once
        return {}
    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(str(_array_of(_content_of(archive, archive.getinfo("meta.npy"), MAX_META_BYTES))[()]))
    except Exception:  # as in `_read_members`; whoever reads the whole file says what is wrong
        return {}
    return meta if isinstance(meta, dict) and meta.get("format") == FORMAT else {}


def load_archive(
    path: str | os.PathLike[str],
    kinds: Mapping[str, Mapping[str, ArraySpec]],
    max_bytes: int = MAX_FILE_BYTES,
) -> Archive:
    """Read a `.npz` file of one of the given kinds and check every array against its specification.

    Parameters
    ----------
    path
        The file.
    kinds
        For each kind that may be read, its arrays.
    max_bytes
        A larger one is foreign, packed or unpacked, and is not read into memory.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, truncated, of another program, of another kind or newer.
    """
    members = _read_members(path, max_bytes)
    meta = _checked_meta(path, members)
    kind = meta["kind"]
    if kind not in kinds:
        expected = " or ".join(repr(name) for name in kinds)
        raise FileFormatError(f"{str(path)!r}: expected a file of kind {expected}, got {kind!r}")
    arrays = {}
    for name, spec in kinds[kind].items():
        if name not in members:
            raise FileFormatError(f"{str(path)!r}: expected an array {name!r}, found none; the file is damaged")
        array = members[name]
        fits = len(array.shape) == len(spec.shape) and all(
            want in (-1, have) for want, have in zip(spec.shape, array.shape, strict=True)
        )
        if str(array.dtype) != spec.dtype or not fits:
            raise FileFormatError(
                f"{str(path)!r}: expected {name!r} of {spec.dtype} and shape {spec.shape},"
                f" got {array.dtype} and {array.shape}"
            )
        arrays[name] = np.asarray(array, order="C")
    return Archive(kind, arrays, meta)


def _read_members(path: str | os.PathLike[str], max_bytes: int) -> dict[str, NDArray[Any]]:
    """Return every array of a zip file of `.npy` members; the zip checksums are verified on the way."""
    content = read_bytes(path, max_bytes)
    try:
        members = {}
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(info.file_size for info in archive.infolist()) > max_bytes:
                raise ValueError("too large")
            for info in archive.infolist():
                if not info.filename.endswith(".npy"):
                    raise ValueError(f"unexpected member {info.filename!r}")
                members[info.filename.removesuffix(".npy")] = _array_of(_content_of(archive, info, max_bytes))
        return members
    except MemoryError:
        raise
    except Exception as error:  # whatever zipfile, zlib or numpy raise on damaged bytes is one thing to users
        raise FileFormatError(
            f"{str(path)!r}: expected a .npz file of {FORMAT}, but it is damaged, truncated or foreign"
            "; restore it from a copy or make it again"
        ) from error


def _content_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo, max_bytes: int) -> bytes:
    """Return a member of a zip file; raise ValueError if it is not as long as the file says, without unpacking it."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # the others unpack as much as they like
        raise ValueError(f"compressed in another way: {info.compress_type}")
    if info.file_size > max_bytes:
        raise ValueError("too large")
    wider = copy.copy(info)
    wider.file_size += 1  # else the byte that is too many would be cut off, unseen
    with archive.open(wider) as member:
        content = member.read(wider.file_size)
    if len(content) != info.file_size:
        raise ValueError("another length")
    return content


def _array_of(content: bytes) -> NDArray[Any]:
    """Return the array of a `.npy` file; raise ValueError before memory is asked for that its bytes cannot fill."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("another version of the format")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError("another length")
    stream.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array


def _checked_meta(path: str | os.PathLike[str], members: dict[str, NDArray[Any]]) -> dict[str, Any]:
    try:
        meta = json.loads(str(members["meta"][()]))
        if meta["format"] != FORMAT:
            raise ValueError("not ours")
        if not isinstance(meta["kind"], str) or not isinstance(meta["version"], int):
            raise TypeError("not ours")
    except (KeyError, ValueError, TypeError, IndexError, RecursionError) as error:
        raise FileFormatError(f"{str(path)!r}: expected a .npz file of {FORMAT}, got one of another program") from error
    if meta["version"] > FORMAT_VERSION:
        raise FileFormatError(
            f"{str(path)!r}: written by a newer {FORMAT} (file version {meta['version']}, this program reads"
            f" up to {FORMAT_VERSION}); upgrade {FORMAT}"
        )
    checked: dict[str, Any] = meta
    return checked


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
