"""The strength of a learned table: samples, since no exact results exist for these games."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.learned import HashedPlayer
from ttt_fast.agents.registry import make_player
from ttt_fast.core.rng import chunk_stream
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.hashed.checkpoint import HashedTraining
from ttt_fast.play.pairs import play_game
from ttt_fast.play.record import GameRecord
from ttt_fast.play.tally import Tally

RIVALS = ("random", "default")
GAMES = 1000
GAMES_ON_THE_WAY = 200
"""Games of a sample against each judge while a run goes on."""
_STREAM_KEY = 0x73616D70  # keeps these streams apart from those of matches and of learning


def sampled_strength(
    run: HashedTraining, rival: str, games: int = GAMES, seed: int = 0, epsilon: Fraction = Fraction(0)
) -> Tally:
    """Play games in pairs with seats swapped, and count them from the learned player's side.

    Examples
    --------
    >>> from ttt_fast.learn.hashed.checkpoint import start_hashed_training
    >>> sampled_strength(start_hashed_training(TrainingConfig(game="connect4")), "random", games=4).games
    4
    """
    game = run.config.played
    players = (HashedPlayer("learned", run, epsilon), make_player(rival, game))
    tally = Tally("learned", rival)
    pairs: dict[int, Sequence[GameRecord]] = {}
    for pair in range(games // 2):
        records = []
        for number in (0, 1):
            for side, player in enumerate(players):
                player.begin(chunk_stream(seed, _STREAM_KEY, pair, number, side))
            x, o = players if number == 0 else players[::-1]
            records.append(play_game(game, x, o, [], pair, number))
        pairs[pair] = records
    tally.add_all(pairs)
    return tally


def check_judges(config: TrainingConfig) -> None:
    """Raise AgentError, before any learning, unless all judges are players of the game."""
    for judge in config.judge_names:
        make_player(judge, config.played)


def measured(run: HashedTraining, games: int = GAMES_ON_THE_WAY) -> NDArray[np.float64]:
    """Return a row of a run's history: the numbers that `columns_of` names, (K,) float64.

    The games of every sample have the same random streams, so that two rows differ by the learning between them.
    """
    row = [float(run.episodes), float(len(run.table))]
    for judge in run.config.judge_names:
        summary = sampled_strength(run, judge, games).summary_row()
        row += [summary[result] / summary["games"] for result in ("wins", "draws", "losses")]
    return np.array(row)
