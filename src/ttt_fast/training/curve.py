"""The rows of a run's history: learning up to each row, then exact measures or samples."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import AgentLike, as_player, as_policy
from ttt_fast.agents.learned import LearnedPlayer
from ttt_fast.algorithms.dynamics import reachable_states
from ttt_fast.algorithms.learner import Learner, player_of
from ttt_fast.algorithms.measures import Measures
from ttt_fast.core.rng import StreamKey, chunk_stream
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.evaluate.kept_moves import kept_moves
from ttt_fast.evaluate.rating import pair_counts, rate
from ttt_fast.play.pairs import play_game
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, solution_of
from ttt_fast.tables.state_table import cached_on_table
from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.opponents import facing
from ttt_fast.values.api import LearnedValues

GAMES_DURING_RUN = 200
"""Number of games in a sample against each judge during a run."""
SHARES = ("wins", "draws", "losses")


class SampleRecorder:
    """The measures of a run whose game has no state table: samples of games against the agents of `judges`.

    Parameters
    ----------
    config, values, greedy
        Settings, values and greedy edges of the run.

    Attributes
    ----------
    columns
        Names of the numbers of a row; the first is `episodes`.
    greedy : (S,) int32
        The greedy edges at the last row; empty if measures are not exact.
    seconds
        Time spent on learning and on exact measures.
    """

    def __init__(self, config: TrainingConfig, values: LearnedValues, greedy: NDArray[np.int32]) -> None:
        self.config, self.columns = config, columns_of(config, values)
        self.greedy, self.seconds = greedy.copy(), 0.0
        for judge in self.config.judges.specs:
            as_player(judge, self.config.game)  # raises AgentError before anything is learned

    def learn(self, learner: Learner, first: int, end: int, stops: Sequence[int]) -> list[NDArray[np.float64]]:
        """Learn from the chunks `first` to `end - 1`, and return a row for the chunks before each of `stops`."""
        rows = []
        for stop in sorted({*stops, end}):
            started = time.perf_counter()
            learner.run_chunks(first, stop)
            self.seconds += time.perf_counter() - started
            if stop in stops:
                rows.append(sampled_row(self.config, learner.values(), self.config.episodes_after(stop)))
            first = stop
        return rows


class ExactRecorder(SampleRecorder):
    """Exact measures, for a game with a table of states.

    Parameters
    ----------
    config, opponents
        The settings, and the policies of the stages.
    greedy
        The greedy edges of the run; None if nothing has been learned yet.
    """

    def __init__(
        self, config: TrainingConfig, opponents: Sequence[Policy], greedy: NDArray[np.int32] | None = None
    ) -> None:
        self.config, self.measures = config, make_measures(config, opponents)
        self.greedy = self.measures.first_greedy() if greedy is None else greedy.copy()
        self.columns, self.seconds = ("episodes", *self.measures.columns), 0.0

    def learn(self, learner: Learner, first: int, end: int, stops: Sequence[int]) -> list[NDArray[np.float64]]:
        """Learn and measure, in one kernel call if the learner can."""
        started = time.perf_counter()
        measured = learner.run_measured(first, stops, self.measures, self.greedy)
        if not stops or stops[-1] < end:
            learner.run_chunks(stops[-1] if stops else first, end)
        self.seconds += time.perf_counter() - started
        return list(np.column_stack([[self.config.episodes_after(stop) for stop in stops], measured]))


def columns_of(config: TrainingConfig, values: LearnedValues) -> tuple[str, ...]:
    """Return the column names of samples; those of exact measures depend on the opponents."""
    if config.has_table:
        return ("episodes",)
    return (
        "episodes",
        *(["states"] if values.grows else []),
        *(["agreement"] if measures_agreement(config) else []),
        *(f"{share}_v_{judge}" for judge in config.judges.specs for share in SHARES),
    )


def measures_agreement(config: TrainingConfig) -> bool:
    """Return whether to measure the share of value-preserving moves in solved positions: only where it is cheap."""
    return config.game.spec == config.record.kept_moves


def make_measures(config: TrainingConfig, opponents: Sequence[Policy]) -> Measures:
    """Return the exact measures of a configuration's learning curve, which all seeds of a setting share."""
    specs = [spec for spec in config.judges.specs if spec.text not in (one.name for one in opponents[-1:])]
    judges = facing(config, [as_policy(spec, config.game) for spec in specs])
    return _measures(config.table, config.with_seed(0), tuple(opponents), judges)


@cached_on_table(16)
def _measures(
    table: StateTable, config: TrainingConfig, opponents: tuple[Policy, ...], further: tuple[Policy, ...]
) -> Measures:
    judges = [*opponents[-1:], *further] or [as_policy("random", config.game)]
    last = opponents[-1] if opponents else None
    masks = [reachable_states(table, last, seat, config.random_opening) for seat in config.seats]
    target = exact_q(table, last, config.settings.rewards, config.settings.discount, config.seats)
    if config.by_board:
        target = config.settings.discount * target  # gamma applies at the end of the game, too
    last_of_equals = config.settings.tie == "last"
    game = table, solution_of(table), config.seats
    measures: Measures = config.record.function("measures", config)(
        *game, judges, target, np.logical_or.reduce(masks), last_of_equals, config.random_opening
    )
    return measures


class StrengthSample(NamedTuple):
    """Results of games of the learned policy against a player, in the learning seats.

    Attributes
    ----------
    opponent
        The player.
    games, wins, draws, losses
        Number of games, and their results from the learner's side.
    score, score_low, score_high
        Wins plus half of the draws, as a share of the games, with its 95 % interval.
    distinct_games
        Number of games that differ in their moves or seats; the interval counts pairs that repeat another one once.
    """

    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    score_low: float
    score_high: float
    distinct_games: int


def sampled_strength(
    config: TrainingConfig, player: LearnedPlayer, rival: AgentLike, games: int = 1000
) -> StrengthSample:
    """Play games in pairs with seats swapped; if one seat learns, only in that seat.

    The games of every sample have the same random streams, so that two samples differ only by the learning between
    them.

    Examples
    --------
    >>> from ttt_fast.training.loop import start_training
    >>> run = start_training(TrainingConfig(game="connect4"))
    >>> sampled_strength(run.config, run.player(), "random", games=4).games
    4
    """
    game, other = config.game, as_player(rival, config.game)
    scores, moves = list[float](), list[str]()
    for pair in range(games // len(config.seats)):
        for number in (seat - 1 for seat in config.seats):
            for side, one in enumerate((player, other)):
                one.begin(chunk_stream(0, StreamKey.SAMPLED_GAMES, pair, number, side))
            x, o = (player, other) if number == 0 else (other, player)
            record = play_game(game, x, o, pair=pair, number=number)
            scores.append(record.score_of_first())
            moves.append(f"{number} {record.moves}")
    wins, draws, losses = (scores.count(score) for score in (1.0, 0.5, 0.0))
    counts = pair_counts(scores[0::2], scores[1::2]) if len(config.seats) > 1 else [losses, draws, wins]
    seats = len(config.seats)
    rating = rate(counts, distinct=len(set(zip(*(moves[seat::seats] for seat in range(seats)), strict=True))))
    return StrengthSample(
        other.name, len(scores), wins, draws, losses, rating.score, rating.score_low, rating.score_high, len(set(moves))
    )


def sampled_row(config: TrainingConfig, values: LearnedValues, episodes: int) -> NDArray[np.float64]:
    """Return a row of a run's history, (K,) float64: episodes, states, agreement, shares of games v each judge."""
    row = [float(episodes), *([float(values.sizes()["states"])] if values.grows else [])]
    player = player_of(config, values)
    if measures_agreement(config):
        row.append(kept_moves(lambda state: player.greedy(state).action))
    for judge in config.judges.specs:
        sample = sampled_strength(config, player, judge, GAMES_DURING_RUN)
        row += [number / sample.games for number in (sample.wins, sample.draws, sample.losses)]
    return np.array(row)
