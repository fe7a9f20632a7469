"""Make the file of a player of Connect 4 that is proven to win: a small closed set, n-tuples, and exceptions.

    python bench/ship_proven.py -o src/ttt_fast/proven/connect4-proven.npz --kept set.npz --csv rounds.csv
    python bench/ship_proven.py --columns 6 --rows 4 --seat 2 --first 0 --slot-bits 20 --table-mb 8 -o small.npz

1. A greedy strategy adds the positions it may meet to a set, ply by ply.  Among winning columns it takes the one that
   adds the least.
2. Each round tries the other winning columns of all positions, from the last plies to the first (`proven_set`).
3. Further rounds fit n-tuples to the columns that stay in the set (`proven_weights`), and prefer what they choose, if
   this costs at most `--slack` positions.  What they miss at last becomes an exception.
4. The file is read again, and every reply to its player is played: all games must end in a win.
"""

import argparse
import csv
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proven_board import key_words, wins_at_once
from proven_exceptions import make_exceptions, with_exceptions
from proven_set import (
    CHANGED,
    ENTERED,
    REMOVED,
    ClosedSet,
    acquire,
    compact,
    enter,
    improve,
    make_set,
    next_level,
    note_choice,
    note_wish,
    pick,
    restore,
)
from proven_weights import acceptable, learn, make_tuples, rounded
from proven_writing import save_proven, weights_from
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.proven.values import load_weights
from ttt_fast.proven.weights import ProvenWeights, choose_columns
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import has_four
from ttt_fast.search.connect_four.geometry import BoardSize

SHAPES = {
    "line": [[(i, 0) for i in range(4)], [(0, i) for i in range(4)]],
    "diagonal": [[(i, i) for i in range(4)], [(i, 3 - i) for i in range(4)]],
    "block": [[(i, j) for i in range(wide) for j in range(high)] for wide, high in ((2, 3), (3, 2))],
    "column": [[(0, j) for j in range(6)], [(i, 0) for i in range(6)]],
    "slope": [
        [(i, i) for i in range(4)] + [(i + 1, i) for i in range(2)],
        [(i, i) for i in range(4)] + [(i + 1, i) for i in range(1, 3)],
        [(i, 3 - i) for i in range(4)] + [(i, 2 - i) for i in range(1, 3)],
        [(i, 3 - i) for i in range(4)] + [(i, 2 - i) for i in range(2)],
    ],
}
"""Shapes of tuples, as lists of column and row."""


class Totals(NamedTuple):
    """Positions of a set by level: those without a win at once, and those with one."""

    quiet: list[int]
    wins: list[int]


@kernel
def _quiet(slots: NDArray[np.int64], closed: ClosedSet, out: NDArray[np.int64]) -> int:
    """Write the slots of positions that do not win at once, and return their number."""
    count = 0
    for slot in slots:
        me, stones = key_words(closed.keys[slot], closed.work.board)
        if not wins_at_once(me, stones, closed.work.board):
            out[count] = slot
            count += 1
    return count


@kernel
def _note_all(slots: NDArray[np.int64], columns: NDArray[np.uint8], closed: ClosedSet) -> None:
    """Choose a column in each position."""
    for place in range(len(slots)):
        note_choice(slots[place], np.int64(columns[place]), closed)


@kernel
def _wish_all(slots: NDArray[np.int64], columns: NDArray[np.uint8], closed: ClosedSet) -> None:
    """Wish a column in each position."""
    for place in range(len(slots)):
        note_wish(slots[place], np.int64(columns[place]), closed)


def roots_of(size: BoardSize, seat: int) -> NDArray[np.uint64]:
    """Return the canonical keys of the first own positions of a seat."""
    game = parse_game(f"connect4:columns={size.width},rows={size.height}")
    if seat == 1:
        return np.array([api.state_key(game.initial_state)], np.uint64)
    after = [api.play(game.initial_state, column) for column in range(size.width)]
    return np.unique([min(api.state_key(api.transform(one, image)) for image in (0, 1)) for one in after])


def fill(closed: ClosedSet, roots: NDArray[np.uint64]) -> None:
    """Add the positions that a greedy strategy meets."""
    board = closed.work.board
    for root in roots:
        slot = enter(root, closed)
        closed.uses[slot] += 1
        me, stones = (np.uint64(word) for word in key_words(root, board))
        if closed.uses[slot] > 1 or wins_at_once(me, stones, board):
            continue
        move = np.uint64(pick(me, stones, slot, closed))
        if move == 0 or not acquire(me | move, stones | move, 1 << 40, closed, 0)[2]:
            raise SystemExit("the seat does not win")


def levels_of(closed: ClosedSet, roots: NDArray[np.uint64]) -> tuple[list[NDArray[np.int64]], Totals]:
    """Return the slots of the set, by level, and their numbers."""
    level = np.array([enter(root, closed) for root in roots], np.int64)
    marks, levels, totals = np.zeros(len(closed.keys), np.bool_), [], Totals([], [])
    while level.size:
        levels.append(level)
        out = np.empty(closed.work.board[at.WIDTH].astype(np.int64) * level.size, np.int64)
        count, wins = next_level(level, closed, marks, out)
        totals.quiet.append(level.size - wins)
        totals.wins.append(wins)
        level = out[:count].copy()
    return levels, totals


def keep(closed: ClosedSet, path: Path | None) -> None:
    """Write the set."""
    if path is not None:
        held = np.flatnonzero(closed.uses)
        part = path.with_suffix(".part.npz")
        np.savez(part, keys=closed.keys[held], facts=closed.facts[held], uses=closed.uses[held])
        part.replace(path)


def resume(closed: ClosedSet, path: Path) -> None:
    """Read a set."""
    with np.load(path) as kept:
        restore(kept["keys"], kept["facts"], kept["uses"], closed)


def quiet_slots(levels: list[NDArray[np.int64]], closed: ClosedSet) -> NDArray[np.int64]:
    """Return the slots of all positions that do not win at once."""
    slots = np.concatenate(levels)
    out = np.empty_like(slots)
    return out[: _quiet(slots, closed, out)].copy()


def fit(
    closed: ClosedSet, slots: NDArray[np.int64], masks: NDArray[np.uint8], given: argparse.Namespace
) -> ProvenWeights:
    """Return n-tuples that choose acceptable columns, without exceptions."""
    board, random = closed.work.board, np.random.default_rng(given.seed)
    game = f"connect4:columns={given.columns},rows={given.rows}"
    if not given.epochs:
        return weights_from(game, given.seat)
    tuples = make_tuples(board, [shape for name in given.shapes.split("+") for shape in SHAPES[name]])
    weights = np.zeros(tuples.cells.shape[0] * 4 ** tuples.cells.shape[1], np.float32)
    keys, started = closed.keys[slots], time.perf_counter()
    for epoch in range(given.epochs):
        step_size = given.step_size * (1 - epoch / given.epochs)
        wrong = learn(keys, masks, random.permutation(len(keys)), step_size, tuples, weights)
        print(f"epoch {epoch}: {wrong:.4f} wrong, {time.perf_counter() - started:.0f} s", flush=True)
    sample = random.permutation(len(keys))[:100_000]
    numbers = min(
        (rounded(weights, share) for share in (0.9, 0.99, 0.999, 0.9999, 1.0)),
        key=lambda numbers: learn(keys, masks, sample, 0.0, tuples, numbers.astype(np.float32)),
    )
    return weights_from(game, given.seat, tuples.cells, numbers.reshape(len(tuples.cells), -1))


def wish(closed: ClosedSet, roots: NDArray[np.uint64], given: argparse.Namespace) -> int:
    """Fit n-tuples, note the columns that they choose as wishes, and return in how many positions they are wrong."""
    slots = quiet_slots(levels_of(closed, roots)[0], closed)
    masks = np.zeros(len(slots), np.uint8)
    acceptable(slots, closed, masks)
    columns = choose_columns(fit(closed, slots, masks, given), closed.keys[slots])
    _wish_all(slots, columns, closed)
    return int((masks >> columns & 1 == 0).sum())


def finish(closed: ClosedSet, roots: NDArray[np.uint64], given: argparse.Namespace) -> tuple[ProvenWeights, int]:
    """Return the weights of a player of the set, and the number of its exceptions."""
    slots = quiet_slots(levels_of(closed, roots)[0], closed)
    masks = np.zeros(len(slots), np.uint8)
    acceptable(slots, closed, masks)
    bare = fit(closed, slots, masks, given)
    columns = choose_columns(bare, closed.keys[slots])
    right = masks >> columns & 1 == 1
    _note_all(slots[right], columns[right], closed)
    slots = quiet_slots(levels_of(closed, roots)[0], closed)  # the others are no longer met
    wanted = (closed.facts[slots] >> 16 & 15).astype(np.int64) - 1
    forced = np.zeros(len(slots), np.uint8)
    acceptable(slots, closed, forced)
    only = np.bitwise_count(forced) == 1
    wanted[only] = np.log2(forced[only]).astype(np.int64)
    made = make_exceptions(bare, closed.keys[slots], wanted)
    counts = (len(slots), made.exceptions, made.false_positives)
    print("{:,} positions to choose in, {:,} exceptions, {:,} others match".format(*counts), flush=True)
    return with_exceptions(bare, made), made.exceptions


def verify(path: Path) -> int:
    """Play every reply to the player of a file on the full board; return the number of own positions."""
    weights = load_weights(path)
    game, tables = weights.game, weights
    level, ply, own = np.array([api.state_key(weights.start)], np.uint64), 0, 0
    size = BoardSize(int(weights.board[0]), int(weights.board[1]))
    board = at.geometry(size)
    while level.size:
        chosen = choose_columns(tables, level) if ply % 2 == weights.seat - 1 else None
        own += 0 if chosen is None else level.size
        out = np.empty(level.size * (1 if chosen is not None else size.width), np.uint64)
        empty = np.zeros(0, np.uint8)
        count, lost = play_level(level, empty if chosen is None else chosen, board, out)
        if lost:
            raise SystemExit(f"{game}: {lost} games at ply {ply} that do not end in a win")
        level, ply = np.unique(out[:count]), ply + 1
    return own


@kernel
def play_level(
    level: NDArray[np.uint64], chosen: NDArray[np.uint8], board: NDArray[np.uint64], out: NDArray[np.uint64]
) -> tuple[int, int]:
    """Write the keys of ongoing positions after the chosen columns, or without any after all columns.

    Returns their number, and the number of games that are drawn, won by the side that is free, or end with a full
    column that was chosen.
    """
    count, lost = 0, 0
    for place in range(len(level)):
        me, stones = key_words(level[place], board)
        moves = 0
        for column in range(np.int64(board[at.WIDTH])):
            move = (stones + board[at.BOTTOM]) & board[at.BOARD] & board[at.COLUMNS + column]
            if move == np.uint64(0) or (len(chosen) > 0 and column != np.int64(chosen[place])):
                continue
            moves += 1
            if has_four(me | move, board[at.STRIDE]):
                lost += len(chosen) == 0
            elif stones | move == board[at.BOARD]:
                lost += 1
            else:
                out[count] = (me ^ stones) + (stones | move) + board[at.BOTTOM]
                count += 1
        lost += moves == 0
    return count, lost


def improve_round(closed: ClosedSet, roots: NDArray[np.uint64], slack: int, given: argparse.Namespace) -> None:
    """Improve the choices of all levels, from the last to the first one."""
    levels, _ = levels_of(closed, roots)
    counts, started = np.zeros(4, np.int64), time.perf_counter()
    for place in range(len(levels) - 1, given.first - 1, -1):
        if closed.counts[ENTERED] > 0.6 * len(closed.keys):
            compact(closed)
            levels, _ = levels_of(closed, roots)
        improve(levels[place], slack, closed, counts)
        print(f"level {place}: {counts[CHANGED]:,} choices changed, {counts[REMOVED]:,} removed", end=", ")
        print(f"{closed.counts[ENTERED]:,} slots, {time.perf_counter() - started:.0f} s", flush=True)
        keep(closed, given.kept)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=7)
    parser.add_argument("--rows", type=int, default=6)
    parser.add_argument("--seat", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--turns", type=int, default=5, help="rounds that prefer the n-tuples' columns")
    parser.add_argument("--slack", type=int, default=4, help="positions that a choice of the n-tuples may cost")
    parser.add_argument("--first", type=int, default=3, help="the first level whose choices are improved")
    parser.add_argument("--slot-bits", type=int, default=27)
    parser.add_argument("--table-mb", type=float, default=2048, help="the solver's table")
    parser.add_argument("--shapes", default="block+slope+column")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--step-size", type=float, default=0.004)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kept", type=Path, help="the set, kept after each level; continued if it exists")
    parser.add_argument("--csv", type=Path, help="a table of the rounds")
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args()
    size = BoardSize(given.columns, given.rows)
    closed, roots = make_set(size, given.slot_bits, given.table_mb), roots_of(size, given.seat)
    rows: list[dict[str, object]] = []
    started = time.perf_counter()
    if given.kept and given.kept.exists():
        resume(closed, given.kept)
    else:
        fill(closed, roots)
    for number in range(given.rounds + given.turns + 1):
        _, totals = levels_of(closed, roots)
        seconds = round(time.perf_counter() - started)
        rows.append({"round": number, "quiet": sum(totals.quiet), "wins_at_once": sum(totals.wins), "seconds": seconds})
        if given.rounds <= number < given.rounds + given.turns:
            rows[-1]["exceptions"] = wish(closed, roots, given)
        print(rows[-1], flush=True)
        if number < given.rounds + given.turns:
            improve_round(closed, roots, given.slack if number >= given.rounds else 0, given)
    weights, exceptions = finish(closed, roots, given)
    save_proven(given.output, weights)
    rows[-1].update(exceptions=exceptions, bytes=weights.num_bytes, own_positions=verify(given.output), given_away=0)
    print(rows[-1], "all games are won", flush=True)
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[-1]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
