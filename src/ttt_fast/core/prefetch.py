"""The prefetch instruction of LLVM, which has no effect on processors without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import intrinsic

if TYPE_CHECKING:
    from llvmlite import ir
    from numba import types
    from numba.core.typing.templates import Signature


def _prefetch(array: NDArray[np.generic], index: int | np.integer) -> None:
    """Prefetch the cache line that contains `array[index]`; this affects only speed."""


def _typed_prefetch() -> object:
    from llvmlite import ir
    from numba import extending, types
    from numba.core import cgutils

    def declare(typingctx: object, array: types.Type, index: types.Type) -> tuple[Signature, Callable[..., ir.Value]]:
        def build(context: Any, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]) -> ir.Value:
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

        return types.void(array, index if index in (types.int64, types.uint64) else types.int64), build

    return extending.intrinsic(declare)


prefetch = intrinsic(_prefetch, _typed_prefetch)
