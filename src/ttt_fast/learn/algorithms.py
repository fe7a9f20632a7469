"""The settings of each family of algorithms: Q-learning and returns, networks, TD(lambda), AlphaZero, and planning.

Each setting is one field with its values, meaning and default.  The default settings of deep Q-learning come from the
trials that reached the optimum of tic-tac-toe.  Nothing heavy is imported, since `--help` reads the fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from ttt_fast.agents.spec import refuse_external
from ttt_fast.core.checks import check_keywords
from ttt_fast.learn import settings
from ttt_fast.learn.curricula import SELF_PLAY, Opponents
from ttt_fast.learn.problem import CHUNK_EPISODES, LearningProblem
from ttt_fast.learn.settings import (
    ALGORITHMS,
    ALPHAZERO,
    DQN,
    FICTITIOUS_PLAY,
    IN_SELF_PLAY,
    NO_TABLE,
    NONE,
    ON_ULTIMATE,
    PLANNING,
    TD,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ttt_fast.learn.schedules import Schedule
    from ttt_fast.values.ntuples import NTuples

N_TUPLES = ("tuples", "tuple_cells", "tuple_tables", "tuple_seed")
"""Settings of n-tuples."""
MAX_REPLAY = 1_000_000_000
_OPENING_PLIES = "maximum number of random plies at the start of a game of self-play"
_KEEP = "final network: that of the best exact value, an oracle that a real problem lacks, or the last one"

Defaults = Mapping[str, str | tuple[str, Mapping[settings.When, str]]]
"""Defaults of common settings in a family: a text, or a text and other ones under conditions."""


class _Configured(Protocol):
    @property
    def settings(self) -> "AlgorithmSettings": ...


@dataclass(frozen=True)
class AlgorithmSettings:
    """The settings that every run has; those that its algorithm does not use have their defaults.

    The discount is applied once for every two plies; with `afterstate` also at the end of the game.  With the credit
    `sai`, only X is credited, with a win and then a loss for either winner.  A win of X adds two draws (the second `if`
    there should be an `elif`); O learns nothing.
    """

    usual: ClassVar[Defaults] = {}
    """Defaults of the family for settings of every run."""

    algorithm: str = settings.setting(
        settings.algorithm, "NAME", f"learning algorithm: {settings.listed(ALGORITHMS)}", "q"
    )
    step_size: "Schedule" = settings.schedule("alpha", "geometric:0.5,0.001")
    epsilon: "Schedule" = settings.schedule("probability of exploration", "0.2", settings.EXPLORING)
    discount: float = settings.number(0.0, 1.0, "discount factor gamma", "1", algorithms=settings.OF_VALUES)
    win_reward: float = settings.number(-1e6, 1e6, "reward of a win", "1", algorithms=settings.OF_VALUES)
    draw_reward: float = settings.number(-1e6, 1e6, "reward of a draw", "0", algorithms=settings.OF_VALUES)
    loss_reward: float = settings.number(-1e6, 1e6, "reward of a loss", "-1", algorithms=settings.OF_VALUES)
    initial_q: float = settings.number(
        -1e6, 1e6, "initial value of actions or afterstates", "0", algorithms=settings.BY_VALUE
    )
    tie: str = settings.words(
        "first|last|random", "choice among equally good actions", "first", algorithms=(*settings.BY_VALUE, TD)
    )
    credit: str = settings.words(
        f"{settings.OWN_RESULT}|{settings.SAI}",
        "reward at the end of a game: own, to each player for its own result, or sai, to X alone", settings.OWN_RESULT,
        algorithms=(settings.AFTERSTATE,),
    )  # fmt: skip

    @classmethod
    def of(cls, config: _Configured) -> Self:
        """Return the settings of a configuration of this family; raise TypeError for those of another one."""
        if not isinstance(config.settings, cls):
            raise TypeError(f"expected {cls.__name__}, got {type(config.settings).__name__}")
        return config.settings

    @property
    def rewards(self) -> "NDArray[np.float64]":
        """Rewards of a win, a draw and a loss, (3,) float64."""
        import numpy as np

        return np.array([self.win_reward, self.draw_reward, self.loss_reward])

    @property
    def passes(self) -> settings.Passes:
        """The updates of boards at the end of a game: for a win of X, a draw and a win of O."""
        win, draw, loss = self.win_reward, self.draw_reward, self.loss_reward
        if self.credit == settings.SAI:
            decided, drawn = ((win, 0.0), (loss, 0.0)), ((draw, 0.0), (draw, 0.0))
            return (*decided, *drawn), drawn, decided
        return ((win, loss),), ((draw, draw),), ((loss, win),)


@dataclass(frozen=True)
class QSettings(AlgorithmSettings):
    """The settings of Q-learning and its relatives, and of targets that look further ahead."""

    steps: int | None = settings.whole(
        1, 1e6, f"number of steps n of {settings.listed(settings.N_STEP)}", "3", algorithms=settings.N_STEP
    )
    trace_decay: float | None = settings.number(0.0, 1.0, "trace decay lambda", "0.9", algorithms=settings.LAMBDA)


def _num_plies(run: settings.Values) -> int:
    """Return the number of plies of a game: planning needs at most as many passes over the table."""
    from ttt_fast.games.api import max_plies

    return int(max_plies(run["game"].initial_state))


@dataclass(frozen=True)
class PlanningSettings(AlgorithmSettings):
    """The settings of value iteration and policy iteration."""

    usual: ClassVar[Defaults] = {
        "episodes": settings.Computed("the most plies of a game", _num_plies),
        "chunk_episodes": "1",
    }


@dataclass(frozen=True)
class FictitiousPlaySettings(PlanningSettings):
    """The settings of fictitious play."""

    usual: ClassVar[Defaults] = {"opponent": SELF_PLAY, "episodes": "1k", "chunk_episodes": "1"}


@dataclass(frozen=True)
class DqnSettings(AlgorithmSettings):
    """The settings of deep Q-learning.

    The target network is a copy of the online network, renewed after `target_every` updates.  With `polyak`, each of
    its weights instead moves by this share of the distance at each update.  In this case the target network is the one
    that is measured, kept and played.  A new transition replaces the oldest one of a full replay buffer.
    """

    usual: ClassVar[Defaults] = {
        "episodes": ("60k", {IN_SELF_PLAY: "8k", NO_TABLE: "100k", settings.MANY_ACTIONS: "20k"}),
        "chunk_episodes": settings.Computed("episodes / 1000", lambda run: max(1, ceil(run["episodes"] / 1000))),
        "evaluations": ("1000", {IN_SELF_PLAY: "100", settings.LARGE_TABLE: "20", NO_TABLE: "10"}),
        "step_size": "linear:0.001,0.00001",
        "epsilon": ("linear:1,0.1", {IN_SELF_PLAY: "1", NO_TABLE: "linear:1,0.1"}),
    }

    hidden: tuple[int, ...] = settings.setting(
        settings.layers, "N,N", "nodes of each hidden layer", "64,64", {IN_SELF_PLAY: "128,128", NO_TABLE: "256,256"}
    )
    minibatch: int = settings.whole(1, 4096, "transitions per update", "8", {IN_SELF_PLAY: "32", NO_TABLE: "32"})
    optimizer: str = settings.words("sgd|momentum|rmsprop|adam", "optimizer of the network", "adam")
    replay: int = settings.whole(1, MAX_REPLAY, "transitions in the replay buffer", "50k", {NO_TABLE: "200k"})
    warm_up: int = settings.whole(0, MAX_REPLAY, "random transitions before the first update", "1k", {NO_TABLE: "5k"})
    train_every: int = settings.whole(1, 1e9, "transitions between updates", "1", {NO_TABLE: "4"})
    target_every: int | None = settings.whole(
        1, 1e12, "updates between copies to the target network (default: no copies, but --polyak)", NONE
    )
    polyak: float | None = settings.number(
        1e-9, 1.0, "share by which the target network moves at each update", "0.005", {settings.WITH_COPIES: NONE}
    )
    target: str = settings.words(
        f"{settings.SAMPLED}|{settings.EXPECTED}",
        "target value of an update: after a sampled reply of the opponent, or expected over all replies",
        settings.SAMPLED,
    )  # fmt: skip
    loss: str = settings.words("squared|huber", "loss function of the error of a value", "huber")
    clip: float = settings.number(0.0, 1e6, "bound on each gradient of a weight; 0: no bound", "0")
    input: str = settings.words(
        f"{settings.MARKS}|{settings.PLANES}",
        "input of the network: marks -1, 0, 1, where own marks are 1, or planes of zeros and ones", settings.MARKS,
        dict.fromkeys((IN_SELF_PLAY, NO_TABLE, settings.ONE_PLANE), settings.PLANES),
    )  # fmt: skip
    leak: float = settings.number(0.0, 1.0, "slope of the activation function below zero; 0: ReLU", "0")
    double: bool = settings.switch(
        "double DQN: the online network chooses the action that the target network evaluates", "false",
        spellings=("--double/--no-double",),
    )  # fmt: skip
    symmetries: bool = settings.switch(
        "apply a random symmetry to each transition of an update", "true", spellings=("--symmetries/--no-symmetries",)
    )
    illegal: str = settings.words(
        f"{settings.MASK}|{settings.PENALTY}",
        "treatment of illegal moves: mask them, or give a penalty and play a random legal one", settings.MASK,
    )  # fmt: skip
    illegal_reward: float | None = settings.number(
        -1e6, 1e6, "reward of an illegal move", NONE, {settings.WITH_PENALTY: "-1"}
    )
    opening_plies: int = settings.whole(0, 1000, _OPENING_PLIES, "0", {settings.LARGE_SELF_PLAY: "8"})
    keep: str = settings.words(f"{settings.BEST}|{settings.LAST}", _KEEP, settings.BEST, {NO_TABLE: settings.LAST})


@dataclass(frozen=True)
class TdSettings(AlgorithmSettings):
    """The settings of TD(lambda): on Connect 4 with n-tuples, on Ultimate with a network.

    On Connect 4, random plies begin every second game only.  With two tables, each player to move has its own.  The
    step size of a weight decreases as the signs of its errors become less coherent (`temporal_difference`).
    """

    usual: ClassVar[Defaults] = {
        "opponent": SELF_PLAY,
        "episodes": ("2M", {ON_ULTIMATE: "400k"}),
        "chunk_episodes": (CHUNK_EPISODES, {ON_ULTIMATE: "256"}),
        "evaluations": ("20", {ON_ULTIMATE: "10"}),
        "step_size": ("0.5", {ON_ULTIMATE: "linear:0.001,0.00001"}),
        "epsilon": ("linear:0.1,0.02", {ON_ULTIMATE: "0.05"}),
    }

    trace_decay: float = settings.number(0.0, 1.0, "trace decay lambda", "0.8", {ON_ULTIMATE: "1"})
    opening_plies: int = settings.whole(0, 1000, _OPENING_PLIES, "4", {ON_ULTIMATE: "10"})
    tuples: int | None = settings.whole(
        1, 1000, "number of tuples, the sets of cells whose marks select a weight", "70", {ON_ULTIMATE: NONE}
    )
    tuple_cells: int | None = settings.whole(1, 12, "number of cells per tuple", "8", {ON_ULTIMATE: NONE})
    tuple_tables: int | None = settings.whole(
        1, 2, "weight tables per tuple: 2, one for each player to move, or 1, as seen by the player to move", "2",
        {ON_ULTIMATE: NONE},
    )  # fmt: skip
    tuple_seed: int | None = settings.whole(0, 2**63, "seed of the tuples", "0", {ON_ULTIMATE: NONE})
    coherent: bool | None = settings.switch(
        "reduce the step sizes of weights whose errors have changing signs (temporal coherence)", "true",
        {ON_ULTIMATE: NONE}, spellings=("--coherent/--no-coherent",),
    )  # fmt: skip
    start_from: str | None = settings.setting(
        settings.text, "FILE",
        "on ultimate: initial network, a file or 'learned', that of this package (default: random weights)", NONE,
    )  # fmt: skip

    def n_tuples(self) -> "NTuples":
        """Return the settings of the tables; raise UsageError on Ultimate, which has none."""
        from ttt_fast.values.ntuples import NTuples

        return NTuples(*map(vars(self).__getitem__, N_TUPLES))


@dataclass(frozen=True)
class AlphaZeroSettings(AlgorithmSettings):
    """The settings of AlphaZero.

    A chunk of episodes is an iteration: games of self-play, then updates of the network.
    """

    usual: ClassVar[Defaults] = {
        "opponent": SELF_PLAY,
        "episodes": "50k",
        "chunk_episodes": ("100", {settings.LARGE_TABLE: "500"}),
        "evaluations": ("100", {settings.LARGE_TABLE: "20"}),
        "step_size": "linear:0.002,0.0001",
        "epsilon": "0",
    }

    simulations: int = settings.whole(1, 1e6, "simulations of the search before each move", "50", {
        settings.LARGE_TABLE: "100"})  # fmt: skip
    updates: int = settings.whole(1, 1e6, "updates of the network after the games of an iteration", "100", {
        settings.LARGE_TABLE: "400"})  # fmt: skip
    minibatch: int = settings.whole(1, 4096, "positions per update", "64")
    c_puct: float = settings.number(0.0, 1e6, "weight of exploration in a search", "1.5")
    noise: float = settings.number(0.0, 1.0, "share of the Dirichlet noise in the priors of self-play", "0.25")
    noise_shape: float = settings.number(1e-3, 1e3, "parameter of the Dirichlet noise", "1")
    temperature_plies: int = settings.whole(
        0,
        1e6,
        "plies of a game whose moves are drawn in proportion to the visits; later moves are the most visited ones",
        "1000",
    )
    search_share: float = settings.number(
        0.0, 1.0, "share of the search's value in the target of the value; the rest is the result of the game", "0"
    )
    replay: int = settings.whole(1, 1e6, "iterations in the replay buffer", "20")
    hidden: tuple[int, ...] = settings.setting(
        settings.layers, "N,N", "nodes of each hidden layer", "64,64", {settings.LARGE_TABLE: "128,128"}
    )
    weight_decay: float = settings.number(0.0, 1.0, "share of a weight, times alpha, by which it decreases", "0.0001")
    input: str = settings.words(
        f"{settings.MARKS}|{settings.PLANES}",
        "input of the network: marks -1, 0, 1, where own marks are 1, or planes of zeros and ones", settings.PLANES,
    )  # fmt: skip
    symmetries: bool = settings.switch(
        "apply a random symmetry to each position of an update", "true", spellings=("--symmetries/--no-symmetries",)
    )
    keep: str = settings.words(f"{settings.BEST}|{settings.LAST}", _KEEP, settings.LAST)


def family_of(algorithm: str) -> type[AlgorithmSettings]:
    """Return the class of an algorithm's settings.

    Examples
    --------
    >>> family_of("sarsa").__name__, family_of("value-iteration").__name__
    ('QSettings', 'PlanningSettings')
    """
    families = {
        DQN: DqnSettings, TD: TdSettings, ALPHAZERO: AlphaZeroSettings, FICTITIOUS_PLAY: FictitiousPlaySettings,
    }  # fmt: skip
    return families.get(algorithm, PlanningSettings if algorithm in PLANNING else QSettings)


def _settings_in(*classes: type) -> dict[str, settings.Setting]:
    """Return the settings of the fields of dataclasses."""
    return {one.name: one.metadata["setting"] for made in classes for one in fields(made)}


COMMON = _settings_in(LearningProblem, AlgorithmSettings)
"""The settings of every run."""
SETTINGS: Mapping[str, settings.Setting] = _settings_in(
    LearningProblem, AlphaZeroSettings, TdSettings, DqnSettings, QSettings
)
"""The settings of all algorithms by name; `settings_of` has the defaults of an algorithm."""


@lru_cache(maxsize=len(ALGORITHMS))
def settings_of(algorithm: str) -> Mapping[str, settings.Setting]:
    """Return the settings of a run by name, with the defaults of an algorithm.

    Examples
    --------
    >>> settings_of("dqn")["episodes"].default, settings_of("q-lambda")["trace_decay"].default_text()
    ('60k', '0.9')
    """
    family = family_of(algorithm)
    known = _settings_in(LearningProblem, family)
    for name, default in family.usual.items():
        text, cases = (default, {}) if isinstance(default, str) else default
        known[name] = replace(known[name], default=text, cases=cases)
    return known


def read_setting(name: str, raw: object) -> Any:
    """Return the value of a setting from a text, or from a value in Python or TOML.

    Examples
    --------
    >>> read_setting("episodes", "1M"), read_setting("hidden", "64,32")
    (1000000, (64, 32))
    """
    check_keywords([name], list(SETTINGS), "training runs")
    return SETTINGS[name].read(name, raw)


def setting_value(name: str, raw: object, source: str = "") -> Any:
    """Return the checked value of a setting as in files: a text, a number or a Boolean.

    An opponent from a `source`, the name of a file, must not be an external agent.

    Examples
    --------
    >>> setting_value("episodes", "1M"), setting_value("epsilon", 0.1)
    (1000000, '0.1')
    """
    value = read_setting(name, raw)
    for agent in value.agents if source and isinstance(value, Opponents) else []:
        refuse_external(agent, source)
    return settings.written(value)
