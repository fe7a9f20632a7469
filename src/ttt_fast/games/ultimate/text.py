"""Ultimate tic-tac-toe as text: moves as pairs of digits, positions as 81 characters.

The 81 characters list the small boards one by one, each row by row: 'x' and 'o' for marks, a capital for the last move,
blank or '.' for an empty cell.  In a position without a capital, X moves in any cell.  If won boards stay in play, both
players may have a line in the same board.  In that case '/' and the winners of the nine boards follow.
"""

from ttt_fast.core.errors import BoardError
from ttt_fast.games.api import O, X
from ttt_fast.games.board import FREE, SmallBoards
from ttt_fast.games.tic_tac_toe import contains_line
from ttt_fast.games.ultimate.rules import ALL_LOW, ANYWHERE, LOW_CELLS, NO_MOVE, NUM_CELLS, UltimateState
from ttt_fast.games.ultimate.stay import StayState

_EMPTY = " ._-"


def split_moves(text: str) -> list[str]:
    """Return the moves of a line of play, two characters each, ignoring blanks and commas."""
    digits = "".join(text.replace(",", " ").split())
    return [digits[at : at + 2] for at in range(0, len(digits), 2)]


def parse_action(text: str, start: UltimateState) -> int:
    """Return the action given by a pair of digits: the board, then its cell, both 1 to 9.

    Examples
    --------
    >>> from ttt_fast.games.ultimate.rules import initial_state
    >>> parse_action("21", initial_state())
    9
    """
    if len(text) != 2 or any(digit not in "123456789" for digit in text):
        raise BoardError(f"expected a board and a cell from 1 to 9, for instance '55', got {text!r}")
    return 9 * (int(text[0]) - 1) + int(text[1]) - 1


def format_action(action: int) -> str:
    """Return the pair of digits of an action, the inverse of `parse_action`.

    Examples
    --------
    >>> format_action(9)
    '21'
    """
    return f"{action // 9 + 1}{action % 9 + 1}"


def parse_position(text: str, start: UltimateState) -> UltimateState:
    """Return the position given by 81 characters.

    Parameters
    ----------
    text
        The small boards one by one, with the last move as a capital (see above).
    start
        The initial state, which defines the rules for ties and for won boards.

    Raises
    ------
    BoardError
        If the length or a character is wrong, there are two last moves, or the numbers of marks differ by more than
        one.  Also if a board has lines of both players and no winner, or both players have a line of boards.

    Examples
    --------
    >>> from ttt_fast.games.ultimate.rules import initial_state
    >>> parse_position("." * 40 + "X" + "." * 40, initial_state()).target
    4
    """
    cells, slash, winners = text.partition("/")
    if len(cells) != NUM_CELLS:
        raise BoardError(f"expected a position of 81 characters, got {len(cells)} in {text!r}")
    unknown = [symbol for symbol in cells if symbol not in "xoXO" + _EMPTY]
    if unknown:
        raise BoardError(f"expected only x, o, one capital and blanks in a position, got {unknown[0]!r} in {text!r}")
    x, o = (sum(1 << cell for cell in range(NUM_CELLS) if cells[cell] in symbols) for symbols in ("xX", "oO"))
    if abs(x.bit_count() - o.bit_count()) > 1:
        wanted = "numbers of x and o that differ by at most 1"
        raise BoardError(f"expected {wanted}, got {x.bit_count()} and {o.bit_count()} in {text!r}")
    capitals = [cell for cell in range(NUM_CELLS) if cells[cell] in "XO"]
    if len(capitals) > 1:
        raise BoardError(f"expected one capital letter, the last move, got {len(capitals)} in {text!r}")
    if slash and (not isinstance(start, StayState) or len(winners) != 9 or set(winners) - set("xo" + _EMPTY)):
        raise BoardError(f"expected nine winners of boards after '/', and only with closed=stay, got {text!r}")
    last = capitals[0] if capitals else NO_MOVE
    mover = O if capitals and cells[last] == "X" else X
    return _build(x, o, last, mover, start, winners, text)


def _lines(x: int, o: int, board: int) -> str:
    """Return the players with a line in a board: 'x', 'o', 'xo', or '' for neither."""
    return "".join(symbol for symbol, marks in (("x", x), ("o", o)) if contains_line(marks >> 9 * board & 511))


def _build(x: int, o: int, last: int, mover: int, start: UltimateState, winners: str, text: str) -> UltimateState:
    """Return the state with these marks and winners of boards ('': the players with a line)."""
    blocked = x | o
    won = {X: 0, O: 0}
    for board in range(9):
        lines = _lines(x, o, board)
        if winners and (winners[board] not in lines if lines else winners[board] not in _EMPTY):
            raise BoardError(f"expected a winner with a line in board {board + 1}, got {winners[board]!r} in {text!r}")
        winner = winners[board] if winners and lines else lines
        if len(winner) == 2:
            raise BoardError(
                f"expected lines of at most one player in board {board + 1}, got lines of both in {text!r}"
            )
        if winner:
            won[X if winner == "x" else O] |= 1 << board
            blocked |= 0 if isinstance(start, StayState) else 511 << 9 * board
    line = [who for who in (X, O) if contains_line(won[who])]
    if line and line != [3 - mover]:
        raise BoardError(f"expected three won boards in a line only for the player of the last move, got {text!r}")
    free = 0 if last == NO_MOVE else ~(blocked >> 9 * (last % 9)) & 511
    own, other = (x, o) if mover == X else (o, x)
    return type(start)(
        own & ALL_LOW, own >> LOW_CELLS, other & ALL_LOW, other >> LOW_CELLS, blocked & ALL_LOW, blocked >> LOW_CELLS,
        won[mover], won[3 - mover], int(bool(line)), last % 9 if free else ANYWHERE, free, last, mover, start.tie,
    )  # fmt: skip


def format_position(state: UltimateState) -> str:
    """Return the 81 characters of a position, and the winners if needed; the inverse of `parse_position`.

    Examples
    --------
    >>> from ttt_fast.games.ultimate.rules import initial_state, play
    >>> format_position(play(initial_state(), 1))[:9]
    ' X       '
    """
    own = state.own_high << LOW_CELLS | state.own_low, state.own_boards
    other = state.other_high << LOW_CELLS | state.other_low, state.other_boards
    (x, x_boards), (o, o_boards) = (own, other) if state.player == X else (other, own)
    symbols = ["x" if x >> cell & 1 else "o" if o >> cell & 1 else " " for cell in range(NUM_CELLS)]
    if state.last != NO_MOVE:
        symbols[state.last] = symbols[state.last].upper()
    if any(len(_lines(x, o, board)) == 2 for board in range(9)):
        symbols.append("/")
        symbols += ["x" if x_boards >> board & 1 else "o" if o_boards >> board & 1 else "." for board in range(9)]
    return "".join(symbols)


def small_boards(state: UltimateState) -> SmallBoards:
    """Return the small boards: their winners, the closed boards, the target board, and the last move.

    Examples
    --------
    >>> from ttt_fast.games.ultimate.rules import initial_state, play
    >>> small_boards(play(initial_state(), 1)).target
    1
    """
    x, o = (state.own_boards, state.other_boards)[:: 1 if state.player == X else -1]
    winners = "".join("X" if x >> board & 1 else "O" if o >> board & 1 else FREE for board in range(9))
    stays = isinstance(state, StayState)
    closed = frozenset(board for board in range(9) if winners[board] != FREE and not stays)
    target, last = int(state.target), int(state.last)
    return SmallBoards(winners, closed, None if target == ANYWHERE else target, None if last == NO_MOVE else last)
