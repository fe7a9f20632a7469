"""Single machine instructions that numba has no name for: the highest bit, prefetching."""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

WordFunction = Callable[[np.uint64], np.uint64]


def _on_words(function: Any) -> WordFunction:
    """Return the numba intrinsic of a function, typed as what a kernel calls."""
    made: WordFunction = intrinsic(function)
    return made


def _on_arrays(function: Any) -> Callable[[NDArray[np.uint64], np.uint64], None]:
    made: Callable[[NDArray[np.uint64], np.uint64], None] = intrinsic(function)
    return made


@_on_words
def highest_bit(typingctx: Any, word: Any) -> Any:
    """Return the highest set bit alone of a uint64 that is not 0, as uint64."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return builder.lshr(ir.Constant(ir.IntType(64), 1 << 63), zeros)

    return types.uint64(types.uint64), build


@_on_arrays
def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line that holds `array[index]`; only speed depends on it."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        layout = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(layout.data, [arguments[1]])
        byte, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
        insert: Any = cgutils.get_or_insert_function
        function = insert(
            builder.module, ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole]), "llvm.prefetch.p0i8"
        )
        settings = [ir.Constant(whole, number) for number in (0, 3, 1)]  # read, keep in all levels, data
        builder.call(function, [builder.bitcast(address, byte), *settings])
        return context.get_dummy_value()

    return types.void(array, types.uint64), build
