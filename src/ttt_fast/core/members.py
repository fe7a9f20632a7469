"""The members of a zip file as arrays: headers are read first, and decompression is bounded."""

import copy
import io
import math
import zipfile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

_MOST_HEADER = 1 << 12
"""Size limit of array headers."""


def sizes(info: zipfile.ZipInfo) -> tuple[int, int]:
    """Return the sizes of a member in bytes, compressed and decompressed."""
    return info.compress_size, info.file_size


def header_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[tuple[int, ...], np.dtype[np.generic], int]:
    """Return shape, dtype and data offset of a member; raise ValueError if the member is not an array."""
    _check_method(info)
    with archive.open(info) as member:
        stream = io.BytesIO(member.read(_MOST_HEADER))
    shape, _, dtype = _read_header(stream)
    return shape, dtype, stream.tell()


def _read_header(stream: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array has another version of the .npy format")
    return np.lib.format.read_array_header_1_0(stream)


def _check_method(info: zipfile.ZipInfo) -> None:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others decompress without a limit
        raise ValueError(f"a member has the unsupported compression {info.compress_type}")


def content_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo, max_bytes: int) -> bytes:
    """Return a member of a zip file; raise ValueError if it is not as long as declared, or too long."""
    _check_method(info)
    if info.file_size > max_bytes:
        raise ValueError("a member is too large")
    wider = copy.copy(info)
    wider.file_size += 1  # otherwise an excess byte would be cut off unnoticed
    with archive.open(wider) as member:
        content = member.read(wider.file_size)
    if len(content) != info.file_size:
        raise ValueError("the length of a member differs from the declared one")
    return content


def array_of(content: bytes) -> NDArray[Any]:
    """Return the array of a `.npy` file; raise ValueError before allocating more memory than its bytes can fill."""
    stream = io.BytesIO(content)
    shape, _, dtype = _read_header(stream)
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError("the length of an array differs from its header")
    stream.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array
