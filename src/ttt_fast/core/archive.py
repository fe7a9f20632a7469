"""Robust files: atomic replacement, and `.npz` archives with a JSON description, checked on reading.

Every file of this package is first written to a temporary file in the same folder, synchronised, and then renamed to
its final name.  A crash, a full disk or a kill therefore leaves either the old file or the new one.
"""

import contextlib
import errno
import glob
import hashlib
import io
import json
import math
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import OTHER_PROGRAMS, FileFormatError, FileWriteError
from ttt_fast.core.locks import is_abandoned, lock, plain_name, real_path
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.signals import tidied_up

FORMAT = "ttt-fast"
FORMAT_VERSION = 1
MAX_FILE_BYTES = 256 * 1024 * 1024
"""Size limit of files; a larger file is not read into memory."""
MAX_META_BYTES = 1 << 22
"""Size limit of descriptions."""
_HASHES = "hashes"
"""The member with the hash of each other one, as JSON; files of version 1.0 have none."""
_LARGE_MEMBER = 1 << 30  # bytes above which sizes are written as 64-bit numbers
_MOST_HEADER = 1 << 12
"""Size limit of array headers."""
_NAME = 40
"""Characters of the name of a file in the name of its temporary file."""
_PART = 1 << 20
"""Bytes that are read at once: between two parts, signals are handled and limits checked."""


class Archive(NamedTuple):
    """The content of a `.npz` file: its kind, its arrays, and its description."""

    kind: str
    arrays: dict[str, NDArray[Any]]
    meta: JsonObject


class ArraySpec(NamedTuple):
    """The dtype and the shape of an array in an archive; -1 in the shape means any length, up to `most` elements."""

    dtype: str
    shape: tuple[int, ...]
    most: int = sys.maxsize


class _Parts(io.BufferedReader):
    """A file that is read in small parts, whatever its own description says.

    The directory of a zip file states its own length, and a device (`/dev/zero`) has no end.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most `size` bytes, or one part without a size; raise ValueError for a longer part."""
        if size is not None and size > _PART:
            raise ValueError("a part of the file is too large")
        return super().read(size if size is not None and size >= 0 else _PART)


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
            write(content := io.BytesIO())  # a zip file goes back to what it has written, which a device cannot
            with open(path, "wb") as stream:
                stream.write(content.getbuffer())
            return
        target = real_path(path)
        prefix = f".{target.name[:_NAME]}."
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=".tmp")
        lock(descriptor)
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

    Temporary files of killed processes are removed: of this file, or of the files of a folder that are named by a hash.

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
        target = real_path(path)
        folder = target if is_folder else target.parent
        while makes_folders and not folder.exists():
            folder = folder.parent
        tempfile.TemporaryFile(dir=folder).close()
        name = "[0-9a-f]" * _NAME if is_folder else glob.escape(target.name[:_NAME])
        for left in folder.glob(f".{name}.{'?' * 8}.tmp"):
            if left.is_file() and is_abandoned(left):
                left.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise FileWriteError(f"cannot write {str(path)!r}: {_reason(error)}") from error


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents, or raise a one-line FileWriteError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileWriteError(f"cannot make the folder {str(path)!r}: {_reason(error)}") from error


def read_bytes(path: str | os.PathLike[str], max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a file of at most `max_bytes`, or raise a one-line FileFormatError."""
    content = io.BytesIO()
    with _stream_of(path, max_bytes) as stream:
        while part := stream.read(min(_PART, max_bytes + 1 - content.tell())):
            content.write(part)
    if content.tell() > max_bytes:  # it is a device or a pipe, or has grown
        raise _too_large(path, max_bytes)
    return content.getvalue()


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the content of a UTF-8 file without its byte order mark; errors as `read_bytes`."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError(f"{str(path)!r}: expected UTF-8 text, got other bytes") from None


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
    members = {"meta": np.array(json.dumps(described, sort_keys=True)), **arrays}
    hashes = json.dumps({name: _sha256_of(array) for name, array in members.items()})
    compression = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED

    def write(stream: BinaryIO) -> None:
        """Write the members one by one, because a copy of large arrays might not fit into memory."""
        with zipfile.ZipFile(stream, "w", compression, compresslevel=1) as archive:
            for name, array in {**members, _HASHES: np.array(hashes)}.items():
                with archive.open(f"{name}.npy", "w", force_zip64=array.nbytes > _LARGE_MEMBER) as member:
                    np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)

    write_atomically(path, write)


def read_meta(path: str | os.PathLike[str]) -> JsonObject:
    """Return the description of a `.npz` file of this package, without its arrays; empty for any other file."""
    try:
        with _stream_of(path, sys.maxsize) as stream, zipfile.ZipFile(stream) as archive:
            meta = _json_in(archive)
    except Exception:  # as in `_refused`; the error is reported when the whole file is read
        return {}
    return meta if isinstance(meta, dict) and meta.get("format") == FORMAT else {}


class OpenArchive(NamedTuple):
    """A `.npz` file of this package that is open for reading, with its description; arrays are read on request."""

    path: str
    archive: zipfile.ZipFile
    members: dict[str, zipfile.ZipInfo]
    kind: str
    meta: JsonObject

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Verify all checksums, in little memory, before the content is used; return the shapes of the arrays."""
        with _refused(self.path):
            if self.archive.testzip() is not None:
                raise ValueError("a checksum does not match")
            return {name: _header_of(self.archive, info)[0] for name, info in self.members.items()}

    def arrays(self, specs: Mapping[str, ArraySpec], max_bytes: int = MAX_FILE_BYTES) -> dict[str, NDArray[Any]]:
        """Return arrays after checking them; parameters and errors as for `load_archive`."""
        with _refused(self.path):
            if os.path.getsize(self.path) > max_bytes:
                raise _too_large(self.path, max_bytes)
            _check_total(self.members, max_bytes)
            for name, spec in specs.items():
                if name not in self.members:
                    raise FileFormatError(f"{self.path!r}: expected an array {name!r}, found none; the file is damaged")
                _check_member(f"{self.path!r}: expected {name!r}", self.archive, self.members[name], spec)
            found = {name: np.asarray(_array_in(self.archive, self.members[name]), order="C") for name in specs}
            _check_hashes(self, found)
            return found


@contextlib.contextmanager
def open_archive(
    path: str | os.PathLike[str], kinds: Collection[str], max_bytes: int = sys.maxsize
) -> Iterator[OpenArchive]:
    """Open a `.npz` file of one of the given kinds; parameters and errors as for `load_archive`."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(np.errstate(invalid="ignore", over="ignore"))  # the reader reports invalid numbers
        with _refused(path):
            archive, members = _opened(stack, path, max_bytes)
            meta = _checked_meta(path, archive)
        kind = meta["kind"]
        if kind not in kinds:
            expected = " or ".join(repr(name) for name in kinds)
            raise FileFormatError(f"{str(path)!r}: expected a file of kind {expected}, got {kind!r}")
        yield OpenArchive(str(path), archive, members, kind, meta)


def load_archive(
    path: str | os.PathLike[str], kinds: Mapping[str, Mapping[str, ArraySpec]], max_bytes: int = MAX_FILE_BYTES
) -> Archive:
    """Read a `.npz` file of one of the given kinds and check every array against its specification.

    Types and sizes are checked before any array is decompressed; checksums are verified on reading.  Further arrays are
    ignored.

    Parameters
    ----------
    path
        The file.
    kinds
        The arrays of each kind that may be read, by name.
    max_bytes
        Largest size, both compressed and decompressed, of a file that is read into memory; a larger one is refused.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged or truncated, has a newer format version, or has another format or kind.
    """
    with open_archive(path, kinds, max_bytes) as opened:
        return Archive(opened.kind, opened.arrays(kinds[opened.kind], max_bytes), opened.meta)


def load_arrays(path: str | os.PathLike[str], max_bytes: int = MAX_FILE_BYTES) -> dict[str, NDArray[Any]]:
    """Read a `.npz` file of `numpy.savez`, without a description.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, truncated or of another kind.
    """
    with _refused(path), contextlib.ExitStack() as stack:
        archive, members = _opened(stack, path, max_bytes)
        _check_total(members, max_bytes)
        return {name: _array_in(archive, info) for name, info in members.items()}


@contextlib.contextmanager
def _refused(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert exceptions of zipfile, zlib and numpy for damaged bytes to a FileFormatError of one line."""
    try:
        yield
    except (FileFormatError, MemoryError):
        raise
    except Exception as error:
        raise FileFormatError(
            f"{str(path)!r}: expected a .npz file of {FORMAT}, but the file is damaged, truncated or of another kind"
            "; restore it from a copy or make it again"
        ) from error


def _opened(
    stack: contextlib.ExitStack, path: str | os.PathLike[str], max_bytes: int
) -> tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]:
    """Open a zip file of at most `max_bytes`; return its members by the names of their arrays."""
    archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(_stream_of(path, max_bytes))))
    infos = archive.infolist()
    members = {info.filename.removesuffix(".npy"): info for info in infos}
    if len(members) < len(infos):
        raise ValueError("a member is repeated")
    return archive, members


def _sha256_of(array: NDArray[Any]) -> str:
    """Return the hash of an array, with its type and shape."""
    digest = hashlib.sha256(repr((array.dtype.str, array.shape)).encode())
    digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _stored_sha256(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """Return the hash of an array of a file in little memory."""
    shape, _, dtype, start = _header_of(archive, info)
    digest = hashlib.sha256(repr((dtype.str, shape)).encode())
    with archive.open(info) as member:
        member.read(start)
        while part := member.read(_PART):
            digest.update(part)
    return digest.hexdigest()


def _check_hashes(opened: OpenArchive, read: Mapping[str, NDArray[Any]]) -> None:
    """Raise FileFormatError unless the description and all arrays, also unread ones, are those that were written."""
    known = _json_in(opened.archive, _HASHES) if _HASHES in opened.members else {}
    for name, expected in known.items():
        found = _sha256_of(read[name]) if name in read else _stored_sha256(opened.archive, opened.members[name])
        if found != expected:
            raise FileFormatError(f"{opened.path!r}: the hash of {name!r} does not match; the file has been changed")


def _check_total(members: Mapping[str, zipfile.ZipInfo], max_bytes: int) -> None:
    if sum(info.file_size for info in members.values()) > max_bytes:
        raise ValueError("the members are too large")


def _too_large(path: str | os.PathLike[str], max_bytes: int) -> FileFormatError:
    return FileFormatError(f"{str(path)!r}: expected at most {max_bytes} bytes, got more")


def _stream_of(path: str | os.PathLike[str], max_bytes: int) -> BinaryIO:
    """Open a file of at most `max_bytes`, or raise a one-line FileFormatError."""
    try:
        stream = _Parts(io.FileIO(plain_name(path)))
    except (OSError, ValueError) as error:
        raise FileFormatError(f"cannot read {str(path)!r}: {_reason(error)}") from error
    if os.fstat(stream.fileno()).st_size > max_bytes:
        stream.close()
        raise _too_large(path, max_bytes)
    return stream


def _check_member(expected: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, spec: ArraySpec) -> None:
    """Raise FileFormatError or ValueError unless a member matches a specification; only its header is read."""
    shape, _, dtype, _ = _header_of(archive, info)
    fits = len(shape) == len(spec.shape) and all(
        want in (-1, have) for want, have in zip(spec.shape, shape, strict=True)
    )
    if str(dtype) != spec.dtype or not fits:
        raise FileFormatError(f"{expected} of {spec.dtype} and shape {spec.shape}, got {dtype} and {shape}")
    if math.prod(shape) > spec.most:
        raise FileFormatError(f"{expected} of at most {spec.most:,} elements, got {math.prod(shape):,}")


def _header_of(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo
) -> tuple[tuple[int, ...], bool, np.dtype[np.generic], int]:
    """Return shape, whether columns come first, dtype and data offset of a member that is an array, or ValueError."""
    with archive.open(info) as member:
        stream = io.BytesIO(member.read(_MOST_HEADER))
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array has another version of the .npy format")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != info.file_size - stream.tell():
        raise ValueError("the length of an array differs from its header, or it contains objects")
    return shape, by_columns, dtype, stream.tell()


def _array_in(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    """Return the array of a member, inflated in parts into the memory of the array."""
    shape, by_columns, dtype, start = _header_of(archive, info)
    content = np.empty(info.file_size - start, np.uint8)
    with archive.open(info) as member:
        member.read(start)
        for place in range(0, content.size, _PART):  # the last part compares the checksum
            content.data[place : place + _PART] = member.read(min(_PART, content.size - place))
    found = content.view(dtype)
    return found.reshape(shape[::-1]).T if by_columns else found.reshape(shape)


def _json_in(archive: zipfile.ZipFile, name: str = "meta") -> Any:
    """Return the description in an archive, or another text in JSON, of any type."""
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > MAX_META_BYTES:
        raise ValueError("the description is too large")
    return json.loads(str(_array_in(archive, info)[()]))


def _checked_meta(path: str | os.PathLike[str], archive: zipfile.ZipFile) -> JsonObject:
    try:
        meta: JsonObject = _json_in(archive)
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
    return meta


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
