"""The joint policy of a match: the rows of X's policy for X to move, and those of O's policy for O to move."""

import numpy as np

from ttt_fast.core.errors import PolicyError
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.results import Seat
from ttt_fast.policies.policy import Policy


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


def join(x: Policy, o: Policy, *, random_opening: bool = False, start: int = 0) -> Policy:
    """Return the joint policy of a match: the rows of `x` for X to move, and those of `o` for O to move.

    Parameters
    ----------
    x, o
        The policies of the two seats.
    random_opening
        Whether the first move, from `start`, is drawn uniformly instead.
    start
        State index of the first board.

    Raises
    ------
    PolicyError
        If the policies play different games.
    """
    x, o = check_pair(x, o)
    table = x.table
    start = table.check_state(start)
    x_turn = table.player == api.X
    name, held = f"{x.name} v {o.name}", np.where(x_turn, x.held, o.held)
    x_edges = x_turn[table.edge_state]
    first = slice(table.edge_start[start], table.edge_start[start + 1])
    if x.edge_weights is not None and o.edge_weights is not None:
        weights = np.where(x_edges, x.edge_weights, o.edge_weights)
        if random_opening:
            weights[first] = 1
        return Policy.from_weights(table, weights, name, held=held)
    probabilities = np.where(x_edges, x.edge_probabilities, o.edge_probabilities)
    if random_opening:
        probabilities[first] = 1 / max(first.stop - first.start, 1)
    return Policy(name, table, "probabilities", frozen(probabilities), held=held)
