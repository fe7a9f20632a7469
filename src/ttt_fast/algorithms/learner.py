"""The interface of learners, and the chunks of episodes that they process.

The fast kernels have settings for each chunk, the general kernels for each episode.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import as_player
from ttt_fast.agents.learned import LearnedPlayer
from ttt_fast.agents.registry import agent_of
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.dynamics import DEFAULT, NO_OPPONENT, PYTHON_PLAYER, RANDOM, RulesDynamics
from ttt_fast.algorithms.episodes import Chunks, Episodes
from ttt_fast.algorithms.measures import Measures
from ttt_fast.core.errors import AgentError
from ttt_fast.core.rng import chunk_streams
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import table_hint
from ttt_fast.values.api import Learned, LearnedValues


def chunks_of(config: LearningTask, first: int, end: int) -> Chunks:
    """Return the chunks `first` to `end - 1` of a run.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> chunks = chunks_of(TrainingConfig(episodes=2500, chunk_episodes=1000, epsilon="linear:1,0"), 1, 3)
    >>> chunks.episodes.tolist(), chunks.epsilons.tolist()
    ([1000, 500], [0.6, 0.19999999999999996])
    """
    starts = np.minimum(np.arange(first, end + 1) * config.chunk_episodes, config.episodes)
    at, total = starts[:-1].astype(np.float64), config.episodes
    step_sizes, epsilons = config.settings.step_size.at(at, total), config.settings.epsilon.at(at, total)
    return Chunks(np.diff(starts), step_sizes, epsilons, chunk_streams(config.seed, first, end - first))


class ChunkSource:
    """The chunks of a run, computed many at a time and returned in slices.

    This saves a tenth of the time of a run of a million episodes.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> source = ChunkSource(TrainingConfig(episodes=10_000, chunk_episodes=1000))
    >>> [chunks.streams.tolist() == chunk_streams(0, 4, 1).tolist() for chunks in (source(4, 5), source(4, 5))]
    [True, True]
    """

    _AT_ONCE = 1024

    def __init__(self, config: LearningTask) -> None:
        self._config, self._first, self._end = config, 0, 0
        self._known = chunks_of(config, 0, 0)

    def __call__(self, first: int, end: int) -> Chunks:
        """Return the chunks `first` to `end - 1`."""
        if not self._first <= first <= end <= self._end:
            self._first, self._end = first, max(end, min(first + self._AT_ONCE, self._config.num_chunks))
            self._known = chunks_of(self._config, self._first, self._end)
        known, some = self._known, slice(first - self._first, end - self._first)
        return Chunks(known.episodes[some], known.step_sizes[some], known.epsilons[some], known.streams[some])


def episodes_of(config: LearningTask, chunk: int, count: int = 1) -> Episodes:
    """Return the episodes of a chunk, or of `count` chunks from it on.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> episodes = episodes_of(TrainingConfig(episodes=2500, chunk_episodes=1000, epsilon="linear:1,0"), 2)
    >>> episodes.first, episodes.epsilons.size, episodes.part(499).epsilons.tolist()
    (2000, 500, [0.00039999999999995595])
    """
    first, total = config.episodes_after(chunk), config.episodes
    number = config.episodes_after(chunk + count) - first
    epsilons = config.settings.epsilon.values(first, number, total)
    by_visits = config.settings.step_size.by_visits  # then step sizes by episode are not looked at
    return Episodes(first, epsilons if by_visits else config.settings.step_size.values(first, number, total), epsilons)


def player_of(config: LearningTask, values: LearnedValues, epsilon: Fraction = Fraction(0)) -> LearnedPlayer:
    """Return the greedy player of some values, which explores with probability `epsilon` at each move."""
    return LearnedPlayer("learned", Learned((config.game,), config.settings.tie, config.by_board, values), epsilon)


def rules_dynamics(game: Game, opponents: Sequence[AgentSpec], any_player: bool = False) -> list[RulesDynamics]:
    """Return the dynamics with each opponent; in self-play a single one, without an opponent.

    Parameters
    ----------
    game, opponents
        The game, and the agents.
    any_player
        Whether opponents may be players that no kernel can play, WALKED.

    Raises
    ------
    AgentError
        If an opponent is not a player, or no kernel can play it without a table.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> from ttt_fast.agents.spec import parse_agent
    >>> opponents = [parse_agent("random"), parse_agent("default")]
    >>> [dynamics.opponent for dynamics in rules_dynamics(parse_game("connect4"), opponents)]
    [1, 2]
    """
    actions, plies = game.num_actions, int(api.max_plies(game.initial_state))
    codes = [_code_of(spec, game, any_player) for spec in opponents] or [NO_OPPONENT]
    return [RulesDynamics(actions, plies, game.initial_state, code, np.zeros(actions, np.uint8)) for code in codes]


def _code_of(spec: AgentSpec, game: Game, any_player: bool) -> int:
    """Return the code of an opponent."""
    if spec.name in ("random", "default") and spec.origin == "built in":
        options = agent_of(spec, game)[1]
        if options == ({"frozen": None} if spec.name == "random" else {"skill": 1}):
            return RANDOM if spec.name == "random" else DEFAULT
    if any_player:
        as_player(spec, game)  # raises AgentError
        return PYTHON_PLAYER
    raise AgentError(
        f"expected self, random or default as the opponent on {game.spec}, got {spec.text!r}: without a table of states"
        f" the learner's kernel plays no other{table_hint(game)}"
    )


class Learner(Protocol):
    """A learner that processes chunks of episodes.

    Attributes
    ----------
    counts : (3,) int64
        Episodes so far that the learner (X, if both seats learn) won, drew and lost.
    """

    counts: NDArray[np.int64]

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the chunks `first` to `end - 1`."""

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values on which the learner acts, (E,) float64 over the edges of the game's table.

        For double Q-learning this is the mean of its tables, which has the same order as their sum.
        """

    def values(self) -> LearnedValues:
        """Return the learned values: a copy, or the hash table that learning updates."""

    def run_measured(
        self, first: int, stops: Sequence[int], measures: Measures, greedy: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Learn from chunk `first` up to each of `stops`, and measure there.

        Parameters
        ----------
        first
            Number of the first chunk.
        stops
            Ascending chunk numbers, above `first`.
        measures
            The measures.
        greedy : (S,) int32
            The greedy edges at the previous row; replaced by those at the last row.

        Returns
        -------
        (len(stops), K) float64
            A row for each stop, in the order of `measures.columns`.
        """
        out = measures.rows(len(stops))
        for row, stop in enumerate(stops):
            self.run_chunks(first, stop)
            out[row] = self.measured_row(stop, measures, greedy)
            first = stop
        return out

    def measured_row(self, stop: int, measures: Measures, greedy: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the measures after the chunks before `stop`, (K,) float64; arguments as for `run_measured`."""
        return measures(self.edge_values(), greedy)


def first_values(config: LearningTask) -> LearnedValues:
    """Return the values before the first episode, by the record of the algorithm.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> first_values(TrainingConfig(algorithm="double-q")).tables.shape
    (2, 16167)
    """
    values: LearnedValues = config.record.function("first_values", config)(config)
    return values


def make_learner(
    config: LearningTask,
    opponents: Sequence[Policy],
    before: LearnedValues | None = None,
    counts: NDArray[np.int64] | None = None,
) -> Learner:
    """Return the fastest learner of a configuration.

    Parameters
    ----------
    config
        The settings of the run.
    opponents
        The policies of `config.opponent`; empty in self-play, or if the game has no state table.
    before
        The values so far (default: untrained); a hash table is updated in place.
    counts : (3,) int64
        Episodes so far that the learner won, drew and lost, updated in place (default: zeros).
    """
    before = first_values(config) if before is None else before
    counts = np.zeros(3, np.int64) if counts is None else counts
    learner: Learner = config.record.function("learner", config)(config, opponents, before, counts)
    return learner
