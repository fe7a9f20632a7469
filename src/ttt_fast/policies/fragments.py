"""Policies over fragments, from policies over tables that have their states."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.policies.policy import Form, Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import NO_STATE


def edges_of(table: StateTable, states: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the edges of some states of a table, state by state."""
    first = table.edge_start[states].astype(np.int64)
    counts = table.edge_start[states + 1] - first
    return np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))


def restricted_policy(policy: Policy, fragment: StateTable) -> Policy:
    """Return a policy over the states of a fragment, all of one ply, from that over a table with all of them.

    Raises
    ------
    PolicyError
        If the policy is of another game, or of an induced table without one of the states.
    """
    table, name = policy.table, policy.name
    if table.game != fragment.game:
        raise PolicyError(f"expected a policy for {fragment.game.spec}, got {name!r} for {table.game.spec}")
    ply = np.full(fragment.num_states, api.ply(fragment.state(0)) if fragment.num_states else 0)
    states = table.indices_of(fragment.key, ply)
    for place in np.flatnonzero(states == NO_STATE)[:1].tolist():
        raise PolicyError(f"policy {name!r}: expected a policy over {fragment.board(place)!r}, got one without it")
    held = policy.held[states]
    if policy.form == "choice" and policy.stored is not None:
        return Policy(name, fragment, "choice", frozen(policy.stored[states]), held=held)
    if policy.stored is None and table.fixed is None:
        return Policy(name, fragment, "uniform", None, held=held)
    edges = edges_of(table, states)  # of an induced table: the moves that remain, which may be a part of the legal ones
    numbers = np.ones(edges.size, np.uint8) if policy.stored is None else policy.stored[edges]
    rows = np.zeros((states.size, table.num_actions), numbers.dtype)
    counts = table.edge_start[states + 1] - table.edge_start[states]
    rows[np.repeat(np.arange(states.size), counts), table.edge_action[edges]] = numbers
    form: Form = "weights" if policy.stored is None else policy.form
    return Policy(name, fragment, form, frozen(fragment.of_edges(rows)), held=held)
