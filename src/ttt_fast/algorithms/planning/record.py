"""Value iteration, policy iteration and fictitious play: their settings and their records."""

from dataclasses import dataclass, replace
from typing import ClassVar

from ttt_fast.algorithms import settings
from ttt_fast.algorithms.api import OF_REWARDS, AlgorithmSettings, Defaults
from ttt_fast.algorithms.curricula import SELF_PLAY
from ttt_fast.algorithms.tabular.record import TabularAlgorithm


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


_EDGE_VALUES = "ttt_fast.algorithms.tabular.general_learner:first_values"
VALUE_ITERATION = TabularAlgorithm(
    name="value-iteration",
    summary="exact sweeps over the table of a game; an episode is a sweep",
    settings=PlanningSettings,
    uses=(*OF_REWARDS, "initial_q", "tie"),
    requires=("table",),
    follows_visits=True,
    plays_games=False,
    first_values=_EDGE_VALUES,
    learner="ttt_fast.algorithms.planning.iteration:ValueIterationLearner",
)
POLICY_ITERATION = replace(
    VALUE_ITERATION,
    name="policy-iteration",
    summary="evaluation and improvement of a policy in turn; an episode is both",
    learner="ttt_fast.algorithms.planning.iteration:PolicyIterationLearner",
)
FICTITIOUS_PLAY = TabularAlgorithm(
    name="fictitious-play",
    summary="best responses to the average policy; an episode is an iteration",
    settings=FictitiousPlaySettings,
    requires=("table", "self-play"),
    follows_visits=True,
    plays_games=False,
    policy_tie="in-proportion",
    first_values=_EDGE_VALUES,
    learner="ttt_fast.algorithms.planning.fictitious_play:FictitiousPlayLearner",
    measures="ttt_fast.algorithms.planning.fictitious_play:PolicyMeasures",
)
