"""AlphaZero: its settings and its record."""

from dataclasses import dataclass
from typing import ClassVar

from ttt_fast.algorithms import settings
from ttt_fast.algorithms.api import OF_GAME, Algorithm, AlgorithmSettings, Defaults, LearningProblem
from ttt_fast.algorithms.curricula import SELF_PLAY
from ttt_fast.core.known_file import KnownFile


@dataclass(frozen=True)
class AlphaZeroSettings(AlgorithmSettings):
    """The settings of AlphaZero.

    A chunk of episodes is an iteration: games of self-play, then updates of the network.
    """

    usual: ClassVar[Defaults] = {
        "opponent": SELF_PLAY,
        "episodes": ("50k", {settings.WITH_GAMES: settings.RECORDED_EPISODES}),
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
    opening_plies: int = settings.whole(0, 1000, settings.OPENING_PLIES, "0", group=OF_GAME)
    search_share: float = settings.number(
        0.0, 1.0, "share of the search's value in the target of the value; the rest is the result of the game", "0"
    )
    replay: int = settings.whole(1, 1e6, "iterations in the replay buffer", "20")
    hidden: tuple[int, ...] = settings.setting(
        settings.layers, "N,N", "nodes of each hidden layer", "64,64", {settings.LARGE_TABLE: "128,128"}
    )
    weight_decay: float = settings.number(
        0.0, 1.0, "share of a weight, times alpha, by which it decreases", "0.0001", group="Networks"
    )
    input: str = settings.words(
        f"{settings.MARKS}|{settings.PLANES}",
        "input of the network: marks -1, 0, 1, where own marks are 1, or planes of zeros and ones", settings.PLANES,
    )  # fmt: skip
    symmetries: bool = settings.switch(
        "apply a random symmetry to each position of an update", "true", spellings=("--symmetries/--no-symmetries",)
    )
    keep: str = settings.words(f"{settings.BEST}|{settings.LAST}", settings.KEEP, settings.LAST)
    games: KnownFile | None = settings.setting(settings.games_file, "FILE", settings.GAMES, settings.NONE)
    epochs: int | None = settings.whole(1, 1e6, settings.EPOCHS, settings.NONE, {settings.WITH_GAMES: "1"})


def _check(problem: LearningProblem, own: AlphaZeroSettings) -> None:
    """Raise UsageError unless the settings of AlphaZero fit together, and the problem."""
    settings.check_input(problem.game, own.input)
    settings.check_games(own, problem.is_self_play)


ALPHAZERO = Algorithm(
    name="alphazero",
    summary="a network with a policy and a value, trained by self-play with search",
    settings=AlphaZeroSettings,
    uses=("step_size",),
    requires=("table", "turns", "self-play"),
    check=_check,
    first_values="ttt_fast.algorithms.alphazero.learner:init_network",
    learner="ttt_fast.algorithms.alphazero.learner:AlphaZeroLearner",
    measures="ttt_fast.algorithms.alphazero.learner:AlphaZeroMeasures",
)
