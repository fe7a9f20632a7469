"""Recorded games as the first episodes of a run."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.api import LearningTask
from ttt_fast.core.errors import UsageError
from ttt_fast.core.rng import StreamKey
from ttt_fast.play.replay import lessons_in


class RecordedEpisodes:
    """The episodes of a run that are recorded games: each once in every epoch, in an order that the seed draws.

    Parameters
    ----------
    config
        The settings of the run, with `games` and `epochs`.

    Raises
    ------
    UsageError
        If the content of the file has changed, or there are fewer episodes than recorded games.

    Attributes
    ----------
    count
        The number of these episodes, the first ones of the run; 0 without recorded games.
    """

    def __init__(self, config: LearningTask) -> None:
        settings: Any = config.settings
        self._seed, self.count, self._known = config.seed, 0, (-1, np.zeros(0, np.int64))
        if settings.games is not None:
            settings.games.check("the recorded games of the run")
            self.lessons = lessons_in(settings.games, config.game)
            self.count = settings.epochs * self.lessons.chosen.size
            if config.episodes < self.count:
                wanted = f"at least {self.count:,} episodes for {settings.epochs:,} epochs of {settings.games.path!r}"
                raise UsageError(f"expected {wanted}, got {config.episodes:,}")

    def between(self, first: int, end: int) -> list[int]:
        """Return the games of the episodes `first` to `end - 1`, as far as they are recorded."""
        size, end = self.lessons.chosen.size if self.count else 1, min(end, self.count)
        return [int(self._order(episode // size)[episode % size]) for episode in range(first, end)]

    def _order(self, epoch: int) -> NDArray[np.int64]:
        """Return the games in the order of an epoch."""
        if self._known[0] != epoch:
            chosen = self.lessons.chosen
            stream = np.random.SeedSequence(entropy=self._seed, spawn_key=(StreamKey.RECORDED_GAMES, epoch))
            order = np.argsort(stream.generate_state(chosen.size, np.uint64), kind="stable")
            self._known = epoch, chosen[order]
        return self._known[1]
