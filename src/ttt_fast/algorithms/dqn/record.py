"""Deep Q-learning: its settings and its record.

The default settings come from the trials that reached the optimum of tic-tac-toe.
"""

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from ttt_fast.algorithms import settings
from ttt_fast.algorithms.api import OF_GAME, OF_REWARDS, Algorithm, AlgorithmSettings, Defaults, LearningProblem
from ttt_fast.algorithms.curricula import SELF_PLAY
from ttt_fast.algorithms.settings import (
    BEST,
    EXPECTED,
    IN_SELF_PLAY,
    KEEP,
    LARGE_SELF_PLAY,
    LARGE_TABLE,
    LAST,
    MANY_ACTIONS,
    MARKS,
    MASK,
    NO_TABLE,
    NONE,
    ONE_PLANE,
    OPENING_PLIES,
    PENALTY,
    PLANES,
    SAMPLED,
    WITH_COPIES,
    WITH_GAMES,
    WITH_PENALTY,
)
from ttt_fast.core.errors import UsageError
from ttt_fast.core.known_file import KnownFile

MAX_REPLAY = 1_000_000_000


@dataclass(frozen=True)
class DqnSettings(AlgorithmSettings):
    """The settings of deep Q-learning.

    The target network is a copy of the online network, renewed after `target_every` updates.  With `polyak`, each of
    its weights instead moves by this share of the distance at each update.  In this case the target network is the one
    that is measured, kept and played.  A new transition replaces the oldest one of a full replay buffer.
    """

    group: ClassVar[str] = "Networks"
    usual: ClassVar[Defaults] = {
        "opponent": ("random", {NO_TABLE: SELF_PLAY, WITH_GAMES: SELF_PLAY}),
        "episodes": (
            "60k",
            {IN_SELF_PLAY: "8k", NO_TABLE: "100k", MANY_ACTIONS: "20k", WITH_GAMES: settings.RECORDED_EPISODES},
        ),
        "chunk_episodes": settings.Computed("episodes / 1000", lambda run: max(1, ceil(run["episodes"] / 1000))),
        "evaluations": ("1000", {IN_SELF_PLAY: "100", LARGE_TABLE: "20", NO_TABLE: "10"}),
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
        1e-9, 1.0, "share by which the target network moves at each update", "0.005", {WITH_COPIES: NONE}
    )
    target: str = settings.words(
        f"{SAMPLED}|{EXPECTED}",
        "target value of an update: after a sampled reply of the opponent, or expected over all replies",
        SAMPLED,
    )  # fmt: skip
    loss: str = settings.words("squared|huber", "loss function of the error of a value", "huber")
    clip: float = settings.number(0.0, 1e6, "bound on each gradient of a weight; 0: no bound", "0")
    input: str = settings.words(
        f"{MARKS}|{PLANES}",
        "input of the network: marks -1, 0, 1, where own marks are 1, or planes of zeros and ones", MARKS,
        dict.fromkeys((IN_SELF_PLAY, NO_TABLE, ONE_PLANE), PLANES),
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
        f"{MASK}|{PENALTY}",
        "treatment of illegal moves: mask them, or give a penalty and play a random legal one", MASK,
    )  # fmt: skip
    illegal_reward: float | None = settings.number(-1e6, 1e6, "reward of an illegal move", NONE, {WITH_PENALTY: "-1"})
    opening_plies: int = settings.whole(0, 1000, OPENING_PLIES, "0", {LARGE_SELF_PLAY: "8"}, group=OF_GAME)
    keep: str = settings.words(f"{BEST}|{LAST}", KEEP, BEST, {NO_TABLE: LAST})
    games: KnownFile | None = settings.setting(settings.games_file, "FILE", settings.GAMES, NONE, group="Learning")
    epochs: int | None = settings.whole(1, 1e6, settings.EPOCHS, NONE, {WITH_GAMES: "1"}, group="Learning")


def _check(problem: LearningProblem, own: DqnSettings) -> None:
    """Raise UsageError unless the settings of deep Q-learning fit together, and the problem."""
    settings.check_input(problem.game, own.input)
    settings.check_games(own, problem.is_self_play)
    if own.target_every is not None and own.polyak is not None:
        raise UsageError(f"expected either target_every or polyak, got both: {own.target_every!r} and {own.polyak!r}")
    if own.illegal != PENALTY and own.illegal_reward is not None:
        raise UsageError(f"expected illegal_reward only with illegal {PENALTY}, got {own.illegal_reward!r}")
    in_turn = problem.has_table and problem.game.alternates
    if own.target == EXPECTED and (problem.is_self_play or not in_turn):
        raise UsageError(
            "expected a game with a state table and alternating turns, and an opponent other than self, for the"
            f" target {EXPECTED}, got {problem.game.spec!r} and {problem.opponent.text!r}"
        )
    if own.keep == BEST and not problem.has_table:
        wanted = f"a game with a state table to keep the {BEST} network"
        raise UsageError(f"expected {wanted}, got {problem.game.spec!r}")
    if problem.is_self_play and (own.win_reward != -own.loss_reward or own.draw_reward != 0):
        rewards = own.win_reward, own.draw_reward, own.loss_reward
        raise UsageError(f"expected zero-sum rewards (WIN,0,-WIN) in self-play of {own.algorithm}, got {rewards!r}")
    if own.opening_plies and not problem.is_self_play:
        raise UsageError(f"expected opening_plies only with the opponent self, got {own.opening_plies!r}")


DQN = Algorithm(
    name="dqn",
    summary="deep Q-learning: the values come from a network",
    settings=DqnSettings,
    uses=("step_size", "epsilon", *OF_REWARDS),
    check=_check,
    any_opponent=True,
    first_values="ttt_fast.algorithms.dqn.learner:init_network",
    learner="ttt_fast.algorithms.dqn.learner:DqnLearner",
)
