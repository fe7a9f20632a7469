"""The strategy: which column is played, the positions that it leaves, and how many remain after a move."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proven_board import CACHED, CHOSEN, ONE, STAMP, ZERO, candidates, canonical, column_of, keeps_win, key_words, slot_of
from proven_size import MAX_FEATURES, SizeModel, predicted
from ttt_fast.core.bits import as_int, popcount
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import four_spots
from ttt_fast.search.connect_four.search import SolverWork

BOUND = 1e9


class Strategy(NamedTuple):
    """What is known of own positions (keys, one word of facts each), the solver, the model of sizes, buffers."""

    keys: NDArray[np.uint64]
    facts: NDArray[np.uint32]
    work: SolverWork
    model: SizeModel
    codes: NDArray[np.uint64]
    found: NDArray[np.int64]
    costs: NDArray[np.float64]
    counts: NDArray[np.int64]


@inlined_kernel
def rank(me: np.uint64, stones: np.uint64, move: np.uint64, strategy: Strategy, plain: int) -> float:
    """Return the predicted cost of a move."""
    board = strategy.work.board
    own, after = me | move, stones | move
    if popcount(stones) >= plain:
        return predicted(own, after, strategy.model, strategy.codes, strategy.found)
    playable = (after + board[at.BOTTOM]) & board[at.BOARD]
    threats = four_spots(own, board[at.STRIDE]) & playable
    column = column_of(move, board)
    cost = 1.0 * abs(2 * column + 1 - as_int(board[at.WIDTH]))
    if threats != ZERO:
        cost -= 100.0
        if threats & (threats - ONE) != ZERO:
            cost -= 100.0
    # fewer cells that remain open count as well
    return cost - 3.0 * popcount(four_spots(own, board[at.STRIDE]) & board[at.BOARD] & ~after)


@kernel
def is_won(me: np.uint64, stones: np.uint64, column: int, slot: int, strategy: Strategy) -> bool:
    """Return whether a column keeps the win, from the facts or by the solver, and note it."""
    facts = strategy.facts[slot]
    known, won = np.uint32(1) << np.uint32(column), np.uint32(256) << np.uint32(column)
    if facts & known:
        return bool(facts & won)
    board = strategy.work.board
    move = (stones + board[at.BOTTOM]) & board[at.COLUMNS + column]
    strategy.counts[0] += 1
    found = keeps_win(me, stones, move, strategy.work)
    strategy.facts[slot] |= known
    if found:
        strategy.facts[slot] |= won
    return found


@kernel
def noted_slot(key: np.uint64, strategy: Strategy) -> int:
    """Return the slot of a key, which is entered if it is new."""
    slot = slot_of(key, strategy.keys)
    if strategy.keys[slot] == ZERO:
        strategy.keys[slot] = key
        strategy.counts[1] += 1
    return slot


@kernel
def choose(key: np.uint64, me: np.uint64, stones: np.uint64, strategy: Strategy, plain: int) -> np.uint64:
    """Return the move of the strategy in a canonical position without a win at once; 0 if it is not won.

    Of the moves that keep the win it is the one of the smallest predicted size.
    """
    board, costs = strategy.work.board, strategy.costs
    legal = candidates(me, stones, board)
    if legal & (legal - ONE) == ZERO:
        return legal
    slot = noted_slot(key, strategy)
    facts = np.uint64(strategy.facts[slot])
    fixed = as_int((facts >> CHOSEN) & np.uint64(15))
    if fixed:
        return legal & board[at.COLUMNS + fixed - 1]
    stamp = np.uint64(strategy.counts[2])
    if facts >> STAMP == stamp:
        return legal & board[at.COLUMNS + as_int((facts >> CACHED) & np.uint64(15))]
    width = as_int(board[at.WIDTH])
    left = 0
    for column in range(width):
        move = legal & board[at.COLUMNS + column]
        costs[column] = BOUND
        if move != ZERO:
            costs[column] = rank(me, stones, move, strategy, plain)
            left += 1
    while left > 0:
        best = 0
        for column in range(width):
            if costs[column] < costs[best]:
                best = column
        certain = left == 1 and strategy.facts[slot] & np.uint32(0xFF00) == np.uint32(0)
        if certain or is_won(me, stones, best, slot, strategy):
            facts = np.uint64(strategy.facts[slot]) & np.uint64(0xFFFFF)
            facts |= (stamp << STAMP) | (np.uint64(best) << CACHED)
            strategy.facts[slot] = np.uint32(facts)
            return legal & board[at.COLUMNS + best]
        costs[best] = BOUND
        left -= 1
    return ZERO


@kernel
def next_level(
    level: NDArray[np.uint64], strategy: Strategy, plain: int, seen: NDArray[np.uint64], out: NDArray[np.uint64],
    totals: NDArray[np.int64],
) -> int:
    """Write the canonical own positions two plies later, and return their number (-1: too many).

    `totals` counts: positions lost or drawn, positions with a win at once that are new, positions without a choice.
    `seen` is an empty hash table; the keys with a win at once are in it, too.
    """
    board = strategy.work.board
    stride, bottom, full = board[at.STRIDE], board[at.BOTTOM], board[at.BOARD]
    count = 0
    for key in level:
        me, stones = key_words(key, board)
        move = choose(key, me, stones, strategy, plain)
        if move == ZERO:
            totals[0] += 1
            continue
        own, after = me | move, stones | move
        if after == full:
            totals[0] += 1
            continue
        other = own ^ after
        playable = (after + bottom) & full
        if playable & four_spots(other, stride) != ZERO:
            totals[0] += 1
            continue
        mine = four_spots(own, stride)
        while playable != ZERO:
            reply = playable & (ZERO - playable)
            playable ^= reply
            stones_next = after | reply
            if stones_next == full:
                totals[0] += 1
                continue
            found, _, _ = canonical(own, stones_next, board)
            slot = slot_of(found, seen)
            if seen[slot] != ZERO:
                continue
            seen[slot] = found
            if ((stones_next + bottom) & full) & mine != ZERO:
                totals[1] += 1
                continue
            if count == len(out):
                return -1
            out[count] = found
            count += 1
    return count


@kernel
def size_after(
    own: np.uint64, stones: np.uint64, strategy: Strategy, plain: int, seen: NDArray[np.uint64],
    queue: NDArray[np.uint64], most: int,
) -> int:
    """Return the number of canonical own positions after a move, at most `most` (about); -1 if one is not won.

    `seen` is an empty hash table, and empty again afterwards.
    """
    board = strategy.work.board
    stride, bottom, full = board[at.STRIDE], board[at.BOTTOM], board[at.BOARD]
    count, done = 0, 0
    failed = False
    while not failed:
        other = own ^ stones
        playable = (stones + bottom) & full
        if playable & four_spots(other, stride) != ZERO:
            failed = True
        while playable != ZERO and not failed:
            reply = playable & (ZERO - playable)
            playable ^= reply
            found, _, _ = canonical(own, stones | reply, board)
            slot = slot_of(found, seen)
            if seen[slot] == ZERO:
                seen[slot] = found
                queue[count] = found
                count += 1
        move = ZERO
        while done < count and move == ZERO and not failed:
            key = queue[done]
            done += 1
            own, stones = key_words(key, board)
            if (stones + bottom) & full & four_spots(own, stride) == ZERO:
                move = choose(key, own, stones, strategy, plain)
                failed = move == ZERO
        if move == ZERO or count >= most:
            break
        own, stones = own | move, stones | move
    for place in range(count):
        slot = slot_of_entered(queue[place], seen)
        seen[slot] = ZERO
    return -1 if failed else count


@kernel
def sizes(
    keys: NDArray[np.uint64], strategy: Strategy, plain: int, seen: NDArray[np.uint64], queue: NDArray[np.uint64],
    most: int, out: NDArray[np.uint64], found: NDArray[np.int64],
) -> int:
    """Write the board after each winning move of each position and the number of positions that remain.

    Rows of `out`: own stones, all stones; of `found`: place of the position, column, number, 1 if it is the choice.
    """
    board = strategy.work.board
    count = 0
    for place in range(len(keys)):
        me, stones = key_words(keys[place], board)
        legal = candidates(me, stones, board)
        if legal & (legal - ONE) == ZERO:
            continue
        chosen = choose(keys[place], me, stones, strategy, plain)
        slot = noted_slot(keys[place], strategy)
        for column in range(as_int(board[at.WIDTH])):
            move = legal & board[at.COLUMNS + column]
            if move == ZERO or not is_won(me, stones, column, slot, strategy):
                continue
            if count == len(out):
                return count
            out[count, 0], out[count, 1] = me | move, stones | move
            found[count, 0], found[count, 1] = place, column
            found[count, 2] = size_after(me | move, stones | move, strategy, plain, seen, queue, most)
            found[count, 3] = move == chosen
            count += 1
    return count


@inlined_kernel
def slot_of_entered(key: np.uint64, keys: NDArray[np.uint64]) -> int:
    """Return the slot of a key that was entered, though others before it may have been removed."""
    mask = len(keys) - 1
    hashed = key * np.uint64(0x9E3779B97F4A7C15)
    slot = as_int((hashed ^ (hashed >> np.uint64(29))) >> np.uint64(8)) & mask
    while keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def improve(
    keys: NDArray[np.uint64], strategy: Strategy, plain: int, seen: NDArray[np.uint64], queue: NDArray[np.uint64],
    most: int,
) -> int:
    """Fix in each position the winning column that leaves the fewest positions; return how many choices change."""
    board = strategy.work.board
    changed = 0
    for place in range(len(keys)):
        key = keys[place]
        me, stones = key_words(key, board)
        legal = candidates(me, stones, board)
        if legal & (legal - ONE) == ZERO:
            continue
        chosen = choose(key, me, stones, strategy, plain)
        best_move = chosen
        best = size_after(me | chosen, stones | chosen, strategy, plain, seen, queue, most)
        slot = noted_slot(key, strategy)
        for column in range(as_int(board[at.WIDTH])):
            move = legal & board[at.COLUMNS + column]
            if move == ZERO or move == chosen or not is_won(me, stones, column, slot, strategy):
                continue
            size = size_after(me | move, stones | move, strategy, plain, seen, queue, best)
            if 0 <= size < best:
                best, best_move = size, move
        changed += best_move != chosen
        facts = np.uint64(strategy.facts[slot]) & ~(np.uint64(15) << CHOSEN)
        strategy.facts[slot] = np.uint32(facts | (np.uint64(column_of(best_move, board) + 1) << CHOSEN))
    return changed
