"""Games of a human player against an agent or another human, in a terminal, line by line."""

import sys
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.text import Text

from ttt_fast import Game, Player, UsageError
from ttt_fast.games import api
from ttt_fast.kernels import chunk_stream
from ttt_fast.terminal.boards import BoardView
from ttt_fast.terminal.hints import GiveHints

_WORDS = {"q": "quit", "n": "new", "u": "undo", "h": "hint", "?": "help"}
_COMMANDS = (
    "h for a hint, hints to show them always or no longer, u to take back your last move, n for a new game, q to quit"
)
_ANSWERS = {"": "new", "y": "new", "yes": "new", "no": "quit"}
_NAMES = {api.X: "X", api.O: "O"}


class PlaySession:
    """Games between a human player and an agent, or two humans at one terminal, until a player quits.

    Parameters
    ----------
    game, player
        The game, and the opponent; None for a second human player.
    seat
        The human player's seat, 1 (X) or 2 (O).  With two humans, the results are counted for this seat.
    start
        First state of each game.
    give_hints
        Returns the hints for an ongoing state.
    hints
        Whether to show the value of each move before each move of the human player.
    seed
        Seed of the opponent's choices; None for different choices each time.
    ask
        Reads a line; raises EOFError at the end of the input.

    Attributes
    ----------
    history
        The states of the current game.
    actions
        The actions between these states.
    tally
        Games that the human player has won, drawn and lost in this session.
    """

    def __init__(
        self,
        game: Game,
        player: Player | None,
        seat: int,
        start: api.GameState,
        give_hints: GiveHints,
        *,
        hints: bool = False,
        seed: int | None = None,
        ask: Callable[[str], str] = input,
    ) -> None:
        self.game, self.player, self.seat, self.start = game, player, seat, start
        self.give_hints, self.hints, self.ask = give_hints, hints, ask
        self.history, self.actions = [start], list[int]()
        self.tally = [0, 0, 0]
        self._seed = int(np.random.default_rng().integers(2**63)) if seed is None else seed
        self._begun = 0
        self._console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
        self._view = BoardView(game)
        self._help = f"{self._view.move_help}, {_COMMANDS}"

    def run(self) -> bool:
        """Play until the human player quits or the input ends; return False after Ctrl-C."""
        you, other = _NAMES[self.seat], _NAMES[3 - self.seat]
        players = "two persons play" if self.player is None else f"you are {you}, {self.player.name} is {other}"
        self._say(f"{players}; type {self._help}")
        interrupted = False
        try:
            while self._play_game():
                pass
        except EOFError:
            self._say("")
        except KeyboardInterrupt:
            self._say("")
            interrupted = True
        won, drawn, lost = self.tally
        self._say(
            f"{you} won {won}, drawn {drawn}, {other} won {lost}"
            if self.player is None
            else f"won {won}, drawn {drawn}, lost {lost}"
        )
        return not interrupted

    def _say(self, line: str) -> None:
        self._console.print(Text(line))  # not a string: user input and file names may look like markup

    def _read(self, prompt: str) -> str:
        try:
            line = self.ask(prompt).strip().lower()
        except UnicodeDecodeError:
            raise UsageError("expected lines of UTF-8 text as input, got other bytes") from None
        if self.ask is input and not sys.stdin.isatty():  # a terminal shows what is typed
            self._say(line)
        return line

    def _begin(self) -> None:
        """Reset the player, with a new stream: a game begins, or moves were taken back."""
        if self.player is not None:
            self.player.begin(chunk_stream(self._seed, self._begun))
        self._begun += 1

    def _play_game(self) -> bool:
        """Play one game; return whether to play another game."""
        self.history, self.actions = [self.start], []
        self._begin()
        self._show_to_person(self.start)
        while True:
            state = self.history[-1]
            if api.status(state) != api.ONGOING:
                command = self._finish(int(api.status(state)))
                if command != "undo":
                    return command == "new"
                continue
            if self.player is not None and api.player(state) != self.seat:
                action = self.player.search(state).checked(self.player, state).action
                self._say(f"{self.player.name} plays {self.game.format_moves([action])}")
                self._play(action)
                continue
            line = self._read(
                "your move: " if self.player is not None else f"{_NAMES[int(api.player(state))]}'s move: "
            )
            if self._move(line, state):
                continue
            command = _WORDS.get(line, line)
            if command in ("quit", "new"):
                return command == "new"
            self._obey(command, state)

    def _play(self, action: int) -> None:
        """Play an action."""
        self.history.append(api.play(self.history[-1], action))
        self.actions.append(action)
        self._show_to_person(self.history[-1])

    def _show_to_person(self, state: api.GameState) -> None:
        """Show the board if a human player is to move, or the game is over."""
        if self.player is None or api.status(state) != api.ONGOING or api.player(state) == self.seat:
            self._show(state)

    def _move(self, line: str, state: api.GameState) -> bool:
        """Play the move in a line of input; return whether the line is a move.

        Moves take precedence over commands: on a wide board of Connect 4 a letter is a column.
        """
        text = self.game.kind.text
        try:
            (move,) = text.split_moves(line)
            action = int(text.parse_action(move, self.game.initial_state))
        except ValueError:  # no move, or more than one
            return False
        if api.is_legal(state, action):
            self._play(action)
        else:
            self._say(self.game.board(state).why_illegal(action))
        return True

    def _obey(self, command: str, state: api.GameState) -> None:
        """Carry out a command of the human player."""
        if command == "hint":
            self._show(state, hints=True)
        elif command == "hints":
            self.hints = not self.hints
            self._say(f"hints are {'on' if self.hints else 'off'}")
            self._show(state)
        elif command == "undo":
            self._undo()
        elif command == "help":
            self._say(f"type {self._help}")
        else:
            self._say(f"expected {self._help}, got {command!r}")

    def _undo(self) -> bool:
        """Undo the human player's last move, or with two humans the last move; otherwise print the reason."""
        mine = [i for i, state in enumerate(self.history[:-1]) if self.player is None or api.player(state) == self.seat]
        if not mine:
            self._say("there is no move of yours to take back")
            return False
        del self.history[mine[-1] + 1 :], self.actions[mine[-1] :]
        self._begin()
        self._show(self.history[-1])
        return True

    def _show(self, state: api.GameState, hints: bool | None = None) -> None:
        """Show the board; during the game with hints, if requested."""
        wanted = (self.hints if hints is None else hints) and api.status(state) == api.ONGOING
        shows = wanted and (self.player is None or api.player(state) == self.seat)
        values, line = self.give_hints(state) if shows else ({}, "")
        last = self.actions[-1] if self.actions else None
        self._console.print(Text("\n") + self._view.draw(state, values, last).append(f"{line}\n" if line else ""))

    def _finish(self, status: int) -> str:
        """Print and count the result; return the next command: new, quit, or undo, which removes the result again."""
        result = (self.seat, api.DRAW, 3 - self.seat).index(status)  # the status of a win is the number of its seat
        results = ("you win", "a draw", f"{self.player.name} wins") if self.player is not None else (
            f"{_NAMES[self.seat]} wins", "a draw", f"{_NAMES[3 - self.seat]} wins"
        )  # fmt: skip
        self._say(results[result])
        self.tally[result] += 1
        while True:
            line = self._read("Enter or n for a new game, u to take back the last move, q to quit: ")
            command = _ANSWERS.get(line, _WORDS.get(line, line))
            if command in ("new", "quit"):
                return command
            if command == "undo" and self._undo():
                self.tally[result] -= 1
                return command
            if command != "undo":
                self._say(f"expected n, u or q, got {line!r}")
