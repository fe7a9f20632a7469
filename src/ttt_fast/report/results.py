"""Rows of the commands that compare policies: exact results, samples, and their agreement."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor, log10
from typing import Any

import numpy as np

from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.exact_result import ExactResult, exact_result
from ttt_fast.evaluate.strength import value_lost
from ttt_fast.games import api
from ttt_fast.play.results import RESULTS, SeatResult
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, count_paths, solution_of

STATUS_NAMES = ("ongoing", "x_wins", "o_wins", "draw")
RESULT_NAMES = ("X wins", "draw", "O wins")
_LONGEST_FRACTION = 24  # characters that are still worth reading


def exact_row(truth: ExactResult) -> dict[str, Any]:
    """Return the row of `ttt-fast exact`."""
    fractions = truth.fractions or (None, None, None)
    return {
        "x": truth.x,
        "o": truth.o,
        **{name: getattr(truth.outcome, name) for name in RESULTS},
        "value": truth.outcome.score,
        **{f"{name}_fraction": _fraction(value) for name, value in zip(RESULTS, fractions, strict=True)},
        **{f"plies_{length}": share for length, share in truth.length_shares()},
        "plies_by_result": {
            name: {length: float(share) for length, share in enumerate(truth.outcome.lengths[index]) if share > 0}
            for index, name in enumerate(RESULTS)
        },
    }


def _fraction(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def shown_fraction(value: Fraction | None) -> str:
    """Return a fraction as text, or '' where it is unknown or too long to be read."""
    text = "" if value is None else str(value)
    return text if len(text) <= _LONGEST_FRACTION else ""


def outcome_rows(truth: ExactResult, seat: SeatResult | None = None) -> list[dict[str, Any]]:
    """Return the table for a person: a row for each result, exact value first, then the sample."""
    rows = []
    sample = {} if seat is None else seat.row()
    for index, (name, title) in enumerate(zip(RESULTS, RESULT_NAMES, strict=True)):
        row: dict[str, Any] = {"result": title, "exact": getattr(truth.outcome, name)}
        if truth.fractions is not None and any(map(shown_fraction, truth.fractions)):
            row["fraction"] = shown_fraction(truth.fractions[index])
        if seat is not None:
            low, high = sample[f"{name}_low"], sample[f"{name}_high"]
            digits = 6 if high <= low else min(15, max(6, 1 - floor(log10(high - low))))
            row["games"] = sample[name]
            row["share"] = sample[name] / seat.games if seat.games else None
            row["95 % interval"] = f"{low:.{digits}f} to {high:.{digits}f}"
            row["z"] = f"{sample[f'{name}_z']:+.2f}"
        rows.append(row)
    return rows


def length_rows(truth: ExactResult, seat: SeatResult | None = None) -> list[dict[str, Any]]:
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


def exact_move_rows(table: StateTable, state: int) -> list[dict[str, Any]]:
    """Return a row for each legal action of a state: where it leads, its value for X, and the plies that are left."""
    solution = solution_of(table)
    edges = range(int(table.edge_start[state]), int(table.edge_start[state + 1]))
    rows = []
    for edge in edges:
        action, after = int(table.edge_action[edge]), int(table.edge_child[edge])
        rows.append(
            {
                "action": action,
                "move": table.game.format_moves([action]),
                "board": table.board(after),
                "value_x": int(solution.value[after]),
                "distance": int(solution.distance[after]) + 1,
                "optimal": bool(solution.optimal[edge]),
                "fastest": bool(solution.fastest[edge]),
            }
        )
    return rows


def state_rows(table: StateTable, num_classes_by_ply: Sequence[int]) -> list[dict[str, Any]]:
    """Return the rows of `ttt-fast states`: counts by ply and outcome, perft, classes; the last (no ply) sums up."""
    paths = count_paths(table)
    rows: list[dict[str, Any]] = []
    for ply in range(table.num_plies + 1):
        here = table.ply == ply
        rows.append(
            {
                "ply": ply,
                "states": int(here.sum()),
                "x_to_move": int((here & (table.player == api.X)).sum()),
                "o_to_move": int((here & (table.player == api.O)).sum()),
                "x_wins": int((here & (table.status == api.X_WINS)).sum()),
                "draws": int((here & (table.status == api.DRAW)).sum()),
                "o_wins": int((here & (table.status == api.O_WINS)).sum()),
                "classes": num_classes_by_ply[ply],
                "perft": int(paths[here].sum()),
                "games": int(paths[here & ~table.decision_mask].sum()),
            }
        )
    total: dict[str, Any] = {"ply": None}
    total.update({key: sum(row[key] for row in rows) for key in rows[0] if key not in ("ply", "perft")})
    total["perft"] = None
    rows.append({key: total[key] for key in rows[0]})
    return rows


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
    """Return a row for each state that a policy holds: its move, whether minimax agrees, the value it gives away."""
    table, lost = policy.table, value_lost(policy)
    edges, optimal = table.first_best_edges(policy.edge_probabilities), solution_of(table).optimal
    return [
        {
            "state": int(state),
            "board": table.board(int(state)),
            "player": "x" if table.player[state] == api.X else "o",
            "action": int(table.edge_action[edges[state]]),
            "agrees": bool(optimal[edges[state]]),
            "value_lost": float(lost[state]),
        }
        for state in np.flatnonzero(policy.held)
    ]


def response_row(response: Policy, opponent: Policy, seat: int, objective: str) -> dict[str, Any]:
    """Return the row of `ttt-fast best-response` for one seat."""
    x, o = (response, opponent) if seat == 1 else (opponent, response)
    truth = exact_result(x, o)
    fractions = truth.fractions or (None, None, None)
    return {
        "seat": "x" if seat == 1 else "o",
        "objective": objective,
        "x": x.name,
        "o": o.name,
        **{name: getattr(truth.outcome, name) for name in RESULTS},
        "value": truth.outcome.value_of(seat),
        **{f"{name}_fraction": _fraction(value) for name, value in zip(RESULTS, fractions, strict=True)},
    }
