"""Scripted players: random, minimax, the default opponent, and the two buggy minimax players.

Each function returns weights, (E,) int64: the probability of an action is its weight divided by the sum over its state.
"""

import numpy as np

from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.weights import Tie, Weights, greedy_weights
from ttt_fast.tables import StateTable, solution_of
from ttt_fast.tables.state_table import boards_of

TOP_LEFT, TOP, TOP_RIGHT, CENTRE, RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT = 0, 1, 2, 4, 5, 6, 8


def frozen_random(table: StateTable, seed: int) -> Weights:
    """Return the player that draws one random move for each state in advance and always plays it.

    This is the seeded random opponent that Langan's report describes (section 5.2).
    """
    counts = np.diff(table.edge_start)
    draws = np.random.default_rng(seed).random(table.num_states)
    chosen_rank = np.minimum((draws * counts).astype(np.int64), np.maximum(counts - 1, 0))
    rank = np.arange(table.num_edges) - table.edge_start[table.edge_state]
    return np.asarray(rank == chosen_rank[table.edge_state], np.int64)


def minimax(table: StateTable, tie: Tie = "uniform", prefer: str = "none") -> Weights:
    """Return the player that preserves the minimax value; the defaults of the agent are in `agents.catalogue`.

    Parameters
    ----------
    table
        The game.
    tie
        Choice among equally good actions: `uniform`, or the first in the order `first`, `last` or `column-major`.
    prefer
        `none`: all actions that preserve the value are equally good (utility +1, 0, -1).  `fast`: sooner wins and later
        losses are better (utility +-(10 - marks on the final board); Smirnov).
    """
    solution = solution_of(table)
    kept = solution.fastest if prefer == "fast" else solution.optimal
    return greedy_weights(table, np.zeros(table.num_edges), kept, tie) * kept


def buggy(table: StateTable, as_coded: bool = False) -> Weights:
    """Return the first buggy minimax player by Langan (figure 5).

    It plays minimax with uniform ties, except where the opponent has the top right and the bottom right corner, and the
    cell between them is empty.  There it takes the centre if that is free, otherwise the bottom left corner, otherwise
    any cell.  As coded, the bottom left corner comes first, and then the centre.
    """
    weights = minimax(table)
    boards, opponent = boards_of(table), 3 - table.player
    triggered = (boards[:, TOP_RIGHT] == opponent) & (boards[:, BOTTOM_RIGHT] == opponent) & (boards[:, RIGHT] == 0)
    choices = (BOTTOM_LEFT, CENTRE) if as_coded else (CENTRE, BOTTOM_LEFT)
    for state in np.flatnonzero(triggered & table.decision_mask):
        edges = slice(table.edge_start[state], table.edge_start[state + 1])
        free = [cell for cell in choices if boards[state, cell] == rules.EMPTY]
        weights[edges] = table.edge_action[edges] == free[0] if free else 1
    return weights


def buggy2(table: StateTable, as_coded: bool = False) -> Weights:
    """Return the second buggy minimax player by Langan (figure 6).

    It plays minimax with uniform ties, except where it has the centre, the opponent has both corners of the right
    column, and the cell between them is empty.  There it plays any legal action.  As coded, the corners are those of
    the top row.
    """
    weights = minimax(table)
    corner, other_corner, between = (TOP_LEFT, TOP_RIGHT, TOP) if as_coded else (TOP_RIGHT, BOTTOM_RIGHT, RIGHT)
    boards, opponent = boards_of(table), 3 - table.player
    triggered = (
        (boards[:, corner] == opponent)
        & (boards[:, other_corner] == opponent)
        & (boards[:, between] == 0)
        & (boards[:, CENTRE] == table.player)
        & table.decision_mask
    )
    weights[triggered[table.edge_state]] = 1
    return weights
