"""The closed set of a strategy, with a count of uses of each position, and a local search that makes it smaller.

A position is in the set while a chosen move and a reply lead to it.  Giving up a choice removes the positions that
nothing else uses; another choice adds positions.  The search keeps a choice if it adds fewer than were removed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proven_board import CHOSEN, ONE, ZERO, candidates, canonical, column_of, key_words
from proven_tree import Strategy, is_won, noted_slot, rank
from ttt_fast.core.bits import as_int, popcount
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import four_spots

PLAIN = 100


class ClosedSet(NamedTuple):
    """Uses of the position of each slot, a queue of slots, two logs of changed slots, weights of missing positions.

    `prices` has a row for each number of stones: the cost of a missing position, and of one with a win at once.
    """

    uses: NDArray[np.int32]
    queue: NDArray[np.int64]
    log: NDArray[np.int64]
    prices: NDArray[np.float64]


@inlined_kernel
def wins_at_once(me: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> bool:
    """Return whether the player to move completes four."""
    playable = (stones + board[at.BOTTOM]) & board[at.BOARD]
    return bool(playable & four_spots(me, board[at.STRIDE]) != ZERO)


@kernel
def missing_cost(own: np.uint64, stones: np.uint64, strategy: Strategy, closed: ClosedSet) -> float:
    """Return the price of the positions after a move that are not in the set."""
    board = strategy.work.board
    playable = (stones + board[at.BOTTOM]) & board[at.BOARD]
    cost = 0.0
    count = popcount(stones) + 1
    while playable != ZERO:
        reply = playable & (ZERO - playable)
        playable ^= reply
        after = stones | reply
        key, _, _ = canonical(own, after, board)
        slot = noted_slot(key, strategy)
        if closed.uses[slot] == 0:
            cost += closed.prices[count, 1 if wins_at_once(own, after, board) else 0]
    return cost


@kernel
def pick(
    me: np.uint64, stones: np.uint64, slot: int, strategy: Strategy, closed: ClosedSet
) -> np.uint64:
    """Return the winning move whose positions are cheapest to add, and note it; 0 if no move wins."""
    board, costs = strategy.work.board, strategy.costs
    legal = candidates(me, stones, board)
    if legal & (legal - ONE) == ZERO:
        return legal
    width = as_int(board[at.WIDTH])
    left = 0
    for column in range(width):
        move = legal & board[at.COLUMNS + column]
        costs[column] = 1e9
        if move != ZERO:
            cost = missing_cost(me | move, stones | move, strategy, closed)
            costs[column] = cost + 1e-3 * rank(me, stones, move, strategy, PLAIN)
            left += 1
    while left > 0:
        best = 0
        for column in range(width):
            if costs[column] < costs[best]:
                best = column
        if is_won(me, stones, best, slot, strategy):
            note_choice(slot, best, strategy)
            return legal & board[at.COLUMNS + best]
        costs[best] = 1e9
        left -= 1
    return ZERO


@inlined_kernel
def note_choice(slot: int, column: int, strategy: Strategy) -> None:
    """Note the column chosen in the position of a slot."""
    facts = np.uint64(strategy.facts[slot]) & ~(np.uint64(15) << CHOSEN)
    strategy.facts[slot] = np.uint32(facts | (np.uint64(column + 1) << CHOSEN))


@inlined_kernel
def noted_choice(me: np.uint64, stones: np.uint64, slot: int, strategy: Strategy) -> np.uint64:
    """Return the move noted in a position; 0 if there is none."""
    board = strategy.work.board
    legal = candidates(me, stones, board)
    if legal & (legal - ONE) == ZERO:
        return legal
    column = as_int((np.uint64(strategy.facts[slot]) >> CHOSEN) & np.uint64(15)) - 1
    if column < 0:
        return ZERO
    return legal & board[at.COLUMNS + column]


@kernel
def acquire(
    own: np.uint64, stones: np.uint64, most: int, strategy: Strategy, closed: ClosedSet, start: int
) -> tuple[int, int, bool]:
    """Use the positions after a move, from `start` in the log on; stop once `most` are added.

    Returns the number of positions added, the end of the log, and whether the work is complete and all are won.
    """
    board, (uses, queue, log, _) = strategy.work.board, closed
    full, bottom = board[at.BOARD], board[at.BOTTOM]
    added, done, end = 0, 0, start
    while True:
        playable = (stones + bottom) & full
        while playable != ZERO:
            reply = playable & (ZERO - playable)
            playable ^= reply
            key, _, _ = canonical(own, stones | reply, board)
            slot = noted_slot(key, strategy)
            log[end] = slot
            end += 1
            if uses[slot] == 0:
                queue[added] = slot
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
            own, stones = key_words(strategy.keys[slot], board)
            if not wins_at_once(own, stones, board):
                move = pick(own, stones, slot, strategy, closed)
                if move == ZERO or stones | move == full:
                    return added, end, False
        own, stones = own | move, stones | move


@kernel
def release(own: np.uint64, stones: np.uint64, strategy: Strategy, closed: ClosedSet) -> tuple[int, int]:
    """Stop using the positions after a move; return the number of positions removed, and the end of the log."""
    board, (uses, queue, log, _) = strategy.work.board, closed
    full, bottom = board[at.BOARD], board[at.BOTTOM]
    removed, done, end = 0, 0, 0
    while True:
        playable = (stones + bottom) & full
        while playable != ZERO:
            reply = playable & (ZERO - playable)
            playable ^= reply
            key, _, _ = canonical(own, stones | reply, board)
            slot = noted_slot(key, strategy)
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
            own, stones = key_words(strategy.keys[slot], board)
            if not wins_at_once(own, stones, board):
                move = noted_choice(own, stones, slot, strategy)
        own, stones = own | move, stones | move


@kernel
def improve_choices(slots: NDArray[np.int64], strategy: Strategy, closed: ClosedSet, totals: NDArray[np.int64]) -> None:
    """Try the other winning columns in positions of the set, and keep the one that leaves the smallest set.

    `totals` counts positions tried, choices changed, positions removed in all, and the work (positions visited).
    """
    board, (uses, _, log, _) = strategy.work.board, closed
    for slot in slots:
        if uses[slot] == 0:
            continue
        me, stones = key_words(strategy.keys[slot], board)
        legal = candidates(me, stones, board)
        if legal & (legal - ONE) == ZERO or wins_at_once(me, stones, board):
            continue
        chosen = noted_choice(me, stones, slot, strategy)
        removed, released = release(me | chosen, stones | chosen, strategy, closed)
        totals[0] += 1
        totals[3] += removed
        best, best_move = removed, chosen
        for column in range(as_int(board[at.WIDTH])):
            move = legal & board[at.COLUMNS + column]
            if best == 0 or move == ZERO or move == chosen or not is_won(me, stones, column, slot, strategy):
                continue
            added, end, complete = acquire(me | move, stones | move, best, strategy, closed, released)
            totals[3] += added
            for place in range(released, end):
                uses[log[place]] -= 1
            if complete and added < best:
                best, best_move = added, move
        if best_move == chosen:
            for place in range(released):
                uses[log[place]] += 1
            continue
        added, _, complete = acquire(me | best_move, stones | best_move, 1 << 40, strategy, closed, released)
        note_choice(slot, column_of(best_move, board), strategy)
        totals[1] += 1
        totals[2] += removed - added


@kernel
def members(
    level: NDArray[np.int64], strategy: Strategy, closed: ClosedSet, marks: NDArray[np.uint8], out: NDArray[np.int64]
) -> int:
    """Write the slots of the positions two plies later that are not marked, mark them, and return their number."""
    board = strategy.work.board
    full, bottom = board[at.BOARD], board[at.BOTTOM]
    count = 0
    for slot in level:
        me, stones = key_words(strategy.keys[slot], board)
        if wins_at_once(me, stones, board):
            continue
        move = noted_choice(me, stones, slot, strategy)
        own, after = me | move, stones | move
        playable = (after + bottom) & full
        while playable != ZERO:
            reply = playable & (ZERO - playable)
            playable ^= reply
            key, _, _ = canonical(own, after | reply, board)
            place = noted_slot(key, strategy)
            if marks[place] == 0:
                marks[place] = 1
                out[count] = place
                count += 1
    return count
