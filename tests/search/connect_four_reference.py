"""Connect 4 with tuples and dictionaries: the plainest solver there is, and random positions."""

from functools import cache

import numpy as np

Columns = tuple[str, ...]
"""The stones of each column from the bottom, `X` and `O`."""


def has_four(columns: Columns, height: int, mark: str) -> bool:
    cells = {(c, r) for c, stones in enumerate(columns) for r, stone in enumerate(stones) if stone == mark}
    steps = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(all((c + i * dc, r + i * dr) in cells for i in range(4)) for c, r in cells for dc, dr in steps)


@cache
def score(columns: Columns, height: int) -> int:
    """The score for the player to move, by trying everything."""
    played = sum(map(len, columns))
    cells = height * len(columns)
    mark = "XO"[played % 2]
    best = None
    for c, stones in enumerate(columns):
        if len(stones) == height:
            continue
        after = (*columns[:c], stones + mark, *columns[c + 1 :])
        if has_four(after, height, mark):
            own_stones = played // 2 + 1
            value = (cells + 1 - played % 2) // 2 - own_stones + 1
        else:
            value = -score(after, height)
        best = value if best is None else max(best, value)
    return 0 if best is None else best


def words(columns: Columns, height: int) -> tuple[int, int]:
    """The stones of the player to move and all stones, as bits."""
    mark = "XO"[sum(map(len, columns)) % 2]
    me = all_stones = 0
    for c, stones in enumerate(columns):
        for r, stone in enumerate(stones):
            all_stones |= 1 << c * (height + 1) + r
            me |= (stone == mark) << c * (height + 1) + r
    return me, all_stones


def random_columns(generator: np.random.Generator, width: int, height: int, plies: int) -> Columns:
    """A position after so many random plies, none of which wins."""
    while True:
        columns: Columns = ("",) * width
        for ply in range(plies):
            mark = "XO"[ply % 2]
            for c in generator.permutation(width):
                after = (*columns[:c], columns[c] + mark, *columns[c + 1 :])
                if len(columns[c]) < height and not has_four(after, height, mark):
                    columns = after
                    break
            else:
                break
        else:
            return columns


def random_positions(seed: int, width: int, height: int, plies: int, count: int) -> np.ndarray:
    """(count, 2) uint64 words of random positions."""
    generator = np.random.default_rng(seed)
    found = [words(random_columns(generator, width, height, plies), height) for _ in range(count)]
    return np.array(found, np.uint64).reshape(-1, 2)
