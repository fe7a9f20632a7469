"""The choice of the learner: the fastest kernel that can follow a configuration.

It depends on the configuration and the size of the game alone.  The fast kernels (Q-learning against a fixed policy;
Q-learning and double Q-learning in self-play) hold step size and epsilon for a chunk, and have states of 16 bits.  By
default a chunk is a 250th of the run, within 1,000 to 100,000 episodes; the general kernel has those of each episode.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.fixed_opponent import FixedOpponentLearner
from ttt_fast.learn.general_learner import GeneralLearner
from ttt_fast.learn.learner import Learner
from ttt_fast.learn.self_play.learner import SelfPlayLearner
from ttt_fast.learn.settings import ALTERNATE, DOUBLE_Q
from ttt_fast.learn.stores import Values
from ttt_fast.policies.policy import Policy
from ttt_fast.values.dense import EdgeValues


def make_learner(
    config: TrainingConfig,
    opponents: Sequence[Policy],
    before: Values,
    counts: NDArray[np.int64] | None = None,
) -> Learner:
    """Return the fastest learner that does what a configuration asks for.

    Parameters
    ----------
    config
        The settings of the run.
    opponents
        The policies of `config.stages()`; none in self-play, or where the game has no table of states.
    before
        What has been learned so far (`nothing_learned`); a hash table is updated in place.
    counts : (3,) int64
        Results so far, updated in place (default: none).
    """
    counts = np.zeros(3, np.int64) if counts is None else counts
    plain = not config.random_opening and not config.step_sizes.by_visits and config.tie != "last"
    if plain and isinstance(before, EdgeValues) and before.table.is_narrow:
        if config.is_self_play and config.algorithm in ("q", DOUBLE_Q):
            return SelfPlayLearner(config, before, counts)
        one_seat = not config.is_self_play and config.seat != ALTERNATE
        if one_seat and config.algorithm == "q" and config.tie == "first":
            return FixedOpponentLearner(config, opponents, before, counts)
    return GeneralLearner(config, opponents, before, counts)
