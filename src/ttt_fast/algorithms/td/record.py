"""TD(lambda) on afterstates: its settings and its record; the values come from n-tuples or, on Ultimate, a network."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

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
from ttt_fast.algorithms.settings import NONE, OPENING_PLIES, When
from ttt_fast.core.errors import UsageError
from ttt_fast.core.known_file import KnownFile

if TYPE_CHECKING:
    from ttt_fast.games.game import Game
    from ttt_fast.values.ntuples import NTuples

N_TUPLES = ("tuples", "tuple_cells", "tuple_tables", "tuple_seed")
"""Settings of n-tuples."""


def _has_network(game: "Game") -> bool:
    """Return whether the values of a game are those of a network, since it has features other than n-tuples."""
    from ttt_fast.games import game as games  # lazy: it imports numpy

    return game.kind.features not in ("", games.N_TUPLES)


def _learns_network(config: LearningProblem) -> bool:
    return _has_network(config.game)


NETWORK = When("on ultimate", lambda run: _has_network(run["game"]))
WITH_STARTS = When("with --starts", lambda run: run["starts"] is not None)


@dataclass(frozen=True)
class TdSettings(AlgorithmSettings):
    """The settings of TD(lambda): on Connect 4 with n-tuples, on Ultimate with a network.

    On Connect 4, random plies begin a share of the games only.  With two tables, each player to move has its own.  The
    step size of a weight decreases as the signs of its errors become less coherent (`kernels`).
    """

    group: ClassVar[str] = "Networks"
    usual: ClassVar[Defaults] = {
        "opponent": SELF_PLAY,
        "episodes": ("2M", {NETWORK: "400k"}),
        "chunk_episodes": (CHUNK_EPISODES, {NETWORK: "256"}),
        "evaluations": ("20", {NETWORK: "10"}),
        "step_size": ("1", {NETWORK: "linear:0.001,0.00001"}),
        "epsilon": ("linear:0.2,0.02", {NETWORK: "0.05"}),
    }

    trace_decay: float = settings.number(0.0, 1.0, "trace decay lambda", "0.8", {NETWORK: "1"})
    opening_plies: int = settings.whole(0, 1000, OPENING_PLIES, "12", {NETWORK: "10"}, group=OF_GAME)
    opening_share: float | None = settings.number(
        0.0, 1.0, "share of the games that begin with random plies", "1", {NETWORK: NONE}, group=OF_GAME
    )
    starts: KnownFile | None = settings.setting(
        settings.games_file, "FILE", "recorded games (see review) after which games of self-play begin", NONE,
        group=OF_GAME,
    )  # fmt: skip
    start_share: float | None = settings.number(
        0.0, 1.0, "share of the games that begin after recorded ones", NONE, {WITH_STARTS: "0.5"}, group=OF_GAME
    )
    tuples: int | None = settings.whole(
        1, 1000, "number of tuples, the sets of cells whose marks select a weight", "70", {NETWORK: NONE}
    )
    tuple_cells: int | None = settings.whole(1, 12, "number of cells per tuple", "8", {NETWORK: NONE})
    tuple_tables: int | None = settings.whole(
        1, 2, "weight tables per tuple: 2, one for each player to move, or 1, as seen by the player to move", "2",
        {NETWORK: NONE},
    )  # fmt: skip
    tuple_seed: int | None = settings.whole(0, 2**63, "seed of the tuples", "0", {NETWORK: NONE})
    coherent: bool | None = settings.switch(
        "reduce the step sizes of weights whose errors have changing signs (temporal coherence)", "true",
        {NETWORK: NONE}, spellings=("--coherent/--no-coherent",), group="Learning",
    )  # fmt: skip

    def n_tuples(self) -> "NTuples":
        """Return the settings of the tables; raise UsageError on Ultimate, which has none."""
        from ttt_fast.values.ntuples import NTuples

        return NTuples(*map(vars(self).__getitem__, N_TUPLES))


def _check(problem: LearningProblem, own: TdSettings) -> None:
    """Raise UsageError unless the settings of TD(lambda) fit the game: n-tuples for Connect 4 alone."""
    has_network, spec = _learns_network(problem), problem.game.spec
    for name in (*N_TUPLES, "coherent", "opening_share", "starts") if has_network else ():
        if vars(own)[name] is not None:
            raise UsageError(f"expected no {name} with {own.algorithm} on {spec}, got {vars(own)[name]!r}")
    if (own.starts is None) != (own.start_share is None):
        raise UsageError(f"expected start_share with starts, and only then, got {own.start_share!r}")
    if not has_network:
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
        Case("ttt_fast.algorithms.td.ultimate.learner:first_values", _learns_network),
        Case("ttt_fast.algorithms.td.learner:first_values"),
    ),
    learner=(
        Case("ttt_fast.algorithms.td.ultimate.learner:NetworkLearner", _learns_network),
        Case("ttt_fast.algorithms.td.learner:TemporalDifferenceLearner"),
    ),
)
