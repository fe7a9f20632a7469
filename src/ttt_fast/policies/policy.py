"""The policy: a row-stochastic array, with its exact fractions where it has them."""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast._checks import shown
from ttt_fast.errors import PolicyError
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.tables import StateTable, standard_table

ROW_SUM_TOLERANCE = 1e-9
MAX_WEIGHT = 2**59
"""Nine of them still fit into 64 bits."""


@dataclass(frozen=True, eq=False)
class Policy:
    """A probability for every action in every state, for both seats.

    Make one with `Policy.from_probabilities`, `Policy.from_weights` or `Policy.from_actions`, which check it
    once; kernels trust it from then on.

    Attributes
    ----------
    name
        Its agent string, or any label.
    probabilities : (S, A) float64
        Rows of decision states sum to 1, rows of terminal states are 0; no mass on illegal actions.
    weights : (S, A) int64 or None
        The same rows as integers, exactly: probability = weight / sum of the row.  None when the policy is
        known as floats only.
    held : (S,) bool
        States for which the policy was made (a learned table holds those that it has seen); agreement is
        counted over them.
    """

    name: str
    probabilities: NDArray[np.float64]
    weights: NDArray[np.int64] | None = field(repr=False, default=None)
    held: NDArray[np.bool_] = field(repr=False, kw_only=True)

    @classmethod
    def from_probabilities(
        cls,
        probabilities: ArrayLike,
        name: str = "array",
        *,
        held: NDArray[np.bool_] | None = None,
        table: StateTable | None = None,
    ) -> "Policy":
        """Return a policy from an (S, A) array of probabilities.

        Raises
        ------
        PolicyError
            If the shape is wrong, an entry is negative or not finite, an illegal action has mass, or the row
            of a decision state does not sum to 1 (within 1e-9).

        Examples
        --------
        >>> table = standard_table()
        >>> uniform = table.legal_action_mask / np.maximum(table.legal_action_mask.sum(axis=1), 1)[:, None]
        >>> Policy.from_probabilities(uniform, "mine").probabilities[0, 0]
        np.float64(0.1111111111111111)
        """
        table = table or standard_table()
        array = _checked_array(probabilities, name, table, np.dtype(np.float64))
        sums = array.sum(axis=1)
        bad = np.flatnonzero(table.decision_mask & (np.abs(sums - 1.0) > ROW_SUM_TOLERANCE))
        if bad.size:
            board, total = table.board(bad[0]), float(sums[bad[0]])
            raise PolicyError(f"policy {name!r}: expected rows that sum to 1, got {total!r} at {board!r}")
        return cls(name, array, held=_checked_held(held, table))

    @classmethod
    def from_weights(
        cls,
        weights: ArrayLike,
        name: str = "weights",
        *,
        held: NDArray[np.bool_] | None = None,
        table: StateTable | None = None,
    ) -> "Policy":
        """Return a policy from (S, A) non-negative integers: each row in proportion, exactly.

        Raises
        ------
        PolicyError
            If the shape is wrong, an entry is negative, an illegal action has weight, or the row of a
            decision state is all zero.

        Examples
        --------
        >>> Policy.from_weights(standard_table().legal_action_mask, "random").probabilities[0, 0]
        np.float64(0.1111111111111111)
        """
        table = table or standard_table()
        array = _checked_array(weights, name, table, np.dtype(np.int64))
        if int(array.max(initial=0)) > MAX_WEIGHT:
            raise PolicyError(f"policy {name!r}: expected weights up to {MAX_WEIGHT}, got {int(array.max())}")
        sums = array.sum(axis=1)
        bad = np.flatnonzero(table.decision_mask & (sums <= 0))
        if bad.size:
            raise PolicyError(f"policy {name!r}: expected a move at {table.board(bad[0])!r}, got only zeros")
        probabilities = array / np.maximum(sums, 1)[:, None]
        probabilities.flags.writeable = False
        return cls(name, probabilities, array, held=_checked_held(held, table))

    @classmethod
    def from_actions(
        cls,
        actions: ArrayLike,
        name: str = "actions",
        *,
        held: NDArray[np.bool_] | None = None,
        table: StateTable | None = None,
    ) -> "Policy":
        """Return the deterministic policy that plays `actions` ((S,) integers; terminal entries are ignored).

        Examples
        --------
        >>> first_legal = standard_table().legal_action_mask.argmax(axis=1)
        >>> Policy.from_actions(first_legal, "first").probabilities[0, :2]
        array([1., 0.])
        """
        table = table or standard_table()
        chosen = np.asarray(actions)
        if chosen.shape != (table.num_states,) or chosen.dtype.kind not in "iu":
            raise PolicyError(
                f"policy {name!r}: expected {table.num_states} integer actions, got shape {chosen.shape}"
                f" of {chosen.dtype}"
            )
        states = np.flatnonzero(table.decision_mask)
        bad = states[(chosen[states] < 0) | (chosen[states] >= table.num_actions)]
        if bad.size:
            raise PolicyError(
                f"policy {name!r}: expected an action 0 to {table.num_actions - 1} at"
                f" {table.board(bad[0])!r}, got {int(chosen[bad[0]])}"
            )
        weights = np.zeros(table.child.shape, np.int64)
        weights[states, chosen[states]] = 1
        return cls.from_weights(weights, name, held=held, table=table)

    def check_fits(self, table: StateTable) -> None:
        """Raise PolicyError unless the policy is one for the states of `table`."""
        if self.probabilities.shape != table.child.shape:
            raise PolicyError(
                f"policy {self.name!r}: expected one of shape {table.child.shape}, got {self.probabilities.shape}"
            )

    @property
    def is_exact(self) -> bool:
        """Whether the policy knows its probabilities as fractions."""
        return self.weights is not None

    @property
    def signature(self) -> str:
        """The name and a hash of what the policy does: how a training configuration names one made in Python.

        Examples
        --------
        >>> Policy.from_weights(standard_table().legal_action_mask, "mine").signature[:13]
        'mine#3408b644'
        """
        return f"{self.name}#{hashlib.sha256(self.probabilities.tobytes()).hexdigest()}"

    def renamed(self, name: str) -> "Policy":
        """Return the same policy under another name."""
        return replace(self, name=name)

    def greedy_actions(self) -> NDArray[np.int64]:
        """Return the most probable action of each state, the lowest one on ties, (S,) int64."""
        actions: NDArray[np.int64] = self.probabilities.argmax(axis=1)
        return actions

    def seats_held(self, table: StateTable | None = None) -> str:
        """Return the seats for which the policy holds states: 'x', 'o', 'xo' or ''."""
        table = table or standard_table()
        players = ((rules.X, "x"), (rules.O, "o"))
        return "".join(seat for player, seat in players if bool((self.held & (table.player == player)).any()))


def check_policy(policy: object, table: StateTable) -> Policy:
    """Return what must be a policy for the states of a table.

    Raises
    ------
    PolicyError
        If it is another thing, or a policy for the states of another table.
    """
    if isinstance(policy, str):
        raise PolicyError(f"expected a policy, got {shown(policy)}; parse_agent({shown(policy)}) makes one")
    if not isinstance(policy, Policy):
        raise PolicyError(f"expected a policy, got {shown(policy)}")
    policy.check_fits(table)
    return policy


def join(
    x: Policy, o: Policy, table: StateTable | None = None, *, random_opening: bool = False, start: int = 0
) -> Policy:
    """Return the joint policy of a match: `x`'s rows where X is to move, `o`'s rows where O is.

    Parameters
    ----------
    x, o
        The policies of the two seats.
    table
        The game, ordinary tic-tac-toe unless told.
    random_opening
        Whether the first move, from `start`, is drawn uniformly instead.
    start
        State index of the first board.
    """
    table = table or standard_table()
    x, o = check_policy(x, table), check_policy(o, table)
    x_turn = (table.player == rules.X)[:, None]
    name = f"{x.name} v {o.name}"
    held = np.where(x_turn[:, 0], x.held, o.held)
    if x.weights is not None and o.weights is not None:
        weights = np.where(x_turn, x.weights, o.weights)
        if random_opening:
            weights[start] = table.legal_action_mask[start]
        return Policy.from_weights(weights, name, held=held, table=table)
    probabilities = np.where(x_turn, x.probabilities, o.probabilities)
    if random_opening:
        legal = table.legal_action_mask[start]
        probabilities[start] = legal / max(int(legal.sum()), 1)
    probabilities.flags.writeable = False
    return Policy(name, probabilities, held=held)


def _checked_array(values: ArrayLike, name: str, table: StateTable, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a read-only contiguous copy after the checks that floats and integers share."""
    given = np.asarray(values)
    if given.shape != table.child.shape:
        raise PolicyError(f"policy {name!r}: expected an array of shape {table.child.shape}, got {given.shape}")
    kinds = "fiub" if dtype.kind == "f" else "iub"
    if given.dtype.kind not in kinds:
        raise PolicyError(f"policy {name!r}: expected an array of {dtype}, got {given.dtype}")
    array = np.array(given, dtype, order="C")
    if dtype.kind == "f" and not np.isfinite(array).all():
        raise PolicyError(f"policy {name!r}: expected finite probabilities, got nan or infinity")
    if (array < 0).any():
        state, action = np.argwhere(array < 0)[0]
        raise PolicyError(
            f"policy {name!r}: expected no negative entry, got {array[state, action]} for action {action} at"
            f" {table.board(state)!r}"
        )
    illegal = np.argwhere((array != 0) & ~table.legal_action_mask)
    if illegal.size:
        state, action = illegal[0]
        raise PolicyError(
            f"policy {name!r}: expected no mass on illegal actions, got {array[state, action]} for action"
            f" {action} at {table.board(state)!r}"
        )
    array.flags.writeable = False
    return array


def _checked_held(held: NDArray[np.bool_] | None, table: StateTable) -> NDArray[np.bool_]:
    if held is None:
        return table.decision_mask
    if held.shape != (table.num_states,):
        raise PolicyError(f"expected a mask of {table.num_states} held states, got shape {held.shape}")
    return held & table.decision_mask
