"""Files that survive: atomic replacement, and `.npz` archives with a JSON description, checked on reading.

Every file of this package is written to a temporary file in the same folder, synchronised, and then moved
over the old one, so that a crash, a full disk or a kill leaves either the old file or the new one.
"""

import contextlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.errors import FileFormatError, FileWriteError

FORMAT = "ttt-fast"
FORMAT_VERSION = 1
MAX_FILE_BYTES = 256 * 1024 * 1024
"""Few files of this package are larger; another one is foreign and is not read into memory."""
MAX_META_BYTES = 1 << 22
"""No description is longer."""
_LARGE_MEMBER = 1 << 30  # bytes from which on sizes are written as 64 bits


class Archive(NamedTuple):
    """The content of a `.npz` file: what it is, its arrays, and its description."""

    kind: str
    arrays: dict[str, NDArray[Any]]
    meta: dict[str, Any]


class ArraySpec(NamedTuple):
    """What an array in an archive must be; -1 in the shape stands for any length."""

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
        If anything goes wrong; what stood at `path` is then untouched.
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
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, or raise a one-line FileWriteError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileWriteError(f"cannot make the folder {str(path)!r}: {_reason(error)}") from error


def read_bytes(path: str | os.PathLike[str], max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a file of at most `max_bytes`, or raise a one-line FileFormatError."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(max_bytes + 1)  # a device has no size but may have no end
    except (OSError, ValueError) as error:
        raise FileFormatError(f"cannot read {str(path)!r}: {_reason(error)}") from error
    if len(content) > max_bytes:
        raise FileFormatError(f"{str(path)!r}: expected at most {max_bytes} bytes, got more")
    return content


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
    """Return the description of a `.npz` file of ours without its arrays; empty if the file is none, or damaged."""
    if not os.path.isfile(path):  # a pipe can be read but once
        return {}
    try:
        with zipfile.ZipFile(path) as archive, archive.open("meta.npy") as member:
            meta = json.loads(str(np.lib.format.read_array(io.BytesIO(member.read(MAX_META_BYTES)))[()]))
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
                data = io.BytesIO(archive.read(info))
                name = info.filename.removesuffix(".npy")
                members[name] = np.lib.format.read_array(data, allow_pickle=False)
        return members
    except Exception as error:  # whatever zipfile, zlib or numpy raise on damaged bytes is one thing to users
        raise FileFormatError(
            f"{str(path)!r}: expected a .npz file of {FORMAT}, but it is damaged, truncated or foreign"
            f" ({type(error).__name__}); restore it from a copy or make it again"
        ) from error


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
