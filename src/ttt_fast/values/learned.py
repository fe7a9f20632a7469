"""What a run asks of the values that it learns, whichever kind they are.

A kind is a class with these members, a form in `values.files`, a player in `agents.learned`, and a line in
`learn.stores.nothing_learned`, which makes the values before the first episode.
"""

from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.tables import StateTable


class LearnedValues(Protocol):
    """Values that a run has learned.

    Attributes
    ----------
    form
        The name of the kind in files.
    grows
        Whether learning goes on in place, in memory that grows with the states that are met: such a run looks at its
        memory before every chunk, and is saved more rarely.
    """

    form: ClassVar[str]
    grows: ClassVar[bool]

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays."""

    @property
    def run_bytes(self) -> int:
        """Bytes that a run needs for them and its checkpoints, if they do not grow."""

    @property
    def can_go_on(self) -> bool:
        """Whether all is there by which a run goes on that has begun and is not at its end."""

    def sizes(self) -> dict[str, int]:
        """Return the numbers that a report shows, `memory_bytes` among them."""

    def sha256(self) -> str:
        """Return the hash of what was learned: equal bits, equal hash."""

    def is_like(self, other: Self) -> bool:
        """Return whether these are values of the same game, in arrays of the same shape, as far as both are fixed."""


class TableValues(LearnedValues, Protocol):
    """Values of any kind that a run has learned on a game with a table of states: they make a policy."""

    @property
    def table(self) -> StateTable:
        """The states."""

    @property
    def q(self) -> NDArray[np.float64]:
        """The values of the actions that the learner acts on, (E,) float64."""

    @property
    def held(self) -> NDArray[np.bool_]:
        """The states that it knows, (S,) bool."""
