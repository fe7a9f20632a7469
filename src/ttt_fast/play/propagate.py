"""The results of any number of games at once: multinomial counts sent down the table, ply by ply.

One multinomial draw splits all games in a state over its actions.  The counts of the final boards have
exactly the distribution of games that are played one by one, at a cost that does not depend on their
number.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable

MAX_GAMES = 10**18
"""Counts are int64."""


def propagate_games(
    joint: Policy, games: int, generator: np.random.Generator, table: StateTable, start: int
) -> NDArray[np.int64]:
    """Return how many of `games` games end in each state, (S,) int64, one draw from the exact distribution.

    Parameters
    ----------
    joint
        The joint policy of both seats (`ttt_fast.policies.policy.join`).
    games
        Number of games, up to 10**18.
    generator
        Source of randomness; the draws are those of numpy's `multinomial`.
    table
        The game.
    start
        State index of the first board.

    Raises
    ------
    UsageError
        If the number of games does not fit.

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> from ttt_fast.tables import standard_table
    >>> counts = propagate_games(
    ...     parse_agent("random"), 10**15, np.random.default_rng(1), standard_table(), start=0
    ... )
    >>> int(counts.sum()) == 10**15, bool(counts[standard_table().decision_mask].any())
    (True, False)
    """
    if not 0 <= games <= MAX_GAMES:
        raise UsageError(f"expected 0 to {MAX_GAMES:.0e} games, got {games}")
    counts = np.zeros(table.num_states, np.int64)
    counts[start] = games
    for ply in range(int(table.ply[start]), int(table.ply.max())):
        states = np.flatnonzero((counts > 0) & (table.ply == ply) & table.decision_mask)
        if not states.size:
            continue
        rows = joint.probabilities[states]
        # numpy gives what rounding leaves over to the last column: put the illegal actions in front of it.
        order = np.argsort(rows, axis=1, kind="stable")
        split = generator.multinomial(counts[states], _stochastic(np.take_along_axis(rows, order, axis=1)))
        children = np.take_along_axis(table.child[states], order, axis=1)
        drawn = split > 0
        np.add.at(counts, children[drawn], split[drawn])
        counts[states] = 0
    return counts


def _stochastic(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows whose partial sums stay at or below 1, as numpy requires."""
    scaled: NDArray[np.float64] = rows / np.maximum(rows.sum(axis=1, keepdims=True), 1.0)
    return scaled
