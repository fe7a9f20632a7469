"""Rows of the commands that compare policies: exact results, samples, and how the two agree."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.outcome import ExactOutcome, Outcome, exact_fractions, exact_outcome
from ttt_fast.evaluate.statistics import two_proportion_z_test, wilson_interval, z_score
from ttt_fast.evaluate.strength import value_lost
from ttt_fast.games import api
from ttt_fast.play.match import MatchConfig, MatchResult
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, standard_solution, standard_table
from ttt_fast.tables.state_table import ROOT, count_paths

RESULTS = ("x_wins", "draws", "o_wins")
STATUS_NAMES = ("ongoing", "x_wins", "o_wins", "draw")
RESULT_NAMES = ("X wins", "draw", "O wins")
_LONGEST_FRACTION = 24  # characters that are still worth reading


class Truth(NamedTuple):
    """The exact result of a pair, as floats and, where both sides are exact, as fractions."""

    x: str
    o: str
    outcome: Outcome
    fractions: ExactOutcome | None

    def row(self) -> dict[str, Any]:
        """Return the row of `ttt-fast exact`."""
        fractions = self.fractions or (None, None, None)
        return {
            "x": self.x,
            "o": self.o,
            **{name: getattr(self.outcome, name) for name in RESULTS},
            "value": self.outcome.score,
            **{f"{name}_fraction": _fraction(value) for name, value in zip(RESULTS, fractions, strict=True)},
            **{f"plies_{length}": share for length, share in self.length_shares()},
            "plies_by_result": {
                name: {length: float(share) for length, share in enumerate(self.outcome.lengths[index]) if share > 0}
                for index, name in enumerate(RESULTS)
            },
        }

    def length_shares(self) -> list[tuple[int, float]]:
        """Return the lengths in plies that have a positive probability, with it."""
        shares = self.outcome.lengths.sum(axis=0)
        return [(length, float(share)) for length, share in enumerate(shares) if share > 0]


def _fraction(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def shown_fraction(value: Fraction | None) -> str:
    """Return a fraction as text, or '' where it is unknown or too long to be read."""
    text = "" if value is None else str(value)
    return text if len(text) <= _LONGEST_FRACTION else ""


def truth_of(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> Truth:
    """Return the exact result of a pair."""
    outcome = exact_outcome(x, o, start=start, random_opening=random_opening)
    fractions = exact_fractions(x, o, start=start, random_opening=random_opening)
    return Truth(x.name, o.name, outcome, fractions)


def match_row(result: MatchResult, truth: Truth, config: MatchConfig) -> dict[str, Any]:
    """Return the row of `ttt-fast match`: counts, exact values, Wilson intervals, z-scores, lengths, rate."""
    row: dict[str, Any] = {"x": result.x, "o": result.o, "games": result.games}
    row.update({name: getattr(result, name) for name in RESULTS})
    row.update({f"exact_{name}": getattr(truth.outcome, name) for name in RESULTS})
    for name in RESULTS:
        low, high = wilson_interval(getattr(result, name), result.games)
        row[f"{name}_low"], row[f"{name}_high"] = low, high
        row[f"{name}_z"] = z_score(getattr(result, name), result.games, getattr(truth.outcome, name))
    fractions = truth.fractions or (None, None, None)
    row.update({f"exact_{name}_fraction": _fraction(value) for name, value in zip(RESULTS, fractions, strict=True)})
    row.update(
        {
            "plies": {length: int(count) for length, count in enumerate(result.lengths().sum(axis=0)) if count},
            "distinct_boards": result.distinct_boards,
            "reachable_boards": result.reachable_boards,
            "seconds": result.seconds,
            "games_per_second": result.games_per_second,
            "complete": result.games == config.games,
        }
    )
    return row


def rival_columns(result: MatchResult, rival: MatchResult) -> dict[str, Any]:
    """Return the two-proportion z-test of X's wins in two matches against the same opponent."""
    test = two_proportion_z_test(result.x_wins, result.games, rival.x_wins, rival.games)
    return {"rival": rival.x, "z_against_rival": test.z, "p_against_rival": test.p_value}


def outcome_rows(truth: Truth, result: MatchResult | None = None) -> list[dict[str, Any]]:
    """Return the table that a person sees: a row for each result, exact value first, then the sample."""
    rows = []
    for index, (name, title) in enumerate(zip(RESULTS, RESULT_NAMES, strict=True)):
        row: dict[str, Any] = {"result": title, "exact": getattr(truth.outcome, name)}
        if truth.fractions is not None and any(map(shown_fraction, truth.fractions)):
            row["fraction"] = shown_fraction(truth.fractions[index])
        if result is not None:
            count = getattr(result, name)
            low, high = wilson_interval(count, result.games)
            row["games"] = count
            row["share"] = count / result.games if result.games else None
            row["95 % interval"] = f"{low:.6f} to {high:.6f}"
            row["z"] = f"{z_score(count, result.games, row['exact']):+.2f}"
        rows.append(row)
    return rows


def length_rows(truth: Truth, result: MatchResult | None = None) -> list[dict[str, Any]]:
    """Return the distribution of game length: a row a length, split by result, exact and sampled."""
    played = None if result is None else result.lengths()
    rows = []
    for length, share in truth.length_shares():
        row: dict[str, Any] = {"plies": length, "exact": share}
        for index, title in enumerate(RESULT_NAMES):
            row[title] = float(truth.outcome.lengths[index, length])
        if played is not None and result is not None and result.games:
            count = int(played[:, length].sum())
            row["games"], row["share"] = count, count / result.games
        rows.append(row)
    return rows


def move_rows(state: int, policies: Sequence[Policy], table: StateTable | None = None) -> list[dict[str, Any]]:
    """Return the rows of `ttt-fast show`: each legal action, its value and distance, and who plays it."""
    table = table or standard_table()
    solution = standard_solution()
    fastest = solution.fastest_action_mask(table)
    rows = []
    for action in np.flatnonzero(table.legal_action_mask[state]).tolist():
        after = int(table.child[state, action])
        row: dict[str, Any] = {
            "action": action,
            "board": table.board(after),
            "value_x": int(solution.value[after]),
            "distance": int(solution.distance[after]) + 1,
            "optimal": bool(solution.optimal_action_mask[state, action]),
            "fastest": bool(fastest[state, action]),
        }
        row.update({policy.name: float(policy.probabilities[state, action]) for policy in policies})
        rows.append(row)
    return rows


def state_rows(table: StateTable, num_classes_by_ply: Sequence[int]) -> list[dict[str, Any]]:
    """Return the rows of `ttt-fast states`: counts by ply and outcome, perft, classes; the last (no ply) sums up."""
    paths = count_paths(table)
    rows: list[dict[str, Any]] = []
    for ply in range(int(table.ply.max()) + 1):
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


def reach_rows(truth: Truth, which: str, table: StateTable | None = None) -> list[dict[str, Any]]:
    """Return the boards that a match can reach, the most probable first: `final` boards only, or `all`."""
    if which not in ("final", "all"):
        raise UsageError(f"expected boards of final or all, got {which!r}")
    table = table or standard_table()
    reach = truth.outcome.reach
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


def judged_rows(policy: Policy, table: StateTable | None = None) -> list[dict[str, Any]]:
    """Return a row for each state that a policy holds: its move, whether minimax agrees, the value it gives away."""
    table = table or standard_table()
    lost, actions, best = value_lost(policy, table), policy.greedy_actions(), standard_solution().optimal_action_mask
    return [
        {
            "state": int(state),
            "board": table.board(int(state)),
            "player": "x" if table.player[state] == 1 else "o",
            "action": int(actions[state]),
            "agrees": bool(best[state, actions[state]]),
            "value_lost": float(lost[state]),
        }
        for state in np.flatnonzero(policy.held)
    ]


def response_row(response: Policy, opponent: Policy, seat: int, objective: str) -> dict[str, Any]:
    """Return the row of `ttt-fast best-response` for one seat."""
    x, o = (response, opponent) if seat == 1 else (opponent, response)
    truth = truth_of(x, o)
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
