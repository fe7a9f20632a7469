"""Players that are greedy in learned values, with the learner's rule for ties, in any game."""

import os
from fractions import Fraction

from ttt_fast.core.errors import AgentError
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.search.player import DrawingPlayer, SearchResult, ongoing
from ttt_fast.values.api import Learned
from ttt_fast.values.files import load_shared


class LearnedPlayer(DrawingPlayer):
    """Plays the action of the highest value.

    Parameters
    ----------
    name
        Its agent string.
    learned
        The learned values; many players may share them.
    epsilon
        Probability of a random legal action instead.

    Attributes
    ----------
    mover
        The moves by the values.
    """

    def __init__(self, name: str, learned: Learned, epsilon: Fraction = Fraction(0)) -> None:
        super().__init__(name)
        self.epsilon, self.learned, self.mover = float(epsilon), learned, learned.values.mover(learned)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the values."""
        return self.learned.values.memory_bytes

    def search(self, state: api.GameState) -> SearchResult:
        """Return the greedy action and its value, in units of the rewards."""
        if self.epsilon > 0 and self._words.share() < self.epsilon:
            return SearchResult(int(api.random_action(ongoing(state), self._words.word())), float("nan"), 1)
        return self.greedy(state)

    def greedy(self, state: api.GameState) -> SearchResult:
        """Return the action of the highest value, with it."""
        return SearchResult(*self.mover.choose(ongoing(state), self._words))

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the value of each legal action that is known, in units of the rewards."""
        return self.mover.action_values(ongoing(state))


class OneSeatPlayer(LearnedPlayer):
    """Plays by values that move in one seat alone."""

    def __init__(self, name: str, learned: Learned) -> None:
        super().__init__(name, learned)
        self.seat = Seat(learned.values.seat)

    def knows(self, state: api.GameState) -> bool:
        """Return whether the player to move is the player's seat."""
        return int(api.player(state)) == self.seat

    def check_seat(self, seat: int, because: str = "") -> None:
        """Raise AgentError unless a seat is the player's own."""
        if seat != self.seat:
            own, other = self.seat.name, Seat(seat).name
            raise AgentError(f"expected {self.name!r} as {own}, the only seat that it plays, got {other}{because}")

    def search(self, state: api.GameState) -> SearchResult:
        """Return the move in an ongoing state of the player's seat; its value is not known."""
        self.check_seat(int(api.player(state)))
        return self.greedy(state)


def load_player(name: str, path: str | os.PathLike[str], game: Game, epsilon: Fraction = Fraction(0)) -> LearnedPlayer:
    """Return the player of a file of learned values; the players of all threads share them.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged, or has another format or a newer version.
    AgentError
        If the values were learned on another game, or are to explore although they move in one seat alone.
    """
    learned = load_shared(path)
    if learned.values.seat and epsilon > 0:
        raise AgentError(f"expected no eps= for the player of one seat in a file, got {name!r}")
    if game not in learned.games:
        what = "plays" if learned.values.seat else "was trained on"
        raise AgentError(f"expected a player of {game.spec}, got {name!r}, which {what} {learned.game_names}")
    return OneSeatPlayer(name, learned) if learned.values.seat else LearnedPlayer(name, learned, epsilon)
