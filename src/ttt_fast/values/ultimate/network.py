"""A small network that values positions of Ultimate tic-tac-toe: patterns of small boards, embedded, and two layers.

The inputs of a position are ten patterns and the target: the nine small boards, and again the one in which the player
to move must play.  A pattern is a board from the view of that player.  All boards won by one player are one pattern,
and so are all full ones.  Each of the P patterns has an embedding of D numbers, shared by all boards.  The first layer
of H units adds a linear map of each slot's embedding and a row for the target.  Two further layers follow.  Activations
are clipped to 0..1, and the result z becomes the value z / sqrt(1 + z**2).  The two endings share the embeddings and
have separate layers.

(Incrementally updated sums are those of Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for
computer shogi", 2018; tables of patterns are those of M. Buro, "Experiments with Multi-ProbCut and a new high-quality
evaluation function for Othello", 1997.)
"""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.vectors import (
    Pointer,
    Vector,
    add,
    fill,
    fma,
    load,
    load_number,
    mul,
    store,
    total,
    where_less,
)  # fmt: skip
from ttt_fast.games.tic_tac_toe import LINES, SQUARE_SYMMETRIES, contains_line
from ttt_fast.games.ultimate.rules import UltimateState, board_of

NUM_GRIDS: Final = 3**9
OWN_BOARD, OTHER_BOARD, FULL_BOARD, FREE_MOVE, NUM_SPECIAL = range(5)
"""Patterns of a board won by the player to move, won by the other, drawn; and of no target.  Open boards follow."""
NUM_PATTERNS: Final = NUM_SPECIAL + 11_093
"""P: 11,093 sets of marks leave a small board open."""
NUM_SLOTS: Final = 10
NUM_TARGETS: Final = 10
TARGET_SLOT: Final = 9
EMBEDDING: Final = 16
"""D: numbers in an embedding."""
HIDDEN: Final = 64
"""H: units of the first layer."""
SECOND: Final = 16
"""K: units of the second layer."""
NUM_ENDINGS: Final = 2

# Where the parameters are in one flat array: the embeddings, then the layers of each ending, filled up to 16 numbers.
EMBEDDING_SIZE: Final = NUM_PATTERNS * EMBEDDING
SLOT_SIZE: Final = EMBEDDING * HIDDEN
FIRST_AT: Final = 0
TARGET_AT: Final = FIRST_AT + NUM_SLOTS * SLOT_SIZE
SECOND_AT: Final = TARGET_AT + NUM_TARGETS * HIDDEN
SECOND_BIAS_AT: Final = SECOND_AT + HIDDEN * SECOND
THIRD_AT: Final = SECOND_BIAS_AT + SECOND
THIRD_BIAS_AT: Final = THIRD_AT + SECOND
LAYERS_SIZE: Final = (THIRD_BIAS_AT // 16 + 1) * 16
NUM_PARAMETERS: Final = EMBEDDING_SIZE + NUM_ENDINGS * LAYERS_SIZE


class PatternTables(NamedTuple):
    """Look-up tables of patterns.

    Attributes
    ----------
    digits
        (512,) uint16: nine bits as digits of a number in base 3.
    pattern
        (19683,) uint16: the pattern of a grid whose digits are 1 for own marks and 2 for the other player's.
    image
        (8, P) uint16: the image of a pattern under each symmetry of the square.
    """

    digits: NDArray[np.uint16]
    pattern: NDArray[np.uint16]
    image: NDArray[np.uint16]


@cache
def pattern_tables() -> PatternTables:
    """Return the look-up tables of patterns.

    Examples
    --------
    >>> tables = pattern_tables()
    >>> int(tables.pattern[tables.digits[0b111]]) == OWN_BOARD, int(tables.pattern.max()) == NUM_PATTERNS - 1
    (True, True)
    """
    cells = np.arange(NUM_GRIDS)[:, None] // 3 ** np.arange(9) % 3
    bits = 1 << np.arange(9)
    lines = np.array([contains_line(marks) for marks in range(512)])
    own, other = lines[(cells == 1) @ bits], lines[(cells == 2) @ bits]
    pattern = np.where(own, OWN_BOARD, np.where(other, OTHER_BOARD, FULL_BOARD))
    is_open = ~own & ~other & (cells == 0).any(axis=1)
    pattern[is_open] = NUM_SPECIAL + np.arange(is_open.sum())
    image = np.tile(np.arange(NUM_PATTERNS), (len(SQUARE_SYMMETRIES), 1))
    for row, places in zip(image, SQUARE_SYMMETRIES.astype(np.int64), strict=True):
        row[pattern[is_open]] = pattern[cells[is_open] @ 3**places]
    digits = (np.arange(512)[:, None] >> np.arange(9) & 1) @ 3 ** np.arange(9)
    return PatternTables(*(frozen(one.astype(np.uint16)) for one in (digits, pattern, image)))


def pattern_features() -> NDArray[np.float64]:
    """Return the features of each pattern, (P, 47) float64 of zeros and ones.

    Four columns mark the special patterns, and 27 the content of each cell.  The last 16 mark the lines that need one
    more own mark, or one more of the other player's.

    Examples
    --------
    >>> pattern_features().sum(axis=1).astype(int).tolist()[:5]
    [1, 1, 1, 1, 9]
    """
    cells = np.arange(NUM_GRIDS)[:, None] // 3 ** np.arange(9) % 3
    is_open = pattern_tables().pattern >= NUM_SPECIAL
    parts = [cells == mark for mark in range(3)]
    for mark in (1, 2):
        marks = cells[:, np.array(LINES)]
        parts.append(((marks == mark).sum(axis=2) == 2) & ((marks == 0).sum(axis=2) == 1))
    features = np.zeros((NUM_PATTERNS, NUM_SPECIAL + 43))
    features[:NUM_SPECIAL, :NUM_SPECIAL] = np.eye(NUM_SPECIAL)
    features[NUM_SPECIAL:, NUM_SPECIAL:] = np.concatenate(parts, axis=1)[is_open]
    return features


@inlined_kernel
def pattern_of(own: int, other: int, digits: NDArray[np.uint16], pattern: NDArray[np.uint16]) -> int:
    """Return the pattern of a board with these marks, nine bits each."""
    return as_int(pattern[as_int(digits[own]) + 2 * as_int(digits[other])])


@inlined_kernel
def fill_patterns(state: UltimateState, tables: PatternTables, out: NDArray[np.uint16], first: int) -> None:
    """Write the inputs of an ongoing state from `out[first]` on: its nine patterns, and its target.

    In a game with tie=boards, targets are 10 higher.
    """
    digits, pattern = tables.digits, tables.pattern
    for board in range(9):
        own = board_of(state.own_low, state.own_high, board)
        other = board_of(state.other_low, state.other_high, board)
        out[first + board] = pattern_of(own, other, digits, pattern)
    out[first + TARGET_SLOT] = state.target + NUM_TARGETS * state.tie


Sums = tuple[Vector, Vector, Vector, Vector]
"""The H numbers of a layer in registers."""


@inlined_kernel
def clipped(x: Vector) -> Vector:
    """Return the numbers of a vector, clipped to 0..1."""
    zero, one = fill(np.float32(0)), fill(np.float32(1))
    cut: Vector = where_less(x, zero, zero, where_less(one, x, one, x))
    return cut


@inlined_kernel
def load_sums(start: Pointer, at: int) -> Sums:
    """Return the H numbers from an offset on."""
    return load(start, at), load(start, at + 16), load(start, at + 32), load(start, at + 48)


@inlined_kernel
def store_sums(start: Pointer, at: int, sums: Sums) -> None:
    """Write H numbers from an offset on."""
    store(start, at, sums[0])
    store(start, at + 16, sums[1])
    store(start, at + 32, sums[2])
    store(start, at + 48, sums[3])


@inlined_kernel
def plus_products(sums: Sums, count: int, numbers: Pointer, first: int, weights: Pointer, at: int) -> Sums:
    """Return the H sums plus the products of an even count of numbers, each with a row of H weights.

    Even and odd numbers have separate sums, since an addition waits for the one before.
    """
    a, b, c, d = sums
    zero = fill(np.float32(0))
    e, f, g, h = zero, zero, zero, zero
    for i in range(first, first + count, 2):
        x, y = fill(load_number(numbers, i)), fill(load_number(numbers, i + 1))
        a, b = fma(x, load(weights, at), a), fma(x, load(weights, at + 16), b)
        c, d = fma(x, load(weights, at + 32), c), fma(x, load(weights, at + 48), d)
        at += HIDDEN
        e, f = fma(y, load(weights, at), e), fma(y, load(weights, at + 16), f)
        g, h = fma(y, load(weights, at + 32), g), fma(y, load(weights, at + 48), h)
        at += HIDDEN
    return add(a, e), add(b, f), add(c, g), add(d, h)


@inlined_kernel
def second_sums(active: Pointer, first: int, layers: Pointer, base: int) -> Vector:
    """Return the K sums of the second layer of an ending, from the H activations of the first: eight partial sums."""
    at, zero = base + SECOND_AT, fill(np.float32(0))
    a, b, c, d = load(layers, base + SECOND_BIAS_AT), zero, zero, zero
    e, f, g, h = zero, zero, zero, zero
    for j in range(first, first + HIDDEN, 8):
        a = fma(fill(load_number(active, j)), load(layers, at), a)
        b = fma(fill(load_number(active, j + 1)), load(layers, at + SECOND), b)
        c = fma(fill(load_number(active, j + 2)), load(layers, at + 2 * SECOND), c)
        d = fma(fill(load_number(active, j + 3)), load(layers, at + 3 * SECOND), d)
        e = fma(fill(load_number(active, j + 4)), load(layers, at + 4 * SECOND), e)
        f = fma(fill(load_number(active, j + 5)), load(layers, at + 5 * SECOND), f)
        g = fma(fill(load_number(active, j + 6)), load(layers, at + 6 * SECOND), g)
        h = fma(fill(load_number(active, j + 7)), load(layers, at + 7 * SECOND), h)
        at += 8 * SECOND
    sums: Vector = add(add(add(a, b), add(c, d)), add(add(e, f), add(g, h)))
    return sums


@inlined_kernel
def result_of_second(active: Vector, layers: Pointer, base: int) -> np.float32:
    """Return the result of an ending's network from the K activations of the second layer."""
    result: np.float32 = load_number(layers, base + THIRD_BIAS_AT) + total(mul(active, load(layers, base + THIRD_AT)))
    return result
