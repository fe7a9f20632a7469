"""Games on a small table, move by move, many side by side: Walker's alias method in integers, one 64-bit slot a step.

Letters: S states, A actions, R slots of the table, T terminal rows, L lanes.

A state owns a *row* of 1, 2, 4 or 8 consecutive slots.  A draw is 32 random bits `r`, and a step is one load:

    slot = table[row | top bits of r]                 rows are aligned powers of two: OR instead of multiply and add
    row = (slot >> 16 if r <= slot >> 32 else slot)   low 16 bits: the row of the child drawn

Every action has an integer number of the 2**32 values of `r`.  n actions fit into n - 1 two-way slots, so that 2, 3, 5
and 9 actions need just 1, 2, 4 and 8 slots.  Terminal rows lead to themselves, so that every game takes the same number
of steps and no branch can be mispredicted.

The games of a block are stored in arrays, one lane each, and advance together.  LLVM vectorises the loop over the lanes
with gathers; without AVX2 or AVX-512 the same integers are computed one by one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel, kernel_without_overlap
from ttt_fast.core.rng import next_word
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import Edges, cached_on_table

RANGE = np.int64(1 << 32)
_MAX_SLOTS = 1 << 16  # a row is written with 16 bits
NUM_LANES = 512
"""Part of the definition of the results: game g of a chunk is played by lane g modulo NUM_LANES."""

_NUM_TALLIES = 4  # neighbouring games count in different copies: successive equal results do not wait for each other
_HIGH_HALF = np.uint64(0xFFFFFFFF00000000)
_MASK_16 = np.uint64(0xFFFF)


class Layout(NamedTuple):
    """The positions of the rows, which depend only on the game, not on the policies.

    Attributes
    ----------
    row : (S,) int64
        First slot of each state's row; 0 only for the empty board.
    slot_bits : (S,) int64
        log2 of the number of slots in the row.
    shift : (plies + 2,) uint64
        32 - slot bits, by ply; the draws come in pairs, hence one more.
    template : (R,) uint64
        A table with the terminal rows filled in.
    terminal_states : (T,) int64
        The terminal states.
    first_terminal_row
        Index of the first terminal row; the terminal rows are the last ones.
    num_choice_plies
        From this ply on, no state has two legal actions, and no game has more than one ply left.
    """

    row: NDArray[np.int64]
    slot_bits: NDArray[np.int64]
    shift: NDArray[np.uint64]
    template: NDArray[np.uint64]
    terminal_states: NDArray[np.int64]
    first_terminal_row: int
    num_choice_plies: int


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


class PackedSampler(NamedTuple):
    """A joint policy in the packed form for playing games from a given first board.

    Attributes
    ----------
    layout
        The positions of the rows.
    table : (R,) uint64
        The slots.
    start
        State index of the first board.
    first_ply
        Its ply.
    """

    layout: Layout
    table: NDArray[np.uint64]
    start: int
    first_ply: int

    def play(self, games: int, stream: np.uint64) -> NDArray[np.int64]:
        """Return how many of `games` games end in each state, (S,) int64, as `play.tabular.Sampler`."""
        layout = self.layout
        counts = np.zeros(layout.row.size, np.int64)
        if self.start in layout.terminal_states:
            counts[self.start] = games
            return counts
        tally = np.zeros((_NUM_TALLIES, self.table.size - layout.first_terminal_row), np.int64)
        lanes = _Lanes(np.empty(NUM_LANES, np.uint64), np.empty(NUM_LANES, np.uint64), np.empty(NUM_LANES, np.uint16))
        _play_games(self, games, stream, lanes, tally)
        rows = layout.row[layout.terminal_states] - layout.first_terminal_row
        counts[layout.terminal_states] = tally.sum(axis=0)[rows]
        return counts


@cached_on_table(1)
def layout_of(table: StateTable) -> Layout | None:
    """Return the positions of the rows of a table; None if there are too many rows for 16 bits.

    Decision states precede terminals, and each group begins with its long rows, so that all rows are aligned.
    """
    if not table.is_narrow:
        return None
    num_legal = np.diff(table.edge_start)
    num_plies = table.num_plies
    most = np.array([num_legal[table.ply == ply].max() for ply in range(num_plies + 1)])
    bits = np.array([max(int(n) - 2, 0).bit_length() for n in most], np.int64)
    bits = np.maximum.accumulate(bits[::-1])[::-1]  # a terminal row must hold the slots of every later ply
    slot_bits = bits[table.ply]
    row = np.empty(table.num_states, np.int64)
    end = 0
    for group in (table.decision_mask, ~table.decision_mask):
        states = np.flatnonzero(group)
        states = states[np.argsort(-slot_bits[states], kind="stable")]
        sizes = 1 << slot_bits[states]
        start = -(-end // int(sizes[0])) * int(sizes[0])
        row[states] = start + np.cumsum(sizes) - sizes
        end = start + int(sizes.sum())
    if end > _MAX_SLOTS:
        return None
    template = np.zeros(end, np.uint64)
    terminals = np.flatnonzero(~table.decision_mask)
    for state in terminals:
        template[row[state] : row[state] + (1 << slot_bits[state])] = row[state] << 16 | row[state]
    shift = np.append(32 - bits, 32).astype(np.uint64)
    num_choice_plies = max(int(np.flatnonzero(most > 1).max(initial=-1)) + 1, num_plies - 1)
    return Layout(row, slot_bits, shift, template, terminals, int(row[terminals].min()), num_choice_plies)


@kernel
def _fill_table(
    edges: Edges,
    policy: NDArray[np.float64],
    row: NDArray[np.int64],
    slot_bits: NDArray[np.int64],
    words: NDArray[np.int64],
    row_after: NDArray[np.int64],
    table: NDArray[np.uint64],
) -> None:
    """Pack a joint policy into the rows of its decision states; `words` and `row_after` are (A,) scratch.

    An action with probability p gets w of the 2**32 values, |w / 2**32 - p| <= 2**-32; none if p = 0, all if it is the
    only action.  Each slot receives the rest of the lightest action and is filled up from the heaviest.
    """
    for state in range(row.size):
        first, end = edges.start[state], edges.start[state + 1]
        total = 0.0
        for edge in range(first, end):
            total += policy[edge]
        if total == 0.0:
            continue  # a terminal
        # Words by rounding the cumulative sum; the rounding error of the total goes to the last action.
        n = np.int64(0)
        used, mass, scale = np.int64(0), 0.0, 4294967296.0 / total
        for edge in range(first, end):
            mass += policy[edge]
            upto = np.int64(mass * scale + 0.5)
            words[n] = upto - used
            row_after[n] = row[edges.child[edge]]
            n += upto > used  # an action without words is overwritten by the next one
            used = upto
        words[n - 1] += RANGE - used
        capacity = RANGE >> slot_bits[state]
        for slot in range(1 << slot_bits[state]):
            light, heavy = 0, 0
            lightest, heaviest = words[0], words[0]
            for i in range(1, n):
                light, lightest = (i, words[i]) if words[i] < lightest else (light, lightest)
                heavy, heaviest = (i, words[i]) if words[i] >= heaviest else (heavy, heaviest)
            if lightest >= capacity:
                light, lightest = heavy, capacity
            last_word = slot * capacity + lightest - 1
            table[row[state] + slot] = np.uint64(last_word << 32 | row_after[light] << 16 | row_after[heavy])
            words[light] -= lightest
            words[heavy] -= capacity - lightest
            for i in (max(light, heavy), min(light, heavy)):
                if i < n and words[i] == 0:  # used up: the last one takes its place
                    n -= 1
                    words[i] = words[n]
                    row_after[i] = row_after[n]


def compile_packed(joint: Policy, start: int = 0) -> PackedSampler | None:
    """Return the packed form of a joint policy; None if its table is too large.

    Parameters
    ----------
    joint
        The joint policy of both seats (`play.tabular.join`).
    start
        State index of the first board.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> int(compile_packed(as_policy("random")).play(1000, np.uint64(1)).sum())
    1000
    """
    table = joint.table
    layout = layout_of(table)
    if layout is None:
        return None
    packed = layout.template.copy()
    words, row_after = np.empty(table.num_actions, np.int64), np.empty(table.num_actions, np.int64)
    _fill_table(table.edges, joint.edge_probabilities, layout.row, layout.slot_bits, words, row_after, packed)
    return PackedSampler(layout, packed, start, int(table.ply[start]))


@kernel
def _seed_lanes(stream: np.uint64, lanes: _Lanes) -> None:
    """Set the state of lane i to the outputs 2i and 2i + 1 of SplitMix64, as recommended by Blackman and Vigna."""
    for lane in range(lanes.row.size):
        stream, lanes.rng_0[lane] = next_word(stream)
        stream, lanes.rng_1[lane] = next_word(stream)


@kernel_without_overlap
def _play_block(sampler: PackedSampler, num_games: int, lanes: _Lanes) -> None:
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
def _play_games(
    sampler: PackedSampler, num_games: int, stream: np.uint64, lanes: _Lanes, tally: NDArray[np.int64]
) -> None:
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
