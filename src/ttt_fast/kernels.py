"""Extension point: custom kernels, cached on disk, and their random streams.

A kernel is a flat function of arrays and numbers that numba compiles at its first call.  `kernel` releases the GIL, and
stores the compiled code under a hash of all sources that the kernel reaches.  Randomness is an argument: a uint64
stream for each chunk of work, so that results do not depend on the number of threads.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names

if TYPE_CHECKING:
    from ttt_fast.core.jit import inlined_kernel as inlined_kernel, kernel as kernel
    from ttt_fast.core.rng import StreamKey as StreamKey, chunk_stream as chunk_stream, next_word as next_word
    from ttt_fast.running.executors import run_chunks as run_chunks

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "core.jit": "inlined_kernel kernel",
        "core.rng": "StreamKey chunk_stream next_word",
        "running.executors": "run_chunks",
    },
)
