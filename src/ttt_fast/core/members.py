"""The members of a zip file as arrays: what they are is read first, and they are unpacked within bounds."""

import copy
import io
import math
import zipfile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

_MOST_HEADER = 1 << 12
"""The header of no array of ours is longer."""


def sizes(info: zipfile.ZipInfo) -> tuple[int, int]:
    """Return the bytes of a member, packed and unpacked."""
    return info.compress_size, info.file_size


def header_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[tuple[int, ...], np.dtype[np.generic], int]:
    """Return shape and type of a member, and where its numbers begin; raise ValueError if it is no array."""
    _check_method(info)
    with archive.open(info) as member:
        stream = io.BytesIO(member.read(_MOST_HEADER))
    shape, _, dtype = _read_header(stream)
    return shape, dtype, stream.tell()


def _read_header(stream: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("another version of the format")
    return np.lib.format.read_array_header_1_0(stream)


def _check_method(info: zipfile.ZipInfo) -> None:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # the others unpack as much as they like
        raise ValueError(f"compressed in another way: {info.compress_type}")


def content_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo, max_bytes: int) -> bytes:
    """Return a member of a zip file; raise ValueError if it is not as long as the file says, without unpacking it."""
    _check_method(info)
    if info.file_size > max_bytes:
        raise ValueError("too large")
    wider = copy.copy(info)
    wider.file_size += 1  # else the byte that is too many would be cut off, unseen
    with archive.open(wider) as member:
        content = member.read(wider.file_size)
    if len(content) != info.file_size:
        raise ValueError("another length")
    return content


def array_of(content: bytes) -> NDArray[Any]:
    """Return the array of a `.npy` file; raise ValueError before memory is asked for that its bytes cannot fill."""
    stream = io.BytesIO(content)
    shape, _, dtype = _read_header(stream)
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError("another length")
    stream.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array
