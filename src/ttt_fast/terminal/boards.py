"""The view of a game for a person: its board in a terminal, its moves in words."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.mnk import MnkState
from ttt_fast.games.registry import Game
from ttt_fast.games.tic_tac_toe import TicTacToeState
from ttt_fast.games.ultimate import ANYWHERE, NO_MOVE, UltimateState, board_of
from ttt_fast.report.console import board_text

MARK_STYLES = {"X": "bold red", "O": "bold blue"}
_RESULTS = {api.X_WINS: "X has won", api.O_WINS: "O has won", api.DRAW: "drawn"}
_NAMES = {api.X: "X", api.O: "O"}
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

    def draw(self, state: Any, values: Mapping[int, str]) -> Text:
        """Return the board of a state, with a short text at or below it for each of the actions in `values`."""
        text = Text(self.game.format_position(state).replace("/", "\n") + "\n")
        for action, value in values.items():
            text.append(f"{self.game.format_moves([action])}: {value}\n", "green")
        return text

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
    return _VIEWS.get(type(game.initial_state), TextView)(game)


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

    def draw(self, state: Any, values: Mapping[int, str]) -> Text:
        """Return the board, free cells with their numbers."""
        marks = {action: f"{action} {values.get(action, '')}".strip() for action in api.legal_actions(state)}
        return board_text(self.game.format_position(state).replace("/", ""), api.observation_shape(state)[2], marks)

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

    def draw(self, state: Any, values: Mapping[int, str]) -> Text:
        """Return the board; below it the digits of the columns, and the values."""
        columns = range(self.game.num_actions)
        width = max([1, *(len(value) for value in values.values())])
        text = Text()
        for row in self.game.format_position(state).split("/"):
            text.append("│ ", "dim")
            for symbol in row:
                text.append(f"{'·' if symbol == '.' else symbol:^{width}} ", MARK_STYLES.get(symbol, "dim"))
            text.append("│\n", "dim")
        text.append("└" + "─" * ((width + 1) * len(columns) + 1) + "┘\n", "dim")
        legal = api.legal_actions(state)
        digits = Text("  ")
        for column in columns:
            digits.append(f"{self.game.format_moves([column]):^{width}} ", "bold" if column in legal else "dim")
        digits.rstrip()
        text.append_text(digits).append("\n")
        if values:
            texts = (f"{values.get(column, ''):^{width}}" for column in columns)
            text.append("  " + " ".join(texts).rstrip() + "\n", "green")
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

    def draw(self, state: Any, values: Mapping[int, str]) -> Text:
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
        last = "" if state.last == NO_MOVE else f"last move {self.game.format_moves([state.last])}; "
        return text.append(f"{last}{turn_text(self.game, state)}\n")

    def _cells(
        self, state: Any, symbols: str, cells: range, values: Mapping[int, str], legal: set[int], width: int
    ) -> Text:
        """Return three cells of a board, with blanks on both sides."""
        text = Text(" ")
        for cell in cells:
            mark = symbols[cell].upper()
            if cell in legal:
                text.append(f"{values.get(cell, str(cell % 9 + 1)):^{width}}", "green")
            else:
                style = MARK_STYLES.get(mark, "dim") + (" reverse" if cell == state.last else "")
                text.append(" " * ((width - 1) // 2)).append("·" if mark == " " else mark, style)
                text.append(" " * (width // 2))
            text.append(" ")
        return text

    def why_illegal(self, state: Any, action: int) -> str:
        """Return which rule forbids the move."""
        board = action // 9
        if state.target not in (ANYWHERE, board):
            return f"the move must be in board {state.target + 1}, where the last one sent you"
        for won, player in ((state.own_boards, api.player(state)), (state.other_boards, 3 - api.player(state))):
            if won >> board & 1:
                return f"board {board + 1} is won by {_NAMES[int(player)]}"
        return f"cell {self.game.format_moves([action])} is taken"


def _title(state: Any, board: int, width: int, legal: set[int]) -> Text:
    """Return the line above a small board."""
    x, o = (state.own_boards, state.other_boards)[:: 1 if state.player == api.X else -1]
    number = board + 1
    if x >> board & 1:
        return Text(f"{f'{number} = X':^{width}}", MARK_STYLES["X"])
    if o >> board & 1:
        return Text(f"{f'{number} = O':^{width}}", MARK_STYLES["O"])
    if any(9 * board <= action < 9 * board + 9 for action in legal):
        return Text(f"{f'[{number}]':^{width}}", "bold green")
    full = board_of(state.blocked_low, state.blocked_high, board) == 511
    return Text(f"{f'{number} full' if full else str(number):^{width}}", "dim")


_VIEWS: dict[type, type[TextView]] = {
    TicTacToeState: TicTacToeView,
    MnkState: TicTacToeView,
    ConnectFourState: ConnectFourView,
    UltimateState: UltimateView,
}
