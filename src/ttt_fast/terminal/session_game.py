"""The game that a session plays: any game, against any agent."""

import numpy as np
from rich.text import Text

from ttt_fast.core.errors import BoardError, TttFastError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.registry import Game
from ttt_fast.search.player import Player
from ttt_fast.terminal.advice import Adviser
from ttt_fast.terminal.boards import view_of


class SessionGame:
    """Any game against any player, as a session sees them.

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
        """Let the player forget the line of play: a game begins, or moves were taken back; each has its own stream."""
        self._player.begin(chunk_stream(int(self._seed), self._begun))
        self._begun += 1

    def status(self, state: GameState) -> int:
        """Return the status of a state."""
        return int(api.status(state))

    def player(self, state: GameState) -> int:
        """Return who is to move."""
        return int(api.player(state))

    def move(self, state: GameState, text: str) -> GameState | None:
        """Return the state after the move that a text means, None if it means none.

        Raises
        ------
        BoardError
            If it means a move that cannot be played; the text gives the reason.
        """
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

    def reply(self, state: GameState) -> tuple[str, GameState]:
        """Return the player's move and the state after it."""
        action = self._player.think(state).action
        if not api.is_legal(state, action):
            raise TttFastError(f"expected a legal move of {self.opponent!r}, got {action!r}")
        return self.game.format_moves([action]), api.play(state, action)

    def drawing(self, state: GameState, *, hints: bool) -> Text:
        """Return the board, with advice if it is asked for."""
        if not hints:
            return self.view.draw(state, {})
        values, line = self.adviser.advise(state)
        return self.view.draw(state, values).append(f"{line}\n" if line else "")
