"""Learned values of the network of Ultimate: its parameters and, during a run, the optimizer's state.

A file stores the network in integers, as it is played (`ultimate_files`); during a run, also the parameters as learned.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import Archive, ArraySpec, read_meta
from ttt_fast.core.manifest import JsonObject
from ttt_fast.games.game import PATTERNS, Game
from ttt_fast.games.registry import parse_game
from ttt_fast.values.api import LearnedValues
from ttt_fast.values.ultimate_files import ARRAYS, FORM, check_hash, network_of, parameters_of, quantised, sha256_of
from ttt_fast.values.ultimate_network import NUM_PARAMETERS

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

    form: ClassVar[str] = FORM
    game: Game
    parameters: NDArray[np.float32]
    memory: tuple[NDArray[Any], ...] = ()
    start_sha256: str = ""

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


def arrays_of(path: str | os.PathLike[str]) -> Mapping[str, ArraySpec]:
    """Return the arrays of a file."""
    return {**ARRAYS, **(_RUN_ARRAYS if read_meta(path).get("goes_on") is True else {})}


def pack(values: UltimateValues) -> tuple[dict[str, NDArray[np.generic]], JsonObject]:
    """Return the arrays of values for a file, and their description."""
    arrays: dict[str, NDArray[np.generic]] = dict(values.arrays)
    if values.can_go_on:
        arrays |= zip(_RUN_ARRAYS, (values.parameters, *values.memory), strict=True)
    described = {"games": [values.game.spec], "goes_on": values.can_go_on, "sha256": values.sha256()}
    return arrays, {**described, "start_sha256": values.start_sha256}


def unpack(archive: Archive) -> UltimateValues:
    """Return the values of an archive, of its first game; raise ValueError unless they are intact."""
    arrays, meta = archive.arrays, archive.meta
    check_hash(archive)
    parameters, *memory = (arrays[name] for name in _RUN_ARRAYS) if meta.get("goes_on") else (parameters_of(arrays),)
    if not all(np.isfinite(array).all() for array in (parameters, *memory)):
        raise ValueError("a number in the state of the run is not finite")
    game = parse_game(str(next(iter(meta["games"]), "")))
    values = UltimateValues(game, parameters, tuple(memory), str(meta.get("start_sha256", "")))
    if values.sha256() != meta["sha256"] or game.kind.features != PATTERNS:
        raise ValueError("the parameters of the run do not match their hash or game")
    values.network  # noqa: B018  (raises ValueError if sums are too large)
    return values
