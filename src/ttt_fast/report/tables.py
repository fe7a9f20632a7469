"""Readable reports: each function returns the text of one command's tables."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from rich.console import RenderableType

from ttt_fast.report.console import render
from ttt_fast.report.results import fraction_notes, length_rows, outcome_rows
from ttt_fast.report.row_table import RowTable
from ttt_fast.report.rows import Row

_ROUNDING = 1e-12
_OWN = "its "
"""Prefix of the name of an opponent derived from the policy: `its best response`."""


def exact_report(row: Row) -> str:
    """Return the report of `ttt-fast exact`."""
    results = RowTable(outcome_rows(row), f"{row['x']} v {row['o']}: exact")
    lengths = RowTable(length_rows(row), "game length")
    fixed = row.get("fixed_seat")
    notes = [] if fixed is None else [f"{row['positions']:,} positions, with {fixed.upper()} fixed"]
    return render([results, *fraction_notes(row), lengths, *notes])


def response_report(rows: Sequence[Row], agent: str) -> str:
    """Return the report of `ttt-fast best-response`: the seats, with fractions if they are known."""
    shown = [{"seat": row["seat"], **result} for row in rows for result in outcome_rows(row)]
    notes = dict.fromkeys(note for row in rows for note in fraction_notes(row))
    values = [f"best response as {row['seat'].upper()}: value {row['value']:.6f} (wins minus losses)" for row in rows]
    title = f"best response to {agent}, objective {rows[0]['objective']}: exact"
    return render([RowTable(shown, title, keys=2), *notes, *values])


def score_report(rows: Sequence[Row]) -> str:
    """Return the scorecard of a policy."""
    columns = ("seat", "opponent", "x_wins", "draws", "o_wins", "value", "best_value", "regret")
    items: list[RenderableType] = [
        RowTable(
            [{**scored(row), "opponent": row["opponent"].removeprefix(_OWN)} for row in rows],
            f"scorecard of {rows[0]['policy']}: exact",
            columns,
            keys=2,
            spare=("regret",),
        )
    ]
    return render([*items, *seat_notes(rows)])


def share_of(share: float) -> str:
    """Return a share as ` (93.10%)`; empty for a share of nothing, which is nan."""
    return "" if isnan(share) else f" ({share:.2%})"


def seat_notes(rows: Sequence[Row]) -> list[str]:
    """Return one line for each seat of a scorecard, with agreement and proof, and a line with the exploitability."""
    notes = []
    for seat in dict.fromkeys(row["seat"] for row in rows):
        card = [one for one in rows if one["seat"] == seat]
        row, name = card[0], seat.upper()
        parts = [
            f"as {name}: agrees with minimax in {row['agreeing']:,} of its {row['states']:,}"
            f" states{share_of(row['agreement'])}, and in {row['reached_agreeing']:,} of the"
            f" {row['reached_states']:,} that its own play reaches{share_of(row['reached_agreement'])}"
        ]
        if unlearned := row["reached_states"] - row["reached_learned"]:
            parts.append(f"opponents can lead it to {unlearned:,} states that it has not learned")
        is_lost = min(row["value"] for row in card) < _ROUNDING - 1 and row["exploitability"] < _ROUNDING
        beaten = f"can be beaten, as can every policy of {name}" if is_lost else "can be beaten"
        notes.append("; ".join([*parts, "never loses to any opponent" if row["never_loses"] else beaten]))
    return [*notes, _exploitability_line(rows)]


def _exploitability_line(rows: Sequence[Row]) -> str:
    """Return the exploitability of a scorecard in words: that of one seat is half of a gain, the mean with a 0."""
    value, seats = rows[0]["exploitability"], list(dict.fromkeys(row["seat"].upper() for row in rows))
    if value < _ROUNDING:
        return "exploitability 0: no opponent gains anything over perfect play"
    meaning = "the gain of best responses over perfect play, the mean of both seats"
    if len(seats) == 1:
        meaning = f"half of what a best response gains over perfect play, since only {seats[0]} is evaluated"
    return f"exploitability {value:.6g}: {meaning}"


def scored(row: Row) -> dict[str, Any]:
    """Return the displayed row of a scorecard, without the best value and regret against a best response.

    Examples
    --------
    >>> from ttt_fast import scorecard
    >>> [scored(row.as_row())["regret"] for row in scorecard("heuribot", ["minimax"])][:2]
    [0.0, None]
    """
    return {**row, **({"best_value": None, "regret": None} if row["opponent"].startswith(_OWN) else {})}


def states_report(rows: Sequence[Row]) -> str:
    """Return the report of `ttt-fast states`."""
    shown = [{**row, "ply": "all" if row["ply"] is None else row["ply"]} for row in rows]
    return render([RowTable(shown, "states", spare=("o_to_move", "x_to_move", "classes"))])
