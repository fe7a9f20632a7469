"""The text of `review`."""

from collections.abc import Sequence
from typing import Any

from ttt_fast.report.console import rows_report
from ttt_fast.report.rows import Row

_RARE = ("illegal", "not_judged", "after_end", "result_differs", "unfinished", "malformed")
"""Columns that a text leaves out if all of their numbers are 0."""


def review_report(rows: Sequence[Row], game: str) -> str:
    """Return the rows of players or of moves as a table, without columns of which all numbers are 0."""
    left_out = [name for name in _RARE if not any(row.get(name) for row in rows)]
    shown = [{name: _text(value) for name, value in row.items() if name not in left_out} for row in rows]
    return rows_report(shown, f"recorded games of {game}: exact mistakes")


def _text(value: Any) -> Any:
    """Return the values of moves as one text, other values unchanged."""
    return " ".join(f"{move}:{number}" for move, number in value.items()) if isinstance(value, dict) else value
