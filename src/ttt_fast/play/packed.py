"""Games played move by move, many of them side by side.

Letters: L lanes, R slots of the sampler's table, T terminal rows.

The games of a block are stored in arrays, one lane each, and advance together.  LLVM vectorises the loop over the lanes
with gathers; without AVX2 or AVX-512 the same integers are computed one by one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel, kernel_without_overlap
from ttt_fast.core.rng import next_word
from ttt_fast.play.sampler import Sampler

NUM_LANES = 512
"""Part of the definition of the results: game g of a chunk is played by lane g modulo NUM_LANES."""

_NUM_TALLIES = 4  # neighbouring games count in different copies: successive equal results do not wait for each other
_HIGH_HALF = np.uint64(0xFFFFFFFF00000000)
_MASK_16 = np.uint64(0xFFFF)


class _Lanes(NamedTuple):
    """The games of a block.

    Attributes
    ----------
    rng_0, rng_1 : (L,) uint64
        State of the generator of each lane.
    row : (L,) uint16
        Row of the position of each lane.
    """

    rng_0: NDArray[np.uint64]
    rng_1: NDArray[np.uint64]
    row: NDArray[np.uint16]


@kernel
def _seed_lanes(stream: np.uint64, lanes: _Lanes) -> None:
    """Set the state of lane i to the outputs 2i and 2i + 1 of SplitMix64, as recommended by Blackman and Vigna."""
    for lane in range(lanes.row.size):
        stream, lanes.rng_0[lane] = next_word(stream)
        stream, lanes.rng_1[lane] = next_word(stream)


@kernel_without_overlap
def _play_block(sampler: Sampler, num_games: int, lanes: _Lanes) -> None:
    """Play one game on each of the first `num_games` lanes, from their rows to the terminal rows.

    Two plies to a word of xoroshiro128+ (Blackman and Vigna 2018, with 24, 16, 37): the high half, then the
    low half.
    """
    table, shift = sampler.table, sampler.layout.shift
    rng_0, rng_1, row = lanes.rng_0, lanes.rng_1, lanes.row
    for ply in range(sampler.first_ply, sampler.layout.num_choice_plies, 2):
        shift_0, shift_1 = shift[ply], shift[ply + 1]
        for lane in range(num_games):
            s, t = rng_0[lane], rng_1[lane]
            word = s + t
            t ^= s
            rng_0[lane] = (s << np.uint64(24) | s >> np.uint64(40)) ^ t ^ (t << np.uint64(16))
            rng_1[lane] = t << np.uint64(37) | t >> np.uint64(27)

            # "r <= last word" is "r << 32 < slot": the low half of a slot is never 0 (row 0 is no row's child).
            slot = table[np.uint64(row[lane]) | (word >> np.uint64(32)) >> shift_0]
            chosen = slot >> (np.uint64(16) if word & _HIGH_HALF < slot else np.uint64(0)) & _MASK_16
            slot = table[chosen | (word & ~_HIGH_HALF) >> shift_1]
            row[lane] = np.uint16(slot >> (np.uint64(16) if word << np.uint64(32) < slot else np.uint64(0)))
    for lane in range(num_games):  # the last empty cell: a move without a choice (a finished game stays)
        row[lane] = np.uint16(table[np.uint64(row[lane])])


@kernel
def _play_games(sampler: Sampler, num_games: int, stream: np.uint64, lanes: _Lanes, tally: NDArray[np.int64]) -> None:
    """Play games and add their terminal rows to `tally`, (4, T) int64; the lanes are scratch."""
    _seed_lanes(stream, lanes)
    row, start_row = lanes.row, np.uint16(sampler.layout.row[sampler.start])
    offset = np.uint64(sampler.layout.first_terminal_row)
    left = num_games
    while left > 0:
        block = min(left, row.size)
        for lane in range(block):
            row[lane] = start_row
        _play_block(sampler, block, lanes)
        for lane in range(0, block & ~3, 4):
            tally[0, np.uint64(row[lane]) - offset] += 1
            tally[1, np.uint64(row[lane + 1]) - offset] += 1
            tally[2, np.uint64(row[lane + 2]) - offset] += 1
            tally[3, np.uint64(row[lane + 3]) - offset] += 1
        for lane in range(block & ~3, block):
            tally[0, np.uint64(row[lane]) - offset] += 1
        left -= block


def play_games(sampler: Sampler, games: int, stream: np.uint64) -> NDArray[np.int64]:
    """Play games move by move and return how many ended in each state, (S,) int64.

    Parameters
    ----------
    sampler
        The packed joint policy and the first board.
    games
        Number of games.
    stream
        Random stream of this chunk (`ttt_fast.core.rng.chunk_stream`); with `games` and the sampler it decides
        every bit of the result.

    Examples
    --------
    >>> from ttt_fast.core.rng import chunk_stream
    >>> from ttt_fast.play.sampler import compile_sampler
    >>> from ttt_fast.agents.convert import as_policy
    >>> counts = play_games(compile_sampler(as_policy("random")), 1000, chunk_stream(0))
    >>> int(counts.sum())
    1000
    """
    layout = sampler.layout
    counts = np.zeros(layout.row.size, np.int64)
    if sampler.start in layout.terminal_states:
        counts[sampler.start] = games
        return counts
    tally = np.zeros((_NUM_TALLIES, sampler.table.size - layout.first_terminal_row), np.int64)
    lanes = _Lanes(np.empty(NUM_LANES, np.uint64), np.empty(NUM_LANES, np.uint64), np.empty(NUM_LANES, np.uint16))
    _play_games(sampler, games, stream, lanes, tally)
    counts[layout.terminal_states] = tally.sum(axis=0)[layout.row[layout.terminal_states] - layout.first_terminal_row]
    return counts
