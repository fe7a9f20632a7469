"""The rules of Ultimate tic-tac-toe: nine small boards on a large board.

Boards, and the cells of each board, are numbered 0 to 8, row by row from the top left.  Action 9 * board + cell marks a
cell.  The cell of a move determines the board in which the opponent must reply.  If that board is won or full, the
opponent may play in any board that is neither.

A line of three won boards wins.  If there is no line and no move left, the game is a draw.  An option gives the win to
the player with more boards (the rule of CodinGame).  (The rule that won boards stay in play is in
`games/ultimate/stay.py`.)

The 81 cells are bits 0 to 80, in two words: boards 0 to 6 in the low word (63 bits), boards 7 and 8 in the high word.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, bit_index, bit_index_of_9, fill_bits, lowest_bit_index, popcount
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.rng import below, mix64
from ttt_fast.games import api
from ttt_fast.games.api import DRAW, NO_ACTION, O_WINS, ONGOING, X_WINS
from ttt_fast.games.tic_tac_toe import SQUARE_SYMMETRIES, completing_cells, image_of_cells

NUM_CELLS: Final = 81
LOW_BOARDS: Final = 7
LOW_CELLS: Final = 63
ALL_OF_BOARD: Final = 511
ALL_LOW: Final = (1 << 63) - 1
ALL_HIGH: Final = (1 << 18) - 1
ANYWHERE: Final = 9
"""The target of a free move."""
NO_MOVE: Final = -1
"""The last move of a game without moves."""
TIE_DRAW, TIE_BOARDS = 0, 1
"""The result if there is neither a line nor a legal move: a draw, or a win for the player with more boards."""


class UltimateState(NamedTuple):
    """A position.

    Attributes
    ----------
    own_low, own_high
        Marks of the player to move, bits 0 to 62 (boards 0 to 6) and 63 to 80 (boards 7 and 8).
    other_low, other_high
        Marks of the opponent.
    blocked_low, blocked_high
        Cells that are not playable: marked cells, and all cells of a won board.
    own_boards, other_boards
        Small boards won by each player, 9 bits.
    line
        1 if the move just played made a line of boards, else 0.
    target
        Board in which the player to move must play; 9 for a free move.
    free
        Playable cells of the target board, 9 bits; 0 for a free move.
    last
        The last action, -1 in the initial state.
    player
        The player to move, 1 (X) or 2 (O).
    tie
        0: no line and no move left is a draw; 1: the player with more boards wins.
    """

    own_low: int
    own_high: int
    other_low: int
    other_high: int
    blocked_low: int
    blocked_high: int
    own_boards: int
    other_boards: int
    line: int
    target: int
    free: int
    last: int
    player: int
    tie: int

    def __str__(self) -> str:
        """Return the board as lines of text."""
        return api.picture(self)

    def _repr_svg_(self) -> str | None:
        """Return the board as a picture for notebooks."""
        return api.svg(self)


def initial_state(tie: int = TIE_DRAW) -> UltimateState:
    """Return the empty board, with X to move in any cell."""
    return UltimateState(0, 0, 0, 0, 0, 0, 0, 0, 0, ANYWHERE, 0, NO_MOVE, api.X, tie)


@inlined_kernel
def board_of(low: int, high: int, board: int) -> int:
    """Return the nine bits of a small board."""
    return low >> 9 * board & ALL_OF_BOARD if board < LOW_BOARDS else high >> 9 * (board - LOW_BOARDS) & ALL_OF_BOARD


@inlined_kernel
def _mark(state: UltimateState, board: int, cell: int) -> UltimateState:
    """Return the state after a mark; the code has no branch because processors would mispredict it."""
    in_low = (board - LOW_BOARDS) >> 63  # all ones, or zero
    first = 9 * board - (LOW_CELLS & ~in_low)
    marks = (state.own_low & in_low | state.own_high & ~in_low) >> first & ALL_OF_BOARD
    won = completing_cells(marks) >> cell & 1
    line = completing_cells(state.own_boards) >> board & won
    mark = 1 << first + cell
    block = (-won & ALL_OF_BOARD | 1 << cell) << first
    blocked_low, blocked_high = state.blocked_low | block & in_low, state.blocked_high | block & ~in_low
    free = ~board_of(blocked_low, blocked_high, cell) & ALL_OF_BOARD
    return UltimateState(
        own_low=state.other_low,
        own_high=state.other_high,
        other_low=state.own_low | mark & in_low,
        other_high=state.own_high | mark & ~in_low,
        blocked_low=blocked_low,
        blocked_high=blocked_high,
        own_boards=state.other_boards,
        other_boards=state.own_boards | won << board,
        line=line,
        target=cell if free else ANYWHERE,
        free=free,
        last=9 * board + cell,
        player=3 - state.player,
        tie=state.tie,
    )


@inlined_kernel
def divide_by_9(action: int) -> int:
    """Return the board of an action 0 to 80."""
    return action * 57 >> 9


@api.implements(api.play, UltimateState)
def play(state: UltimateState, action: int) -> UltimateState:
    """Return the state after a mark."""
    action = as_int(action)
    board = divide_by_9(action)
    return _mark(state, board, action - 9 * board)


@api.implements(api.status, UltimateState)
def status(state: UltimateState) -> int:
    """Return the status; only the last player to move can have made a line."""
    if state.line:
        return O_WINS if state.player == 1 else X_WINS
    if state.blocked_low != ALL_LOW or state.blocked_high != ALL_HIGH:
        return ONGOING
    lead = popcount(state.own_boards) - popcount(state.other_boards)
    if state.tie == TIE_DRAW or lead == 0:
        return DRAW
    return X_WINS if (lead > 0) == (state.player == 1) else O_WINS


@api.implements(api.player, UltimateState)
def player(state: UltimateState) -> int:
    """Return the player to move."""
    return state.player


@api.implements(api.ply, UltimateState)
def ply(state: UltimateState) -> int:
    """Return the number of marks."""
    return popcount(state.own_low | state.other_low) + popcount(state.own_high | state.other_high)


@inlined_kernel
def _free_cells(state: UltimateState) -> tuple[int, int]:
    """Return the cells of a free move, in two words."""
    return ~state.blocked_low & ALL_LOW, ~state.blocked_high & ALL_HIGH


@api.implements(api.num_legal_actions, UltimateState)
def num_legal_actions(state: UltimateState) -> int:
    """Return the number of free cells of the target board, or of all boards."""
    if state.free:
        return popcount(state.free)
    low, high = _free_cells(state)
    return popcount(low) + popcount(high)


@api.implements(api.fill_legal_actions, UltimateState)
def fill_legal_actions(state: UltimateState, actions: NDArray[np.uint8]) -> int:
    """Write the free cells of the target board, or of all boards."""
    if state.free:
        return fill_bits(actions, 0, state.free, 9 * state.target)
    low, high = _free_cells(state)
    return fill_bits(actions, fill_bits(actions, 0, low, 0), high, LOW_CELLS)


@api.implements(api.is_legal, UltimateState)
def is_legal(state: UltimateState, action: int) -> bool:
    """Return whether the cell is free and its board is the target, if there is one."""
    if action < 0 or action >= NUM_CELLS:
        return False
    action = as_int(action)
    board = divide_by_9(action)
    if state.target != ANYWHERE and state.target != board:
        return False
    return board_of(state.blocked_low, state.blocked_high, board) >> (action - 9 * board) & 1 == 0


@inlined_kernel
def _random_free_action(state: UltimateState, word: np.uint64) -> int:
    """Return a random action of a free move."""
    low, high = _free_cells(state)
    in_low = popcount(low)
    k = below(word, in_low + popcount(high))
    return bit_index(low, k) if k < in_low else LOW_CELLS + bit_index(high, k - in_low)


@api.implements(api.random_action, UltimateState)
def random_action(state: UltimateState, word: np.uint64) -> int:
    """Return a random free cell of the target board, or of all boards."""
    if state.free:
        return 9 * state.target + bit_index_of_9(state.free, below(word, popcount(state.free)))
    return _random_free_action(state, word)


@api.implements(api.play_random, UltimateState)
def play_random(state: UltimateState, word: np.uint64) -> UltimateState:
    """Return the state after a random mark, without combining board and cell into an action."""
    if state.free:
        return _mark(state, state.target, bit_index_of_9(state.free, below(word, popcount(state.free))))
    action = _random_free_action(state, word)
    board = divide_by_9(action)
    return _mark(state, board, action - 9 * board)


@inlined_kernel
def _winning_action(state: UltimateState, low: int, high: int, boards: int) -> int:
    """Return the first legal action that makes a line of boards for the player with these marks, or -1."""
    wanted = completing_cells(boards) & ~(state.own_boards | state.other_boards)
    if state.target != ANYWHERE:
        wanted &= 1 << state.target
    while wanted:
        board = lowest_bit_index(wanted)
        blocked = board_of(state.blocked_low, state.blocked_high, board)
        cells = completing_cells(board_of(low, high, board)) & ~blocked
        if cells:
            return 9 * board + lowest_bit_index(cells)
        wanted &= wanted - 1
    return NO_ACTION


@api.implements(api.winning_action, UltimateState)
def winning_action(state: UltimateState) -> int:
    """Return the first move that makes a line of boards (not a move that wins only by the count of boards)."""
    return _winning_action(state, state.own_low, state.own_high, state.own_boards)


@api.implements(api.threat_action, UltimateState)
def threat_action(state: UltimateState) -> int:
    """Return the first move by which the opponent would make a line of boards."""
    return _winning_action(state, state.other_low, state.other_high, state.other_boards)


@inlined_kernel
def _open_cells(blocked: int, feet: int) -> int:
    """Return the cells of boards that are neither won nor full; `feet` has the first cell of each board."""
    full = blocked & (blocked >> 1)
    full &= full >> 2
    full &= full >> 4
    return ~((full & (blocked >> 8) & feet) * ALL_OF_BOARD)


@inlined_kernel
def _key_words(state: UltimateState) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the position as three words, without the marks in closed boards, which do not affect the game."""
    low = _open_cells(state.blocked_low, 0o1001001001001001001)
    high = _open_cells(state.blocked_high, 0o1001)
    rest = state.own_high & high
    rest = rest << 18 | state.other_high & high
    rest = rest << 9 | state.own_boards
    rest = rest << 9 | state.other_boards
    rest = rest << 4 | state.target
    return (np.uint64(state.own_low & low), np.uint64(state.other_low & low), np.uint64(rest << 2 | state.player))


@api.implements(api.state_key, UltimateState)
def state_key(state: UltimateState) -> np.uint64:
    """Return a hash that ignores the marks in closed boards."""
    own, other, rest = _key_words(state)
    return mix64(mix64(mix64(own) ^ other) + rest)


@api.implements(api.state_check, UltimateState)
def state_check(state: UltimateState) -> np.uint64:
    """Return a second, independent hash, which also distinguishes drawn boards from empty ones."""
    _, other, rest = _key_words(state)
    blocked = np.uint64(state.blocked_low), np.uint64(state.blocked_high)
    return mix64(mix64(mix64(rest ^ np.uint64(0x9E3779B97F4A7C15)) + blocked[0]) ^ other) + blocked[1]


@api.implements(api.num_actions, UltimateState, plain=True)
def num_actions(state: UltimateState) -> int:
    """Return 81."""
    return NUM_CELLS


@api.implements(api.max_plies, UltimateState, plain=True)
def max_plies(state: UltimateState) -> int:
    """Return 81."""
    return NUM_CELLS


@api.implements(api.num_symmetries, UltimateState, plain=True)
def num_symmetries(state: UltimateState) -> int:
    """Return 8, the number of symmetries of a square: boards and the cells of each are transformed alike."""
    return 8


@inlined_kernel
def _image(low: int, high: int, symmetry: int) -> tuple[int, int]:
    """Return the image of a set of cells, in two words."""
    image_low, image_high = 0, 0
    for board in range(9):
        cells = image_of_cells(board_of(low, high, board), symmetry)
        place = as_int(SQUARE_SYMMETRIES[symmetry, board])
        if place < LOW_BOARDS:
            image_low |= cells << 9 * place
        else:
            image_high |= cells << 9 * (place - LOW_BOARDS)
    return image_low, image_high


@api.implements(api.transform_action, UltimateState)
def transform_action(state: UltimateState, action: int, symmetry: int) -> int:
    """Return the image of a cell under a symmetry."""
    board = divide_by_9(action)
    return 9 * as_int(SQUARE_SYMMETRIES[symmetry, board]) + as_int(SQUARE_SYMMETRIES[symmetry, action - 9 * board])


@api.implements(api.transform, UltimateState)
def transform(state: UltimateState, symmetry: int) -> UltimateState:
    """Return the boards and their cells rotated or reflected."""
    own_low, own_high = _image(state.own_low, state.own_high, symmetry)
    other_low, other_high = _image(state.other_low, state.other_high, symmetry)
    blocked_low, blocked_high = _image(state.blocked_low, state.blocked_high, symmetry)
    return UltimateState(
        own_low=own_low,
        own_high=own_high,
        other_low=other_low,
        other_high=other_high,
        blocked_low=blocked_low,
        blocked_high=blocked_high,
        own_boards=image_of_cells(state.own_boards, symmetry),
        other_boards=image_of_cells(state.other_boards, symmetry),
        line=state.line,
        target=ANYWHERE if state.target == ANYWHERE else as_int(SQUARE_SYMMETRIES[symmetry, state.target]),
        free=image_of_cells(state.free, symmetry),
        last=NO_MOVE if state.last == NO_MOVE else api.transform_action(state, state.last, symmetry),
        player=state.player,
        tie=state.tie,
    )


@api.implements(api.observation_shape, UltimateState, plain=True)
def observation_shape(state: UltimateState) -> tuple[int, int, int]:
    """Return (5, 9, 9)."""
    return 5, 9, 9


@api.implements(api.fill_observation, UltimateState)
def fill_observation(state: UltimateState, out: NDArray[np.float32]) -> None:
    """Write own marks, the opponent's, cells of boards won by each player, and cells open to the player to move."""
    ongoing = api.status(state) == ONGOING
    for board in range(9):
        own, other = board_of(state.own_low, state.own_high, board), board_of(state.other_low, state.other_high, board)
        may_play = ongoing and (state.target == ANYWHERE or state.target == board)
        blocked = board_of(state.blocked_low, state.blocked_high, board) if may_play else ALL_OF_BOARD
        for cell in range(9):
            at = 27 * (board // 3) + 3 * (board % 3) + 9 * (cell // 3) + cell % 3  # row by row of the whole square
            out[at] = own >> cell & 1
            out[NUM_CELLS + at] = other >> cell & 1
            out[2 * NUM_CELLS + at] = state.own_boards >> board & 1
            out[3 * NUM_CELLS + at] = state.other_boards >> board & 1
            out[4 * NUM_CELLS + at] = ~blocked >> cell & 1
