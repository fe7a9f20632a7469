"""Policies as exact integer weights: the choice among equally good actions, and mixtures sampled at every move.

A mixture has weights only if these fit into 64 bits.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.tables.block import Block

MAX_WEIGHT = 2**59
"""Limit on weights; with more than fifteen actions it is less, so that the sum over a state is less than 2**63."""
Weights = NDArray[np.int64]
"""Integers for the legal actions, (E,) int64: a probability is a weight divided by the sum over its state."""
Tie = str | Sequence[int]
"""A rule for ties: `uniform`, `first`, `last`, `column-major`, or a permutation of the actions."""
TIE_NAMES = ("uniform", "first", "last", "column-major")


def greedy_weights(table: Block, values: NDArray[np.float64], choices: NDArray[np.bool_], tie: Tie) -> Weights:
    """Return the weights of the player that takes the best of its choices.

    Parameters
    ----------
    table
        The game.
    values
        (E,) float64, finite where `choices` is set.
    choices
        Edges to choose from, (E,) bool; at least one in every decision state.
    tie
        As in `Policy.from_values`.

    Returns
    -------
    (E,) int64
        Weights; the probability of an action is its weight divided by the sum over its state.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> weights = greedy_weights(table, np.arange(16167) % 3.0, np.ones(16167, bool), "last")
    >>> weights[:9]
    array([0, 0, 0, 0, 0, 0, 0, 0, 1])
    """
    masked = np.where(choices, values, -np.inf)
    best = choices & (masked == table.row_max(masked)[table.edge_state])
    if isinstance(tie, str) and tie == "uniform":
        return np.asarray(best, np.int64)
    rank = np.argsort(tie_order(tie, table.game))[table.edge_action]
    preferred = np.where(best, -rank, -table.num_actions - 1)
    return np.asarray(best & (preferred == table.row_max(preferred)[table.edge_state]), np.int64)


def tie_order(tie: Tie, game: Game) -> tuple[int, ...]:
    """Return the order in which equally good actions are tried.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> tie_order("last", parse_game("tic-tac-toe"))
    (8, 7, 6, 5, 4, 3, 2, 1, 0)
    """
    num_actions, (_, *shape) = game.num_actions, api.observation_shape(game.initial_state)
    named = {"first": range(num_actions), "last": range(num_actions - 1, -1, -1)}
    if num_actions == 9 and shape == [3, 3]:  # langan's order of the cells of a square, rotated
        named["column-major"] = (0, 3, 6, 1, 4, 7, 2, 5, 8)  # type: ignore[assignment]
    order = tuple(named.get(tie, ())) if isinstance(tie, str) else tuple(tie)
    if len(order) != num_actions or set(order) != set(range(num_actions)):
        names = ", ".join(["uniform", *named])
        raise PolicyError(
            f"expected one of {names}, or a list of all {num_actions} actions, as the order of ties, got {tie!r}"
        )
    return order


def mixture(table: Block, parts: Sequence[tuple[Fraction, Weights | None]]) -> Weights | None:
    """Return the weights of the policy that follows part i with probability p_i at every move.

    Parameters
    ----------
    table
        The game.
    parts
        Pairs of a probability and the weights of a policy; None for a policy known as floats only.  The probabilities
        must sum to 1.

    Returns
    -------
    (E,) int64 or None
        None if a policy is known as floats only, or if the common denominators do not fit into 64 bits.
    """
    weights = [one for _, one in parts if one is not None]
    if len(weights) < len(parts):
        return None
    sums = [np.maximum(table.row_sums(one), 1) for one in weights]
    common = [lcm(*row) for row in zip(*(column.tolist() for column in sums), strict=True)]
    scale = lcm(*(share.denominator for share, _ in parts))
    if max(common) * scale >= MAX_WEIGHT:
        return None
    row_lcm = np.array(common)
    total = np.zeros(table.num_edges, np.int64)
    for (share, _), one, row_sum in zip(parts, weights, sums, strict=True):
        total += int(share * scale) * (row_lcm // row_sum)[table.edge_state] * one
    return total


def reduced(table: Block, weights: Weights) -> Weights:
    """Return the smallest integers in the same proportions, (E,) int64."""
    divisors = np.gcd.reduceat(weights, table.edge_start[:-1][table.decision_mask])
    rows = np.ones(table.num_states, np.int64)
    rows[table.decision_mask] = np.maximum(divisors, 1)
    return weights // rows[table.edge_state]


def explored_edges(table: Block, weights: Weights, epsilon: Fraction | float) -> NDArray[Any]:
    """Mix the policy given by `weights`, (E,), with uniformly random legal actions, played with probability `epsilon`.

    The value of `epsilon` is exact: 0.1 is 1/10.  The result is int64 weights if these fit into 64 bits, otherwise
    float64 probabilities.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> explored_edges(table, (table.edge_action == 4).astype(np.int64), 0.1)[:9]
    array([ 1,  1,  1,  1, 82,  1,  1,  1,  1])
    """
    share = epsilon if isinstance(epsilon, Fraction) else Fraction(str(float(epsilon)))
    parts = [(1 - share, weights), (share, np.ones(table.num_edges, np.int64))]
    mixed = mixture(table, parts)
    if mixed is not None:
        return reduced(table, mixed)
    probabilities = np.zeros(table.num_edges)
    for part, one in parts:
        probabilities += float(part) * (one / table.to_edges(table.row_sums(one)))
    return probabilities
