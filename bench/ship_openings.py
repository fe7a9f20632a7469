"""Write the book of the first positions of Connect 4 that ships with the package.

    pip install -r bench/requirements.txt
    python bench/ship_openings.py [--check 20]

writes src/ttt_fast/search/connect_four/openings.npz: the exact score of each position of up to six stones, one of two
mirror images.  Our solver takes seconds for each of them, so that the scores of positions of six stones are those of
PyPI's bitbully with its book of 12 plies; those with fewer stones follow from them.  Our solver then solves a sample.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groups.solving import marks_of
from ttt_fast.core.archive import save_archive
from ttt_fast.games.registry import parse_game
from ttt_fast.search.connect_four.book import KIND, SHIPPED, SHIPPED_PLIES, keys_of
from ttt_fast.search.connect_four.geometry import BOARD, BOTTOM, COLUMNS, STANDARD, geometry
from ttt_fast.search.connect_four.positions import have_four
from ttt_fast.search.connect_four.solver import Solver


class Moves(NamedTuple):
    """The moves in one column: which positions can make them, which of these win, and the keys after the others."""

    legal: NDArray[np.bool_]
    wins: NDArray[np.bool_]
    keys: NDArray[np.uint64]


def positions_of(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the positions of keys, (N, 2) uint64: the stones of the player to move and all stones."""
    board = geometry(STANDARD)
    stones = keys + board[BOTTOM]  # the highest bit of each column is now that of its lowest empty cell
    for _ in range(STANDARD.height):
        stones |= (stones >> np.uint64(1)) & board[BOARD]
    stones = (stones >> np.uint64(1)) & board[BOARD]
    return np.stack([keys - stones, stones], axis=1)


def moves(keys: NDArray[np.uint64]) -> Iterator[Moves]:
    """Yield the moves of positions, given by their keys, column by column."""
    board = geometry(STANDARD)
    own, stones = positions_of(keys).T
    for column in range(STANDARD.width):
        cells = (stones + board[BOTTOM]) & board[COLUMNS + column]
        legal = cells != 0
        mine, after = own[legal] | cells[legal], stones[legal] | cells[legal]
        wins = have_four(mine, STANDARD)
        yield Moves(legal, wins, keys_of(np.stack([after ^ mine, after], axis=1)[~wins]))


def all_plies() -> list[NDArray[np.uint64]]:
    """Return the keys of the positions of each ply, ascending, without those in which the game has been won."""
    found = [np.zeros(1, np.uint64)]
    for _ in range(SHIPPED_PLIES):
        found.append(np.unique(np.concatenate([one.keys for one in moves(found[-1])])))
    return found


def back_up(plies: list[NDArray[np.uint64]], last: NDArray[np.int8]) -> list[NDArray[np.int8]]:
    """Return the scores of the positions of all plies, given those of the last one."""
    scores = [last]
    for ply in range(len(plies) - 2, -1, -1):
        best = np.full(len(plies[ply]), -128, np.int8)
        for one in moves(plies[ply]):
            after = np.full(len(one.wins), (STANDARD.cells + 1 - ply) // 2, np.int8)
            after[~one.wins] = -scores[-1][np.searchsorted(plies[ply + 1], one.keys)]
            best[one.legal] = np.maximum(best[one.legal], after)
        scores.append(best)
    return scores[::-1]


def write_book(path: Path, plies: list[NDArray[np.uint64]], last: NDArray[np.int8]) -> None:
    """Write the book of the positions of all plies, given the scores of those of the last one."""
    keys, scores = np.concatenate(plies), np.concatenate(back_up(plies, last))
    order, game = np.argsort(keys), parse_game("connect4:columns=7,rows=6")
    meta = {"game": game.spec, "rules": game.version, "columns": STANDARD.width, "rows": STANDARD.height}
    arrays: dict[str, NDArray[np.generic]] = {"keys": keys[order], "scores": scores[order]}
    save_archive(path, KIND, arrays, {**meta, "plies": SHIPPED_PLIES, "positions": len(keys)})


def bitbully_scores(positions: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return the scores of positions, (N, 2) uint64, by bitbully with its book of 12 plies."""
    import bitbully

    other: Any = bitbully.BitBully(opening_book="12-ply-dist")
    boards = (bitbully.Board(marks_of(own, stones)) for own, stones in positions.tolist())
    return np.array([max(other.score_all_moves(board).values()) for board in boards], np.int8)


def main() -> None:
    """Write the file, and check some of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", type=int, default=20, help="number of positions that our solver solves, too")
    given = parser.parse_args()
    plies = all_plies()
    last = positions_of(plies[-1])
    scores = bitbully_scores(last)
    write_book(SHIPPED, plies, scores)
    print(f"{sum(map(len, plies)):,} positions in {SHIPPED}", file=sys.stderr)
    solver = Solver(table_mb=256, book=False)
    for number in np.random.default_rng(0).choice(len(last), given.check, replace=False).tolist():
        own, stones = last[number].tolist()
        if solver.score((own, stones)).score != scores[number]:
            raise SystemExit(f"expected the score {scores[number]} of {marks_of(own, stones)}, got another one")
    print(f"{given.check} of them are those of our solver", file=sys.stderr)


if __name__ == "__main__":
    main()
