"""Smirnov's deep Q-learning: every run of his plots and statements as data, in two readings.

His two hidden layers of 32 units have one that is always 1, so that a layer of his is one of 31 nodes with biases here;
his first layer has none, ours has.  `coded` is what his program does: a copy of the network shares its memory, so that
there is no target network.  `described` is the page: a target network, which Double DQN chooses by.  Two things are not
followed: his networks are all born equal, with weights from a normal distribution of deviation 0.001; and his X and O
see X as 1, where a player here sees its own marks as 1.
"""

from math import ceil
from typing import Any, Final, NamedTuple

from ttt_fast.games import api
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.studies.engine.work import Work

CODED, DESCRIBED = "as coded", "as described"
READINGS: Final[dict[str, dict[str, Any]]] = {CODED: {}, DESCRIBED: {"target_every": 1000, "double": True}}
"""What differs from `BASE`: a target network that is made anew at each update is the network itself."""
SEATS: Final = (api.X, api.O)
REPLAY: Final = 300_000
MOVES_AN_EPISODE: Final = 3
"""Moves of X in a random game after a drawn first one, rounded up, by which a buffer fills.

O has more moves, and learns a little before its curve begins."""

BASE: Final[dict[str, Any]] = {
    "algorithm": "dqn", "opponent": "random", "step_size": "0.0001", "epsilon": "0.1", "discount": 0.9,
    "random_opening": True, "hidden": "31,31", "leak": 0.01, "optimizer": "adam", "minibatch": 2, "loss": "squared",
    "clip": 1.0, "replay": REPLAY, "target_every": 1, "double": False, "input": "marks", "symmetries": False,
    "illegal": "mask", "keep": "best",
}  # fmt: skip
"""His hyperparameters, as far as his program and his page agree."""


class Size(NamedTuple):
    """How much a form of the part does.

    Attributes
    ----------
    runs, few_runs
        Of each setting, and of those that are slow or only illustrate.
    episodes, points
        Of a run after its buffer is full, and the checkpoints among them.
    shrink
        By how much the replay buffers are smaller.
    tabular_episodes
        Of the tabular learner of the pair tables.
    """

    runs: int = 20
    few_runs: int = 5
    episodes: int = 500_000
    points: int = 50
    shrink: int = 1
    tabular_episodes: int = 3_000_000


FULL: Final = Size()
QUICK: Final = Size(runs=2, few_runs=1, episodes=600, points=3, shrink=1000, tabular_episodes=3000)


def size_of(work: Work) -> Size:
    """Return how much is to be done, with fewer seeds where fewer are asked for."""
    return Size(*work.limited(QUICK if work.quick else FULL))


class Setting(NamedTuple):
    """A setting of his plots or statements.

    Attributes
    ----------
    plot
        The plot, or the statement.
    name
        The setting in it.
    reading
        `CODED` or `DESCRIBED`.
    changes
        What differs from the reading.
    seats
        The seats that are trained, each by itself.
    is_few
        Whether it has few runs.
    """

    plot: str
    name: str
    reading: str
    changes: dict[str, Any]
    seats: tuple[int, ...] = SEATS
    is_few: bool = False

    def runs(self, size: Size) -> int:
        """Return its number of runs."""
        return size.few_runs if self.is_few else size.runs

    def prefill(self, size: Size) -> int:
        """Return the episodes that fill the buffer, before those of the curve: whole stretches between checkpoints.

        Examples
        --------
        >>> SETTINGS[0].prefill(FULL)
        100000
        """
        every = size.episodes // size.points
        warm_up: int = self._buffer(size)["warm_up"]
        return every * ceil(warm_up / MOVES_AN_EPISODE / every)

    def _buffer(self, size: Size) -> dict[str, Any]:
        """Return the settings of the replay buffer; a buffer of one transition is no buffer, and is not filled."""
        replay = ({**BASE, **self.changes})["replay"]
        return {"replay": ceil(replay / size.shrink), "warm_up": ceil(replay / size.shrink) if replay > 1 else 0}

    def config(self, size: Size, seat: int, seed: int) -> TrainingConfig:
        """Return a run.

        Examples
        --------
        >>> config = SETTINGS[0].config(FULL, 1, 0)
        >>> config.episodes, config.evaluations, config.warm_up
        (600000, 60, 300000)
        """
        every, episodes = size.episodes // size.points, size.episodes + self.prefill(size)
        settings = {**BASE, **READINGS[self.reading], **self.changes, **self._buffer(size)}
        return TrainingConfig(
            **settings, seat=seat, seed=seed, episodes=episodes, chunk_episodes=every, evaluations=episodes // every
        )


def hidden(units: int) -> str:
    """Return two hidden layers of so many of his units, one of which is constant.

    Examples
    --------
    >>> hidden(32)
    '31,31'
    """
    return f"{units - 1},{units - 1}"


MAIN, OPTIMIZER, MINIBATCH, HIDDEN = "main", "optimizer", "minibatch", "hidden nodes"
TARGET, BUFFER, CHOSEN = "target frequency", "buffer", "first move chosen"

SETTINGS: Final = (
    *(Setting(MAIN, reading, reading, {}) for reading in READINGS),
    *(Setting(OPTIMIZER, name, CODED, {"optimizer": name}) for name in ("adam", "sgd", "momentum", "rmsprop")),
    *(Setting(TARGET, str(n), DESCRIBED, {"target_every": n, "double": n > 1}) for n in (1, 100, 1000, 10_000)),
    *(Setting(BUFFER, str(n), CODED, {"replay": n}) for n in (25_000, 50_000, 100_000, REPLAY)),
    *(Setting(MINIBATCH, str(n), CODED, {"minibatch": n}, is_few=n > 8) for n in (1, 8, 16, 32)),
    *(Setting(HIDDEN, f"{n}x{n}", CODED, {"hidden": hidden(n)}, is_few=n > 32) for n in (8, 16, 64, 128)),
)
"""The settings of the curves.  With a target network of each update Double DQN is DQN, the program as coded."""

PLAYED: Final = tuple(Setting(CHOSEN, one, one, {"random_opening": False}, (api.X,)) for one in READINGS)
"""X trained with its first move chosen, for the pair table in which it chooses it; O does not notice."""

_TRICKLESS: Final = {"replay": 1, "minibatch": 1, "clip": 0.0}
CLAIMED: Final = tuple(
    Setting(
        "no tricks",
        f"{optimizer}, step size {alpha}",
        CODED,
        {**_TRICKLESS, "optimizer": optimizer, "step_size": alpha},
        is_few=True,
    )
    for optimizer in ("adam", "sgd", "momentum", "rmsprop")
    for alpha in ("0.0001", "0.01")
)
"""No replay buffer, no target network, no clipping: "the entire network tended to fill up with NaNs"."""
