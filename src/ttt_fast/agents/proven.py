"""The agent `proven`: a player of Connect 4 by the weights and exceptions of a file; the shipped one wins every game.

It plays only the board and the seat of its file (`values.proven`).  It neither searches nor draws random numbers.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from math import nan
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.cache import file_stamp
from ttt_fast.core.errors import AgentError
from ttt_fast.core.specs import Option
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import DrawingPlayer, SearchResult
from ttt_fast.tables import StateTable
from ttt_fast.values.proven import ProvenTables, ProvenWeights, choose_columns, column_of, tables_of
from ttt_fast.values.proven_files import load_proven

SHIPPED = Path(__file__).parent / "weights" / "connect4-proven.npz"
_SHIPPED_NAME: Final = "shipped"


def _name_or_file(text: str) -> str:
    if text != _SHIPPED_NAME and not text.endswith(".npz"):
        raise ValueError(f"{_SHIPPED_NAME} or a .npz file")
    return text


OPTIONS: Final[Mapping[str, Option]] = {
    "file": Option(
        _SHIPPED_NAME,
        f"{_SHIPPED_NAME}|FILE",
        _name_or_file,
        "the weights: those of 7x6, or a file, which `ttt-fast prove` can check",
    )
}
"""The options of `proven`."""


class ProvenPlayer(DrawingPlayer):
    """Plays by the weights and exceptions of a file, in one seat.

    Parameters
    ----------
    name
        Its agent string.
    weights
        The weights; many players may share them.
    """

    def __init__(self, name: str, weights: "LoadedWeights") -> None:
        super().__init__(name)
        self.loaded, self._tables = weights, weights.tables
        self.seat = Seat(weights.weights.seat)
        self._places = np.empty(self._tables.start.size, np.int32)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the weights."""
        return sum(array.nbytes for array in self._tables if isinstance(array, np.ndarray))

    def knows(self, state: api.GameState) -> bool:
        """Return whether the player to move is the player's seat."""
        return int(api.player(state)) == self.seat

    def check_seat(self, seat: int, because: str = "") -> None:
        """Raise AgentError unless a seat is the player's own."""
        if seat != self.seat:
            own, other = self.seat.name, Seat(seat).name
            raise AgentError(f"expected {self.name!r} as {own}, the only seat that it plays, got {other}{because}")

    def search(self, state: api.GameState) -> SearchResult:
        """Return the move in an ongoing state of the player's seat; its value is not known."""
        self.check_seat(int(api.player(state)))
        return SearchResult(column_of(self._tables, state, self._places), nan, 1)


class LoadedWeights:
    """The weights of a file, and the arrays that kernels read."""

    def __init__(self, weights: ProvenWeights) -> None:
        self.weights, self.game = weights, weights.game
        self.tables: ProvenTables = tables_of(weights)


def _loaded(path: str | os.PathLike[str]) -> LoadedWeights:
    """Return the weights of a file, cached by modification time."""
    return _cached(str(path), file_stamp(path))


@lru_cache(maxsize=4)
def _cached(path: str, stamp: tuple[int, int]) -> LoadedWeights:
    return LoadedWeights(load_proven(path))


def weights_for(name: str, path: str | os.PathLike[str], game: Game) -> LoadedWeights:
    """Return the weights of a file for a game.

    Raises
    ------
    AgentError
        If the file is of another board, or no weights ship with the package.
    FileFormatError
        If the file is missing or damaged, or has another format or a newer version.
    """
    if path == SHIPPED and not SHIPPED.exists():
        raise AgentError(f"expected {name!r} with file=FILE.npz, since no proven player ships with this version")
    found = _loaded(path)
    if found.game != game:
        raise AgentError(f"expected a player of {game.spec}, got {name!r}, which plays {found.game.spec}")
    return found


def proven_player(name: str, path: str | os.PathLike[str], game: Game) -> ProvenPlayer:
    """Return the player of a file; errors as for `weights_for`."""
    return ProvenPlayer(name, weights_for(name, path, game))


def build(spec: str, game: Game, *, file: str) -> ProvenPlayer:
    """Return the player of an agent string; errors as for `weights_for`."""
    return proven_player(spec, _path_of(file), game)


def fill(table: StateTable, spec: str, *, file: str) -> Policy:
    """Return the policy over a table, which holds the states of the player's seat; errors as for `weights_for`."""
    return policy_over(weights_for(spec, _path_of(file), table.game), table, spec)


def policy_over(found: LoadedWeights, table: StateTable, name: str) -> Policy:
    """Return the policy of weights over a table, which holds the states of the player's seat."""
    own: NDArray[np.bool_] = table.player == found.weights.seat
    states = np.flatnonzero(own).astype(np.int32)
    return Policy.from_actions(table, choose_columns(found.tables, table.key[own]), name, states=states)


def _path_of(file: str) -> str | Path:
    return SHIPPED if file == _SHIPPED_NAME else file
