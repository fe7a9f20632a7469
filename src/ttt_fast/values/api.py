"""The interfaces of learned values of any kind: the functions of kernels, and the members that a run requires.

Values are stored in rows of columns.  By action, a row is a state and a column one of its actions; by board, a row is a
board with a single column.  A kind is a NamedTuple of arrays.  Its module implements the functions with
`@implements(find_row, ItsRows)`, as games implement those of `games.api`.  A kernel is compiled once for each kind.

For a run, a kind is a class with the members of `LearnedValues`, an entry in `values.files.FORMS`, and a branch in
`algorithms.learner.first_values`, which makes the values before the first episode.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import MAX_FILE_BYTES, ArraySpec
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.rng import Stream
from ttt_fast.games import api
from ttt_fast.games.api import implementation
from ttt_fast.games.game import Game
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.block import Block
from ttt_fast.values.evaluators import Evaluator

ValueRows = tuple[object, ...]
"""A kind of rows: a NamedTuple of arrays, for whose type the functions are implemented."""
Packed = tuple[dict[str, NDArray[np.generic]], JsonObject]
"""The arrays of values in a file, and its description of them."""


def has_room(rows: ValueRows, more: int) -> bool:
    """Return whether `more` rows can be inserted."""
    return implementation(has_room, rows)(rows, more)


def row_key(rows: ValueRows, state: int | np.int64 | api.GameState) -> np.uint64:
    """Return the key of the row of a state."""
    return implementation(row_key, rows)(rows, state)


def find_row(rows: ValueRows, key: np.uint64) -> np.uint64:
    """Return the place of a row, or the place where it would be inserted."""
    return implementation(find_row, rows)(rows, key)


def insert_row(rows: ValueRows, place: np.uint64, key: np.uint64) -> np.uint64:
    """Return the place of a row that `find_row` located at `place`; insert it if it is missing."""
    return implementation(insert_row, rows)(rows, place, key)


def value_at(rows: ValueRows, place: np.uint64, column: int, table: int) -> float:
    """Return a value of a row in the first (0) or second (1) table; the initial value if the row is missing."""
    return implementation(value_at, rows)(rows, place, column, table)


def fill_scores(
    rows: ValueRows, place: np.uint64, columns: NDArray[np.uint8], count: int, tie: int, scores: NDArray[np.float64]
) -> float:
    """Fill `scores` with the values of `count` columns, over all tables, in tie order; return the highest."""
    return implementation(fill_scores, rows)(rows, place, columns, count, tie, scores)


def update_value(
    rows: ValueRows, place: np.uint64, column: int, table: int, target: float, alpha: float, visit_power: float
) -> float:
    """Move a value of an existing row towards a target, count the update, and return the new value.

    The step is `alpha` or, if `visit_power` is not 0, n ** -visit_power at the n-th update of the column.
    """
    move = implementation(update_value, rows)
    return move(rows, place, column, table, target, alpha, visit_power)


class Mover(Protocol):
    """The greedy moves by learned values, for one thread."""

    def choose(self, state: api.GameState, words: Stream) -> tuple[int, float, int]:
        """Return the action of the highest value in an ongoing state, its value, and the number of legal actions.

        The random words choose between equal values if the tie rule is `random`.
        """

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the value of each legal action that is known, in units of the rewards."""


class StoredValues(Protocol):
    """Values of one kind: arrays, the file that stores them, and moves by them.

    Attributes
    ----------
    form
        The name of the kind in files.
    max_bytes
        Largest size of a file, packed or unpacked; the file of a table may be larger if the table requires it.
    is_compressed
        Whether a file is compressed.
    is_evaluation
        Whether the values estimate the results of positions, so that a search can use their `evaluator`.
    has_policies
        Whether `policy_in` computes the moves in many states at once; several threads may call it.
    """

    form: ClassVar[str]
    max_bytes: ClassVar[int] = MAX_FILE_BYTES
    is_compressed: ClassVar[bool] = True
    is_evaluation: ClassVar[bool] = False
    has_policies: ClassVar[bool] = False

    @classmethod
    def specs(cls, meta: JsonObject, table: StateTable | None, is_run: bool) -> Mapping[str, ArraySpec]:
        """Return the arrays of a file, by its description, except those that `values.files` adds for a table.

        Parameters
        ----------
        meta
            The description.
        table
            The table of its game; None for values without one.
        is_run
            Whether to read the arrays from which a run continues.
        """

    def to_arrays(self) -> Packed:
        """Return the arrays of a file, and their description without the form."""

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: JsonObject, table: StateTable | None) -> Self:
        """Return the values of a file; raise ValueError, KeyError or TypeError unless they are intact."""

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays."""

    @property
    def seat(self) -> int:
        """The only seat in which the values move; 0 if they move in both."""
        return 0

    def mover(self, play: "Learned") -> Mover:
        """Return new moves by these values, for one thread; raises TypeError if the values only make a policy."""
        raise TypeError(f"expected learned values that a player can use, got values of the form {self.form!r}")

    @property
    def are_probabilities(self) -> bool:
        """Whether the values are those of a network with a policy and a value, its `heads`."""
        return False

    def heads(self, table: StateTable, threads: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return probabilities, (E,), and values, (S,), of all states, if `are_probabilities`."""
        raise TypeError(f"expected a network with a policy and a value, got values of the form {self.form!r}")

    def evaluator(self) -> Evaluator:
        """Return a new evaluator of a search, for one thread, if `is_evaluation`."""
        raise TypeError(f"expected learned values that evaluate positions, got values of the form {self.form!r}")

    def policy_in(self, block: Block, name: str, tie: str, epsilon: Fraction) -> Policy:
        """Return the policy in the states of a block, with a share of random moves, if `has_policies`."""
        raise TypeError(f"expected learned values that make policies, got values of the form {self.form!r}")


class LearnedValues(StoredValues, Protocol):
    """Learned values of a run.

    Attributes
    ----------
    grows
        Whether learning updates the values in place, in memory that grows with the states visited.  Such a run checks
        its memory before every chunk, and is saved less often.
    """

    grows: ClassVar[bool] = False

    @property
    def run_bytes(self) -> int:
        """Bytes that a run needs for the values and its checkpoints, if the values do not grow."""
        return 2 * self.memory_bytes

    @property
    def run_shapes(self) -> Mapping[str, tuple[str, tuple[int, ...]]]:
        """Type and shape of the further arrays of a run, by name."""
        return {}

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

    def begun_from(self, learned: Self) -> Self:
        """Return the first values of a run, of which these are the usual ones, with the numbers of learned values.

        Arrays that only an unfinished run needs are new ones.
        """
        return learned


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


class Learned(NamedTuple):
    """Learned values, and how they are played.

    Attributes
    ----------
    games
        The games on which the values were learned.
    tie, by_board
        The tie rule of play, and whether the values are those of boards.
    values
        The values.
    """

    games: tuple[Game, ...]
    tie: str
    by_board: bool
    values: StoredValues

    @property
    def game(self) -> Game:
        """The first of the games."""
        return self.games[0]

    @property
    def game_names(self) -> str:
        """The games in words."""
        return " and ".join(game.spec for game in self.games)


def check_hash(values: LearnedValues, meta: JsonObject) -> None:
    """Raise ValueError unless values match the hash in a description."""
    if values.sha256() != meta["sha256"]:
        raise ValueError("the hash of the values does not match")
