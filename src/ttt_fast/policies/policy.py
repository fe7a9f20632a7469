"""The policy: a probability for every legal action in every state of a game, exact if it is stored as fractions."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import PolicyError
from ttt_fast.core.plain import frozen
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.policies.edge_checks import (
    Mask,
    checked_held,
    checked_probabilities,
    checked_weights,
    edge_array,
    refuse_edges,
    refuse_states,
)
from ttt_fast.policies.views import CHANCES, CHOICE, UNIFORM, Moves, PolicyView
from ttt_fast.policies.weights import Tie, explored_edges, greedy_weights
from ttt_fast.tables import StateTable, table_of
from ttt_fast.tables.block import Block

Form = Literal["uniform", "choice", "weights", "probabilities"]
_NO_CHANCES, _NO_ACTIONS = frozen(np.zeros(0)), frozen(np.zeros(0, np.uint8))


@dataclass(frozen=True, eq=False, repr=False)
class Policy(PolicyView):
    """A probability for every legal action in every state, for both seats.

    Policies are created with `uniform`, `from_dict`, `from_actions`, `from_values`, `from_weights` or
    `from_probabilities`.  These check the input once for all kernels.  Policies that differ only in name are equal.

    Attributes
    ----------
    name
        Agent string, or any label.
    block
        The states: those of a `table`, or some states of a game.
    form
        Storage format: `uniform` (no array), `choice`, `weights` or `probabilities`.
    stored
        By format: None; (S,) uint8 actions; (E,) unsigned integers, proportional to the probabilities within each
        state; or (E,) float64 probabilities.
    held : (S,) bool
        Domain of the policy: the states for which it was made (for a learned table, the visited states).  Agreement is
        measured over these states.
    values : (E,) float64
        The learned values from which the policy was read, for pages; None if there are none, or the table is large.

    Examples
    --------
    >>> policy = Policy.uniform("tic-tac-toe")
    >>> policy["XO.XO...."]
    {2: 0.2, 5: 0.2, 6: 0.2, 7: 0.2, 8: 0.2}
    >>> policy.sample("XO.XO....", seed=1) in (2, 5, 6, 7, 8), policy == policy.renamed("another")
    (True, True)
    """

    name: str
    block: Block = field(repr=False)
    form: Form
    stored: NDArray[Any] | None
    held: Mask = field(kw_only=True)
    values: NDArray[np.float64] | None = field(default=None, kw_only=True)

    @classmethod
    def over(cls, block: Block, name: str, form: Form, stored: NDArray[Any] | None, held: Mask) -> "Policy":
        """Return a policy over a block of states or a table from its parts, which are not checked."""
        return cls(name, _states(block), form, None if stored is None else frozen(stored), held=frozen(held))

    @classmethod
    def uniform(cls, table: Block | Game | str, name: str = "random") -> "Policy":
        """Return the uniformly random policy.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> Policy.uniform(table_of("tic-tac-toe"))
        <Policy random of tic-tac-toe: uniform, holds 4,520 of 4,520 states>
        """
        table = _states(table)
        return cls(name, table, "uniform", None, held=table.decision_mask)

    @classmethod
    def from_probabilities(
        cls, table: Block | Game | str, probabilities: ArrayLike, name: str = "array", *, held: Mask | None = None
    ) -> "Policy":
        """Return a policy from probabilities: an (S, A) array, or (E,) for the legal actions only.

        Raises
        ------
        PolicyError
            If the shape is wrong, an entry is negative or not finite, or an illegal action has a positive probability.
            Also if the sum of a row is not 1 within 1e-4.  Otherwise the row is divided by it.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> table = table_of("tic-tac-toe")
        >>> uniform = table.legal_action_mask / np.maximum(table.legal_action_mask.sum(axis=1), 1)[:, None]
        >>> Policy.from_probabilities(table, uniform, "mine").probabilities[0, 0]
        np.float64(0.1111111111111111)
        """
        table = _states(table)
        edges = checked_probabilities(table, probabilities, name)
        return cls(name, table, "probabilities", frozen(edges), held=checked_held(held, table))

    @classmethod
    def from_weights(
        cls, table: Block | Game | str, weights: ArrayLike, name: str = "weights", *, held: Mask | None = None
    ) -> "Policy":
        """Return a policy from non-negative integers, (S, A) or (E,): each row in exact proportion.

        Raises
        ------
        PolicyError
            If the shape is wrong, an entry is negative, an illegal action has weight, or the row of a decision state is
            zero.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> table = table_of("tic-tac-toe")
        >>> Policy.from_weights(table, table.legal_action_mask, "random").probabilities[0, 0]
        np.float64(0.1111111111111111)
        """
        table = _states(table)
        edges = checked_weights(table, weights, name)
        smallest = np.min_scalar_type(int(edges.max(initial=0)))
        return cls(name, table, "weights", frozen(edges.astype(smallest)), held=checked_held(held, table))

    @classmethod
    def from_actions(
        cls,
        table: Block | Game | str,
        actions: ArrayLike,
        name: str = "actions",
        *,
        held: Mask | None = None,
        states: NDArray[np.int32] | None = None,
    ) -> "Policy":
        """Return the deterministic policy that plays `actions` ((S,) integers; terminal entries are ignored).

        With `states`, (N,) indices, the domain is these states, and `actions` is (N,).

        Raises
        ------
        PolicyError
            If the shape is wrong, or an action is not legal.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> table = table_of("tic-tac-toe")
        >>> Policy.from_actions(table, table.legal_action_mask.argmax(axis=1), "first").probabilities[0, :2]
        array([1., 0.])
        """
        table, chosen = _states(table), np.asarray(actions)
        count = table.num_states if states is None else states.size
        if (got := chosen.shape) != (count,) or chosen.dtype.kind not in "iu":
            raise PolicyError(f"policy {name!r}: expected {count} integer actions, got shape {got} of {chosen.dtype}")
        if states is not None:
            any_edge = np.minimum(table.edge_start[:-1], table.num_edges - 1)
            rows = table.edge_action[any_edge].astype(np.int64)
            rows[states] = chosen
            chosen, held = rows, np.isin(np.arange(table.num_states), states)
        wrong = table.decision_mask & (table.row_sums(table.edge_action == table.to_edges(chosen)) == 0)
        if wrong.any():
            first, end = table.edge_start[int(wrong.argmax()) :][:2].tolist()
            wanted = f"a legal action of {', '.join(map(str, table.edge_action[first:end].tolist()))}"
            refuse_states(table, name, wanted, wrong, chosen)
        played = np.where(table.decision_mask, chosen, 0).astype(np.uint8)
        return cls(name, table, "choice", frozen(played), held=checked_held(held, table))

    @classmethod
    def from_values(
        cls,
        table: Block | Game | str,
        values: ArrayLike,
        name: str = "greedy",
        *,
        held: Mask | None = None,
        tie: Tie = "first",
        epsilon: Fraction | float = 0,
    ) -> "Policy":
        """Return the greedy policy for some values, with a uniformly random action with probability `epsilon`.

        Parameters
        ----------
        table, name
            The game, and the name of the policy.
        values
            Values for the player to move: (S, A), or (E,) for the legal actions only.
        held : (S,) bool
            States with known values (default: all).  In other states all legal actions count as equally good.
        tie
            Choice among equally good actions: the `first`, the `last`, the first in the order `column-major` (of nine
            cells) or in a permutation of the actions; or `uniform`, each of them with equal probability.
        epsilon
            Probability of a uniformly random legal action, which may be the greedy one.  It is exact: 0.1 is 1/10.

        Raises
        ------
        PolicyError
            If the shape is wrong, the value of a legal action is not finite, or `tie` or `epsilon` is invalid.

        Examples
        --------
        >>> q_table = np.zeros((5478, 9))
        >>> q_table[0, [4, 8]] = 0.5
        >>> Policy.from_values("tic-tac-toe", q_table, tie="uniform").probabilities[0]
        array([0. , 0. , 0. , 0. , 0.5, 0. , 0. , 0. , 0.5])
        >>> Policy.from_values("tic-tac-toe", q_table, tie="last", epsilon=0.1).weights[0]
        array([ 1,  1,  1,  1,  1,  1,  1,  1, 82])
        """
        table = _states(table)
        if not (isinstance(epsilon, Fraction | float | int) and 0 <= epsilon <= 1):
            raise PolicyError(f"policy {name!r}: expected an epsilon from 0 to 1, got {epsilon!r}")
        known = checked_held(held, table)[table.edge_state]
        edges = np.where(known, edge_array(table, values, name, np.dtype(np.float64)), 0.0)
        refuse_edges(table, name, "finite values", lambda part: ~np.isfinite(part), edges)
        weights = greedy_weights(table, edges, np.ones(table.num_edges, np.bool_), tie)
        if epsilon:
            explored = explored_edges(table, weights, epsilon)
            if explored.dtype.kind == "f":
                return cls.from_probabilities(table, explored, name, held=held)
            weights = explored
        return cls.from_weights(table, weights, name, held=held)

    @classmethod
    def from_dict(
        cls, table: StateTable | Game | str, moves: Mapping[str, int | Mapping[int, float]], name: str = "dict"
    ) -> "Policy":
        """Return the policy given by a dictionary; in other states it is uniform, and these are outside its domain.

        Parameters
        ----------
        table
            The game.
        moves
            For each board, as text, an action, or the probabilities of some actions.
        name
            The name of the policy.

        Raises
        ------
        BoardError
            If a key is not a board of the game.
        PolicyError
            If an action is not legal, or probabilities do not sum to 1.

        Examples
        --------
        >>> mine = Policy.from_dict("tic-tac-toe", {".........": 4, "X...O....": {8: 0.5, 2: 0.5}}, "mine")
        >>> mine, mine["X...O...."][8]
        (<Policy mine of tic-tac-toe: probabilities, holds 2 of 4,520 states>, 0.5)
        """
        table = table_of(table)
        edges, held = Policy.uniform(table).edge_probabilities.copy(), np.zeros(table.num_states, np.bool_)
        for board, said in moves.items():
            state = table.state_index(board)
            first, end = table.edge_start[state : state + 2].tolist()
            legal = table.edge_action[first:end].tolist()
            chances = dict(said) if isinstance(said, Mapping) else {said: 1.0}
            if not set(chances) <= set(legal):
                wanted = f"actions of {', '.join(map(str, legal))}" if legal else "no move after the end"
                raise PolicyError(f"policy {name!r}: expected {wanted} at {board!r}, got {shown(said)}")
            edges[first:end] = [chances.get(action, 0.0) for action in legal]
            held[state] = True
        return cls.from_probabilities(table, edges, name, held=held)

    def __eq__(self, other: object) -> bool:
        """Return whether another policy has the same game, domain and probabilities."""
        if not isinstance(other, Policy):
            return NotImplemented
        if self.block is not other.block or not np.array_equal(self.held, other.held):
            return False
        own, others = self.block_probabilities, other.block_probabilities
        return all(np.array_equal(own(*part), others(*part)) for part in self.block.blocks())

    def __hash__(self) -> int:
        """Return a hash of properties that equal policies share, with the probabilities of the first states."""
        states = min(64, self.block.num_states)
        first = slice(0, states), slice(0, int(self.block.edge_start[states]))
        return hash((id(self.block), int(self.held.sum()), self.block_probabilities(*first).tobytes()))

    def __reduce__(self) -> tuple[object, ...]:
        """Return the pickled form: the fields without the values; the arrays of a copy are read-only too."""
        return _restored, (self.name, self.block, self.form, self.stored, self.held)

    def __repr__(self) -> str:
        """Return a one-line summary."""
        held, decisions = int(self.held.sum()), int(self.block.decision_mask.sum())
        spec = self.block.game.spec
        return f"<Policy {self.name} of {spec}: {self.form}, holds {held:,} of {decisions:,} states>"

    @cached_property
    def edge_weights(self) -> NDArray[np.int64] | None:
        """Integers proportional to the probabilities of each state, (E,) int64; None if known as floats only."""
        if self.form == "uniform":
            return frozen(np.ones(self.block.num_edges, np.int64))
        if self.form == "probabilities" or self.stored is None:
            return None
        if self.form == "choice":
            is_chosen: NDArray[np.bool_] = self.block.edge_action == self.block.to_edges(self.stored)
            return frozen(is_chosen.astype(np.int64))
        return frozen(self.stored.astype(np.int64))

    @cached_property
    def edge_probabilities(self) -> NDArray[np.float64]:
        """Probability of each legal action, (E,) float64."""
        if self.form == "probabilities":
            assert self.stored is not None
            return self.stored
        weights = self.stored if self.form == "weights" else self.edge_weights
        assert weights is not None
        return frozen(weights / self.block.to_edges(self.block.row_sums(weights)))

    @cached_property
    def best_values(self) -> dict[tuple[int, bool], float]:
        """The best values against this policy that are known so far (`best_response.best_value`)."""
        return {}

    @cached_property
    def moves(self) -> Moves:
        """The form read by kernels, with an array of probabilities only if no smaller form suffices."""
        if self.stored is None:
            return Moves(UNIFORM, _NO_CHANCES, _NO_ACTIONS)
        if self.form == "choice":
            return Moves(CHOICE, _NO_CHANCES, self.stored)
        return Moves(CHANCES, self.edge_probabilities, _NO_ACTIONS)

    def block_probabilities(self, states: slice, edges: slice) -> NDArray[np.float64]:
        """Return the probabilities for a slice of states and their edges (`StateTable.blocks`), float64."""
        if self.form in ("weights", "probabilities"):
            return self.edge_probabilities[edges]
        table = self.block
        if self.stored is None:
            counts = np.diff(table.edge_start[states.start : states.stop + 1])
            return np.repeat(1 / np.maximum(counts, 1), counts)
        chosen: Mask = table.edge_action[edges] == table.to_edges(self.stored[states], states)
        return chosen.astype(np.float64)

    @property
    def support(self) -> Mask:
        """Support of the policy: the legal actions with positive probability, (E,) bool."""
        if self.stored is None:
            return np.ones(self.block.num_edges, np.bool_)
        if self.form == "choice":
            return np.asarray(self.block.edge_action == self.block.to_edges(self.stored))
        return np.asarray(self.stored > 0)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Dense probabilities, for display and small games, (S, A) float64; 0 for illegal actions."""
        return frozen(self.block.dense(self.edge_probabilities))

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """Dense exact integer weights, (S, A) int64; None if the policy is known as floats only."""
        return None if self.edge_weights is None else frozen(self.block.dense(self.edge_weights))

    @property
    def signature(self) -> str:
        """The name and a hash of the probabilities, which identify a policy made in Python in a training configuration.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> Policy.uniform(table_of("tic-tac-toe"), "mine").signature[:13]
        'mine#3408b644'
        """
        numbers = self.probabilities if self.table.is_narrow else self.edge_probabilities
        return f"{self.name}#{hashlib.sha256(numbers.tobytes()).hexdigest()}"

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities are known as fractions."""
        return self.form != "probabilities"

    def renamed(self, name: str) -> "Policy":
        """Return the same policy with another name."""
        return replace(self, name=name)

    def greedy_actions(self) -> NDArray[np.uint8]:
        """Return the most probable action of each state, the lowest of equal ones, (S,) uint8; 0 in terminal states."""
        return np.where(self.block.decision_mask, self.block.edge_action[self.greedy_edges()], np.uint8(0))

    def greedy_edges(self) -> NDArray[np.int32]:
        """Return the edge of each state's most probable action, the first on ties, (S,) int32; 0 in terminal states."""
        values = self.support if self.form in ("uniform", "choice") else self.edge_probabilities
        return self.block.first_best_edges(values)


def _states(table: Block | Game | str) -> Block:
    """Return the table of a game; a block is returned unchanged."""
    return table if isinstance(table, Block) else table_of(table)


def _restored(name: str, block: Block, form: Form, stored: NDArray[Any] | None, held: Mask) -> Policy:
    """Return an unpickled policy."""
    return Policy(name, block, form, None if stored is None else frozen(stored), held=held)


def check_pair(x: Policy, o: Policy) -> tuple[Policy, Policy]:
    """Return the policies that play X and O; warn (`UnlearnedSeatWarning`) if a policy has no state of its seat.

    Raises
    ------
    PolicyError
        If the policies play different games.
    """
    if x.table is not o.table:
        raise PolicyError(
            f"expected two policies for the same game, got {x.name!r} for {x.table.game.spec!r} and"
            f" {o.name!r} for {o.table.game.spec!r}"
        )
    return x.for_seat(Seat.X), o.for_seat(Seat.O)
