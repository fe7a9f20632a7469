"""Rows of the commands that compare policies: exact results, samples, and the comparison of both."""

from math import floor, log10
from typing import Any

import numpy as np

from ttt_fast import Policy, exact_outcome, regret, solution_of
from ttt_fast.games import api
from ttt_fast.report.rows import Row

RESULT_NAMES = {"x_wins": "X wins", "draws": "draws", "o_wins": "O wins"}
"""The results of a game: columns of rows, and their headings."""
_LONGEST_FRACTION = 24  # characters that are still worth reading


def outcome_rows(exact: Row, sample: Row | None = None) -> list[dict[str, Any]]:
    """Return a readable table: a row for each result, the exact value first, then the sample.

    Parameters
    ----------
    exact
        The row of an exact result.
    sample
        The row of the games of a seating.
    """
    rows = []
    fractions = {name: exact[f"{name}_fraction"] or "" for name in RESULT_NAMES}
    shown = {name: text if len(text) <= _LONGEST_FRACTION else "" for name, text in fractions.items()}
    for name, title in RESULT_NAMES.items():
        row: dict[str, Any] = {"result": title, "exact": exact[name]}
        if any(shown.values()):
            row["fraction"] = shown[name]
        if sample is not None:
            low, high = sample[f"{name}_low"], sample[f"{name}_high"]
            digits = 6 if high <= low else min(15, max(6, 1 - floor(log10(high - low))))
            row["games"] = sample[name]
            row["share"] = sample[name] / sample["games"] if sample["games"] else None
            row["95 % interval"] = f"{low:.{digits}f} to {high:.{digits}f}" if low > 0 else f"0 to {high:.2g}"
            row["z"] = f"{sample[f'{name}_z']:+.2f}"
        rows.append(row)
    return rows


def fraction_notes(exact: Row) -> list[str]:
    """Return a line about the fractions that `outcome_rows` leaves out because of their length, if there are any."""
    if all(len(exact[f"{name}_fraction"] or "") <= _LONGEST_FRACTION for name in RESULT_NAMES):
        return []
    return [f"fractions of more than {_LONGEST_FRACTION} characters are not shown; --format json has them"]


def outcome_sentence(exact: Row) -> str:
    """Return an exact result in one sentence."""
    return result_sentence(f"{exact['x']} (X)", f"{exact['o']} (O)", *(exact[name] for name in RESULT_NAMES))


def result_sentence(first: str, second: str, wins: float, draws: float, losses: float, games: str = "games") -> str:
    """Return a result in one sentence, with the value for the agent that wins more often.

    Parameters
    ----------
    first, second
        The agents.
    wins, draws, losses
        Probabilities or numbers of games, for the first agent.
    games
        The games of the percentage.

    Examples
    --------
    >>> result_sentence("heuribot (X)", "random (O)", 0.99, 0.01, 0.0)
    'heuribot (X) beats random (O) in 99.0 % of games and loses 0 %: value 0.99'
    >>> result_sentence("random", "minimax", 0, 9999, 1, "10,000 games")
    'minimax beats random in less than 0.1 % of 10,000 games and loses 0 %: value 0.0001'
    >>> result_sentence("minimax (X)", "heuribot (O)", 0, 1, 0)
    'minimax (X) and heuribot (O) draw all games: value 0'
    """
    if losses > wins:
        return result_sentence(second, first, losses, draws, wins, games)
    total = wins + draws + losses
    if draws >= total:
        return f"{first} and {second} draw all {games}: value 0"
    return (
        f"{first} beats {second} in {_percent(wins / total)} of {games} and loses {_percent(losses / total)}:"
        f" value {(wins - losses) / total:.3g}"
    )


def _percent(share: float) -> str:
    """Return a percentage, which is 0 or 100 only if it is exactly that."""
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    text = f"{100 * share:.1f}"
    return {"0.0": "less than 0.1 %", "100.0": "more than 99.9 %"}.get(text, f"{text} %")


def length_rows(exact: Row, sample: Row | None = None) -> list[dict[str, Any]]:
    """Return the distribution of game lengths: a row for each length, by result, as in `outcome_rows`."""
    rows, by_result = [], exact["plies_by_result"]
    for length in sorted({length for shares in by_result.values() for length in shares}):
        row: dict[str, Any] = {"plies": length, "exact": exact[f"plies_{length}"]}
        row |= {title: by_result[name].get(length, 0.0) for name, title in RESULT_NAMES.items()}
        if sample is not None and sample["games"]:
            count = sample["plies"].get(length, 0)
            row["games"], row["share"] = count, count / sample["games"]
        rows.append(row)
    return rows


def judged_rows(policy: Policy) -> list[dict[str, Any]]:
    """Return a row for each state in a policy's domain: its move, the agreement with minimax, and its regret.

    The move is None if several moves are equally probable.  The agreement is then that of the first of these moves.
    """
    table, shares, lost = policy.table, policy.edge_probabilities, regret(policy)
    edges, optimal = table.first_best_edges(shares), solution_of(table).optimal
    ties = table.row_sums(shares == table.to_edges(table.row_max(shares)))
    return [
        {
            "state": int(state),
            "board": table.board(int(state)),
            "player": "x" if table.player[state] == api.X else "o",
            "action": int(table.edge_action[edges[state]]) if ties[state] == 1 else None,
            "agrees": bool(optimal[edges[state]]),
            "regret": float(lost[state]),
        }
        for state in np.flatnonzero(policy.held)
    ]


def response_row(response: Policy, opponent: Policy, seat: int, objective: str) -> dict[str, Any]:
    """Return the row of `ttt-fast best-response` for one seat."""
    exact = exact_outcome(*((response, opponent) if seat == 1 else (opponent, response)))
    known = {"best_value": exact.value_of(seat)} if objective == "value" else {}
    return {**exact.seat_row(seat, **known), "objective": objective}
