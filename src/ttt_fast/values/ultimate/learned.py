"""Learned values of the network of Ultimate: its parameters and, during a run, the optimizer's state.

A file stores the network in integers, as it is played; during a run, also the parameters as learned.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec
from ttt_fast.core.manifest import JsonObject
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.games.ultimate.kind import FEATURES
from ttt_fast.tables import StateTable
from ttt_fast.values.api import Learned, LearnedValues, Packed
from ttt_fast.values.one_ply import OnePlyMover
from ttt_fast.values.ultimate.evaluator import UltimateEvaluator, ultimate_evaluator
from ttt_fast.values.ultimate.integers import network_of, parameters_of, quantised, sha256_of
from ttt_fast.values.ultimate.network import EMBEDDING, LAYERS_SIZE, NUM_ENDINGS, NUM_PARAMETERS, NUM_PATTERNS

_ARRAYS: Final = {
    "embedding": ArraySpec("int16", (NUM_PATTERNS, EMBEDDING)),
    "layers": ArraySpec("int16", (NUM_ENDINGS, LAYERS_SIZE)),
}
_RUN_ARRAYS: Final = {
    "parameters": ArraySpec("float32", (NUM_PARAMETERS,)),
    "first_moments": ArraySpec("float32", (NUM_PARAMETERS,)),
    "second_moments": ArraySpec("float32", (NUM_PARAMETERS,)),
    "powers": ArraySpec("float64", (2,)),
}


@dataclass(frozen=True, eq=False, repr=False)
class UltimateValues(LearnedValues):
    """Values of Ultimate positions by a network.

    Attributes
    ----------
    game
        Ultimate, with one of its endings.
    parameters
        (N,) float32.
    memory
        The arrays of `_RUN_ARRAYS` after the parameters, from which a run continues; empty before and after it.
    start_sha256
        Hash of the network that the run began with; empty if it was drawn.

    Examples
    --------
    >>> values = UltimateValues(parse_game("ultimate"), np.full(NUM_PARAMETERS, 0.1, np.float32))
    >>> values.rounded().parameters[0], values.sha256() == values.rounded().sha256()
    (np.float32(0.1015625), True)
    """

    form: ClassVar[str] = "ultimate-network"
    is_evaluation: ClassVar[bool] = True
    game: Game
    parameters: NDArray[np.float32]
    memory: tuple[NDArray[Any], ...] = ()
    start_sha256: str = ""

    @classmethod
    def specs(cls, meta: JsonObject, table: StateTable | None, is_run: bool) -> Mapping[str, ArraySpec]:
        """Return the arrays of a file."""
        return {**_ARRAYS, **(_RUN_ARRAYS if meta.get("goes_on") is True else {})}

    def to_arrays(self) -> Packed:
        """Return the arrays of a file, and their description."""
        arrays: dict[str, NDArray[np.generic]] = dict(self.arrays)
        if self.can_go_on:
            arrays |= zip(_RUN_ARRAYS, (self.parameters, *self.memory), strict=True)
        described = {"games": [self.game.spec], "goes_on": self.can_go_on, "sha256": self.sha256()}
        return arrays, {**described, "start_sha256": self.start_sha256}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: JsonObject, table: StateTable | None) -> Self:
        """Return the values of a file, of its first game; raise ValueError unless they are intact."""
        if sha256_of({name: arrays[name] for name in _ARRAYS}) != meta["sha256"]:
            raise ValueError("the hash of the parameters does not match")
        goes_on = meta.get("goes_on")
        parameters, *memory = (arrays[name] for name in _RUN_ARRAYS) if goes_on else (parameters_of(arrays),)
        if not all(np.isfinite(array).all() for array in (parameters, *memory)):
            raise ValueError("a number in the state of the run is not finite")
        game = parse_game(str(next(iter(meta["games"]), "")))
        values = cls(game, parameters, tuple(memory), str(meta.get("start_sha256", "")))
        if values.sha256() != meta["sha256"] or game.kind.features != FEATURES:
            raise ValueError("the parameters of the run do not match their hash or game")
        values.network  # noqa: B018  (raises ValueError if sums are too large)
        return values

    def mover(self, play: Learned) -> OnePlyMover:
        """Return new moves by the network, for one thread."""
        return OnePlyMover(self.evaluator(), play)

    def evaluator(self) -> UltimateEvaluator:
        """Return a new evaluator of a search, for one thread."""
        return ultimate_evaluator(self.network)

    @cached_property
    def arrays(self) -> dict[str, NDArray[np.int16]]:
        """The network in integers, as stored in a file."""
        return quantised(self.parameters)

    @cached_property
    def network(self) -> NDArray[np.float32]:
        """The network as an array for kernels, (N,) float32."""
        return network_of(self.arrays)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the parameters, and of the data about them."""
        return self.parameters.nbytes + sum(array.nbytes for array in self.memory)

    @property
    def can_go_on(self) -> bool:
        """Whether the arrays are present from which a run continues."""
        return bool(self.memory)

    def sizes(self) -> dict[str, int]:
        """Return the number of parameters, and the bytes of the arrays."""
        return {"weights": self.parameters.size, "memory_bytes": self.memory_bytes}

    def sha256(self) -> str:
        """Return the hash of the network in integers."""
        return sha256_of(self.arrays)

    def begun_from(self, learned: Self) -> Self:
        """Return the first values of a run with a learned network."""
        return type(self)(self.game, learned.parameters, self.memory, learned.sha256())

    def is_like(self, other: Self) -> bool:
        """Return whether these are values of the same game."""
        return self.game == other.game

    def copy(self) -> Self:
        """Return a copy."""
        memory = tuple(array.copy() for array in self.memory)
        return type(self)(self.game, self.parameters.copy(), memory, self.start_sha256)

    def rounded(self) -> Self:
        """Return the values of a run at its end, which are those of its file."""
        return type(self)(self.game, parameters_of(self.arrays), (), self.start_sha256)
