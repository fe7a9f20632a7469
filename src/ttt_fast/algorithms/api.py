"""The record of an algorithm of learning or planning: everything that distinguishes it from other algorithms.

All other modules read records, and none asks for the name of an algorithm; `registry` finds records by their names.
Nothing heavy is imported, since `--help` reads the records: they name their functions as `module:function`, which is
imported when it is needed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, inf
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ttt_fast.algorithms import settings
from ttt_fast.algorithms.curricula import SELF_PLAY, Judges, Opponents
from ttt_fast.algorithms.episodes import ALTERNATE, O, X
from ttt_fast.algorithms.settings import Computed, Setting, has_table, number, schedule, setting, words
from ttt_fast.core.lazy import object_at

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ttt_fast.algorithms.schedules import Schedule
    from ttt_fast.games.game import Game
    from ttt_fast.tables import StateTable

CHUNK_EPISODES = Computed(
    "episodes / 250, but from 1k to 100k", lambda run: min(100_000, max(1000, ceil(run["episodes"] / 250)))
)
ALGORITHMS: dict[str, "Algorithm"] = {}
"""The records of all algorithms, by name."""
SETTINGS: dict[str, Setting] = {}
"""The settings of all algorithms by name; `settings_of` has the defaults of an algorithm."""
OWN_RESULT, SAI = "own", "sai"
"""The credit at the end of a game: each player's own result, or the credit of Sai's program."""
OF_REWARDS = ("discount", "win_reward", "draw_reward", "loss_reward", "random_opening")
"""Common settings that an algorithm uses whose values are in units of the rewards."""

OF_GAME = "Game and position"
Defaults = Mapping[str, str | tuple[str, Mapping[settings.When, str]]]
"""Defaults of common settings in a family: a text, or a text and other ones under conditions."""


def _name(raw: object) -> str:
    """Return the name of an algorithm."""
    return settings.word(list(ALGORITHMS), raw)


@dataclass(frozen=True)
class LearningProblem:
    """The part of a training configuration that does not depend on the algorithm.

    An episode is a game or, in planning, a pass over the table.  In self-play both seats learn.  A random opening is
    excluded from learning.  Each chunk of episodes has its own random stream.
    """

    game: "Game" = settings.setting(settings.game, "GAME", "the game with its options", "tic-tac-toe", group=OF_GAME)
    exact: bool = settings.switch(
        "build the state table even if it has more than a million states, and learn with it", "false", group=OF_GAME
    )
    opponent: Opponents = settings.setting(
        settings.opponents, "AGENT",
        "the opponent: an agent, self, or A@0.5>B (A in the first half of the run, then B)", "random",
        {settings.NO_TABLE: SELF_PLAY},
    )  # fmt: skip
    seat: int = settings.setting(
        settings.seat, "x|o|both", "the learner's seat: x, o, or both in turn", "x", {settings.IN_SELF_PLAY: "both"}
    )
    episodes: int = settings.whole(
        0, 1e15, "number of episodes", "100M", {settings.NO_TABLE: "1M", settings.MANY_ACTIONS: "20k"},
        spellings=("--episodes", "-n"),
    )  # fmt: skip
    seed: int = settings.setting(settings.seed, "N", "seed of all randomness", "0", group="The run")
    random_opening: bool = settings.switch(
        "choose the first move of each episode uniformly at random", "false", is_optional=True, group=OF_GAME
    )
    chunk_episodes: int = settings.whole(
        1, inf,
        "episodes that share a random stream (a chunk); affects the result, also since fast kernels keep schedules"
        " constant in a chunk", CHUNK_EPISODES, spellings=("--chunk",), group="The run",
    )  # fmt: skip
    evaluations: int = settings.whole(
        0, 1e6, "number of evaluations during training, which are exact if the game has a state table", "100",
        {settings.NO_TABLE: "10"}, group="Result",
    )  # fmt: skip
    judges: Judges = settings.setting(
        settings.judges, "A,B", "further agents against which the learner is evaluated for the curve", "",
        {settings.NO_TABLE: "random,default"}, group="Result",
    )  # fmt: skip

    @property
    def has_table(self) -> bool:
        """Whether the game has a state table: values then belong to its actions, and measures are exact."""
        return has_table(self.game, self.exact)

    @property
    def table(self) -> "StateTable":
        """The state table of the game; raises TableSizeError if it is too large."""
        from ttt_fast.tables import table_of

        return table_of(self.game)

    @property
    def is_self_play(self) -> bool:
        """Whether both seats learn."""
        return not self.opponent.stages

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that learn."""
        return (X, O) if self.seat == ALTERNATE else (self.seat,)

    def stage_of(self, chunk: int) -> int:
        """Return the index of a chunk's opponent."""
        progress = chunk * self.chunk_episodes / max(self.episodes, 1)
        return next((number for number, (until, _) in enumerate(self.opponent.stages) if progress < until), 0)

    @property
    def num_chunks(self) -> int:
        """Number of chunks."""
        return ceil(self.episodes / self.chunk_episodes)

    def episodes_after(self, chunks: int) -> int:
        """Return the number of episodes in the first `chunks` chunks."""
        return min(chunks * self.chunk_episodes, self.episodes)

    def evaluations_due(self, first: int, end: int) -> list[int]:
        """Return the chunk counts above `first`, up to `end`, that complete another evaluation interval."""
        rows = [self.episodes_after(chunks) * self.evaluations // self.episodes for chunks in range(first, end + 1)]
        return [chunks for chunks, (before, after) in enumerate(pairwise(rows), first + 1) if before < after]


@dataclass(frozen=True)
class AlgorithmSettings:
    """The settings that every run has; those that its algorithm does not use have their defaults.

    The discount is applied once for every two plies; with `afterstate` also at the end of the game.
    """

    usual: ClassVar[Defaults] = {}
    """Defaults of the family for settings of every run."""
    group: ClassVar[str] = "Learning"
    """Heading of its settings in the help."""

    algorithm: str = setting(_name, "NAME", "learning algorithm", "q")
    step_size: "Schedule" = schedule("alpha", "geometric:0.5,0.001", is_optional=True)
    epsilon: "Schedule" = schedule("probability of exploration", "0.2", is_optional=True)
    discount: float = number(0.0, 1.0, "discount factor gamma", "1", is_optional=True)
    win_reward: float = number(-1e6, 1e6, "reward of a win", "1", is_optional=True)
    draw_reward: float = number(-1e6, 1e6, "reward of a draw", "0", is_optional=True)
    loss_reward: float = number(-1e6, 1e6, "reward of a loss", "-1", is_optional=True)
    initial_q: float = number(-1e6, 1e6, "initial value of actions or afterstates", "0", is_optional=True)
    tie: str = words("first|last|random", "choice among equally good actions", "first", is_optional=True)
    credit: str = words(
        f"{OWN_RESULT}|{SAI}",
        "reward at the end of a game: own, to each player for its own result, or sai, to X alone", OWN_RESULT,
        is_optional=True,
    )  # fmt: skip

    start_from: str | None = setting(
        settings.text, "FILE",
        "initial values: the file of a run of the same form and game, or 'learned', that of this package",
        settings.NONE,
    )  # fmt: skip

    @classmethod
    def of(cls, config: "LearningTask") -> Self:
        """Return the settings of a configuration of this family; raise TypeError for those of another one."""
        if not isinstance(config.settings, cls):
            raise TypeError(f"expected {cls.__name__}, got {type(config.settings).__name__}")
        return config.settings

    @property
    def rewards(self) -> "NDArray[np.float64]":
        """Rewards of a win, a draw and a loss, (3,) float64."""
        import numpy as np

        return np.array([self.win_reward, self.draw_reward, self.loss_reward])


@dataclass(frozen=True)
class LearningTask(LearningProblem):
    """A problem, and the settings of the algorithm that learns to solve it."""

    settings: AlgorithmSettings = field(kw_only=True)

    @property
    def algorithm(self) -> str:
        """Name of the algorithm."""
        return self.settings.algorithm

    @property
    def record(self) -> "Algorithm":
        """The record of the algorithm."""
        return ALGORITHMS[self.settings.algorithm]

    @property
    def by_board(self) -> bool:
        """Whether values belong to boards instead of actions."""
        return self.record.by_board


@dataclass(frozen=True)
class Case:
    """A function for the configurations for which a condition holds.

    Attributes
    ----------
    function
        The function, or its name as `module:function`.
    holds
        The condition, of a configuration.
    """

    function: Callable[..., Any] | str
    holds: Callable[[Any], bool] = lambda config: True


Chosen = Callable[..., Any] | str | Sequence[Case]
"""A function, its name as `module:function`, or cases, of which the first that holds decides."""


def _cases(chosen: Chosen) -> Sequence[Case]:
    return [Case(chosen)] if isinstance(chosen, str) or callable(chosen) else chosen


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """An algorithm of learning or planning.

    Attributes
    ----------
    name, summary
        The name of the algorithm, and one line about it.
    settings
        The class of its settings, a subclass of `AlgorithmSettings`, with their defaults.
    uses
        Names of the optional settings of every run that it uses: `step_size`, `epsilon`, `discount`, `win_reward`,
        `draw_reward`, `loss_reward`, `random_opening`, `initial_q`, `tie` and `credit`.
    first_values
        Returns the values of a run before its first episode; called with the configuration.
    learner
        Returns the `Learner`; called with the configuration, the policies of the opponents, the values so far, and the
        counts of games, (3,) int64, which the learner updates.
    measures
        The class of the exact measures of a learning curve.
    requires
        What it requires: `table` (of states), `turns` (X and O alternate), `features` (n-tuples or patterns),
        `self-play`.
    check
        Raises UsageError unless a problem and the settings fit together; accepts all by default.
    follows_visits
        Whether step sizes may depend on the number of visits.
    plays_games
        Whether an episode is a game; otherwise it is a pass over the table, and the counts of games are zero.
    by_board
        Whether values belong to boards instead of actions.
    any_opponent
        Whether opponents without a table may be any player; otherwise only those that a kernel can play.
    kept_moves
        The game of whose solved positions samples count the moves that keep the value; empty if none.
    policy_tie
        The tie rule of the policy of its values, if it is not the setting `tie`.
    """

    name: str
    summary: str
    settings: type[AlgorithmSettings]
    uses: tuple[str, ...] = ()
    first_values: Chosen
    learner: Chosen
    measures: Chosen = "ttt_fast.algorithms.measures:Measures"
    requires: tuple[str, ...] = ()
    check: Callable[[LearningProblem, Any], None] = lambda problem, settings: None
    follows_visits: bool = False
    plays_games: bool = True
    by_board: bool = False
    any_opponent: bool = False
    kept_moves: str = ""
    policy_tie: str = ""

    @property
    def module(self) -> str:
        """The module that registers the algorithm; empty for those of the package."""
        return "" if self.settings.__module__.startswith("ttt_fast.") else self.settings.__module__

    def content(self) -> dict[str, str]:
        """Return a hash of the source of an algorithm outside the package, by its name; empty for others."""
        if not self.module:
            return {}
        from ttt_fast.core.external import sources_sha256  # lazy: help needs no hashes

        chosen = (self.first_values, self.learner, self.measures)
        functions = [case.function for one in chosen for case in _cases(one)]
        named = (one.partition(":")[0] if isinstance(one, str) else one.__module__ for one in functions)
        modules = [self.module, *(name for name in named if not name.startswith("ttt_fast."))]
        return {f"algorithm {self.name}": sources_sha256(modules)}

    def accepts(self, name: str) -> bool:
        """Return whether the algorithm uses a setting of its runs."""
        return name in self.uses or not SETTINGS[name].is_optional

    def function(self, what: str, config: Any) -> Callable[..., Any]:
        """Return a function of the record: `first_values`, `learner` or `measures`.

        Examples
        --------
        >>> from ttt_fast import TrainingConfig
        >>> config = TrainingConfig(opponent="self", episodes=1000)
        >>> config.record.function("learner", config).__name__
        'SelfPlayLearner'
        """
        chosen: Any = next(case.function for case in _cases(getattr(self, what)) if case.holds(config))
        found: Callable[..., Any] = object_at(chosen)
        return found
