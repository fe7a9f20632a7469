"""The page of the study, written from its rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.page import counts_text, made_by

_WORDS = {1: "first player wins", 0: "draw", -1: "second player wins"}


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "width": row["width"],
        "height": row["height"],
        "under best play": _WORDS[row["value"]],
        "score": f"{row['score']:+d}" if row["score"] else "0",
        "stones at the end": row["stones_at_the_end"],
        "published": row["published_stones"],
        "best first moves": row["best_first_moves"],
        "nodes": f"{row['nodes']:,}",
        "verdict": row["verdict"],
    }


def page(rows: Sequence[Mapping[str, Any]], *, quick: bool, table_mb: float) -> str:
    """Return the page."""
    return f"""# Connect 4 solved, on boards of many sizes

{made_by("connect4", quick)}

Four in a row on an empty board, solved exactly: who wins, the score (the winner's stones left, plus one), the stones on
the board at the end if both play best, and every first move that reaches the score. Each board is solved by one thread
with an empty table of {table_mb:.0f} MiB, without an opening book; `nodes` are the positions visited for the score and
for the test of every first move. Seconds of each board are in `timing.json`.

Beside it stands what is published: who wins (J. Tromp, <https://tromp.github.io/c4/c4.html>) and the stones at the end
(C. Steininger, <https://github.com/ChristopheSteininger/c4>). Verdict: both as published ({counts_text(rows)}).

{markdown_table([_shown(row) for row in rows])}

A single board: `ttt-fast solve "" --game connect4:columns=6,rows=6 --actions best`.
"""
