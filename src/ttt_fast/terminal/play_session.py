"""Games between a person and an agent in a terminal, line by line."""

from collections.abc import Callable
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from ttt_fast.core.errors import BoardError, UsageError
from ttt_fast.games import api
from ttt_fast.report.console import output_console
from ttt_fast.terminal.session_game import SessionGame

_WORDS = {"q": "quit", "n": "new", "u": "undo", "h": "hint", "hints": "hint"}
_COMMANDS = "h for a hint, u to take back your last move, n for a new game, q to quit"


class Tally(NamedTuple):
    """Games that the person has won, drawn and lost in this session."""

    won: int = 0
    drawn: int = 0
    lost: int = 0


class PlaySession:
    """Games between a person and an agent, until the person quits.

    Parameters
    ----------
    game
        The game and the opponent.
    seat
        The person's seat, 1 (X) or 2 (O).
    start
        State with which each game begins.
    hints
        Whether the value of each move is shown before each of the person's moves.
    ask
        Reads a line; raises EOFError at the end of the input.
    """

    def __init__(
        self,
        game: SessionGame,
        seat: int,
        start: Any,
        *,
        hints: bool = False,
        ask: Callable[[str], str] = input,
        console: Console | None = None,
    ) -> None:
        self.game, self.seat, self.start, self.hints, self.ask = game, seat, start, hints, ask
        self.console = console or output_console()
        self.history = [start]
        self.tally = Tally()
        self._help = f"{game.move_help}, {_COMMANDS}"

    def run(self) -> bool:
        """Play until the person quits or the input ends; return False after Ctrl-C."""
        you, other = ("X", "O") if self.seat == api.X else ("O", "X")
        self._say(f"you are {you}, {self.game.opponent} is {other}; type {self._help}")
        interrupted = False
        try:
            while self._play_game():
                pass
        except EOFError:
            self._say("")
        except KeyboardInterrupt:
            self._say("")
            interrupted = True
        self._say(f"won {self.tally.won}, drawn {self.tally.drawn}, lost {self.tally.lost}")
        return not interrupted

    def _say(self, line: str) -> None:
        self.console.print(Text(line))  # not a string: what was typed, and names of files, may look like markup

    def _read(self, prompt: str) -> str:
        try:
            return self.ask(prompt).strip().lower()
        except UnicodeDecodeError:
            raise UsageError("expected lines of text, got bytes that are none") from None

    def _play_game(self) -> bool:
        """Play one game; return whether another one is wanted."""
        self.history = [self.start]
        self.game.begin()
        while True:
            state = self.history[-1]
            if self.game.status(state) != api.ONGOING:
                self._show(state)
                self._finish(state)
                return self._read("another game? [Y/n] ") in ("", "y", "yes")
            if self.game.player(state) != self.seat:
                said, after = self.game.reply(state)
                self._say(f"{self.game.opponent} plays {said}")
                self.history.append(after)
                continue
            self._show(state, hints=self.hints)
            line = self._read("your move: ")
            if self._move(line, state):
                continue
            command = _WORDS.get(line, line)
            if command in ("quit", "new"):
                return command == "new"
            self._obey(command, state)

    def _move(self, line: str, state: Any) -> bool:
        """Play the move that a line means; return whether it means one.

        Moves come before commands: on a wide board of Connect 4 a letter is a column.
        """
        try:
            after = self.game.move(state, line)
        except BoardError as reason:
            self._say(str(reason))
            return True
        if after is not None:
            self.history.append(after)
        return after is not None

    def _obey(self, command: str, state: Any) -> None:
        """Carry out one line of the person's."""
        if command == "hint":
            self._show(state, hints=True)
        elif command == "undo":
            self._undo()
        else:
            self._say(f"expected {self._help}, got {command!r}")

    def _undo(self) -> None:
        """Go back to the board before the person's last move."""
        mine = [i for i, state in enumerate(self.history[:-1]) if self.game.player(state) == self.seat]
        if mine:
            del self.history[mine[-1] + 1 :]
            self.game.begin()
        else:
            self._say("there is no move of yours to take back")

    def _show(self, state: Any, hints: bool = False) -> None:
        self.console.print(Text("\n") + self.game.drawing(state, hints=hints))

    def _finish(self, state: Any) -> None:
        winner = {api.X_WINS: api.X, api.O_WINS: api.O}.get(self.game.status(state))
        won, drawn, lost = self.tally
        if winner is None:
            self._say("a draw")
            self.tally = Tally(won, drawn + 1, lost)
        elif winner == self.seat:
            self._say("you win")
            self.tally = Tally(won + 1, drawn, lost)
        else:
            self._say(f"{self.game.opponent} wins")
            self.tally = Tally(won, drawn, lost + 1)
