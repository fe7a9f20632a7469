"""Extension point: custom kernels, cached on disk, and their random streams.

A kernel is a flat function of arrays and numbers that numba compiles at its first call.  `kernel` releases the GIL, and
stores the compiled code under a hash of all sources that the kernel reaches.  Randomness is an argument: a uint64
stream for each chunk of work, so that results do not depend on the number of threads.
"""

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.rng import chunk_stream, next_word
from ttt_fast.running.executors import run_chunks

__all__ = ["chunk_stream", "inlined_kernel", "kernel", "next_word", "run_chunks"]
