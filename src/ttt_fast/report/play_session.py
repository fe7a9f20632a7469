"""A game between a person and an agent in a terminal, line by line."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.text import Text

from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.policy import Policy
from ttt_fast.report.console import board_text, output_console
from ttt_fast.tables import standard_solution, standard_table

_HELP = "a cell 0 to 8 to play there, h for a hint, u to take back your last move, n for a new game, q to quit"
_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


class Tally(NamedTuple):
    """Games that the person has won, drawn and lost in this session."""

    won: int = 0
    drawn: int = 0
    lost: int = 0


class PlaySession:
    """Games between a person and an agent until the person has had enough.

    Parameters
    ----------
    agent
        The opponent.
    seat
        The person's seat, 1 (X) or 2 (O).
    start
        State index of the first board of each game.
    seed
        Seed of the agent's choices, None for different ones each time.
    hints
        Whether the value of each move is shown before each of the person's moves.
    ask
        Reads a line; raises EOFError at the end of the input.
    """

    def __init__(
        self,
        agent: Policy,
        seat: int,
        start: int,
        seed: int | None,
        *,
        hints: bool = False,
        ask: Callable[[str], str] = input,
        console: Console | None = None,
    ) -> None:
        self.agent, self.seat, self.start, self.hints, self.ask = agent, seat, start, hints, ask
        self.table, self.solution = standard_table(), standard_solution()
        self.generator = np.random.default_rng(seed)
        self.console = console or output_console()
        self.history = [start]
        self.tally = Tally()

    def run(self) -> None:
        """Play until the person quits or the input ends."""
        you = "X" if self.seat == rules.X else "O"
        self.console.print(f"you are {you}, {self.agent.name} is {'O' if you == 'X' else 'X'}; type {_HELP}")
        try:
            while self._play_game():
                pass
        except (EOFError, KeyboardInterrupt):
            self.console.print()
        self.console.print(f"won {self.tally.won}, drawn {self.tally.drawn}, lost {self.tally.lost}")

    def _play_game(self) -> bool:
        """Play one game; return whether another one is wanted."""
        self.history = [self.start]
        while True:
            state = self.history[-1]
            if self.table.status[state] != rules.ONGOING:
                self._show(state)
                self._finish(state)
                return self.ask("another game? [Y/n] ").strip().lower() in ("", "y", "yes")
            if self.table.player[state] != self.seat:
                self._reply(state)
                continue
            self._show(state, hints=self.hints)
            command = self.ask("your move: ").strip().lower()
            if command in ("q", "quit"):
                return False
            if command in ("n", "new"):
                return True
            self._obey(command, state)

    def _obey(self, command: str, state: int) -> None:
        """Carry out one line of the person's."""
        if command in ("h", "hint", "hints"):
            self._show(state, hints=True)
        elif command in ("u", "undo"):
            self._undo()
        elif command.isascii() and command.isdigit() and int(command) < self.table.num_actions:
            after = int(self.table.child[state, int(command)])
            if after < 0:
                self.console.print(f"cell {command} is taken")
            else:
                self.history.append(after)
        else:
            self.console.print(f"expected {_HELP}, got {command!r}")

    def _reply(self, state: int) -> None:
        action = int(self.generator.choice(self.table.num_actions, p=self.agent.probabilities[state]))
        self.console.print(f"{self.agent.name} plays {action}")
        self.history.append(int(self.table.child[state, action]))

    def _undo(self) -> None:
        """Go back to the board before the person's last move."""
        mine = [i for i, state in enumerate(self.history[:-1]) if self.table.player[state] == self.seat]
        if mine:
            del self.history[mine[-1] + 1 :]
        else:
            self.console.print("there is no move of yours to take back")

    def _show(self, state: int, hints: bool = False) -> None:
        legal = np.flatnonzero(self.table.legal_action_mask[state]).tolist()
        marks = {action: str(action) for action in legal}
        if hints:
            marks = {action: f"{action} {self._hint(int(self.table.child[state, action]))}" for action in legal}
        self.console.print(Text("\n") + board_text(self.table.board(state), marks))

    def _hint(self, after: int) -> str:
        """Return what a move leads to under best play, for the person: 'win 3' is a win in three more plies."""
        sign = 1 if self.seat == rules.X else -1
        outcome = _OUTCOMES[sign * int(self.solution.value[after])]
        distance = int(self.solution.distance[after])
        return outcome if outcome == "draw" or distance == 0 else f"{outcome} {distance}"

    def _finish(self, state: int) -> None:
        winner = {rules.X_WINS: rules.X, rules.O_WINS: rules.O}.get(int(self.table.status[state]))
        won, drawn, lost = self.tally
        if winner is None:
            self.console.print("a draw")
            self.tally = Tally(won, drawn + 1, lost)
        elif winner == self.seat:
            self.console.print("you win")
            self.tally = Tally(won + 1, drawn, lost)
        else:
            self.console.print(f"{self.agent.name} wins")
            self.tally = Tally(won, drawn, lost + 1)
