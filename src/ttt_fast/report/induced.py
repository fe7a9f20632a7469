"""Readable reports about an agent in a fixed seat."""

from collections.abc import Sequence

from rich.console import RenderableType

from ttt_fast.report.console import counted, render
from ttt_fast.report.row_table import RowTable
from ttt_fast.report.rows import Row

_RESULTS = {"x_wins": "X wins", "draw": "a draw", "o_wins": "O wins"}


def fixed_score_report(rows: Sequence[Row], by_ply: Sequence[Row], game: str) -> str:
    """Return the report of `ttt-fast score --fixed-seat`."""
    columns = ("seat", "opponent", "x_wins", "draws", "o_wins", "value")
    shown = [{**row, "opponent": row["opponent"].removeprefix("its ")} for row in rows]
    title = f"{rows[0]['policy']} as {rows[0]['seat'].upper()}: exact"
    items: list[RenderableType] = [RowTable(shown, title, columns, keys=2)]
    if by_ply:
        plies = [{name: value for name, value in row.items() if not name.startswith("share_")} for row in by_ply]
        items.append(RowTable(plies, "positions at which it gives value away"))
    return render([*items, *proof_notes(rows[0], game)])


def fixed_response_report(row: Row, game: str) -> str:
    """Return the report of `ttt-fast best-response --fixed-seat`."""
    return render([f"best response as {row['seat'].upper()}: value {row['value']:.6g} (wins minus losses), exact",
                   *proof_notes(row, game)])  # fmt: skip


def proof_notes(row: Row, game: str) -> list[str]:
    """Return the number of positions, whether the agent never loses, and its shortest refutation."""
    can_lose = row["refutation_result"] not in (None, "draw")
    notes = [f"{row['positions']:,} positions; {'can be beaten' if can_lose else 'never loses'}"]
    if row["refutation"] is None:
        return [*notes, "it wins against every defence"]
    line = row["refutation"]
    quoted = f"'{line}'" if " " in line else line
    result = f"{_RESULTS[row['refutation_result']]} in {counted(row['refutation_plies'], 'ply', 'plies')}"
    notes.append(f"shortest line to its worst result, {result}: {line}")
    return [*notes, f"`ttt-fast watch {quoted} --game {game}` shows it"]
