"""The exact strength of an agent in a seat: a piece of work, which makes its induced table or is refused."""

import json
from collections.abc import Sequence
from contextlib import suppress

from ttt_fast import AgentError, Seat, TableSizeError, induced_table
from ttt_fast.studies.engine.tables import Row
from ttt_fast.studies.exact_connect4.cases import made

RESULTS = ("x_wins", "draws", "o_wins")


def measured(
    agent: str, training: Row, board: str, seat: str, limit: float, opponents: Sequence[str]
) -> dict[str, str]:
    """Return the strength of an agent in a seat as JSON: a piece of work.

    Parameters
    ----------
    agent, training
        The text of the agent, or else the settings of its training (`made`).
    board, seat, limit
        The game, the seat, and the largest number of positions.
    opponents
        The opponents that it meets; one that does not play the board is left out.
    """
    with made(agent, training, board) as text:
        return {"found": json.dumps(_measured(text, board, seat, limit, opponents))}


def _measured(agent: str, board: str, seat: str, limit: float, opponents: Sequence[str]) -> Row:
    try:
        induced = induced_table(agent, seat, board, max_positions=limit)
    except TableSizeError as error:
        facts = vars(error)
        so_far = facts["outcome"]
        known = {name: getattr(so_far, name) for name in RESULTS}
        plies = so_far.lengths.shape[1] - 1
        return {"status": "refused", "forecast": facts["forecast"], "plies": plies, **known}
    outcomes: dict[str, Row] = {}
    for opponent in opponents:
        with suppress(AgentError):
            found = induced.outcome(opponent)
            row = {name: getattr(found, name) for name in RESULTS}
            exact = found.fractions
            row |= {f"{name}_fraction": None if exact is None else str(getattr(exact, name)) for name in RESULTS}
            outcomes[opponent] = row | {"value": found.value_of(Seat.parse(seat))}
    return {
        "status": "exact", "positions_by_ply": induced.positions_by_ply, "outcomes": outcomes,
        "best_value": induced.best_value, "deterministic": induced.deterministic, **induced.proof(),
    }  # fmt: skip
