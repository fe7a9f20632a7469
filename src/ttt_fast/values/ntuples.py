"""N-tuple tables of Connect 4: random tuples of connected cells, their weights, and the value of a board.

The method is that of M. Thill, P. Koch and W. Konen, "Reinforcement learning with n-tuples on the game Connect-4" (PPSN
2012): tuples are random walks over neighbouring cells, a cell has four values, and mirror images share a table.  They
use 70 tuples of 8 cells with a table for each player to move, as do the defaults here.  `ntuple_tables` describes how a
board is represented.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec
from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import TableSizeError, UsageError
from ttt_fast.core.jit import python_function
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import Stream, below, chunk_stream
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.game import N_TUPLES, Game
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, table_of
from ttt_fast.tables.block import Block
from ttt_fast.values.api import Learned, Packed, TableValues, check_hash
from ttt_fast.values.choice import TIES
from ttt_fast.values.ntuple_evaluator import NTupleEvaluator, ntuple_evaluator
from ttt_fast.values.ntuple_tables import (
    UNIT,
    NTupleTables,
    fill_choices,
    fill_edge_values,
    make_sums,
    set_level,
    squash,
)
from ttt_fast.values.one_ply import OnePlyMover

CELL_VALUES: Final = 4
MAX_WEIGHTS: Final = 1 << 28
"""Largest number of weights (1 GiB of int32)."""
_NEIGHBOURS = [(across, up) for across in (-1, 0, 1) for up in (-1, 0, 1) if across or up]


@dataclass(frozen=True)
class NTuples:
    """The settings of n-tuple tables, which decide their tuples.

    Attributes
    ----------
    number
        Number of tuples, T.
    cells
        Number of cells of a tuple, N.
    tables
        2: a table for each player to move; 1: one table from the view of the player to move, with colours swapped.
    seed
        Seed of the tuples.

    Examples
    --------
    >>> NTuples(number=2, cells=3).draw(columns=4, rows=4)
    [(1, 2, 8), (12, 18, 17)]
    """

    number: int = 70
    cells: int = 8
    tables: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the settings."""
        for name, low, high in (("number", 1, 1000), ("cells", 1, 12), ("tables", 1, 2), ("seed", 0, 2**63)):
            value = getattr(self, name)
            if not isinstance(value, int) or not low <= value <= high:
                raise UsageError(f"expected {name} of n-tuples from {low} to {high}, got {value!r}")
        if self.num_weights > MAX_WEIGHTS:
            raise TableSizeError(
                f"expected n-tuples of at most {4 * MAX_WEIGHTS:,} bytes, got {4 * self.num_weights:,}:"
                f" {self.tables} * {self.number} tables of 4**{self.cells} weights"
            )

    @property
    def num_weights(self) -> int:
        """Weights of all tables."""
        return int(self.tables * self.number * CELL_VALUES**self.cells)

    def draw(self, columns: int, rows: int) -> list[tuple[int, ...]]:
        """Return the tuples of a board: random walks over cells that touch, in the order of their first visits.

        A cell is its bit in a state, `column * (rows + 1) + row`.

        Raises
        ------
        UsageError
            If the board has fewer cells than a tuple.
        """
        if columns * rows < self.cells:
            raise UsageError(f"expected n-tuples of at most {columns * rows} cells on this board, got {self.cells!r}")
        words, tuples = Stream(chunk_stream(self.seed)), []
        for _ in range(self.number):
            column, row = int(below(words.word(), columns)), int(below(words.word(), rows))
            walk = [(column, row)]
            while len(walk) < self.cells:
                steps = [(column + across, row + up) for across, up in _NEIGHBOURS]
                steps = [(c, r) for c, r in steps if 0 <= c < columns and 0 <= r < rows]
                column, row = steps[int(below(words.word(), len(steps)))]
                if (column, row) not in walk:
                    walk.append((column, row))
            tuples.append(tuple(c * (rows + 1) + r for c, r in walk))
        return tuples


def check_game(game: Game) -> ConnectFourState:
    """Return the initial state of a game, or raise UsageError unless it is Connect 4."""
    if game.kind.features != N_TUPLES:
        raise UsageError(f"expected connect4 for n-tuples, got {game.spec!r}")
    return ConnectFourState(*game.initial_state)


def _steps(tuples: list[tuple[int, ...]], columns: int, rows: int) -> list[dict[int, NDArray[np.int32]]]:
    """Return by cell the changes of a stone to the places of images: own stones, the other player's, by image.

    The digit of the cell is 1 before and 2 or 3 after; that of the cell above is 0 before and 1 after.
    """
    added: list[dict[int, NDArray[np.int32]]] = [{} for _ in range(columns * (rows + 1))]
    for image in range(2 * len(tuples)):
        for place, cell in enumerate(tuples[image // 2]):
            column, row = divmod(cell, rows + 1)
            bit = (columns - 1 - column if image % 2 else column) * (rows + 1) + row
            for stone, steps in ((bit, (1, 2)), (bit - 1, (1, 1)))[: 1 + (row > 0)]:
                here = added[stone].setdefault(image, np.zeros(2, np.int32))
                here += np.multiply(steps, CELL_VALUES**place)
    return added


def make_tables(settings: NTuples, game: Game, weights: NDArray[np.int32] | None = None) -> NTupleTables:
    """Return the tables of a game's board.

    Parameters
    ----------
    settings
        Number and size of the tuples, and their seed.
    game
        Connect 4 of any size.
    weights : (num_weights,) int32
        The weights, used as they are (default: all 0).

    Raises
    ------
    UsageError
        If the game is not Connect 4, or its board is too small.
    """
    state = check_game(game)
    columns, size = int(state.bottom).bit_count(), CELL_VALUES**settings.cells
    tuples = settings.draw(columns, state.rows)
    added = _steps(tuples, columns, state.rows)
    steps = np.array([both for images in added for both in images.values()], np.int32)
    feet = [sum(CELL_VALUES**i for i, cell in enumerate(one) if cell % (state.rows + 1) == 0) for one in tuples]
    return NTupleTables(
        weights=np.zeros(settings.num_weights, np.int32) if weights is None else weights,
        start=(np.arange(2 * len(tuples)) // 2 * size + np.repeat(feet, 2)).astype(np.int32),
        first=np.cumsum([0, *map(len, added)]).astype(np.int32),
        images=np.array([image for images in added for image in images], np.int32),
        steps=np.ascontiguousarray(steps.T).ravel(),
        turn=settings.number * size if settings.tables == 2 else 0,
    )


class NTupleValues(TableValues):
    """Values of Connect 4 boards by n-tuple tables, one kind of learned values.

    Parameters
    ----------
    settings
        Number and size of the tuples, and their seed.
    game
        Connect 4 of any size.
    weights : (W,) int32
        The weights, updated in place by learners (default: all 0).
    coherent
        Whether steps are those of temporal coherence.
    errors : (2 * W,) float32
        The data of each weight for such steps (`algorithms.td.kernels`) during a run; otherwise empty (default).
    has_table
        Whether the table of the game has been built, so that the values make a policy.

    Examples
    --------
    >>> game = parse_game("connect4:columns=5,rows=4")
    >>> values = NTupleValues(NTuples(number=10, cells=4), game)
    >>> moves = values.mover(Learned((game,), "first", True, values))
    >>> values.value(game.state_after("33")), moves.action_values(game.state_after("121212"))
    (0.0, {0: 1.0, 1: 0.0, 2: 0.0, 3: 0.0, 4: 0.0})
    """

    form: ClassVar[str] = "n-tuples"
    max_bytes: ClassVar[int] = 16 << 30
    is_evaluation: ClassVar[bool] = True
    has_policies: ClassVar[bool] = True

    def __init__(
        self,
        settings: NTuples,
        game: Game,
        weights: NDArray[np.int32] | None = None,
        coherent: bool = False,
        errors: NDArray[np.float32] | None = None,
        has_table: bool = False,
    ) -> None:
        self.settings, self.game, self.coherent, self.has_table = settings, game, coherent, has_table
        self.tables = make_tables(settings, game, weights)
        self.errors = np.zeros(0, np.float32) if errors is None else errors

    @classmethod
    def specs(cls, meta: JsonObject, table: StateTable | None, is_run: bool) -> Mapping[str, ArraySpec]:
        """Return the arrays of a file."""
        most = NTuples(**meta["tuples"]).num_weights
        return {
            "steps": ArraySpec("uint32", (-1,), most),
            "weights": ArraySpec("int32", (-1,), most),
            "errors": ArraySpec("float32", (-1, -1), 2 * most),
        }

    def to_arrays(self) -> Packed:
        """Return the arrays of a file, with the weights that have been used, and their description."""
        weights, errors = self.tables.weights, self.errors.reshape(-1, 2)
        used = np.flatnonzero(errors[:, 1] if len(errors) else weights).astype(np.uint32)
        kept = errors[used] if len(errors) else np.zeros((used.size, 0), np.float32)
        arrays = {"steps": np.diff(used, prepend=np.uint32(0)), "weights": weights[used], "errors": kept}
        described = {
            "tuples": asdict(self.settings),
            "coherent": self.coherent,
            "game": self.game.spec,
            "sha256": self.sha256(),
        }
        if self.has_table:
            return arrays | {"q_table": self.q, "held": self.held}, described | self.table.file_meta
        return arrays, described

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: JsonObject, table: StateTable | None) -> Self:
        """Return the values of a file; raise ValueError unless they are intact."""
        settings, used = NTuples(**meta["tuples"]), np.cumsum(arrays["steps"], dtype=np.uint64)
        coherent, width = bool(meta["coherent"]), arrays["errors"].shape[1]
        if {len(arrays["weights"]), len(arrays["errors"])} != {used.size} or width not in (0, 2 * coherent):
            raise ValueError("the shapes of the arrays do not match")
        if (used[1:] <= used[:-1]).any() or (used >= settings.num_weights).any():
            raise ValueError("the indices of the weights are not sorted, or are too large")
        if not np.isfinite(arrays["errors"]).all():
            raise ValueError("an error sum of a weight is not finite")
        weights, errors = np.zeros(settings.num_weights, np.int32), np.zeros((settings.num_weights, width), np.float32)
        weights[used], errors[used] = arrays["weights"], arrays["errors"]
        values = cls(settings, parse_game(str(meta["game"])), weights, coherent, errors.ravel(), table is not None)
        check_hash(values, meta)
        return values

    @property
    def memory_bytes(self) -> int:
        """Bytes of the weights, and of the data about them."""
        return int(self.tables.weights.nbytes + self.errors.nbytes)

    @property
    def can_go_on(self) -> bool:
        """Whether the arrays are present from which a run continues."""
        return not self.coherent or self.errors.size > 0

    def sizes(self) -> dict[str, int]:
        """Return the number of weights, the number of nonzero weights, and the bytes of the arrays."""
        used = int(np.count_nonzero(self.tables.weights))
        return {"weights": self.tables.weights.size, "used_weights": used, "memory_bytes": self.memory_bytes}

    def sha256(self) -> str:
        """Return the hash of the weights: equal bits, equal hash."""
        return hashlib.sha256(self.tables.weights.data).hexdigest()

    def begun_from(self, learned: Self) -> Self:
        """Return the first values of a run with learned weights."""
        weights, own = learned.tables.weights.copy(), self.errors.copy()
        return type(self)(self.settings, self.game, weights, self.coherent, own, self.has_table)

    def is_like(self, other: Self) -> bool:
        """Return whether these are values of the same game by the same tuples, for the same kind of steps."""
        parts = [(one.game, one.settings, one.coherent, one.has_table) for one in (self, other)]
        return parts[0] == parts[1]

    def copy(self, *, complete: bool = False) -> Self:
        """Return a copy, without the errors if the run is complete."""
        errors = None if complete else self.errors.copy()
        weights = self.tables.weights.copy()
        return type(self)(self.settings, self.game, weights, self.coherent, errors, self.has_table)

    def value(self, state: api.GameState) -> float:
        """Return the value of an ongoing state for its player to move, from -1 to 1."""
        sums = make_sums(self.tables, 1)
        set_level(self.tables, sums, as_int(0), ConnectFourState(*state))
        return float(squash(sums.totals[api.ply(state) & 1] * UNIT))

    def mover(self, play: Learned) -> OnePlyMover:
        """Return new moves by these values, for one thread."""
        return OnePlyMover(self.evaluator(), play, python_function(squash))

    def evaluator(self) -> NTupleEvaluator:
        """Return a new evaluator of a search, for one thread; all threads share the weights."""
        return ntuple_evaluator(self.tables, self.game)

    def policy_in(self, block: Block, name: str, tie: str, epsilon: Fraction) -> Policy:
        """Return the policy in the states of a block, with a share of random moves."""
        if tie != "random" and not epsilon:
            return Policy.from_actions(block, self.choices(block.key, tie), name)
        rule = "uniform" if tie == "random" else tie
        return Policy.from_values(block, self.edge_values(block), name, tie=rule, epsilon=epsilon)

    def choices(self, keys: NDArray[np.uint64], tie: str) -> NDArray[np.uint8]:
        """Return the action of the highest value in some ongoing states, (N,) uint8; `tie` is not `random`."""
        actions, work = np.empty(keys.size, np.uint8), make_sums(self.tables, 1)
        fill_choices(self.tables, work, check_game(self.game), frozen(keys.view()), TIES[tie], actions)
        return actions

    def edge_values(self, table: Block) -> NDArray[np.float64]:
        """Return the values of all legal actions of a table of this game, (E,) float64."""
        values = np.zeros(table.num_edges)
        work = self.tables, make_sums(self.tables, 1), check_game(self.game)
        fill_edge_values(*work, table.key, table.edge_start, values)
        return values

    @property
    def table(self) -> StateTable:
        """The states of the game, if it has a table."""
        return table_of(self.game)

    @property
    def q(self) -> NDArray[np.float64]:
        """The values of all actions of the game's table, (E,) float64."""
        return self.edge_values(self.table)

    @property
    def held(self) -> NDArray[np.bool_]:
        """The states with values, (S,) bool: all ongoing states."""
        return np.diff(self.table.edge_start) > 0
