"""The settings of deep Q-learning: the description of each, and the recipe for their defaults.

None stands for "by the recipe"; for other algorithms the settings stay None.  The recipe comes from the trials that
reached the optimum of tic-tac-toe; the settings of the programs of smirnov and bichot are options.
"""

from dataclasses import dataclass
from typing import Any

from ttt_fast.core.checks import changed_fields
from ttt_fast.core.errors import UsageError
from ttt_fast.learn.settings import DQN, SELF_PLAY, TD, setting

OPTIMIZERS = ("sgd", "momentum", "rmsprop", "adam")
LOSSES = ("squared", "huber")
MARKS, PLANES = "marks", "planes"
SAMPLED, EXPECTED = "sampled", "expected"
MASK, PENALTY = "mask", "penalty"
BEST, LAST = "best", "last"
MAX_LAYERS, MAX_NODES = 8, 4096
MAX_REPLAY = 1_000_000_000

_OF = {"algorithms": (DQN,)}
_WITH_TABLE = {
    "hidden": "64,64", "minibatch": 8, "replay": 50_000, "warm_up": 1000, "polyak": 0.005, "input": MARKS,
    "symmetries": True, "keep": BEST,
}  # fmt: skip
_SELF_PLAY = {"hidden": "128,128", "minibatch": 32, "input": PLANES}
_WITHOUT_TABLE = {
    "hidden": "256,256", "minibatch": 32, "replay": 200_000, "warm_up": 5000, "polyak": 0.005, "input": PLANES,
    "train_every": 4, "symmetries": True, "keep": LAST,
}  # fmt: skip
_ALWAYS = {
    "optimizer": "adam", "train_every": 1, "target": SAMPLED, "loss": "huber", "clip": 0.0, "leak": 0.0,
    "double": False, "illegal": MASK, "opening_plies": 0,
}  # fmt: skip


def recipe(has_table: bool, is_self_play: bool) -> dict[str, Any]:
    """Return the default settings of deep Q-learning.

    Examples
    --------
    >>> recipe(True, False)["hidden"], recipe(True, True)["hidden"]
    ('64,64', '128,128')
    """
    if not has_table:
        return _ALWAYS | _WITHOUT_TABLE | ({"opening_plies": 8} if is_self_play else {})
    return _ALWAYS | _WITH_TABLE | (_SELF_PLAY if is_self_play else {})


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """The settings of deep Q-learning; None for all other algorithms.

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
        of its weights instead moves by this share of the distance at each update; the target network is then the one
        that is measured, kept and played.
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
        Maximum number of random plies at the beginning of a game of self-play (for td on connect4, of every second
        game).  They are not learned from.
    keep
        The final network of the run: the `best` one by exact value, or the `last`.
    """

    hidden: str | None = setting(
        None, "nodes of the hidden layers of dqn (default: 64,64; in self-play 128,128; without a table 256,256)",
        metavar="N,N", **_OF,
    )  # fmt: skip
    minibatch: int | None = setting(
        None, "transitions an update (default: 8; in self-play 32)", metavar="N", low=1, high=4096, minimum=1,
        counted="transitions an update", **_OF,
    )  # fmt: skip
    optimizer: str | None = setting(None, "of dqn (default: adam)", choices=OPTIMIZERS, **_OF)
    replay: int | None = setting(
        None, "transitions in the replay buffer (default: 50k; without a table 200k)", metavar="N", low=1,
        high=MAX_REPLAY, minimum=1, counted="transitions", **_OF,
    )  # fmt: skip
    warm_up: int | None = setting(
        None, "random transitions before the first update (default: 1k; without a table 5k)", metavar="N", low=0,
        high=MAX_REPLAY, counted="transitions", **_OF,
    )  # fmt: skip
    train_every: int | None = setting(
        None, "transitions from update to update (default: 1; without a table 4)", metavar="N", low=1, high=1e9,
        minimum=1, counted="transitions", **_OF,
    )  # fmt: skip
    target_every: int | None = setting(
        None, "updates from one copy of the target network to the next (default: --polyak)", metavar="N", low=1,
        high=1e12, minimum=1, counted="updates", **_OF,
    )  # fmt: skip
    polyak: float | None = setting(
        None, "share by which the target network follows at each update (default: 0.005)", metavar="NUMBER", low=1e-9,
        high=1.0, **_OF,
    )  # fmt: skip
    target: str | None = setting(
        None, "value of the opponent's reply: sampled or expected (default: sampled)", choices=(SAMPLED, EXPECTED),
        **_OF,
    )  # fmt: skip
    loss: str | None = setting(None, "of an error: squared or huber (default: huber)", choices=LOSSES, **_OF)
    clip: float | None = setting(
        None, "largest error that is followed; 0: any (default: 0)", metavar="NUMBER", low=0.0, **_OF
    )
    input: str | None = setting(
        None, "of the network: marks -1, 0, 1, or planes of zeros and ones (default: marks; in self-play and without a"
        " table planes)", choices=(MARKS, PLANES), **_OF,
    )  # fmt: skip
    leak: float | None = setting(
        None, "slope of hidden nodes below zero (default: 0, ReLU)", metavar="NUMBER", low=0.0, high=1.0, **_OF
    )
    double: bool | None = setting(None, "double DQN (default: no)", "--double/--no-double", **_OF)
    symmetries: bool | None = setting(
        None, "turn and reflect what is learned from (default: yes)", "--symmetries/--no-symmetries", **_OF
    )
    illegal: str | None = setting(
        None, "illegal moves: mask or penalty (default: mask)", choices=(MASK, PENALTY), **_OF
    )
    illegal_reward: float | None = setting(
        None, "reward of an illegal move with --illegal penalty (default: -1)", metavar="NUMBER", **_OF
    )
    opening_plies: int | None = setting(
        None, "most random plies at the beginning of a game of self-play (default: 0; without a table 8; of td 4,"
        " on ultimate 10)",
        metavar="N", low=0, high=1000, counted="plies", algorithms=(DQN, TD),
    )  # fmt: skip
    keep: str | None = setting(
        None, "end with the best network by exact value, or the last (default: best; without a table last)",
        choices=(BEST, LAST), **_OF,
    )  # fmt: skip

    def __repr__(self) -> str:
        """Return the settings that differ from the defaults, as written in a call."""
        return changed_fields(self)

    @property
    def hidden_sizes(self) -> tuple[int, ...]:
        """Nodes of each hidden layer."""
        return tuple(int(word) for word in (self.hidden or "").split(",") if word)


def settle(config: Any) -> None:
    """Set the missing settings of deep Q-learning in a `TrainingConfig`, and check their combination.

    Raises
    ------
    UsageError
        If two settings are incompatible, or one does not fit the game or the opponent.
    """
    from ttt_fast.games.api import observation_shape

    usual = recipe(config.has_table, config.is_self_play)
    if config.target_every is not None:
        if config.polyak is not None:
            raise UsageError(f"expected target_every or polyak, got {config.target_every!r} and {config.polyak!r}")
        del usual["polyak"]
    if config.illegal == PENALTY:
        usual["illegal_reward"] = -1.0
    elif config.illegal_reward is not None:
        raise UsageError(f"expected illegal_reward with illegal {PENALTY}, got {config.illegal_reward!r}")
    has_marks = observation_shape(config.played.initial_state)[0] > 1  # its own and the other's
    if not has_marks:
        usual["input"] = PLANES
    for name, value in usual.items():
        if getattr(config, name) is None:
            object.__setattr__(config, name, value)
    _check_hidden(config)
    if config.input == MARKS and not has_marks:
        raise UsageError(f"expected the input {PLANES} for {config.game}, got {config.input!r}")
    if config.target == EXPECTED and (config.is_self_play or not config.has_table or not config.played.alternates):
        raise UsageError(
            f"expected a game with a table of states, in which X and O move in turn, and an opponent for the target"
            f" {EXPECTED}, got {config.game!r} and {config.opponent!r}"
        )
    if config.keep == BEST and not config.has_table:
        raise UsageError(f"expected a game with exact values to keep the {BEST} network, got {config.game!r}")
    if config.is_self_play and (config.win_reward != -config.loss_reward or config.draw_reward != 0):
        rewards = config.win_reward, config.draw_reward, config.loss_reward
        raise UsageError(f"expected rewards of a zero-sum game in self-play of {DQN}, got {rewards!r}")
    if config.opening_plies and not config.is_self_play:
        raise UsageError(f"expected opening_plies with the opponent {SELF_PLAY}, got {config.opening_plies!r}")


def _check_hidden(config: Any) -> None:
    """Raise UsageError unless the sizes of the hidden layers are well-formed; normalize their spelling."""
    words = [word.strip() for word in str(config.hidden).split(",")]
    if not all(word.isdecimal() and word.isascii() and 1 <= int(word) <= MAX_NODES for word in words):
        raise UsageError(f"expected hidden layers of 1 to {MAX_NODES} nodes, as 32,32, got {config.hidden!r}")
    if len(words) > MAX_LAYERS:
        raise UsageError(f"expected at most {MAX_LAYERS} hidden layers, got {config.hidden!r}")
    object.__setattr__(config, "hidden", ",".join(str(int(word)) for word in words))
