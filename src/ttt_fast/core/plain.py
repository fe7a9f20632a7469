"""Array helpers for kernels, and an interpreter that runs kernels as Python with bit-identical results."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[np.generic])
Scalar = TypeVar("Scalar", bound=np.generic)
Result = TypeVar("Result")
_LINE = 64  # bytes of a cache line
READ_LISTS: dict[int, tuple[NDArray[Any], list[Any]]] = {}
"""By identity, the read-only arrays that plain kernels have read, and their lists: conversion takes half of a call."""


def frozen(array: Array) -> Array:
    """Make an array read-only and return it; kernels are compiled for read-only tables.

    Examples
    --------
    >>> frozen(np.zeros(3)).flags.writeable
    False
    """
    array.flags.writeable = False
    return array


def zeros_in_lines(count: int, dtype: type[Scalar]) -> NDArray[Scalar]:
    """Return zeros (count,) aligned to a cache line, so that vectors and rows of a line's length never cross a line.

    Examples
    --------
    >>> zeros_in_lines(5, np.float32).ctypes.data % 64
    0
    """
    size = np.dtype(dtype).itemsize
    memory = np.zeros(count + _LINE // size, dtype)
    skip = -(memory.ctypes.data // size) % (_LINE // size)
    return memory[skip : skip + count]


def num_elements(arguments: tuple[object, ...]) -> int:
    """Return the number of elements in the arrays among arguments, including those in tuples."""
    size = 0
    for one in arguments:
        if isinstance(one, np.ndarray):
            size += one.size
        elif isinstance(one, tuple):
            size += num_elements(one)
    return size


def _read_list(array: NDArray[Any]) -> list[Any]:
    """Return the list of a read-only array, converted once."""
    if id(array) not in READ_LISTS:
        READ_LISTS[id(array)] = array, array.tolist()
    return READ_LISTS[id(array)][1]


def run_plain(function: Callable[..., Result], arguments: tuple[object, ...]) -> Result:
    """Run a plain kernel as Python over lists, and copy the changed values back into the arrays.

    Reading a number from an array takes several times as long as reading it from a list.
    """
    written: list[tuple[NDArray[Any], list[Any]]] = []

    def as_lists(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if not value.flags.writeable and value.flags.owndata:
                return _read_list(value)
            numbers = value.tolist()
            if value.flags.writeable:
                written.append((value, numbers))
            return numbers
        if isinstance(value, tuple):
            parts = [as_lists(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value

    result = function(*(as_lists(value) for value in arguments))
    for array, numbers in written:
        array[...] = numbers
    return result
