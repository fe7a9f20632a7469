"""Smirnov's deep Q-learning: every run of the plots and statements is a line of `plan.toml`, in one of two readings.

In the source, one of the 32 units in each of two hidden layers is always 1.  Such a layer corresponds to a layer of 31
nodes with biases here.  The first layer of the source has no biases; the first layer here has.

`as coded` follows the program: a copy of the network shares its memory, so there is no target network.  `as described`
follows the page: it has a target network, which selects the actions of Double DQN.

Two details are not reproduced.  All networks of the source start equal, with normally distributed weights of standard
deviation 0.001.  X and O in the source both see X as 1, whereas a player here sees its own marks as 1.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any, Final, NamedTuple

from ttt_fast import TrainingConfig
from ttt_fast.games import api
from ttt_fast.studies.engine.sources import plan_of

MOVES_AN_EPISODE: Final = 3
"""Moves of X in a random game after a drawn first move, rounded up; they determine how fast a buffer fills.

O has more moves, and starts to learn a little before its curve begins."""
FULL: Final = plan_of(__package__)


class Setting(NamedTuple):
    """A setting of the plots or statements.

    Attributes
    ----------
    plot
        The plot, or the statement.
    name
        Name of the setting within the plot.
    reading
        `as coded` or `as described`.
    changes
        Changes relative to the reading.
    seats
        The seats that are trained, each separately.
    repeats
        The name of its number of runs.
    """

    plot: str
    name: str
    reading: str
    changes: dict[str, Any]
    seats: Sequence[int] = (api.X, api.O)
    repeats: str = "runs"

    def _settings(self, plan: Any) -> dict[str, Any]:
        """Return the fields of the setting; a buffer of one transition means no buffer, which needs no filling."""
        settings = {**plan.base, **plan.readings[self.reading], **self.changes}
        replay = ceil(settings["replay"] / plan.shrink)
        return settings | {"replay": replay, "warm_up": replay if settings["replay"] > 1 else 0}

    def config(self, plan: Any, seat: int, seed: int) -> TrainingConfig:
        """Return the configuration of a run; the buffer fills for whole chunks before the checkpoints of the curve.

        Examples
        --------
        >>> config = CURVES[0].config(FULL, 1, 0)
        >>> config.episodes, config.evaluations, config.settings.warm_up
        (600000, 60, 300000)
        """
        settings, every = self._settings(plan), plan.episodes // plan.points
        points = plan.points + ceil(settings["warm_up"] / MOVES_AN_EPISODE / every)
        return TrainingConfig(
            **settings, seat=seat, seed=seed, episodes=every * points, chunk_episodes=every, evaluations=points
        )


CURVES, PLAYED, CLAIMED, TAUGHT = (
    tuple(Setting(**one) for one in of) for of in (FULL.curves, FULL.played, FULL.claimed, FULL.taught)
)
