"""Write the scores of the first positions of Connect 4, which the solver ships with.

    pip install -r bench/requirements.txt
    python bench/ship_openings.py [--plies 6] [--check 20]

writes src/ttt_fast/search/connect_four/openings.npz: the exact score of each position of up to PLIES stones, one of two
mirror images.  Our solver takes seconds for each of them, so that the scores of positions of PLIES stones are those of
PyPI's bitbully with its book of 12 plies; those with fewer stones follow from them, since no game ends before.  Our
solver then solves a sample.
"""

import argparse
import sys
from typing import Any

import numpy as np

from ttt_fast.search.connect_four.openings import PATH, mirrored, save_openings, words_after
from ttt_fast.search.connect_four.positions import Words
from ttt_fast.search.connect_four.solver import Solver

COLUMNS = "1234567"


def lines_of(plies: int) -> dict[Words, str]:
    """Return the positions of up to some plies, without mirror images, each with the first line that leads there."""
    found, level = {words_after(""): ""}, [""]
    for _ in range(plies):
        before, level = level, []
        for line in (line + column for line in before for column in COLUMNS):
            words = words_after(line)
            if words not in found and mirrored(words) not in found:
                found[words] = line
                level.append(line)
    return found


def scores_of(lines: dict[Words, str], plies: int) -> dict[Words, int]:
    """Return the scores of the positions: of the last ply by bitbully, and from there back to the start."""
    import bitbully

    other: Any = bitbully.BitBully(opening_book="12-ply-dist")
    scores: dict[Words, int] = {}
    for words, line in sorted(lines.items(), key=lambda one: -len(one[1])):
        if len(line) == plies:
            board = bitbully.Board([int(column) - 1 for column in line])
            scores[words] = max(other.score_all_moves(board).values())
            continue
        after = [words_after(line + column) for column in COLUMNS]
        scores[words] = max(-scores[one if one in scores else mirrored(one)] for one in after)
    return scores


def main() -> None:
    """Write the file, and check some of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plies", type=int, default=6, help="at most 6: no game ends before")
    parser.add_argument("--check", type=int, default=20, help="number of positions that our solver solves, too")
    given = parser.parse_args()
    lines = lines_of(given.plies)
    scores = scores_of(lines, given.plies)
    save_openings(PATH, scores)
    print(f"{len(scores):,} positions in {PATH}", file=sys.stderr)
    solver = Solver(table_mb=256, book=False)
    last = [words for words, line in lines.items() if len(line) == given.plies]
    for number in np.random.default_rng(0).choice(len(last), given.check, replace=False).tolist():
        words = last[number]
        if solver.score(words).score != scores[words]:
            raise SystemExit(f"expected the score {scores[words]} of {lines[words]!r}, got another one")
    print(f"{given.check} of them are those of our solver", file=sys.stderr)


if __name__ == "__main__":
    main()
