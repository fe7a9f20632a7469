"""Read access to a policy: its form in kernels, the probabilities at a board, sampling, frames, notebook output."""

import warnings
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import whole_number
from ttt_fast.core.errors import BoardError, PolicyError, UnlearnedSeatWarning
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.results import Seat
from ttt_fast.tables import StateTable
from ttt_fast.tables.block import Block

if TYPE_CHECKING:
    import polars as pl

    from ttt_fast.games.board import Note

CHANCES: Final = 0
CHOICE: Final = 1
UNIFORM: Final = 2
"""Codes of the forms of a policy in kernels."""
Board = str | int | GameState
"""A board as text, its state index, or its state."""


class Moves(NamedTuple):
    """The form of a policy in kernels: uniform and deterministic policies need no array of probabilities.

    Attributes
    ----------
    form
        CHANCES, CHOICE or UNIFORM, which selects the array to be read, if any; the others are empty.
    probabilities : (E,) float64
        Probability of each legal action; in arithmetic modulo a prime (E,) int64.
    actions : (S,) uint8
        Action in each decision state.
    """

    form: int
    probabilities: NDArray[np.float64] | NDArray[np.int64]
    actions: NDArray[np.uint8]


class PolicyView:
    """The part of a policy that only reads its table and its probabilities."""

    block: Block
    name: str
    held: NDArray[np.bool_]

    def block_probabilities(self, states: slice, edges: slice) -> NDArray[np.float64]:
        """Return the probabilities for a slice of states and their edges."""
        raise NotImplementedError

    def seats_held(self) -> str:
        """Return the seats with states in the policy's domain: 'x', 'o', 'xo' or ''."""
        return self._seats_held

    @property
    def table(self) -> StateTable:
        """The game, S states with E legal actions in all.

        Raises
        ------
        PolicyError
            If the policy is one of some states only.
        """
        if isinstance(self.block, StateTable):
            return self.block
        raise PolicyError(
            f"expected a policy over the table of {self.block.game.spec}, got {self.name!r} in some states"
        )

    @cached_property
    def _seats_held(self) -> str:
        player, blocks = self.block.player, [states for states, _ in self.block.blocks()]
        return "".join(
            seat.text for seat in Seat if any((self.held[one] & (player[one] == seat)).any() for one in blocks)
        )

    def holds_seat(self, seat: int) -> bool:
        """Return whether the policy's domain has a state of a seat, 1 (X) or 2 (O), or the game has no such state.

        Examples
        --------
        >>> import ttt_fast
        >>> [ttt_fast.Policy.from_dict("tic-tac-toe", {".........": 4}).holds_seat(seat) for seat in (1, 2)]
        [True, False]
        """
        return Seat(seat).text in self.seats_held() or not bool((self.block.player == seat).any())

    def for_seat(self, seat: int, because: str = "") -> Self:
        """Return the policy for use in a seat; warn (`UnlearnedSeatWarning`) if its domain has no state of the seat."""
        if not self.holds_seat(seat):
            name = Seat(seat).text.upper()
            message = f"policy {self.name!r} has no moves for {name}: expected one that has learned this seat{because}"
            warnings.warn(message, UnlearnedSeatWarning, stacklevel=3)
        return self

    def __getitem__(self, board: Board) -> dict[int, float]:
        """Return the probability of each legal action at a board; empty if the game is over.

        Raises
        ------
        UsageError
            If the argument is neither a board of the game (BoardError) nor a state index.
        """
        table, state = self.table, self._state_of(board)
        first, end = table.edge_start[state : state + 2].tolist()
        chances = self.block_probabilities(slice(state, state + 1), slice(first, end)).tolist()
        return dict(zip(table.edge_action[first:end].tolist(), chances, strict=True))

    # Quoted, since NumPy imports its random numbers only when they are named, which takes 9 ms.
    def sample(self, board: Board, seed: "int | np.random.Generator | None" = None) -> int:
        """Return an action sampled at a board.

        Parameters
        ----------
        board
            A board as text, its state index, or its state.
        seed
            A seed, or a random generator; by default, fresh entropy at each call.

        Raises
        ------
        UsageError
            If the game is over at the board, or the argument is not a board of the game.

        Examples
        --------
        >>> import ttt_fast
        >>> ttt_fast.as_policy("minimax").sample("XX.OO....", seed=0)
        2
        """
        row = self[board]
        if not row:
            raise BoardError(f"expected a board on which the game is not over, got {board!r}")
        weights = np.array(list(row.values()))
        seed = whole_number(seed, "the seed", 0) if isinstance(seed, int) else seed
        return int(np.random.default_rng(seed).choice(list(row), p=weights / weights.sum()))

    def to_frame(self) -> "pl.DataFrame":
        """Return a frame with a row for each legal action: state_index, board, player, action, probability.

        Examples
        --------
        >>> import ttt_fast
        >>> ttt_fast.as_policy("random", "tic-tac-toe").to_frame().row(0)
        (0, '.........', 'x', 0, 0.1111111111111111)
        """
        import polars as pl  # 0.1 s that most callers do not need

        table = self.table
        states = np.flatnonzero(table.decision_mask)
        boards = pl.DataFrame(
            {
                "state_index": states.astype(np.int32),
                "board": [table.board(state) for state in states.tolist()],
                "player": ["xo"[player - 1] for player in table.player[states].tolist()],
            }
        )
        edges = pl.DataFrame(
            {
                "state_index": table.edge_state,
                "action": table.edge_action,
                "probability": self.block_probabilities(slice(0, table.num_states), slice(0, table.num_edges)),
            }
        )
        return boards.join(edges, on="state_index", how="left", maintain_order="left_right")

    def _first_held(self) -> tuple[GameState, dict[int, "Note"]]:
        """Return the first state of the domain with the probability of each move as notes."""
        state = int(self.held.argmax())
        notes = {action: (f"{chance:.3f}", chance, False) for action, chance in self[state].items()}
        return self.table.state(state), notes

    def _repr_html_(self) -> str:
        """Return a line and the first board of the domain with the probability of each move, for notebooks."""
        from ttt_fast.games.board_svg import board_html  # only notebooks draw

        (state, notes), game = self._first_held(), self.table.game
        return f"<p>{escape(repr(self))}</p>" + board_html(game.board(state), game.spec, notes)

    def _repr_svg_(self) -> str | None:
        """Return the picture of `_repr_html_`; None if the game has no board of cells."""
        state, notes = self._first_held()
        return api.svg(state, notes=notes)

    def _state_of(self, board: Board) -> int:
        """Return the state index of a board."""
        if isinstance(board, str):
            return self.table.state_index(board)
        if isinstance(board, tuple):
            return self.table.check_state(self.table.index_of(board))
        return self.table.check_state(board)
