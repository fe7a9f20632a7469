"""The view of a game for a person: its board in a terminal, its moves in words."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from ttt_fast.analysis.board import board_of
from ttt_fast.games import api, ultimate
from ttt_fast.games.game import BOARDS, CELLS, COLUMNS, SIDE, Game
from ttt_fast.games.ultimate import ANYWHERE, NO_MOVE
from ttt_fast.games.ultimate_stay import StayState
from ttt_fast.report.console import board_text

MARK_STYLES = {"X": "bold red", "O": "bold blue"}
_RESULTS = {api.X_WINS: "X has won", api.O_WINS: "O has won", api.DRAW: "drawn"}
_NAMES = {api.X: "X", api.O: "O"}
_VALUES_IN_A_LINE = 4
_FIRST_LETTER_COMMAND = 17
"""Number of columns at which one of them is called h, like a command."""


class TextView:
    """The look of a game that has no other one: the text of a position, and the moves by name."""

    tells_turn = False
    """Whether the drawing says whose turn it is."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.move_help = "a move in the game's own spelling"
        """What to type for a move."""

    def draw(self, state: Any, values: Mapping[int, str], last: int | None = None) -> Text:
        """Return the board of a state, with a short text at or below it for each of the actions in `values`.

        The action `last`, which led to the state, is shown as (X); the line that ended the game as [X].
        """
        text = Text(self.game.format_position(state).replace("/", "\n") + "\n")
        for action, value in values.items():
            text.append(f"{self.game.format_moves([action])}: {value}\n", "green")
        return text

    def signs(self, state: Any, last: int | None) -> dict[tuple[int, int], str]:
        """Return the characters on both sides of cells, by row and column: '[]' of a line that won, '()' of a move."""
        board = board_of(self.game, state, last)
        if board is None:
            return {}
        moved = {} if board.last is None else {board.last: "()"}
        return moved | dict.fromkeys(board.line, "[]")

    def why_illegal(self, state: Any, action: int) -> str:
        """Return the reason why an action cannot be played in an ongoing state."""
        return f"{self.game.format_moves([action])} is not legal here"

    def where(self, state: Any) -> str:
        """Return in which part of the board the next move must be, after a blank; '' if the whole board is open."""
        return ""


def view_of(game: Game) -> TextView:
    """Return the view of a game.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4:columns=4,rows=3")
    >>> print(view_of(game).draw(game.state_after("221"), {}).plain, end="")
    │ · · · · │
    │ · O · · │
    │ X X · · │
    └─────────┘
      1 2 3 4
    """
    return _VIEWS.get(game.kind_of(game.initial_state).board, TextView)(game)


def turn_text(game: Game, state: Any) -> str:
    """Return the player to move, or the result of the game.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> turn_text(game, game.state_after("445")), turn_text(game, game.state_after("1212121"))
    ('O to move', 'the game is over: X has won')
    """
    status = int(api.status(state))
    if status != api.ONGOING:
        return f"the game is over: {_RESULTS[status]}"
    return f"{_NAMES[int(api.player(state))]} to move{view_of(game).where(state)}"


class TicTacToeView(TextView):
    """Rows of cells, numbered from 0."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.move_help = f"a cell 0 to {game.num_actions - 1} to play there"

    def draw(self, state: Any, values: Mapping[int, str], last: int | None = None) -> Text:
        """Return the board, free cells with their numbers."""
        marks = {action: f"{action} {values.get(action, '')}".strip() for action in api.legal_actions(state)}
        columns = api.observation_shape(state)[2]
        around = {row * columns + column: signs for (row, column), signs in self.signs(state, last).items()}
        return board_text(self.game.format_position(state).replace("/", ""), columns, marks, around)

    def why_illegal(self, state: Any, action: int) -> str:
        """Return that the cell is taken."""
        return f"cell {action} is taken"


class ConnectFourView(TextView):
    """Rows of stones in a frame, the columns numbered below."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        columns = game.num_actions
        self.move_help = f"a column 1 to {game.format_moves([columns - 1])} to drop a stone"
        if columns >= _FIRST_LETTER_COMMAND:
            self.move_help += " (a letter is a column first: write hint, undo, new and quit)"

    def draw(self, state: Any, values: Mapping[int, str], last: int | None = None) -> Text:
        """Return the board, always of one width; below it the digits of the columns, and the values."""
        columns, signs = range(self.game.num_actions), self.signs(state, last)
        text = Text()
        for row, symbols in enumerate(self.game.format_position(state).split("/")):
            text.append("│", "dim")
            for column in columns:
                left, right = signs.get((row, column - 1), "  ")[1], signs.get((row, column), "  ")[0]
                before = (left + right).strip() if left + right != "][" else " "
                symbol = symbols[column]
                text.append(before or " ", "bold").append(
                    "·" if symbol == "." else symbol, MARK_STYLES.get(symbol, "dim")
                )
            text.append(signs.get((row, columns[-1]), "  ")[1], "bold").append("│\n", "dim")
        text.append("└" + "─" * (2 * len(columns) + 1) + "┘\n", "dim")
        legal = api.legal_actions(state)
        digits = Text("  ")
        for column in columns:
            digits.append(f"{self.game.format_moves([column])} ", "bold" if column in legal else "dim")
        digits.rstrip()
        text.append_text(digits).append("\n")
        known = [f"{self.game.format_moves([column])}: {value}" for column, value in values.items()]
        width = max(map(len, known), default=0)
        for first in range(0, len(known), _VALUES_IN_A_LINE):
            line = "   ".join(f"{value:<{width}}" for value in known[first : first + _VALUES_IN_A_LINE])
            text.append(f"  {line.rstrip()}\n", "green")
        return text

    def why_illegal(self, state: Any, action: int) -> str:
        """Return that the column is full."""
        return f"column {self.game.format_moves([action])} is full"


class UltimateView(TextView):
    """Nine boards of nine cells: a playable cell shows its number, the line above a board the board's."""

    tells_turn = True

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.move_help = "a board and a cell of it, both 1 to 9 row by row (53: board 5, cell 3)"

    def where(self, state: Any) -> str:
        """Return the board in which the next move must be."""
        return " anywhere" if state.target == ANYWHERE else f" in board {state.target + 1}"

    def draw(self, state: Any, values: Mapping[int, str], last: int | None = None) -> Text:
        """Return the boards; `[5]` above the one in which to play, `3 = X` above one that X has won."""
        symbols = self.game.format_position(state)
        legal = set(api.legal_actions(state))
        width = max([1, *(len(value) for value in values.values())])
        text = Text()
        for band in range(3):
            boards = range(3 * band, 3 * band + 3)
            titles = [_title(state, board, 3 * width + 4, legal) for board in boards]
            text.append_text(Text("│", "dim").join(titles)).append("\n")
            for row in range(3):
                cells = (range(9 * board + 3 * row, 9 * board + 3 * row + 3) for board in boards)
                lines = [self._cells(state, symbols, part, values, legal, width) for part in cells]
                text.append_text(Text("│", "dim").join(lines)).append("\n")
            if band < 2:
                text.append("┼".join(["─" * (3 * width + 4)] * 3) + "\n", "dim")
        moved = "" if state.last == NO_MOVE else f"last move {self.game.format_moves([state.last])}; "
        lined = {SIDE * (row // SIDE) + column // SIDE + 1 for row, column in self.signs(state, None)}
        line = f" with boards {', '.join(map(str, sorted(lined)))}" if lined else ""
        return text.append(f"{moved}{turn_text(self.game, state)}{line}\n")

    def _cells(
        self, state: Any, symbols: str, cells: range, values: Mapping[int, str], legal: set[int], width: int
    ) -> Text:
        """Return three cells of a board, with blanks on both sides."""
        text = Text("(" if width == 1 and cells[0] == state.last else " ")
        for cell in cells:
            mark = symbols[cell].upper()
            if cell in legal:
                text.append(f"{values.get(cell, str(cell % 9 + 1)):^{width}}", "green")
            else:
                style = MARK_STYLES.get(mark, "dim") + (" reverse" if cell == state.last else "")
                text.append(" " * ((width - 1) // 2)).append("·" if mark == " " else mark, style)
                text.append(" " * (width // 2))
            text.append(_between(cell, cells, state.last) if width == 1 else " ")
        return text

    def why_illegal(self, state: Any, action: int) -> str:
        """Return which rule forbids the move."""
        board = action // 9
        if state.target not in (ANYWHERE, board):
            return f"the move must be in board {state.target + 1}, where the last one sent you"
        for won, player in ((state.own_boards, api.player(state)), (state.other_boards, 3 - api.player(state))):
            if won >> board & 1 and not isinstance(state, StayState):
                return f"board {board + 1} is won by {_NAMES[int(player)]}"
        return f"cell {self.game.format_moves([action])} is taken"


def _between(cell: int, cells: range, last: int) -> str:
    """Return what is shown behind a cell: brackets are around the last move."""
    if cell == last:
        return ")"
    return "(" if cell + 1 == last and last in cells else " "


def _title(state: Any, board: int, width: int, legal: set[int]) -> Text:
    """Return the line above a small board."""
    x, o = (state.own_boards, state.other_boards)[:: 1 if state.player == api.X else -1]
    is_open = any(9 * board <= action < 9 * board + 9 for action in legal)
    number = f"[{board + 1}]" if is_open else str(board + 1)
    for boards, name in ((x, "X"), (o, "O")):
        if boards >> board & 1:
            return Text(f"{f'{number} = {name}':^{width}}", MARK_STYLES[name])
    full = ultimate.board_of(state.blocked_low, state.blocked_high, board) == 511
    return Text(f"{f'{number} full' if full else number:^{width}}", "bold green" if is_open else "dim")


_VIEWS: dict[str, type[TextView]] = {CELLS: TicTacToeView, COLUMNS: ConnectFourView, BOARDS: UltimateView}
