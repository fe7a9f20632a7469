"""The interface of learned values of any kind, as a run requires it.

A kind is a class with these members, a form in `values.files`, a player in `agents.learned`, and a branch in
`learn.initial_values.init_values`, which makes the values before the first episode.
"""

from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.tables import StateTable


class LearnedValues(Protocol):
    """Learned values of a run.

    Attributes
    ----------
    form
        The name of the kind in files.
    grows
        Whether learning updates the values in place, in memory that grows with the states visited.  Such a run checks
        its memory before every chunk, and is saved less often.
    """

    form: ClassVar[str]
    grows: ClassVar[bool] = False

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays."""

    @property
    def run_bytes(self) -> int:
        """Bytes that a run needs for the values and its checkpoints, if the values do not grow."""
        return 2 * self.memory_bytes

    @property
    def can_go_on(self) -> bool:
        """Whether the arrays are present from which an unfinished run continues."""
        return True

    def sizes(self) -> dict[str, int]:
        """Return the numbers of a report, including `memory_bytes`."""

    def sha256(self) -> str:
        """Return the hash of the learned values: equal bits, equal hash."""

    def is_like(self, other: Self) -> bool:
        """Return whether these are values of the same game, in arrays of the same shape where both are fixed."""


class TableValues(LearnedValues, Protocol):
    """Learned values of any kind on a game with a table of states, which make a policy."""

    @property
    def table(self) -> StateTable:
        """The states."""

    @property
    def q(self) -> NDArray[np.float64]:
        """The action values on which the learner acts, (E,) float64."""

    @property
    def held(self) -> NDArray[np.bool_]:
        """The states with learned values, (S,) bool."""
