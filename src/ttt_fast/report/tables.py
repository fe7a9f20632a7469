"""Reports for a person: each function returns the text of one command's tables."""

import io
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, RenderableType

from ttt_fast.evaluate.scorecard import ScoreRow
from ttt_fast.play.match import MatchResult
from ttt_fast.policies.policy import Policy
from ttt_fast.report.console import rich_table, si_number
from ttt_fast.report.results import RESULT_NAMES, RESULTS, ExactResult, length_rows, outcome_rows, shown_fraction
from ttt_fast.report.rows import Row


def render(items: Iterable[RenderableType]) -> str:
    """Return the text that rich prints for the items: in colour on a terminal, plain and wide elsewhere."""
    stream = io.StringIO()
    terminal = sys.stdout.isatty()
    width = Console().width if terminal else 160
    console = Console(file=stream, force_terminal=terminal, width=width, highlight=False)
    for item in items:
        console.print(item)
    return stream.getvalue()


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


def exact_line(truth: ExactResult) -> str:
    """Return the exact result of a pair in one line, for comparison with a sample to come."""
    parts = []
    for index, (name, title) in enumerate(zip(RESULTS, RESULT_NAMES, strict=True)):
        fraction = "" if truth.fractions is None else shown_fraction(truth.fractions[index])
        value = f"{getattr(truth.outcome, name):.9f}".rstrip("0").rstrip(".")
        parts.append(f"{title} {fraction} = {value}" if "/" in fraction else f"{title} {value}")
    return f"exact, {truth.x} v {truth.o}: {', '.join(parts)}"


def match_report(truths: Sequence[ExactResult], played: Sequence[MatchResult], records: Sequence[Row]) -> str:
    """Return the report of `ttt-fast match`: a pair of tables for each match and a closing line."""
    items: list[RenderableType] = []
    for truth, result, record in zip(truths, played, records, strict=True):
        items.append(rich_table(outcome_rows(truth, result), f"{truth.x} v {truth.o}"))
        items.append(rich_table(length_rows(truth, result), "game length"))
        rate = f", {si_number(result.games_per_second)} games/s" if result.seconds else ""
        partial = "" if record["complete"] else " (interrupted)"
        items.append(
            f"{result.games:,} games{partial} in {result.seconds:.2f} s{rate};"
            f" {result.distinct_boards} of {result.reachable_boards} possible final boards seen"
        )
        if "rival" in record:
            items.append(
                f"X's win rate against that of {record['rival']}: z = {record['z_against_rival']:.2f},"
                f" p = {record['p_against_rival']:.3g} (two-proportion z-test)"
            )
        items.append("")
    return render(items)


def matrix_report(
    policies: Sequence[Policy], truths: Sequence[ExactResult], played: Sequence[MatchResult], random_opening: bool
) -> str:
    """Return the matrix of `ttt-fast compare`: a row for each O, a column for each X, as in Smirnov's tables."""
    opening = "X's first move drawn uniformly" if random_opening else "X chooses its first move"
    size = len(policies)

    def matrix(cell: Any, title: str) -> RenderableType:
        rows = []
        for o_index, o in enumerate(policies):
            row: dict[str, Any] = {"O \\ X": o.name}
            for x_index, x in enumerate(policies):
                row[x.name] = cell(x_index * size + o_index)
            rows.append(row)
        return rich_table(rows, title)

    def exact_cell(index: int) -> str:
        outcome = truths[index].outcome
        return f"{outcome.x_wins:.4f} / {outcome.draws:.4f} / {outcome.o_wins:.4f}"

    def sampled_cell(index: int) -> str:
        result = played[index]
        if not result.games:
            return "-"
        shares = (result.x_wins / result.games, result.draws / result.games, result.o_wins / result.games)
        return " / ".join(f"{share:.4f}" for share in shares)

    items = [matrix(exact_cell, f"exact: X wins / draw / O wins ({opening})")]
    if played:
        items.append(matrix(sampled_cell, f"sampled: {played[0].games:,} games a pair"))
    return render(items)


def score_report(rows: Sequence[ScoreRow]) -> str:
    """Return the scorecard of a policy."""
    columns = ("seat", "opponent", "x_wins", "draws", "o_wins", "value", "best_value", "gap")
    items: list[RenderableType] = [
        rich_table([row.as_row() for row in rows], f"scorecard of {rows[0].policy}: exact", columns)
    ]
    for seat in dict.fromkeys(row.seat for row in rows):
        row = next(one for one in rows if one.seat == seat)
        loses = "never loses, whoever plays against it" if row.never_loses else "can be beaten"
        items.append(
            f"as {seat.upper()}: agrees with minimax in {row.agreeing:,} of {row.states:,} states"
            f" ({row.agreement:.2%}); {loses}"
        )
    items.append(f"exploitability {rows[0].exploitability:.6g} (0: nobody can gain against it)")
    return render(items)


def states_report(rows: Sequence[Row]) -> str:
    """Return the report of `ttt-fast states`."""
    return rows_report([{**row, "ply": "all" if row["ply"] is None else row["ply"]} for row in rows], "states")


def rows_report(rows: Sequence[Row], title: str | None = None) -> str:
    """Return one table."""
    return render([rich_table(rows, title)])
