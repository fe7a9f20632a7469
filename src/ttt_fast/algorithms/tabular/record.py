"""Q-learning and its relatives, which store a number for each action or board: their settings and their records."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ttt_fast.algorithms import settings
from ttt_fast.algorithms.api import OF_REWARDS, SAI, Algorithm, AlgorithmSettings, Case, LearningProblem
from ttt_fast.core.errors import UsageError


@dataclass(frozen=True)
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
_GENERAL = Case("ttt_fast.algorithms.tabular.general_learner:GeneralLearner")


def _fast(learner: str, when: str, holds: Callable[[Any], bool]) -> Case:
    """Return the case of a fast kernel, for turns of X and O, no random opening, and step sizes by episode."""

    def fits(config: Any) -> bool:
        own = config.settings
        is_plain = not config.random_opening and not own.step_size.by_visits and own.tie != "last"
        return is_plain and config.has_table and config.game.alternates and holds(config)

    return Case(f"ttt_fast.algorithms.tabular.{learner}", when, fits)


def _is_narrow(config: Any) -> bool:
    """Return whether the states of a game have 16 bits."""
    from ttt_fast.tables import table_of

    return bool(table_of(config.game).is_narrow)


def _is_large(config: Any) -> bool:
    """Return whether the values of a game exceed the cache."""
    from ttt_fast.tables import table_of

    return config.settings.tie == "first" and table_of(config.game).num_states > CACHED_STATES


_SELF_PLAY = _fast(
    "fast_learners:SelfPlayLearner",
    "in self-play, with states of 16 bits",
    lambda config: config.is_self_play and _is_narrow(config),
)
_FIXED_OPPONENT = _fast(
    "fast_learners:FixedOpponentLearner",
    "in one seat, with states of 16 bits and ties to the first action",
    lambda config: len(config.seats) == 1 and config.settings.tie == "first" and _is_narrow(config),
)
_INTERLEAVED = _fast("fast_learners:InterleavedLearner", "over a table that exceeds the cache", _is_large)
LEARNERS = (_SELF_PLAY, _FIXED_OPPONENT, _INTERLEAVED, _GENERAL)
"""The learners of Q-learning; the first whose condition holds decides.

The fast kernels keep step size and epsilon constant within a chunk; the general one uses those of each episode.
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
    first_values="ttt_fast.algorithms.tabular.general_learner:first_values",
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
