"""The definition of functions as LLVM instructions on vectors of 16 float32 numbers, and the building blocks of these.

Such a function (`vectors`, `tiles`, `prefetch`) has two forms with bit-identical results.  One is Python code over
arrays; the other emits LLVM instructions into the calling kernel.  numba is imported at the first kernel call, not
here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ttt_fast.core.jit import Function, intrinsic

if TYPE_CHECKING:
    import numpy as np
    from llvmlite import ir
    from numba import types
    from numba.core.typing.templates import Signature
    from numpy.typing import NDArray

LANES = 16
"""Number of lanes of a vector."""
INVERSE_BITS = 0x7EF311C7
"""This constant minus the bits of a positive number gives the bits of its reciprocal, off by at most an eighth."""
Emit = Callable[..., object]


@functools.cache
def numba_types() -> dict[str, Any]:
    """Return the numba types of parameters by kind; call this only after numba is loaded."""
    from numba import extending, types

    known: Any = types

    class Float32x16(known.Type):  # type: ignore[misc]
        """The numba type of a vector."""

    def model(manager: object, kind: types.Type) -> object:
        return models.PrimitiveModel(manager, kind, vector_type())

    models: Any = extending.models
    extending.register_model(Float32x16)(model)

    return {
        "vector": Float32x16("float32x16"),
        "pointer to": known.CPointer,
        "pointer": known.CPointer(known.float32),
        "integers": known.CPointer(known.int32),
        "index": known.int64,
        "number": known.float32,
        "nothing": known.void,
    }


def instruction(kinds: str, emit: Emit) -> Callable[[Function], Function]:
    """Return a decorator for a Python function that kernels call as LLVM instructions.

    Parameters
    ----------
    kinds
        Kinds of the parameters, then of the result: names of `numba_types`, `literal`, `array` or `its`.  A `literal`
        is a number in the caller's source.  An `array` must be the first parameter, a flat array or its pointer; `its`
        is the kind of that pointer.
    emit
        Called with the LLVM builder and the values of the parameters, a literal as an int; returns the value of the
        result.
    """
    *names, result = kinds.split()

    def declare(context: object, *given: Any) -> tuple[Signature, Callable[..., ir.Value]] | None:
        from numba import types

        known, pairs = numba_types(), list(zip(names, given, strict=True))
        if any(kind == "literal" and not isinstance(one, types.IntegerLiteral) for kind, one in pairs):
            return None
        wanted = [known.get(kind, one) for kind, one in pairs]
        is_array = kinds.startswith("array") and isinstance(given[0], types.Array)
        kind = (known["pointer to"](given[0].dtype) if is_array else given[0]) if result == "its" else known[result]

        def generate(
            target: Any, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
        ) -> ir.Value:
            values = list(arguments)
            for place, one in enumerate(signature.args):
                if names[place] == "literal":
                    values[place] = one.literal_value
            if is_array:
                values[0] = target.make_array(signature.args[0])(target, builder, arguments[0]).data
            found = emit(builder, *values)
            return target.get_dummy_value() if result == "nothing" else found

        return kind(*wanted), generate

    def decorate(plain: Function) -> Function:
        def make() -> object:
            from numba import extending

            context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
            parameters = inspect.signature(plain).parameters.values()
            vars(declare)["__signature__"] = inspect.Signature([context, *parameters])
            return extending.intrinsic(prefer_literal=True)(declare)

        return intrinsic(plain, make)

    return decorate


@functools.cache
def num_registers() -> int:
    """Return the number of 16-lane vectors that fit into the processor's registers: 32 with AVX-512, otherwise 8."""
    from numba.core.registry import cpu_target

    target: Any = cpu_target.target_context
    return 32 if "+avx512f" in target.codegen().magic_tuple()[2] else 8


def local_vector(builder: ir.IRBuilder) -> ir.Value:
    """Return the pointer of a local variable for a vector, which LLVM turns into a register."""
    from numba.core import cgutils

    alloca: Any = cgutils.alloca_once
    return alloca(builder, vector_type())


def vector_type() -> ir.Type:
    """Return the LLVM type of a vector."""
    from llvmlite import ir

    return ir.VectorType(ir.FloatType(), LANES)


def whole(number: int) -> ir.Value:
    """Return a constant int64."""
    from llvmlite import ir

    return ir.Constant(ir.IntType(64), number)


def constant(number: float) -> ir.Value:
    """Return a constant vector with equal lanes."""
    from llvmlite import ir

    return ir.Constant(vector_type(), [ir.Constant(ir.FloatType(), number)] * LANES)


def address(builder: ir.IRBuilder, pointer: ir.Value, *offsets: ir.Value | int) -> ir.Value:
    """Return a pointer advanced by some numbers; an offset is an LLVM value or an int."""
    for offset in offsets:
        pointer = builder.gep(pointer, [whole(offset) if isinstance(offset, int) else offset])
    return pointer


def as_int32(builder: ir.IRBuilder, pointer: ir.Value) -> ir.Value:
    """Return a pointer to the same memory as int32 numbers."""
    from llvmlite import ir

    return builder.bitcast(pointer, ir.IntType(32).as_pointer())


def read(builder: ir.IRBuilder, pointer: ir.Value) -> ir.Value:
    """Return the vector at a pointer."""
    return builder.load(builder.bitcast(pointer, vector_type().as_pointer()), align=4)


def write(builder: ir.IRBuilder, vector: ir.Value, pointer: ir.Value) -> ir.Value:
    """Store a vector, of any length, at a pointer."""
    return builder.store(vector, builder.bitcast(pointer, vector.type.as_pointer()), align=4)


def shuffled(builder: ir.IRBuilder, one: ir.Value, two: ir.Value, lanes: Sequence[int]) -> ir.Value:
    """Return a vector of selected lanes of two vectors; lanes of the second are numbered after those of the first."""
    from llvmlite import ir

    chosen = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), [ir.Constant(ir.IntType(32), one) for one in lanes])
    return builder.shuffle_vector(one, two, chosen)


def spread(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    """Return a vector with all lanes equal to a number."""
    from llvmlite import ir

    single = builder.insert_element(ir.Constant(vector_type(), ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return shuffled(builder, single, single, [0] * LANES)


def called(builder: ir.IRBuilder, name: str, *vectors: ir.Value) -> ir.Value:
    """Return the result of an LLVM intrinsic on vectors that has no operator: `fma`, `sqrt`, `fabs`."""
    from llvmlite import ir
    from numba.core import cgutils

    kind = ir.FunctionType(vectors[0].type, [one.type for one in vectors])
    insert: Any = cgutils.get_or_insert_function
    return builder.call(insert(builder.module, kind, f"llvm.{name}.v{LANES}f32"), vectors)


def inverse(builder: ir.IRBuilder, vector: ir.Value) -> ir.Value:
    """Return the reciprocals of positive numbers (`vectors.reciprocal`)."""
    from llvmlite import ir

    words, one, minus = ir.VectorType(ir.IntType(32), LANES), constant(1.0), builder.fneg(vector)
    estimate = builder.sub(ir.Constant(words, [INVERSE_BITS] * LANES), builder.bitcast(vector, words))
    found = builder.bitcast(estimate, vector.type)
    error = called(builder, "fma", minus, found, one)
    found = called(builder, "fma", found, called(builder, "fma", error, error, error), found)
    return called(builder, "fma", found, called(builder, "fma", minus, found, one), found)


def halved(builder: ir.IRBuilder, vector: ir.Value) -> ir.Value:
    """Return the sum of the lanes: the upper half is added to the lower half, repeatedly, until one number is left."""
    from llvmlite import ir

    while vector.type.count > 1:
        half = vector.type.count // 2
        low, high = (shuffled(builder, vector, vector, range(first, first + half)) for first in (0, half))
        vector = builder.fadd(low, high)
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


def _prefetched(builder: ir.IRBuilder, data: ir.Value, index: ir.Value) -> ir.Value:
    """Call the prefetch instruction of LLVM, which has no effect on processors without one."""
    from llvmlite import ir
    from numba.core import cgutils

    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    insert: Any = cgutils.get_or_insert_function
    function = insert(builder.module, ir.FunctionType(ir.VoidType(), [byte, word, word, word]), "llvm.prefetch.p0i8")
    settings = [ir.Constant(word, number) for number in (0, 3, 1)]  # read, keep in all levels, data
    return builder.call(function, [builder.bitcast(address(builder, data, index), byte), *settings])


@instruction("array index nothing", _prefetched)
def prefetch(array: NDArray[np.generic], index: int | np.integer) -> None:
    """Prefetch the cache line that contains `array[index]`; this affects only speed."""
