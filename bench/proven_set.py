"""A closed set of own positions that are won, with a count of uses of each, and a local search that makes it smaller.

A position is in the set while a chosen move and a reply lead to it.  Giving up a choice removes the positions that
nothing else uses; another choice adds positions.  The search keeps a choice if it adds fewer than were removed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proven_board import (
    ONE,
    ZERO,
    candidates,
    canonical_key,
    column_of,
    keeps_win,
    key_words,
    playable_cells,
    slot_of,
    wins_at_once,
)
from ttt_fast.core.bits import as_int, popcount
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import four_spots
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.search import SolverWork
from ttt_fast.search.connect_four.workers import make_workers

CALLS, ENTERED = 0, 1
TRIED, CHANGED, REMOVED, VISITED = 0, 1, 2, 3
_CHOICE = np.uint64(16)
_NO_CHOICE = ~(np.uint64(15) << _CHOICE)
_FAR = 1e9
_ALL = 1 << 40


class ClosedSet(NamedTuple):
    """The set, and what is known of positions in and outside of it.  H slots of an open hash table.

    Attributes
    ----------
    keys : (H,) uint64
        Canonical keys; 0 for an empty slot.
    facts : (H,) uint32
        Bits 0-7: columns whose value is known; 8-15: columns that win; 16-19: the column chosen, plus one.
    uses : (H,) int32
        The number of pairs of a chosen move and a reply that lead to a position of the set; otherwise 0.
    queue, log, old : int64
        Scratch buffers of slots; `old` has the former facts of positions for which a column is picked.
    costs : (16,) float64
        Scratch buffer.
    prices : (cells + 2, 2) float64
        By the number of stones: the cost of a position to add, and of one that wins at once.
    counts : (2,) int64
        Calls of the solver, and slots in use.
    work
        The solver.
    """

    keys: NDArray[np.uint64]
    facts: NDArray[np.uint32]
    uses: NDArray[np.int32]
    queue: NDArray[np.int64]
    log: NDArray[np.int64]
    old: NDArray[np.int64]
    costs: NDArray[np.float64]
    prices: NDArray[np.float64]
    counts: NDArray[np.int64]
    work: SolverWork


def make_set(size: BoardSize, slot_bits: int, table_mb: float) -> ClosedSet:
    """Return an empty set with 2**slot_bits slots and a solver with its table."""
    slots = 1 << slot_bits
    left = np.arange(size.cells, -2, -1)
    prices = np.stack([np.clip((left - 2) / 2, 2, 20), np.ones(len(left))], axis=1)
    return ClosedSet(
        np.zeros(slots, np.uint64),
        np.zeros(slots, np.uint32),
        np.zeros(slots, np.int32),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(16),
        prices,
        np.zeros(2, np.int64),
        make_workers(size, table_mb, 1)[0],
    )


@kernel
def enter(key: np.uint64, closed: ClosedSet) -> int:
    """Return the slot of a key, which is entered if it is new."""
    slot = slot_of(key, closed.keys)
    if closed.keys[slot] == ZERO:
        closed.keys[slot] = key
        closed.counts[ENTERED] += 1
    return slot


def compact(closed: ClosedSet) -> None:
    """Forget the positions outside of the set."""
    held = np.flatnonzero(closed.uses)
    keys, facts, uses = closed.keys[held], closed.facts[held], closed.uses[held]
    for array in (closed.keys, closed.facts, closed.uses):
        array.fill(0)
    restore(keys, facts, uses, closed)


@kernel
def restore(keys: NDArray[np.uint64], facts: NDArray[np.uint32], uses: NDArray[np.int32], closed: ClosedSet) -> None:
    """Enter positions with their facts and uses into empty slots."""
    closed.counts[ENTERED] = 0
    for place in range(len(keys)):
        slot = enter(keys[place], closed)
        closed.facts[slot], closed.uses[slot] = facts[place], uses[place]


@kernel
def is_won(me: np.uint64, stones: np.uint64, column: int, slot: int, closed: ClosedSet) -> bool:
    """Return whether a column keeps the win, from the facts or by the solver, and note it."""
    known, won = np.uint32(1 << column), np.uint32(256 << column)
    if closed.facts[slot] & known == np.uint32(0):
        move = playable_cells(stones, closed.work.board) & closed.work.board[at.COLUMNS + column]
        closed.counts[CALLS] += 1
        closed.facts[slot] |= known
        if keeps_win(me, stones, move, closed.work):
            closed.facts[slot] |= won
    return bool(closed.facts[slot] & won)


@inlined_kernel
def note_choice(slot: int, column: int, closed: ClosedSet) -> None:
    """Note the column chosen in the position of a slot."""
    facts = np.uint64(closed.facts[slot]) & _NO_CHOICE
    closed.facts[slot] = np.uint32(facts | (np.uint64(column + 1) << _CHOICE))


@inlined_kernel
def noted_choice(me: np.uint64, stones: np.uint64, slot: int, closed: ClosedSet) -> np.uint64:
    """Return the move chosen in a position of the set."""
    board = closed.work.board
    legal = candidates(me, stones, board)
    if legal & (legal - ONE) != ZERO:
        legal &= board[at.COLUMNS + as_int((np.uint64(closed.facts[slot]) >> _CHOICE) & np.uint64(15)) - 1]
    return legal


@kernel
def _cost(me: np.uint64, stones: np.uint64, move: np.uint64, closed: ClosedSet) -> float:
    """Return the price of the positions after a move that are not in the set, and a little for its form.

    Moves with threats are preferred, then those with many cells that complete four, then those near the centre.
    """
    board, own, after = closed.work.board, me | move, stones | move
    playable = playable_cells(after, board)
    spots = four_spots(own, board[at.STRIDE]) & board[at.BOARD] & ~after
    threats = spots & playable
    form = abs(2 * column_of(move, board) + 1 - as_int(board[at.WIDTH])) - 3.0 * popcount(spots)
    form -= 100.0 * min(2, popcount(threats))
    cost, count = 0.0, popcount(after) + 1
    while playable != ZERO:
        reply = playable & (ZERO - playable)
        playable ^= reply
        if closed.uses[slot_of(canonical_key(own, after | reply, board), closed.keys)] == 0:
            cost += closed.prices[count, 1 if wins_at_once(own, after | reply, board) else 0]
    return cost + 1e-3 * form


@kernel
def pick(me: np.uint64, stones: np.uint64, slot: int, closed: ClosedSet) -> np.uint64:
    """Return the winning move whose positions are cheapest to add, and note it; 0 if no move wins."""
    board, costs = closed.work.board, closed.costs
    legal = candidates(me, stones, board)
    if legal & (legal - ONE) == ZERO:
        return legal
    width = as_int(board[at.WIDTH])
    for column in range(width):
        move = legal & board[at.COLUMNS + column]
        costs[column] = _cost(me, stones, move, closed) if move != ZERO else _FAR
    while True:
        best = 0
        for column in range(width):
            if costs[column] < costs[best]:
                best = column
        if costs[best] == _FAR:
            return ZERO
        if is_won(me, stones, best, slot, closed):
            note_choice(slot, best, closed)
            return legal & board[at.COLUMNS + best]
        costs[best] = _FAR


@kernel
def acquire(own: np.uint64, stones: np.uint64, most: int, closed: ClosedSet, start: int) -> tuple[int, int, bool]:
    """Use the positions after a move, and log their slots from `start` on; stop once `most` are added.

    The first slots of `queue` are those added, with the facts that they had in `old`.

    Returns the number of positions added, the end of the log, and whether all of them are won and none is left out.
    """
    board, uses, queue, log = closed.work.board, closed.uses, closed.queue, closed.log
    added, done, end = 0, 0, start
    while True:
        playable = playable_cells(stones, board)
        while playable != ZERO:
            reply = playable & (ZERO - playable)
            playable ^= reply
            slot = enter(canonical_key(own, stones | reply, board), closed)
            log[end] = slot
            end += 1
            if uses[slot] == 0:
                queue[added] = slot
                closed.old[added] = np.int64(closed.facts[slot])
                added += 1
            uses[slot] += 1
        move = ZERO
        while move == ZERO:
            if added >= most:
                return added, end, False
            if done == added:
                return added, end, True
            slot = queue[done]
            done += 1
            own, stones = key_words(closed.keys[slot], board)
            if not wins_at_once(own, stones, board):
                move = pick(own, stones, slot, closed)
                if move == ZERO or stones | move == board[at.BOARD]:
                    return added, end, False
        own, stones = own | move, stones | move


@kernel
def give_back(added: int, start: int, end: int, closed: ClosedSet) -> None:
    """Undo `acquire`: the log from `start` to `end`, and the choices in the positions that it added."""
    for place in range(start, end):
        closed.uses[closed.log[place]] -= 1
    for place in range(added):
        slot, choice = closed.queue[place], np.uint64(closed.old[place]) & ~_NO_CHOICE
        closed.facts[slot] = np.uint32((np.uint64(closed.facts[slot]) & _NO_CHOICE) | choice)


@kernel
def release(own: np.uint64, stones: np.uint64, closed: ClosedSet) -> tuple[int, int]:
    """Stop using the positions after a move; return the number of positions removed, and the end of the log."""
    board, uses, queue, log = closed.work.board, closed.uses, closed.queue, closed.log
    removed, done, end = 0, 0, 0
    while True:
        playable = playable_cells(stones, board)
        while playable != ZERO:
            reply = playable & (ZERO - playable)
            playable ^= reply
            slot = enter(canonical_key(own, stones | reply, board), closed)
            log[end] = slot
            end += 1
            uses[slot] -= 1
            if uses[slot] == 0:
                queue[removed] = slot
                removed += 1
        move = ZERO
        while move == ZERO:
            if done == removed:
                return removed, end
            slot = queue[done]
            done += 1
            own, stones = key_words(closed.keys[slot], board)
            if not wins_at_once(own, stones, board):
                move = noted_choice(own, stones, slot, closed)
        own, stones = own | move, stones | move


@kernel
def improve(slots: NDArray[np.int64], closed: ClosedSet, totals: NDArray[np.int64]) -> None:
    """Try the other winning columns in positions of the set, and keep the one that leaves the smallest set.

    Of several, the last one is kept, so that a later round finds other choices.  `totals` counts positions tried,
    choices changed, positions removed, and positions visited.
    """
    board, uses, log = closed.work.board, closed.uses, closed.log
    for slot in slots:
        me, stones = key_words(closed.keys[slot], board)
        legal = candidates(me, stones, board)
        if uses[slot] == 0 or legal & (legal - ONE) == ZERO or wins_at_once(me, stones, board):
            continue
        chosen = noted_choice(me, stones, slot, closed)
        removed, released = release(me | chosen, stones | chosen, closed)
        best, best_move = removed, chosen
        for column in range(as_int(board[at.WIDTH])):
            move = legal & board[at.COLUMNS + column]
            if best == 0 or move == ZERO or move == chosen or not is_won(me, stones, column, slot, closed):
                continue
            added, end, complete = acquire(me | move, stones | move, best + 1, closed, released)
            totals[VISITED] += added
            give_back(added, released, end, closed)
            if complete and added <= best:
                best, best_move = added, move
        totals[TRIED] += 1
        totals[VISITED] += removed
        if best_move == chosen:
            for place in range(released):
                uses[log[place]] += 1
            continue
        note_choice(slot, column_of(best_move, board), closed)
        added, _, _ = acquire(me | best_move, stones | best_move, _ALL, closed, released)
        totals[CHANGED] += 1
        totals[REMOVED] += removed - added


@kernel
def next_level(
    level: NDArray[np.int64], closed: ClosedSet, marks: NDArray[np.bool_], out: NDArray[np.int64]
) -> tuple[int, int]:
    """Write the slots of the positions two plies later that are not marked, and mark them.

    Returns their number, and the number of positions of this level that win at once.
    """
    board = closed.work.board
    count, wins = 0, 0
    for slot in level:
        me, stones = key_words(closed.keys[slot], board)
        if wins_at_once(me, stones, board):
            wins += 1
            continue
        move = noted_choice(me, stones, slot, closed)
        playable = playable_cells(stones | move, board)
        while playable != ZERO:
            reply = playable & (ZERO - playable)
            playable ^= reply
            place = enter(canonical_key(me | move, stones | move | reply, board), closed)
            if not marks[place]:
                marks[place] = True
                out[count] = place
                count += 1
    return count, wins
