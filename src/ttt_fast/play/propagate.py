"""The results of any number of games at once: multinomial counts propagated down the table, ply by ply.

One multinomial draw distributes all games in a state over its actions.  The counts of the final boards have exactly the
distribution of games played one by one, at a cost independent of their number.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.policies.policy import Policy

MAX_GAMES = 10**18
"""Maximum number of games: counts are int64."""
_BLOCK = 1 << 16
"""Number of states with rows in memory at a time."""


def propagate_games(joint: Policy, games: int, generator: "np.random.Generator", start: int = 0) -> NDArray[np.int64]:
    """Draw the number of games that end in each state, (S,) int64, from the exact distribution.

    Parameters
    ----------
    joint
        The joint policy of both seats (`ttt_fast.policies.joint.join`).
    games
        Number of games, up to 10**18.
    generator
        Source of randomness; the draws are those of numpy's `multinomial`.
    start
        State index of the first board.

    Raises
    ------
    UsageError
        If the number of games does not fit.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_policy
    >>> random = as_policy("random")
    >>> counts = propagate_games(random, 10**15, np.random.default_rng(1))
    >>> int(counts.sum()) == 10**15, bool(counts[random.table.decision_mask].any())
    (True, False)
    """
    if not 0 <= games <= MAX_GAMES:
        raise UsageError(f"expected 0 to {MAX_GAMES:.0e} games, got {games}")
    table = joint.table
    counts = np.zeros(table.num_states, np.int64)
    counts[start] = games
    for ply in range(int(table.ply[start]), table.num_plies):
        level = slice(table.ply_start[ply], table.ply_start[ply + 1])
        states = np.flatnonzero((counts[level] > 0) & table.decision_mask[level]) + table.ply_start[ply]
        for first in range(0, states.size, _BLOCK):  # the draws are those of all states at once
            _split(joint, states[first : first + _BLOCK], counts, generator)
    return counts


def _split(
    joint: Policy, states: NDArray[np.int64], counts: NDArray[np.int64], generator: "np.random.Generator"
) -> None:
    """Propagate the games in some states of a ply to the children of these states."""
    rows, after = _rows_of(joint, states)
    # numpy gives what rounding leaves over to the last column: put the illegal actions in front of it.
    order = np.argsort(rows, axis=1, kind="stable")
    split = generator.multinomial(counts[states], _stochastic(np.take_along_axis(rows, order, axis=1)))
    children = np.take_along_axis(after, order, axis=1)
    drawn = split > 0
    np.add.at(counts, children[drawn], split[drawn])
    counts[states] = 0


def _rows_of(joint: Policy, states: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the probabilities and children of some states, both (N, A); 0 and -1 for illegal actions."""
    table = joint.table
    first, end = table.edge_start[states], table.edge_start[states + 1]
    edges = np.arange(table.num_actions) + first[:, None]
    real = edges < end[:, None]
    edges, row = edges[real], np.nonzero(real)[0]
    rows = np.zeros((states.size, table.num_actions))
    after = np.full((states.size, table.num_actions), -1, np.int32)
    rows[row, table.edge_action[edges]] = joint.edge_probabilities[edges]
    after[row, table.edge_action[edges]] = table.edge_child[edges]
    return rows, after


def _stochastic(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows whose partial sums stay at or below 1, as numpy requires."""
    scaled: NDArray[np.float64] = rows / np.maximum(rows.sum(axis=1, keepdims=True), 1.0)
    return scaled
