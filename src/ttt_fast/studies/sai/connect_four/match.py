"""Playing the matches of Connect 4: two halves, results by who began, and what the moves cost."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.registry import make_player
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.registry import Game
from ttt_fast.play.pairs import play_game
from ttt_fast.play.record import GameRecord
from ttt_fast.search.player import Player, Thought
from ttt_fast.search.rewards.api import LARGE
from ttt_fast.studies.sai.odds import Halves, SampledHalves
from ttt_fast.studies.sai.published import DEPTH

BOARD_AS_CODED, BOARD_AS_DESCRIBED = "connect4:columns=6,rows=7", "connect4"
"""The program's board is indexed by column and row: its 6 x 7 are six columns of seven cells."""

_SEARCH = f"alphabeta:depth={DEPTH},tie=first,order=no"
MINIMAX_AS_CODED, MINIMAX_AS_DESCRIBED = f"{_SEARCH},full=loss", _SEARCH
"""With alpha-beta; the first of the best columns, and as coded a full board is lost for X, who would be to move."""

_STREAM_KEY = 0x63346D63  # keeps these streams apart from those of learning


def unpruned(spec: str) -> str:
    """Return a searching player without alpha-beta.

    Examples
    --------
    >>> unpruned("alphabeta:depth=5")
    'alphabeta:depth=5,prune=no'
    """
    return f"{spec},prune=no"


class ProgramStops(Exception):
    """The published program would end with a KeyError: its search as X returns no move."""


class StoppingPlayer:
    """Minimax as coded: where all of X's moves end at a full board, worth minus infinity, none is the best.

    Parameters
    ----------
    player
        The search.
    """

    def __init__(self, player: Player) -> None:
        self._player, self.name = player, player.name

    def begin(self, stream: np.uint64) -> None:
        """Draw from `stream` from now on."""
        self._player.begin(stream)

    def think(self, state: Any) -> Thought:
        """Return the move, or raise ProgramStops."""
        thought = self._player.think(state)
        if thought.value <= -LARGE:
            raise ProgramStops
        return thought

    @property
    def memory_bytes(self) -> int:
        """Bytes of the search."""
        return self._player.memory_bytes


def player_of(spec: str, game: Game) -> Player:
    """Return the player of an agent string, or of minimax as coded one that stops where the program does."""
    player = make_player(spec, game)
    return StoppingPlayer(player) if "full=loss" in spec else player


class Spent(NamedTuple):
    """What a player's moves took: games, moves, nodes, seconds, and the most bytes of its tables."""

    games: int
    moves: int
    nodes: int
    seconds: float
    memory_bytes: int


class Played(NamedTuple):
    """A match as it was played.

    Attributes
    ----------
    records
        The games that came to an end, pair by pair; in the second one of a pair the second player begins.
    stopped
        Games in which the published program would have stopped.
    """

    records: list[GameRecord]
    stopped: int

    @property
    def halves(self) -> SampledHalves:
        """Results by who began."""
        counts = np.zeros((2, 3), np.int64)
        for record in self.records:
            counts[record.game, {1.0: 0, 0.0: 1, 0.5: 2}[record.score_of_first()]] += 1
        return SampledHalves(counts)

    def spent(self, first: bool) -> Spent:
        """Return what the first player, or the second, has spent."""
        efforts = [record.effort_of(first) for record in self.records]
        return Spent(
            len(efforts),
            sum(one.moves for one in efforts),
            sum(one.nodes for one in efforts),
            sum(one.seconds for one in efforts),
            max(one.memory_bytes for one in efforts),
        )


def play_pairs(game: Game, first: Player, second: Player, pairs: int, seed: int, key: Sequence[int] = ()) -> Played:
    """Play pairs of games with the seats swapped.

    Parameters
    ----------
    game, first, second
        What is played, and by whom.
    pairs
        Pairs of games.
    seed, key
        Seed, and what keeps the streams of this match apart from those of others.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4:columns=4,rows=4")
    >>> play_pairs(game, make_player("default", game), make_player("random", game), 20, seed=0).halves.games
    40
    """
    records, stopped = [], 0
    for pair in range(pairs):
        for number in (0, 1):
            for side, player in enumerate((first, second)):
                player.begin(chunk_stream(seed, _STREAM_KEY, *key, pair, number, side))
            x, o = (first, second) if number == 0 else (second, first)
            try:
                records.append(play_game(game, x, o, [], pair, number))
            except ProgramStops:
                stopped += 1
    return Played(records, stopped)


def exactly(played: Played) -> Halves:
    """Return the result of two players that always move alike, of whom one pair of games has been played."""
    shares: NDArray[np.float64] = played.halves.counts.astype(np.float64)
    return Halves(shares[0], shares[1])
