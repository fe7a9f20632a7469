"""Reports for a person: each function returns the text of one command's tables."""

from collections.abc import Sequence

from rich.console import RenderableType

from ttt_fast.evaluate.exact_result import RESULTS, ExactResult
from ttt_fast.evaluate.scorecard import ScoreRow
from ttt_fast.report.console import render, rich_table, rows_report
from ttt_fast.report.results import length_rows, outcome_rows
from ttt_fast.report.rows import Row


def exact_report(truth: ExactResult) -> str:
    """Return the report of `ttt-fast exact`."""
    return render(
        [
            rich_table(outcome_rows(truth), f"{truth.x} v {truth.o}: exact"),
            rich_table(length_rows(truth), "game length"),
        ]
    )


def response_report(rows: Sequence[Row], agent: str) -> str:
    """Return the report of `ttt-fast best-response`: the seats, with fractions where they are known."""
    shown = []
    for row in rows:
        record = {"seat": row["seat"], "objective": row["objective"], "value": row["value"]}
        for name in RESULTS:
            record[name] = row[name]
            record[f"= {name}"] = row[f"{name}_fraction"] or ""
        shown.append(record)
    return render([rich_table(shown, f"best response to {agent}: exact")])


def score_report(rows: Sequence[ScoreRow]) -> str:
    """Return the scorecard of a policy."""
    columns = ("seat", "opponent", "x_wins", "draws", "o_wins", "value", "best_value", "gap")
    items: list[RenderableType] = [
        rich_table([row.as_row() for row in rows], f"scorecard of {rows[0].policy}: exact", columns)
    ]
    return render([*items, *seat_notes(rows)])


def seat_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """Return what a scorecard says of each seat, agreement and proof, and the exploitability, a line each."""
    notes = []
    for seat in dict.fromkeys(row.seat for row in rows):
        row = next(one for one in rows if one.seat == seat)
        loses = "never loses, whoever plays against it" if row.never_loses else "can be beaten"
        notes.append(
            f"as {seat.upper()}: agrees with minimax in {row.agreeing:,} of {row.states:,} states"
            f" ({row.agreement:.2%}); {loses}"
        )
    return [*notes, f"exploitability {rows[0].exploitability:.6g} (0: nobody can gain against it)"]


def states_report(rows: Sequence[Row]) -> str:
    """Return the report of `ttt-fast states`."""
    return rows_report([{**row, "ply": "all" if row["ply"] is None else row["ply"]} for row in rows], "states")
