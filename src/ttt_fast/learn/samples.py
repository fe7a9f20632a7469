"""The strength of what was learned as samples of games, where no exact result is known."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.learned import HashedPlayer
from ttt_fast.agents.registry import make_player
from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.rating import pair_counts, rate
from ttt_fast.learn.checkpoint import Training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.stores import Values
from ttt_fast.play.pairs import play_game
from ttt_fast.values.files import HashedFile
from ttt_fast.values.hashed import HashTable

GAMES = 1000
GAMES_ON_THE_WAY = 200
"""Games of a sample against each judge while a run goes on."""
SHARES = ("wins", "draws", "losses")
_STREAM_KEY = 0x73616D70  # keeps these streams apart from those of matches and of learning


def player_of(config: TrainingConfig, values: Values, epsilon: Fraction = Fraction(0)) -> HashedPlayer:
    """Return the greedy player of a hash table of values, as it stands."""
    if not isinstance(values, HashTable):
        raise TypeError("expected a hash table, got values over a table of states")
    return HashedPlayer("learned", HashedFile(config.played, config.tie, config.by_board, values), epsilon)


class Sample(NamedTuple):
    """Games of what was learned against a player, in the seats that learn.

    Attributes
    ----------
    opponent
        The player.
    games, wins, draws, losses
        Their number, and their results from the learner's side.
    score, score_low, score_high
        Wins and half of the draws, as a share, with its 95 % interval.
    """

    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    score_low: float
    score_high: float


def sampled_strength(
    run: Training, rival: str, games: int = GAMES, seed: int = 0, epsilon: Fraction = Fraction(0)
) -> Sample:
    """Play games in pairs with seats swapped; where one seat learns, in this seat.

    Examples
    --------
    >>> from ttt_fast.learn.training import start_training
    >>> sampled_strength(start_training(TrainingConfig(game="connect4")), "random", games=4).games
    4
    """
    return _play(run.config, player_of(run.config, run.values, epsilon), rival, games, seed)


def _play(config: TrainingConfig, player: HashedPlayer, rival: str, games: int, seed: int) -> Sample:
    game, other = config.played, make_player(rival, config.played)
    scores: list[float] = []
    for pair in range(games // len(config.seats)):
        for number in (seat - 1 for seat in config.seats):
            for side, one in enumerate((player, other)):
                one.begin(chunk_stream(seed, _STREAM_KEY, pair, number, side))
            x, o = (player, other) if number == 0 else (other, player)
            record = play_game(game, x, o, [], pair, number)
            scores.append(record.score_of_first())
    wins, draws, losses = (scores.count(score) for score in (1.0, 0.5, 0.0))
    counts = pair_counts(scores[0::2], scores[1::2]) if len(config.seats) > 1 else [losses, draws, wins]
    rating = rate(counts)
    return Sample(rival, len(scores), wins, draws, losses, rating.score, rating.score_low, rating.score_high)


def sampled_row(
    config: TrainingConfig, values: Values, episodes: int, games: int = GAMES_ON_THE_WAY
) -> NDArray[np.float64]:
    """Return a row of a run's history: episodes, states, and shares of the games against each judge, (K,) float64.

    The games of every sample have the same random streams, so that two rows differ by the learning between them.
    """
    row = [float(episodes), float(len(values))]
    player = player_of(config, values)
    for judge in config.judge_names:
        sample = _play(config, player, judge, games, 0)
        row += [number / sample.games for number in (sample.wins, sample.draws, sample.losses)]
    return np.array(row)
