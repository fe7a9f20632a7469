"""The two kinds of games that a session plays: tables of tic-tac-toe, and players of any game."""

from typing import Any

import numpy as np
from rich.text import Text

from ttt_fast.core.errors import BoardError, TttFastError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.policies.policy import Policy
from ttt_fast.report.console import board_text
from ttt_fast.search.player import Player
from ttt_fast.tables import standard_table
from ttt_fast.terminal.advice import Adviser, exact_values
from ttt_fast.terminal.boards import TicTacToeView, view_of


class PolicyContest:
    """Tic-tac-toe against a table of probabilities; a state is its index.

    Parameters
    ----------
    agent
        The opponent.
    seed
        Seed of its choices; None: different choices each time.
    """

    move_help = TicTacToeView.move_help

    def __init__(self, agent: Policy, seed: int | None) -> None:
        self.agent, self.table = agent, standard_table()
        self.generator = np.random.default_rng(seed)

    @property
    def opponent(self) -> str:
        """Name of the agent."""
        return self.agent.name

    def begin(self) -> None:
        """Do nothing: no state is kept from one game to the next."""

    def status(self, state: int) -> int:
        """Return the status of a state."""
        return int(self.table.status[state])

    def player(self, state: int) -> int:
        """Return who is to move."""
        return int(self.table.player[state])

    def move(self, state: int, text: str) -> int | None:
        """Return the state after the move that a text means, None if it means none."""
        if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text) < self.table.num_actions):
            return None
        after = int(self.table.child[state, int(text)])
        if after < 0:
            raise BoardError(f"cell {text} is taken")
        return after

    def reply(self, state: int) -> tuple[str, int]:
        """Return the agent's move, drawn with its probabilities, and the state after it."""
        action = int(self.generator.choice(self.table.num_actions, p=self.agent.probabilities[state]))
        return str(action), int(self.table.child[state, action])

    def drawing(self, state: int, *, hints: bool) -> Text:
        """Return the board."""
        marks = {action: str(action) for action in np.flatnonzero(self.table.legal_action_mask[state]).tolist()}
        if hints:
            marks = {action: f"{action} {value}" for action, value in exact_values(state).items()}
        return board_text(self.table.board(state), marks)


class GameContest:
    """Any game against any player; a state is a NamedTuple of `games`.

    Parameters
    ----------
    game, player
        The game, and the opponent.
    seed
        Seed of the player's choices; None: different choices each time.
    adviser
        The source of hints.
    """

    def __init__(self, game: Game, player: Player, seed: int | None, adviser: Adviser) -> None:
        self.game, self._player, self.adviser, self.view = game, player, adviser, view_of(game)
        self._seed = np.random.default_rng().integers(2**63) if seed is None else seed
        self._begun = 0

    @property
    def opponent(self) -> str:
        """Name of the player."""
        return self._player.name

    @property
    def move_help(self) -> str:
        """What to type for a move."""
        return self.view.move_help

    def begin(self) -> None:
        """Let the player forget the line of play; each beginning has a stream of its own."""
        self._player.begin(chunk_stream(int(self._seed), self._begun))
        self._begun += 1

    def status(self, state: Any) -> int:
        """Return the status of a state."""
        return int(api.status(state))

    def player(self, state: Any) -> int:
        """Return who is to move."""
        return int(api.player(state))

    def move(self, state: Any, text: str) -> Any | None:
        """Return the state after the move that a text means, None if it means none."""
        said = self.game.kind.text.split_moves(text)
        if len(said) != 1:
            return None
        try:
            action = int(self.game.kind.text.parse_action(said[0], self.game.initial_state))
        except BoardError:
            return None
        if not api.is_legal(state, action):
            raise BoardError(self.view.why_illegal(state, action))
        return api.play(state, action)

    def reply(self, state: Any) -> tuple[str, Any]:
        """Return the player's move and the state after it."""
        action = self._player.think(state).action
        if not api.is_legal(state, action):
            raise TttFastError(f"expected a legal move of {self.opponent!r}, got {action!r}")
        return self.game.format_moves([action]), api.play(state, action)

    def drawing(self, state: Any, *, hints: bool) -> Text:
        """Return the board, with advice if it is asked for."""
        if not hints:
            return self.view.draw(state, {})
        values, line = self.adviser.advise(state)
        return self.view.draw(state, values).append(f"{line}\n" if line else "")
