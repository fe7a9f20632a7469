"""Rows of the commands that compare policies: exact results, samples, and their agreement."""

from collections.abc import Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.exact_result import RESULTS, ExactResult, exact_result
from ttt_fast.evaluate.strength import regret
from ttt_fast.games import api
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, count_paths, solution_of

if TYPE_CHECKING:
    from ttt_fast.play.results import SeatResult

STATUS_NAMES = ("ongoing", "x_wins", "o_wins", "draw")
RESULT_NAMES = ("X wins", "draws", "O wins")
_LONGEST_FRACTION = 24  # characters that are still worth reading


def exact_row(truth: ExactResult) -> dict[str, Any]:
    """Return the row of `ttt-fast exact`."""
    return {
        "x": truth.x,
        "o": truth.o,
        **truth.columns(),
        "value": truth.outcome.value,
        **truth.fraction_columns(),
        **{f"plies_{length}": share for length, share in truth.length_shares()},
        "plies_by_result": {
            name: {length: float(share) for length, share in enumerate(truth.outcome.lengths[index]) if share > 0}
            for index, name in enumerate(RESULTS)
        },
    }


def outcome_rows(truth: ExactResult, seat: "SeatResult | None" = None) -> list[dict[str, Any]]:
    """Return the table for a person: a row for each result, exact value first, then the sample."""
    rows = []
    sample = {} if seat is None else seat.row()
    fractions = [text if text and len(text) <= _LONGEST_FRACTION else "" for text in truth.fraction_columns().values()]
    for name, title, fraction in zip(RESULTS, RESULT_NAMES, fractions, strict=True):
        row: dict[str, Any] = {"result": title, "exact": getattr(truth.outcome, name)}
        if any(fractions):
            row["fraction"] = fraction
        if seat is not None:
            low, high = sample[f"{name}_low"], sample[f"{name}_high"]
            digits = 6 if high <= low else min(15, max(6, 1 - floor(log10(high - low))))
            row["games"] = sample[name]
            row["share"] = sample[name] / seat.games if seat.games else None
            row["95 % interval"] = f"{low:.{digits}f} to {high:.{digits}f}" if low > 0 else f"0 to {high:.2g}"
            row["z"] = f"{sample[f'{name}_z']:+.2f}"
        rows.append(row)
    return rows


def length_rows(truth: ExactResult, seat: "SeatResult | None" = None) -> list[dict[str, Any]]:
    """Return the distribution of game length: a row a length, split by result, exact and sampled."""
    rows = []
    for length, share in truth.length_shares():
        row: dict[str, Any] = {"plies": length, "exact": share}
        for index, title in enumerate(RESULT_NAMES):
            row[title] = float(truth.outcome.lengths[index, length])
        if seat is not None and seat.games:
            count = int(seat.lengths[:, length].sum()) if length < seat.lengths.shape[1] else 0
            row["games"], row["share"] = count, count / seat.games
        rows.append(row)
    return rows


def state_rows(table: StateTable, num_classes_by_ply: Sequence[int]) -> list[dict[str, Any]]:
    """Return the rows of `ttt-fast states`: counts by ply and outcome, perft, classes; the last (no ply) sums up."""
    paths = count_paths(table)
    rows: list[dict[str, Any]] = []
    counted = {
        "states": table.ply >= 0,
        "x_to_move": table.player == api.X,
        "o_to_move": table.player == api.O,
        "x_wins": table.status == api.X_WINS,
        "draws": table.status == api.DRAW,
        "o_wins": table.status == api.O_WINS,
    }
    for ply in range(table.num_plies + 1):
        here = table.ply == ply
        row = {"ply": ply, **{name: int((here & chosen).sum()) for name, chosen in counted.items()}}
        row |= {"classes": num_classes_by_ply[ply], "perft": int(paths[here].sum())}
        rows.append({**row, "games": int(paths[here & ~table.decision_mask].sum())})
    total = {key: sum(row[key] for row in rows) for key in rows[0]}
    return [*rows, total | {"ply": None, "perft": None}]


def reach_rows(truth: ExactResult, which: str) -> list[dict[str, Any]]:
    """Return the boards that a match can reach, the most probable first: `final` boards only, or `all`."""
    if which not in ("final", "all"):
        raise UsageError(f"expected boards of final or all, got {which!r}")
    table, reach = truth.table, truth.outcome.reach
    wanted = (reach > 0) & (~table.decision_mask if which == "final" else True)
    states = np.flatnonzero(wanted)
    return [
        {
            "state": int(state),
            "board": table.board(int(state)),
            "ply": int(table.ply[state]),
            "status": STATUS_NAMES[table.status[state]],
            "probability": float(reach[state]),
        }
        for state in states[np.argsort(-reach[states], kind="stable")]
    ]


def judged_rows(policy: Policy) -> list[dict[str, Any]]:
    """Return a row for each state that a policy holds: its move, whether minimax agrees, and its regret.

    The move is None where several are equally likely; then the first of them is the one that may agree.
    """
    table, lost = policy.table, regret(policy)
    edges, optimal = table.first_best_edges(policy.edge_probabilities), solution_of(table).optimal
    clear = _plays_one(policy)
    return [
        {
            "state": int(state),
            "board": table.board(int(state)),
            "player": "x" if table.player[state] == api.X else "o",
            "action": int(table.edge_action[edges[state]]) if clear[state] else None,
            "agrees": bool(optimal[edges[state]]),
            "regret": float(lost[state]),
        }
        for state in np.flatnonzero(policy.held)
    ]


def _plays_one(policy: Policy) -> NDArray[np.bool_]:
    """Return for each state whether one action is more likely than all others, (S,) bool."""
    table, shares = policy.table, policy.edge_probabilities
    best = shares[table.first_best_edges(shares)]
    state_of_edge = np.repeat(np.arange(table.num_states), np.diff(table.edge_start))
    ties = np.bincount(state_of_edge, weights=shares >= best[state_of_edge], minlength=table.num_states)
    return np.asarray(ties == 1)


def response_row(response: Policy, opponent: Policy, seat: int, objective: str) -> dict[str, Any]:
    """Return the row of `ttt-fast best-response` for one seat."""
    x, o = (response, opponent) if seat == 1 else (opponent, response)
    truth = exact_result(x, o)
    return {
        "seat": "x" if seat == 1 else "o",
        "objective": objective,
        "x": x.name,
        "o": o.name,
        **truth.columns(),
        "value": truth.outcome.value_of(seat),
        **truth.fraction_columns(),
    }
