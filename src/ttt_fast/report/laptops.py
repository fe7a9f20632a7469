"""Two machines compared: the rates of two files that the command `bench` has written."""

import json
from pathlib import Path
from typing import Any

from ttt_fast import FileFormatError
from ttt_fast.files import read_bytes

_LARGEST = 1 << 24
_NUMBERS = ("per_second", "slowest", "fastest")


def measured(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of a file that `bench -o FILE.json` has written, by what was measured.

    Raises
    ------
    FileFormatError
        If it is no such file.
    """
    try:
        content = json.loads(read_bytes(path, _LARGEST))
        rows = {str(row["what"]): row for row in content["rows"]}
        if not str(content["schema"]).startswith("ttt-fast/bench/") or not rows:
            raise ValueError("another schema")
        if not all(0 < float(row[name]) < float("inf") for row in rows.values() for name in _NUMBERS):
            raise ValueError("rates that are no numbers above 0")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileFormatError(
            f"expected a file that `ttt-fast bench -o FILE.json` has written, got {str(path)!r} ({error})"
        ) from None
    return rows


def compared(first: Path, second: Path) -> list[dict[str, Any]]:
    """Return a row for all that both files have measured: how many times as fast the second machine is.

    The ratio is that of the medians; `low` and `high` are those of the slowest repeat of one and the fastest of the
    other.  With seven repeats a median lies outside of its repeats on one side with chance 1/128, so that each end
    holds with more than 98 %.

    Raises
    ------
    FileFormatError
        If a file is none of `bench`, or they have nothing in common.
    """
    one, two = measured(first), measured(second)
    rows = [
        {
            "what": what, "unit": row["unit"], "first": float(row["per_second"]),
            "second": float(two[what]["per_second"]),
            "ratio": float(two[what]["per_second"]) / float(row["per_second"]),
            "low": float(two[what]["slowest"]) / float(row["fastest"]),
            "high": float(two[what]["fastest"]) / float(row["slowest"]),
        }
        for what, row in one.items()
        if what in two
    ]  # fmt: skip
    if not rows:
        raise FileFormatError(f"expected files of bench that measure the same, got {str(first)!r} and {str(second)!r}")
    return rows
