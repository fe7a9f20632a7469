"""The scripted players: random, minimax, the default opponent, and the two buggy minimax players.

Each function returns (S, A) int64 weights: the probability of an action is its weight over the sum of its row.
"""

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import AgentError
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.tables import Solution, StateTable

Weights = NDArray[np.int64]

TIE_ORDERS: dict[str, tuple[int, ...]] = {
    "first": tuple(range(9)),
    "last": tuple(range(8, -1, -1)),
    "column-major": (0, 3, 6, 1, 4, 7, 2, 5, 8),
}
"""Orders in which a deterministic player tries cells that are equally good."""

TOP_LEFT, TOP, TOP_RIGHT, CENTRE, RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT = 0, 1, 2, 4, 5, 6, 8


def uniform_random(table: StateTable) -> Weights:
    """Return the player that draws uniformly from the legal actions."""
    return table.legal_action_mask.astype(np.int64)


def frozen_random(table: StateTable, seed: int) -> Weights:
    """Return the player that drew one random move for each state, once, and always plays it.

    This is the seeded random opponent that Langan's report describes (section 5.2).
    """
    counts = table.legal_action_mask.sum(axis=1)
    draws = np.random.default_rng(seed).random(table.num_states)
    chosen_rank = np.minimum((draws * counts).astype(np.int64), np.maximum(counts - 1, 0))
    rank = table.legal_action_mask.cumsum(axis=1) - 1
    chosen: Weights = (table.legal_action_mask & (rank == chosen_rank[:, None])).astype(np.int64)
    return chosen


def first_of(mask: NDArray[np.bool_], tie: str) -> Weights:
    """Return the player that takes the first action of `mask` in the order `tie`, or any of them (uniform)."""
    if tie == "uniform":
        return mask.astype(np.int64)
    order = np.array(TIE_ORDERS[tie])
    chosen = order[mask[:, order].argmax(axis=1)]
    weights = np.zeros(mask.shape, np.int64)
    weights[np.arange(mask.shape[0]), chosen] = 1
    return weights * mask


def minimax(table: StateTable, solution: Solution, tie: str = "uniform", prefer: str = "none") -> Weights:
    """Return the player that keeps the minimax value.

    Parameters
    ----------
    table, solution
        The game.
    tie
        Among equally good actions: `uniform`, or the first in the order `first`, `last` or `column-major`.
    prefer
        `none`: any action that keeps the value is equally good (utility +1, 0, -1).  `fast`: wins sooner and
        loses later (utility +-(10 - marks on the final board); Smirnov).
    """
    mask = solution.fastest_action_mask(table) if prefer == "fast" else solution.optimal_action_mask
    return first_of(mask, tie)


def completing_cells(table: StateTable, player: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return the empty cells with which `player` ((S,) marks) would complete a line, (S, A) bool."""
    own = table.boards == player[:, None]
    empty = table.boards == rules.EMPTY
    cells = np.zeros(table.boards.shape, np.bool_)
    for line in rules.LINES:
        for cell in line:
            others = [other for other in line if other != cell]
            cells[:, cell] |= empty[:, cell] & own[:, others].all(axis=1)
    return cells & table.decision_mask[:, None]


def default_opponent(table: StateTable, skill: Fraction = Fraction(1)) -> Weights:
    """Return Sai's default opponent: win if it can, else block, else move at random.

    Parameters
    ----------
    table
        The game.
    skill
        The chance that it notices a win, and, if it took none, the chance that it notices a block: 1 as the
        report says, 1/100 as the published program plays.  Of several such cells it takes the first in
        row-major order.
    """
    if not 0 <= skill <= 1:
        raise AgentError(f"expected a skill from 0 to 1, got {str(skill)!r}")
    wins = first_of(completing_cells(table, table.player), "first")
    blocks = first_of(completing_cells(table, (3 - table.player).astype(np.int8)), "first")
    can_win, can_block = wins.any(axis=1), blocks.any(axis=1)
    p, q = skill.numerator, skill.denominator
    # All rows over the common denominator q * q * n, where n is the number of legal actions.
    legal = table.legal_action_mask.astype(np.int64)
    n = legal.sum(axis=1)
    take_win = np.where(can_win, p * q, 0)
    take_block = np.where(can_block, (q * q - take_win) * p // q, 0)
    at_random = q * q - take_win - take_block
    weights = (take_win * n)[:, None] * wins + (take_block * n)[:, None] * blocks + at_random[:, None] * legal
    reduced: Weights = weights // np.maximum(np.gcd.reduce(weights, axis=1), 1)[:, None]
    return reduced


def buggy(table: StateTable, solution: Solution, as_coded: bool = False) -> Weights:
    """Return Langan's first buggy minimax player (figure 5).

    It plays minimax with uniform ties, except where the opponent holds the top right and the bottom right
    corner and the cell between them is empty.  Then it takes the centre if that is free, else the bottom left
    corner, else any cell (as coded: the bottom left corner first, then the centre).
    """
    weights = minimax(table, solution)
    boards, opponent = table.boards, 3 - table.player
    triggered = (boards[:, TOP_RIGHT] == opponent) & (boards[:, BOTTOM_RIGHT] == opponent) & (boards[:, RIGHT] == 0)
    choices = (BOTTOM_LEFT, CENTRE) if as_coded else (CENTRE, BOTTOM_LEFT)
    for state in np.flatnonzero(triggered & table.decision_mask):
        free = [cell for cell in choices if boards[state, cell] == rules.EMPTY]
        weights[state] = 0
        weights[state, free[:1]] = 1
        if not free:
            weights[state] = table.legal_action_mask[state]
    return weights


def buggy2(table: StateTable, solution: Solution, as_coded: bool = False) -> Weights:
    """Return Langan's second buggy minimax player (figure 6).

    It plays minimax with uniform ties, with one exception: it holds the centre, the opponent holds both corners of
    the right column (as coded: of the top row) and the cell between them is empty.  Then any cell will do.
    """
    weights = minimax(table, solution)
    corner, other_corner, between = (TOP_LEFT, TOP_RIGHT, TOP) if as_coded else (TOP_RIGHT, BOTTOM_RIGHT, RIGHT)
    boards, opponent = table.boards, 3 - table.player
    triggered = (
        (boards[:, corner] == opponent)
        & (boards[:, other_corner] == opponent)
        & (boards[:, between] == 0)
        & (boards[:, CENTRE] == table.player)
        & table.decision_mask
    )
    weights[triggered] = table.legal_action_mask[triggered]
    return weights


def mixture(parts: list[tuple[Fraction, Weights]]) -> Weights | None:
    """Return the player that, at every move, follows part i with probability p_i (the p_i sum to 1).

    Returns None where the common denominators do not fit into 64 bits.
    """
    sums = [np.maximum(weights.sum(axis=1), 1) for _, weights in parts]
    common = [lcm(*row) for row in zip(*(column.tolist() for column in sums), strict=True)]
    scale = lcm(*(share.denominator for share, _ in parts))
    if max(common) * scale >= 2**59:
        return None
    row_lcm = np.array(common)
    total = np.zeros_like(parts[0][1])
    for (share, weights), row_sum in zip(parts, sums, strict=True):
        total += int(share * scale) * (row_lcm // row_sum)[:, None] * weights
    return total
