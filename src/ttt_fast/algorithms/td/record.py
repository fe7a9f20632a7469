"""TD(lambda) on afterstates: its settings and its record; the values come from n-tuples or, on Ultimate, a network."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ttt_fast.algorithms import settings
from ttt_fast.algorithms.api import (
    CHUNK_EPISODES,
    OF_GAME,
    Algorithm,
    AlgorithmSettings,
    Case,
    Defaults,
    LearningProblem,
)
from ttt_fast.algorithms.curricula import SELF_PLAY
from ttt_fast.algorithms.settings import NONE, ON_ULTIMATE, OPENING_PLIES
from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.values.ntuples import NTuples

N_TUPLES = ("tuples", "tuple_cells", "tuple_tables", "tuple_seed")
"""Settings of n-tuples."""


@dataclass(frozen=True)
class TdSettings(AlgorithmSettings):
    """The settings of TD(lambda): on Connect 4 with n-tuples, on Ultimate with a network.

    On Connect 4, random plies begin every second game only.  With two tables, each player to move has its own.  The
    step size of a weight decreases as the signs of its errors become less coherent (`kernels`).
    """

    group: ClassVar[str] = "Networks"
    usual: ClassVar[Defaults] = {
        "opponent": SELF_PLAY,
        "episodes": ("2M", {ON_ULTIMATE: "400k"}),
        "chunk_episodes": (CHUNK_EPISODES, {ON_ULTIMATE: "256"}),
        "evaluations": ("20", {ON_ULTIMATE: "10"}),
        "step_size": ("0.5", {ON_ULTIMATE: "linear:0.001,0.00001"}),
        "epsilon": ("linear:0.1,0.02", {ON_ULTIMATE: "0.05"}),
    }

    trace_decay: float = settings.number(0.0, 1.0, "trace decay lambda", "0.8", {ON_ULTIMATE: "1"})
    opening_plies: int = settings.whole(0, 1000, OPENING_PLIES, "4", {ON_ULTIMATE: "10"}, group=OF_GAME)
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
        {ON_ULTIMATE: NONE}, spellings=("--coherent/--no-coherent",), group="Learning",
    )  # fmt: skip

    def n_tuples(self) -> "NTuples":
        """Return the settings of the tables; raise UsageError on Ultimate, which has none."""
        from ttt_fast.values.ntuples import NTuples

        return NTuples(*map(vars(self).__getitem__, N_TUPLES))


def _by_patterns(config: Any) -> bool:
    return settings.is_ultimate(config.game)


def _check(problem: LearningProblem, own: TdSettings) -> None:
    """Raise UsageError unless the settings of TD(lambda) fit the game: n-tuples for Connect 4 alone."""
    by_patterns, spec = _by_patterns(problem), problem.game.spec
    for name in (*N_TUPLES, "coherent") if by_patterns else ():
        if vars(own)[name] is not None:
            raise UsageError(f"expected no {name} with {own.algorithm} on {spec}, got {vars(own)[name]!r}")
    if not by_patterns:
        from ttt_fast.games.api import observation_shape  # lazy: it imports numpy

        own.n_tuples().draw(problem.game.num_actions, observation_shape(problem.game.initial_state)[1])


TD = Algorithm(
    name="td",
    summary="TD(lambda) on afterstates, over n-tuples on connect4 and over a network on ultimate",
    settings=TdSettings,
    uses=("step_size", "epsilon", "tie"),
    requires=("features", "self-play"),
    check=_check,
    kept_moves="connect4",
    first_values=(
        Case("ttt_fast.algorithms.td.ultimate.learner:first_values", _by_patterns),
        Case("ttt_fast.algorithms.td.learner:first_values"),
    ),
    learner=(
        Case("ttt_fast.algorithms.td.ultimate.learner:NetworkLearner", _by_patterns),
        Case("ttt_fast.algorithms.td.learner:TemporalDifferenceLearner"),
    ),
)
