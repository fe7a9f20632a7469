"""Single machine instructions that numba has no name for: the highest bit, prefetching."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import intrinsic


def _highest_bit(word: np.uint64) -> np.uint64:
    """Return the highest set bit alone of a uint64 that is not 0, as uint64."""
    return np.uint64(1 << (int(word).bit_length() - 1))


def _prefetch(array: NDArray[np.uint64], index: np.uint64) -> None:
    """Ask for the cache line that holds `array[index]`; only speed depends on it."""


def _typed_highest_bit() -> Any:
    from llvmlite import ir
    from numba import extending, types

    def declare(typingctx: Any, word: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
            return builder.lshr(ir.Constant(ir.IntType(64), 1 << 63), zeros)

        return types.uint64(types.uint64), build

    return extending.intrinsic(declare)


def _typed_prefetch() -> Any:
    from llvmlite import ir
    from numba import extending, types
    from numba.core import cgutils

    def declare(typingctx: Any, array: Any, index: Any) -> Any:
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

    return extending.intrinsic(declare)


highest_bit = intrinsic(_highest_bit, _typed_highest_bit)
prefetch = intrinsic(_prefetch, _typed_prefetch)
