"""The form of a policy in kernels: uniform and deterministic policies need no array of probabilities."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

CHANCES: Final = 0
CHOICE: Final = 1
UNIFORM: Final = 2


class Moves(NamedTuple):
    """The moves of a policy, as read by kernels.

    Attributes
    ----------
    form
        CHANCES, CHOICE or UNIFORM, which selects the array to be read, if any; the others are empty.
    chances : (E,) float64
        Probability of each legal action; in arithmetic modulo a prime (E,) int64.
    actions : (S,) uint8
        Action in each decision state.
    """

    form: int
    chances: NDArray[np.float64] | NDArray[np.int64]
    actions: NDArray[np.uint8]
