"""Random streams: a `uint64` per stream, counted up by SplitMix64, seeded through `numpy.random.SeedSequence`.

A stream belongs to a *chunk* of games or episodes, never to a thread, so that results do not depend on how
many threads share the work.  SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
generators" (OOPSLA 2014), with the constants of Stafford's mixer 13.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast._jit import inlined_kernel, kernel

GOLDEN_GAMMA = 0x9E3779B97F4A7C15
"""Step of the Weyl sequence that SplitMix64 mixes: 2**64 divided by the golden ratio, made odd."""

_HASHES_OF_POOL = 16
"""Hashes that SeedSequence takes to mix a seed into its pool of four words: one a word, and one a pair of them."""
_CONSTANT_AFTER_POOL = np.uint32(0x43B0D7E5 * pow(0x931E8875, _HASHES_OF_POOL, 2**32) % 2**32)


def chunk_stream(seed: int, *key: int) -> np.uint64:
    """Return the stream of one chunk.

    Parameters
    ----------
    seed
        The user's seed, a non-negative integer.
    *key
        What the stream is for: for instance the number of the match and of the chunk.

    Returns
    -------
    numpy.uint64
        The initial SplitMix64 state.

    Examples
    --------
    >>> bool(chunk_stream(0, 1) == chunk_stream(0, 1)), bool(chunk_stream(0, 1) == chunk_stream(0, 2))
    (True, False)
    """
    sequence = np.random.SeedSequence(entropy=seed, spawn_key=key)
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


@inlined_kernel
def _hashed(word: np.uint32, constant: np.uint32) -> np.uint32:
    """Return a word of SeedSequence's pool, hashed with the constant that it is at."""
    word = np.uint32((word ^ constant) * np.uint32(constant * np.uint32(0x931E8875)))
    return np.uint32(word ^ (word >> np.uint32(16)))


@kernel
def _fill_streams(pool: NDArray[np.uint32], constant: np.uint32, first: int, streams: NDArray[np.uint64]) -> None:
    """Fill `streams` (C,) from the pool of a seed (four words) and the hash constant after it, one for each chunk.

    What SeedSequence does with one more word, the number of the chunk: it is hashed and mixed into each word of
    the pool, and the stream is the hash of the pool's first two words.
    """
    for index in range(streams.size):
        at = constant
        stream = np.uint64(0)
        output = np.uint32(0x8B51F9DD)
        for word in range(2):
            hashed = _hashed(np.uint32(first + index), at)
            at = np.uint32(at * np.uint32(0x931E8875))
            mixed = np.uint32(np.uint32(pool[word] * np.uint32(0xCA01F9DD)) - np.uint32(hashed * np.uint32(0x4973F715)))
            mixed ^= mixed >> np.uint32(16)
            value = np.uint32(mixed ^ output)
            output = np.uint32(output * np.uint32(0x58F38DED))
            value = np.uint32(value * output)
            value ^= value >> np.uint32(16)
            stream |= np.uint64(value) << np.uint64(32 * word)
        streams[index] = stream


def chunk_streams(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """Return the streams of successive chunks, (C,) uint64: `chunk_stream(seed, chunk)` of each, in one kernel call.

    A `SeedSequence` for each takes ten microseconds under the interpreter's lock, which threads share.

    Examples
    --------
    >>> chunk_streams(7, 3, 2).tolist() == [int(chunk_stream(7, 3)), int(chunk_stream(7, 4))]
    True
    """
    if seed >= 2**128 or first + count > 2**32:  # more words than the pool, or than one, are mixed in otherwise
        return np.array([chunk_stream(seed, chunk) for chunk in range(first, first + count)], np.uint64)
    streams = np.empty(count, np.uint64)
    _fill_streams(np.random.SeedSequence(seed).pool, _CONSTANT_AFTER_POOL, first, streams)
    return streams


@inlined_kernel
def mix64(word: np.uint64) -> np.uint64:
    """Return the SplitMix64 output for the counter value `word` (uint64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inlined_kernel
def below(word: np.uint64, count: int) -> int:
    """Return an integer from 0 to `count` - 1, drawn with the upper half of a random word.

    A multiplication instead of a remainder (D. Lemire, "Fast random integer generation in an interval", 2019);
    without his rejection no value is off its probability by more than 2**-32.
    """
    return np.int64(((word >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))  # type: ignore[return-value]
