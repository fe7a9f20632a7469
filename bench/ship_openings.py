"""Write the book of the first positions of Connect 4 that ships with the package.

    pip install -r bench/requirements.txt
    python bench/ship_openings.py [--plies 6] [--check 20]

writes src/ttt_fast/search/connect_four/openings.npz: the exact score of each position of up to PLIES stones, one of two
mirror images.  Our solver takes seconds for each of them, so that the scores of positions of PLIES stones are those of
PyPI's bitbully with its book of 12 plies; those with fewer stones follow from them.  Our solver then solves a sample.
"""

import argparse
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groups.solving import marks_of
from ttt_fast.search.connect_four.book import SHIPPED, SHIPPED_PLIES, positions_of, save_book
from ttt_fast.search.connect_four.book_making import all_plies, assemble
from ttt_fast.search.connect_four.geometry import STANDARD
from ttt_fast.search.connect_four.solver import Solver


def bitbully_scores(positions: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return the scores of positions, (N, 2) uint64, by bitbully with its book of 12 plies."""
    import bitbully

    other: Any = bitbully.BitBully(opening_book="12-ply-dist")
    boards = (bitbully.Board(marks_of(own, stones)) for own, stones in positions.tolist())
    return np.array([max(other.score_all_moves(board).values()) for board in boards], np.int8)


def main() -> None:
    """Write the file, and check some of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plies", type=int, default=SHIPPED_PLIES)
    parser.add_argument("--check", type=int, default=20, help="number of positions that our solver solves, too")
    given = parser.parse_args()
    keys = all_plies(STANDARD, given.plies)
    last = positions_of(keys[-1], STANDARD)
    scores = bitbully_scores(last)
    book = assemble(keys, scores, STANDARD)
    save_book(SHIPPED, book)
    print(f"{len(book.keys):,} positions in {SHIPPED}", file=sys.stderr)
    solver = Solver(table_mb=256, book=False)
    for number in np.random.default_rng(0).choice(len(last), given.check, replace=False).tolist():
        own, stones = last[number].tolist()
        if solver.score((own, stones)).score != scores[number]:
            raise SystemExit(f"expected the score {scores[number]} of {marks_of(own, stones)}, got another one")
    print(f"{given.check} of them are those of our solver", file=sys.stderr)


if __name__ == "__main__":
    main()
