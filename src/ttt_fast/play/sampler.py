"""A joint policy packed for drawing: Walker's alias method in integers, one 64-bit slot a step.

Letters: S states, A actions, R slots of the table.

A state owns a *row* of 1, 2, 4 or 8 consecutive slots.  A draw is 32 random bits `r`, and a step is one load:

    slot = table[row | top bits of r]                 rows are aligned powers of two: OR instead of multiply and add
    row = (slot >> 16 if r <= slot >> 32 else slot)   low 16 bits: the row of the child drawn

Every action has an integer number of the 2**32 values of `r`.  n actions fit into n - 1 two-way slots, so that 2, 3, 5
and 9 actions need just 1, 2, 4 and 8 slots.  Terminal rows lead to themselves, so that every game takes the same number
of steps and no branch can be mispredicted.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import Edges

RANGE = np.int64(1 << 32)
_MAX_SLOTS = 1 << 16  # a row is written with 16 bits


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


class Sampler(NamedTuple):
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


@lru_cache(maxsize=4)
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


def compile_sampler(joint: Policy, start: int = 0) -> Sampler | None:
    """Return the packed form of a joint policy; None if its table is too large.

    Parameters
    ----------
    joint
        The joint policy of both seats (`ttt_fast.policies.joint.join`).
    start
        State index of the first board.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_policy
    >>> compile_sampler(as_policy("random")).table.dtype
    dtype('uint64')
    """
    table = joint.table
    layout = layout_of(table)
    if layout is None:
        return None
    packed = layout.template.copy()
    words, row_after = np.empty(table.num_actions, np.int64), np.empty(table.num_actions, np.int64)
    _fill_table(table.edges, joint.edge_probabilities, layout.row, layout.slot_bits, words, row_after, packed)
    return Sampler(layout, packed, start, int(table.ply[start]))
