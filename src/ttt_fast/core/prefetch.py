"""The instruction that asks for memory before it is read: LLVM's, which is nothing where a processor has none."""

from typing import Any

from numpy.typing import NDArray

from ttt_fast.core.jit import intrinsic


def _prefetch(array: NDArray[Any], index: Any) -> None:
    """Ask for the cache line that holds `array[index]`; only speed depends on it."""


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

        return types.void(array, index if index in (types.int64, types.uint64) else types.int64), build

    return extending.intrinsic(declare)


prefetch = intrinsic(_prefetch, _typed_prefetch)
