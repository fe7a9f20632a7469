"""The arrays and settings of the alpha-beta kernel, and its transposition table; shapes by letter.

D levels, one more than the largest depth; F fields of a state; A actions; L = 9 * A, room for a published list of
moves; N entries of the transposition table.

An entry contains the result of a position searched to a depth: a value, its kind (exact or a bound), and the best
action.  Values include the moves *below* the position, without the rewards on the path to it, so that they are valid on
any path.  A value is used only in a search to the same depth, so that the table does not change a result.  Searches to
the end of the game have the depth `TO_END`: their values hold for any number of plies left.  The newest entry replaces
the old one.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import mix64
from ttt_fast.games import api

PREFERENCE_SCALE: Final = 256
"""Factor of the rewards if sooner wins are preferred: a win adds the remaining plies, at most 81."""

TIE_FIRST, TIE_LAST, TIE_UNIFORM, TIE_PUBLISHED, TIE_VALUES = range(5)
"""Choice of the best action: the lowest, the highest, any; any of the published list, with bounds as ties; or any,
after searching the true value of every action."""

DEPTH, CHILD_DEPTH, ALPHA, BETA, BEST, BEST_ACTION, NEXT, COUNT, SCORE, FIRST_ALPHA, NUM_COLUMNS = range(11)
"""Columns of a frame.

Depth left, and that of the children; the window and the best value so far, for the player to move; the action of the
best value; number of the next action, and of all; the sum of rewards from the root; alpha when the node was opened.
"""
LEVEL, NODES, CHOSEN, NUM_COUNTERS = range(4)
"""Level of the search (-1: not begun), nodes so far, and the chosen root action."""
NOTHING, EXACT, LOWER, UPPER = range(4)
"""Kinds of an entry: none, the value, at least, at most."""
_KEY, _CHECK, _ENTRY = range(3)
TO_END: Final = 254
"""The depth in an entry of a search to the end of the game."""
_VALUE_OFFSET: Final = 1 << 38
_NO_ACTION: Final = 255


class AlphaBetaSettings(NamedTuple):
    """The kind of search, as integers.

    Attributes
    ----------
    pruning
        1: prune irrelevant moves; 0: minimax.
    published_depth
        1: a node with more than nine listed actions costs two plies instead of one (Bichot).
    ties
        One of the TIE_ constants.
    ordering
        1: try the table's action first, then by reward, then by history; 0: ascending.
    lost_draws
        1: a full board above the horizon is lost for the player to move, without a legal action (Sai).
    scale
        Factor of the rewards.
    prefer_fast
        1: the value of a win increases by the remaining depth.
    infinity
        Start of every maximum, and the root's window.
    to_end
        1: the rewards are results alone, every line reaches the end of the game, and `infinity` is 1.  Results that can
        no longer occur then bound the values of a position (`rewards.result_bounds`).
    """

    pruning: int
    published_depth: int
    ties: int
    ordering: int
    lost_draws: int
    scale: int
    prefer_fast: int
    infinity: int
    to_end: int


class AlphaBetaWork(NamedTuple):
    """Work arrays.

    Attributes
    ----------
    states
        (D, F) int64, the position of each level.
    frames
        (D, NUM_COLUMNS) int64.
    actions
        (D, L) uint8; of each level, the next one at column NEXT.
    keys
        (D, L) int64, keys of the ordering.
    root_values
        (L,) int64, the value from the search of each root action, in the order of `actions[0]`.
    root_alphas
        (L,) int64, the alpha of this search; only for a published list, in which actions repeat.
    history
        (2, A) int64, number of cutoffs by an action, for the player of each seat.
    table
        (N, 3) uint64, N a power of 2 or 0: key, check, and the packed entry.
    counters
        (NUM_COUNTERS,) int64.
    """

    states: NDArray[np.int64]
    frames: NDArray[np.int64]
    actions: NDArray[np.uint8]
    keys: NDArray[np.int64]
    root_values: NDArray[np.int64]
    root_alphas: NDArray[np.int64]
    history: NDArray[np.int64]
    table: NDArray[np.uint64]
    counters: NDArray[np.int64]


class Node(NamedTuple):
    """A position in a search.

    Attributes
    ----------
    state
        The position.
    level
        Plies below the root.
    depth
        Plies left to search, at least 1.
    score
        Sum of rewards from the root, for the player to move.
    alpha, beta
        The window, for the player to move.
    """

    state: api.GameState
    level: int
    depth: int
    score: int
    alpha: int
    beta: int


ENTRY_BYTES: Final = 24


def make_work(state: api.GameState, depth: int, table_bytes: int) -> AlphaBetaWork:
    """Return fresh work arrays for searches of at most `depth` plies from states like `state`.

    The number of entries of the table is the largest power of 2 that fits into `table_bytes`.
    """
    levels, num_actions = depth + 1, api.num_actions(state)
    entries = table_bytes // ENTRY_BYTES
    size = 1 << entries.bit_length() - 1 if entries else 0
    return AlphaBetaWork(
        states=np.zeros((levels, len(state)), np.int64),
        frames=np.zeros((levels, NUM_COLUMNS), np.int64),
        actions=np.zeros((levels, 9 * num_actions), np.uint8),
        keys=np.zeros((levels, 9 * num_actions), np.int64),
        root_values=np.zeros(9 * num_actions, np.int64),
        root_alphas=np.zeros(9 * num_actions, np.int64),
        history=np.zeros((2, num_actions), np.int64),
        table=np.zeros((size, 3), np.uint64),
        counters=np.zeros(NUM_COUNTERS, np.int64),
    )


@kernel
def probe(state: api.State, table: NDArray[np.uint64]) -> tuple[int, int, int, int]:
    """Return the entry of a state: kind, value, depth, best action (-1 if none)."""
    key, check = api.state_key(state), api.state_check(state)
    row = np.int64(mix64(key ^ check) & np.uint64(table.shape[0] - 1))
    entry = np.int64(table[row, _ENTRY])
    if entry == 0 or table[row, _KEY] != key or table[row, _CHECK] != check:
        return NOTHING, 0, 0, api.NO_ACTION
    action = entry & 255
    if action == _NO_ACTION:
        action -= _NO_ACTION + 1  # -1
    return entry >> 8 & 3, (entry >> 18) - _VALUE_OFFSET, entry >> 10 & 255, action  # type: ignore[return-value]


@kernel
def store(state: api.State, table: NDArray[np.uint64], kind: int, value: int, depth: int, action: int) -> None:
    """Store a state; absolute values are below 2**38, depths and actions below 255 (-1: no action)."""
    key, check = api.state_key(state), api.state_check(state)
    row = np.int64(mix64(key ^ check) & np.uint64(table.shape[0] - 1))
    entry = (value + _VALUE_OFFSET) << 18 | depth << 10 | kind << 8 | (action & 255)
    table[row, _KEY] = key
    table[row, _CHECK] = check
    table[row, _ENTRY] = np.uint64(entry)
