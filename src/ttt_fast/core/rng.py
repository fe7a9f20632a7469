"""Random streams: one `uint64` counter per stream for SplitMix64, seeded with `numpy.random.SeedSequence`.

A stream belongs to a *chunk* of games or episodes, never to a thread.  Results therefore do not depend on the number of
threads.  SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the
constants of Stafford's mixer 13.
"""

from enum import IntEnum, unique

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel

GOLDEN_GAMMA = 0x9E3779B97F4A7C15
"""Step of SplitMix64's Weyl sequence: 2**64 divided by the golden ratio, made odd."""
_INIT_A, _MULT_A, _INIT_B, _MULT_B = 0x43B0D7E5, 0x931E8875, 0x8B51F9DD, 0x58F38DED  # of numpy's `SeedSequence`
_MIX_L, _MIX_R = 0xCA01F9DD, 0x4973F715


@unique
class StreamKey(IntEnum):
    """First numbers of the keys of streams, which separate them from those of single games and of training runs."""

    ALPHAZERO_UPDATES = 0x617A7570
    ENVIRONMENT = 0x656E7672
    GAME_BATCH = 0x62617463
    OPENINGS = 1 << 32
    RANDOM_PLAY = 0x726F6C6C
    RECORDED_GAMES = 0x7265636F
    SAMPLED_GAMES = 0x73616D70
    TABULAR_GAMES = 0x67616D65
    TRAINING_OPPONENT = 0x77616C6B


def chunk_stream(seed: int, *key: int) -> np.uint64:
    """Return the stream of one chunk.

    Parameters
    ----------
    seed
        The user's seed, a non-negative integer.
    *key
        The purpose of the stream, for example the numbers of the match and of the chunk, or a `StreamKey` and more
        numbers.

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


def chunk_streams(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """Return the streams of successive chunks, (C,) uint64: `chunk_stream(seed, chunk)` for each chunk.

    This is the algorithm of `SeedSequence` for all keys at once: an object of it for each takes ten microseconds.

    Examples
    --------
    >>> chunk_streams(7, 3, 2).tolist() == [int(chunk_stream(7, 3)), int(chunk_stream(7, 4))]
    True
    """
    chunks = np.arange(first, first + count, dtype=np.uint64)
    if first + count > 1 << 32:  # numbers of two words
        return np.array([chunk_stream(seed, chunk) for chunk in chunks.tolist()], np.uint64)
    # The arithmetic of `SeedSequence`, which mixes the words of the key after those of the seed: 50 times as fast.
    pool, hashes = np.random.SeedSequence(seed).pool, 4 * max(4, -(-int(seed).bit_length() // 32))
    halves = []
    for half in range(2):
        hashed = _hash32(chunks, _INIT_A, _MULT_A, hashes + half)
        mixed = _fold32(np.uint64(_MIX_L) * np.uint64(pool[half]) - np.uint64(_MIX_R) * hashed)
        halves.append(_hash32(mixed, _INIT_B, _MULT_B, half))
    return halves[0] | halves[1] << np.uint64(32)


def _hash32(words: NDArray[np.uint64], start: int, factor: int, number: int) -> NDArray[np.uint64]:
    """Return the hashes of 32-bit words by the constant `start` * `factor` ** `number`, and by the next one."""
    constant = start * pow(factor, number, 1 << 32) % (1 << 32)
    return _fold32((words ^ np.uint64(constant)) * np.uint64(constant * factor % (1 << 32)))


def _fold32(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the low 32 bits of words, with their upper half added to their lower half, modulo 2."""
    low = words & np.uint64(0xFFFFFFFF)
    return low ^ (low >> np.uint64(16))


@inlined_kernel
def mix64(word: np.uint64) -> np.uint64:
    """Return the SplitMix64 output for the counter value `word` (uint64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inlined_kernel
def next_word(stream: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the stream after a step, and a random word of 64 bits: `stream, word = next_word(stream)`."""
    stream += np.uint64(GOLDEN_GAMMA)
    return stream, mix64(stream)


def after_words(stream: np.uint64, count: int) -> np.uint64:
    """Return a stream after a number of words.

    Examples
    --------
    >>> bool(after_words(np.uint64(7), 1) == next_word(np.uint64(7))[0])
    True
    """
    return np.uint64((int(stream) + count * GOLDEN_GAMMA) % (1 << 64))


@inlined_kernel
def below(word: np.uint64, count: int) -> int:
    """Return an integer from 0 to `count` - 1, drawn with the upper half of a random word.

    The method is a multiplication instead of a remainder (D. Lemire, "Fast random integer generation in an interval",
    2019).  Without Lemire's rejection step, the error of a value's probability is at most 2**-32.
    """
    return np.int64(((word >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))  # type: ignore[return-value]


class Stream:
    """A sequence of random 64-bit words, for players that choose their moves in Python.

    Examples
    --------
    >>> words = Stream(np.uint64(7))
    >>> int(words.word()) == int(Stream(np.uint64(7)).word())
    True
    """

    def __init__(self, stream: np.uint64) -> None:
        self.state = np.uint64(stream)

    def word(self) -> np.uint64:
        """Return the next word (uint64)."""
        state, word = next_word(self.state)
        self.state = np.uint64(state)
        return np.uint64(word)

    def share(self) -> float:
        """Return a random number in the interval from 0 to 1 (float64, 53 bits)."""
        return float(int(self.word()) >> 11) / (1 << 53)
