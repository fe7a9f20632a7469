"""Smirnov's deep Q-learning: every run of his plots and statements is a line of `plan.toml`, in one of two readings.

His two hidden layers of 32 units have one that is always 1, so that a layer of his is one of 31 nodes with biases here;
his first layer has none, ours has.  `as coded` is what his program does: a copy of the network shares its memory, so
that there is no target network.  `as described` is the page: a target network, which Double DQN chooses by.  Two things
are not followed: his networks are all born equal, with weights from a normal distribution of deviation 0.001; and his X
and O see X as 1, where a player here sees its own marks as 1.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any, Final, NamedTuple

from ttt_fast import TrainingConfig
from ttt_fast.games import api
from ttt_fast.studies.engine.sources import plan_of

MOVES_AN_EPISODE: Final = 3
"""Moves of X in a random game after a drawn first one, rounded up, by which a buffer fills.

O has more moves, and learns a little before its curve begins."""
FULL: Final = plan_of(__package__)


class Setting(NamedTuple):
    """A setting of his plots or statements.

    Attributes
    ----------
    plot
        The plot, or the statement.
    name
        The setting in it.
    reading
        `as coded` or `as described`.
    changes
        What differs from the reading.
    seats
        The seats that are trained, each by itself.
    repeats
        Its number of runs, by name.
    """

    plot: str
    name: str
    reading: str
    changes: dict[str, Any]
    seats: Sequence[int] = (api.X, api.O)
    repeats: str = "runs"

    def _settings(self, plan: Any) -> dict[str, Any]:
        """Return its settings; a buffer of one transition is no buffer, and is not filled."""
        settings = {**plan.base, **plan.readings[self.reading], **self.changes}
        replay = ceil(settings["replay"] / plan.shrink)
        return settings | {"replay": replay, "warm_up": replay if settings["replay"] > 1 else 0}

    def config(self, plan: Any, seat: int, seed: int) -> TrainingConfig:
        """Return a run: the buffer fills in whole stretches between checkpoints, before those of the curve.

        Examples
        --------
        >>> config = CURVES[0].config(FULL, 1, 0)
        >>> config.episodes, config.evaluations, config.warm_up
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
