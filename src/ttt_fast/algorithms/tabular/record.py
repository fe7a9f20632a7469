"""Settings and records of the algorithms that store a number for each action or board.

They are Q-learning and its relatives, value iteration, policy iteration and fictitious play.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ttt_fast.algorithms import settings
from ttt_fast.algorithms.api import OF_REWARDS, SAI, Algorithm, AlgorithmSettings, Case, Defaults, LearningProblem
from ttt_fast.algorithms.curricula import SELF_PLAY
from ttt_fast.core.errors import UsageError


class QSettings(AlgorithmSettings):
    """The settings of Q-learning and its relatives."""


@dataclass(frozen=True)
class NStepSettings(QSettings):
    """The settings of targets that look n steps ahead."""

    steps: int = settings.whole(
        1, 1e6, "number of steps n of n-step-sarsa, n-step-expected-sarsa or n-step-tree-backup", "3"
    )


@dataclass(frozen=True)
class LambdaSettings(QSettings):
    """The settings of targets with traces."""

    trace_decay: float = settings.number(0.0, 1.0, "trace decay lambda", "0.9")


def _num_plies(run: settings.Values) -> int:
    """Return the number of plies of a game: planning needs at most as many passes over the table."""
    from ttt_fast.games.api import max_plies

    return int(max_plies(run["game"].initial_state))


class PlanningSettings(AlgorithmSettings):
    """The settings of value iteration and policy iteration."""

    usual: ClassVar[Defaults] = {
        "episodes": settings.Computed("the most plies of a game", _num_plies),
        "chunk_episodes": "1",
    }


class FictitiousPlaySettings(PlanningSettings):
    """The settings of fictitious play."""

    usual: ClassVar[Defaults] = {"opponent": SELF_PLAY, "episodes": "1k", "chunk_episodes": "1"}


@dataclass(frozen=True, kw_only=True)
class TabularAlgorithm(Algorithm):
    """An algorithm that learns a number for each action or board.

    Attributes
    ----------
    target
        The value of a later state of the episode from which a target is made: `q`, `double-q`, `sarsa` or
        `expected-sarsa`.
    looks_ahead
        Whether targets look more than one step ahead.
    num_tables
        Number of tables, T.
    """

    target: str = "q"
    looks_ahead: bool = False
    num_tables: int = 1


CACHED_STATES = 1_000_000
"""Largest number of states whose values fit into the cache of a processor."""
_FIRST_VALUES = "ttt_fast.algorithms.tabular.learners:first_values"
_GENERAL = Case("ttt_fast.algorithms.tabular.learners:GeneralLearner")


def _fast(learner: str, holds: Callable[[Any], bool]) -> Case:
    """Return the case of a fast kernel, for turns of X and O, no random opening, and step sizes by episode."""

    def fits(config: Any) -> bool:
        own = config.settings
        is_plain = not config.random_opening and not own.step_size.by_visits and own.tie != "last"
        return is_plain and config.has_table and config.game.alternates and holds(config)

    return Case(f"ttt_fast.algorithms.tabular.learners:{learner}", fits)


_SELF_PLAY = _fast("SelfPlayLearner", lambda config: config.is_self_play and config.table.is_narrow)
_FIXED_OPPONENT = _fast(
    "FixedOpponentLearner",
    lambda config: len(config.seats) == 1 and config.settings.tie == "first" and config.table.is_narrow,
)
_INTERLEAVED = _fast(
    "InterleavedLearner",
    lambda config: config.settings.tie == "first" and config.table.num_states > CACHED_STATES,
)
LEARNERS = (_SELF_PLAY, _FIXED_OPPONENT, _INTERLEAVED, _GENERAL)
"""The learners of Q-learning; the first whose condition holds decides.

With states of 16 bits, step size and epsilon are constant within a chunk; otherwise each episode has its own.
"""


def _check_afterstates(problem: LearningProblem, own: QSettings) -> None:
    """Raise UsageError for the credit of Sai's program outside self-play."""
    if own.credit == SAI and not problem.is_self_play:
        raise UsageError(f"expected the opponent self with the credit {SAI}, got {problem.opponent.text!r}")


Q = TabularAlgorithm(
    name="q",
    summary="Q-learning",
    settings=QSettings,
    uses=("step_size", "epsilon", *OF_REWARDS, "initial_q", "tie"),
    follows_visits=True,
    first_values=_FIRST_VALUES,
    learner=LEARNERS,
)
_GENERAL_Q = replace(Q, learner=(_GENERAL,))
_N_STEP = replace(_GENERAL_Q, settings=NStepSettings, looks_ahead=True)
_LAMBDA = replace(_GENERAL_Q, settings=LambdaSettings, looks_ahead=True)
TABULAR = (
    Q,
    replace(
        Q, name="double-q", summary="double Q-learning", target="double-q", num_tables=2, learner=(_SELF_PLAY, _GENERAL)
    ),
    replace(_GENERAL_Q, name="sarsa", summary="SARSA", target="sarsa"),
    replace(_GENERAL_Q, name="expected-sarsa", summary="expected SARSA", target="expected-sarsa"),
    replace(
        _GENERAL_Q, name="afterstate", summary="values of boards", uses=(*Q.uses, "credit"), requires=("turns",),
        check=_check_afterstates, by_board=True,
    ),
    replace(
        _GENERAL_Q, name="monte-carlo", summary="returns of whole episodes", target="sarsa", looks_ahead=True,
    ),
    replace(_N_STEP, name="n-step-sarsa", summary="SARSA with n steps", target="sarsa"),
    replace(
        _N_STEP, name="n-step-expected-sarsa", summary="expected SARSA with n steps", target="expected-sarsa"
    ),
    replace(_N_STEP, name="n-step-tree-backup", summary="tree backup with n steps"),
    replace(_LAMBDA, name="sarsa-lambda", summary="SARSA(lambda)", target="sarsa"),
    replace(_LAMBDA, name="q-lambda", summary="Watkins's Q(lambda)"),
)  # fmt: skip
VALUE_ITERATION = TabularAlgorithm(
    name="value-iteration",
    summary="exact sweeps over the table of a game; an episode is a sweep",
    settings=PlanningSettings,
    uses=(*OF_REWARDS, "initial_q", "tie"),
    requires=("table",),
    follows_visits=True,
    plays_games=False,
    first_values=_FIRST_VALUES,
    learner="ttt_fast.algorithms.tabular.planning:ValueIterationLearner",
)
POLICY_ITERATION = replace(
    VALUE_ITERATION,
    name="policy-iteration",
    summary="evaluation and improvement of a policy in turn; an episode is both",
    learner="ttt_fast.algorithms.tabular.planning:PolicyIterationLearner",
)
FICTITIOUS_PLAY = TabularAlgorithm(
    name="fictitious-play",
    summary="best responses to the average policy; an episode is an iteration",
    settings=FictitiousPlaySettings,
    requires=("table", "self-play"),
    follows_visits=True,
    plays_games=False,
    policy_tie="in-proportion",
    first_values=_FIRST_VALUES,
    learner="ttt_fast.algorithms.tabular.planning:FictitiousPlayLearner",
    measures="ttt_fast.algorithms.tabular.planning:PolicyMeasures",
)
