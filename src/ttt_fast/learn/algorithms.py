"""The settings of each family of algorithms: Q-learning and returns, deep Q-learning, TD(lambda), and planning."""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.learn.schedules import Schedule, parse_schedule
from ttt_fast.learn.settings import DQN, PLANNING, SAI, TD, Passes
from ttt_fast.values.ntuples import NTuples

N_TUPLES = ("tuples", "tuple_cells", "tuple_tables", "tuple_seed")
"""Settings of n-tuples."""


class _Configured(Protocol):
    @property
    def settings(self) -> "AlgorithmSettings": ...


@dataclass(frozen=True)
class AlgorithmSettings:
    """The settings that every run has; those that its algorithm does not use have their defaults.

    Attributes
    ----------
    algorithm
        Name of the algorithm.
    step_size, epsilon
        Schedules (`ttt_fast.learn.schedules`); a number is a constant.
    discount
        Gamma, applied once for every two plies; with `afterstate` also at the end of the game.
    win_reward, draw_reward, loss_reward
        Rewards at the end of an episode, for every learner.
    tie
        Choice among equally good actions: the `first`, the `last` or a `random` one.
    """

    algorithm: str
    step_size: str
    epsilon: str
    discount: float
    win_reward: float
    draw_reward: float
    loss_reward: float
    tie: str

    @classmethod
    def of(cls, config: _Configured) -> Self:
        """Return the settings of a configuration of this family; raise TypeError for those of another one."""
        if not isinstance(config.settings, cls):
            raise TypeError(f"expected {cls.__name__}, got {type(config.settings).__name__}")
        return config.settings

    @property
    def step_sizes(self) -> Schedule:
        """The schedule of alpha."""
        return parse_schedule(self.step_size)

    @property
    def epsilons(self) -> Schedule:
        """The schedule of epsilon."""
        return parse_schedule(self.epsilon)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Rewards of a win, a draw and a loss, (3,) float64."""
        return np.array([self.win_reward, self.draw_reward, self.loss_reward])


@dataclass(frozen=True)
class TabularSettings(AlgorithmSettings):
    """The settings of algorithms that store a number for each value.

    Attributes
    ----------
    initial_q
        Initial value of every action (with `afterstate`, of every board).
    """

    initial_q: float


@dataclass(frozen=True)
class PlanningSettings(TabularSettings):
    """The settings of value iteration, policy iteration and fictitious play."""


@dataclass(frozen=True)
class QSettings(TabularSettings):
    """The settings of Q-learning and its relatives, and of targets that look further ahead.

    Attributes
    ----------
    credit
        `own`: each player is credited with its own result.  `sai`: only X is credited, with a win and then a loss for
        either winner.  A win of X adds two draws (the second `if` there should be an `elif`); O learns nothing.
    steps, trace_decay
        The number n of the n-step algorithms, and lambda of `sarsa-lambda` and `q-lambda`; None for all others.
    """

    credit: str
    steps: int | None
    trace_decay: float | None

    @property
    def passes(self) -> Passes:
        """The updates of boards at the end of a game: for a win of X, a draw and a win of O."""
        win, draw, loss = self.win_reward, self.draw_reward, self.loss_reward
        if self.credit == SAI:
            decided, drawn = ((win, 0.0), (loss, 0.0)), ((draw, 0.0), (draw, 0.0))
            return (*decided, *drawn), drawn, decided
        return ((win, loss),), ((draw, draw),), ((loss, win),)


@dataclass(frozen=True)
class DqnSettings(AlgorithmSettings):
    """The settings of deep Q-learning.

    Attributes
    ----------
    hidden
        Nodes of each hidden layer, separated by commas.
    minibatch
        Transitions in an update.
    optimizer, loss
        `sgd`, `momentum`, `rmsprop` or `adam`; `squared` or `huber`.
    replay
        Capacity of the replay buffer in transitions; a new one replaces the oldest.
    warm_up
        Transitions before the first update; until then all moves of the learner are random.
    train_every
        Number of transitions between updates.
    target_every, polyak
        The target network is a copy of the online network, renewed after `target_every` updates.  With `polyak`, each
        of its weights instead moves by this share of the distance at each update.  In this case the target network is
        the one that is measured, kept and played.
    target
        The value of the state after the learner's action: `sampled`, from the reply that was played; or `expected`,
        over all replies of the opponent.
    clip
        Bound on the error of a value in its gradient; 0: no bound.
    input
        `marks`: -1, 0 and 1, where own marks are 1; or the `planes` of `api.observe`, zeros and ones.
    leak
        Slope of a hidden node below zero: 0 is ReLU.
    double
        Whether the online network chooses the action that the target network evaluates (Double DQN).
    symmetries
        Whether a random symmetry of the board is applied to each sampled transition.
    illegal, illegal_reward
        `mask`: illegal actions are excluded.  `penalty`: the network chooses among all actions; an illegal one gets
        this reward, and a random legal one is played.
    opening_plies
        Maximum number of random plies at the beginning of a game of self-play.  They are not learned from.
    keep
        The final network of the run: the `best` one by exact value, or the `last`.
    """

    hidden: str
    minibatch: int
    optimizer: str
    replay: int
    warm_up: int
    train_every: int
    target_every: int | None
    polyak: float | None
    target: str
    loss: str
    clip: float
    input: str
    leak: float
    double: bool
    symmetries: bool
    illegal: str
    illegal_reward: float | None
    opening_plies: int
    keep: str

    @property
    def hidden_sizes(self) -> tuple[int, ...]:
        """Nodes of each hidden layer."""
        return tuple(int(word) for word in self.hidden.split(","))


@dataclass(frozen=True)
class TdSettings(AlgorithmSettings):
    """The settings of TD(lambda).

    Attributes
    ----------
    trace_decay
        The trace decay lambda.
    opening_plies
        Maximum number of random plies at the beginning of a game (on Connect 4, of every second game).  They are not
        learned from.
    tuples, tuple_cells, tuple_tables, tuple_seed
        Number of tuples, cells of each, tables of each, and the seed that draws the tuples; None on Ultimate.  With two
        tables, each player to move has its own.  A single table contains values for the player to move.
    coherent
        Whether the step size of a weight decreases as the signs of its errors become less coherent
        (`temporal_difference`); None on Ultimate.
    start_from
        The network from which a run on Ultimate starts: a file, or `learned` for the one that ships with the package.
    """

    trace_decay: float
    opening_plies: int
    tuples: int | None
    tuple_cells: int | None
    tuple_tables: int | None
    tuple_seed: int | None
    coherent: bool | None
    start_from: str | None

    def n_tuples(self) -> NTuples:
        """Return the settings of the tables; raise UsageError on Ultimate, which has none."""
        return NTuples(*map(vars(self).__getitem__, N_TUPLES))


def family_of(algorithm: str) -> type[AlgorithmSettings]:
    """Return the class of an algorithm's settings.

    Examples
    --------
    >>> family_of("sarsa").__name__, family_of("fictitious-play").__name__
    ('QSettings', 'PlanningSettings')
    """
    families = {DQN: DqnSettings, TD: TdSettings} | dict.fromkeys(PLANNING, PlanningSettings)
    return families.get(algorithm, QSettings)
