"""Comparison of two machines by the rates in two files of the command `bench`."""

import json
from pathlib import Path
from typing import Any

from ttt_fast import FileFormatError
from ttt_fast.files import read_bytes

_LARGEST = 1 << 24
_NUMBERS = ("per_second", "slowest", "fastest")


def read_rates(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of a file written by `bench -o FILE.json`, by the name of the benchmark.

    Raises
    ------
    FileFormatError
        If the file has another format.
    """
    try:
        content = json.loads(read_bytes(path, _LARGEST))
        rows = {str(row["what"]): row for row in content["rows"]}
        if not str(content["schema"]).startswith("ttt-fast/bench/") or not rows:
            raise ValueError("the schema is not that of bench")
        if not all(0 < float(row[name]) < float("inf") for row in rows.values() for name in _NUMBERS):
            raise ValueError("a rate is not a number above 0")
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise FileFormatError(
            "expected a file that `ttt-fast bench -o FILE.json` has written, such as results/bench/reference.json,"
            f" got {str(path)!r} ({error})"
        ) from None
    return rows


def compare_rates(first: Path, second: Path) -> list[dict[str, Any]]:
    """Return a row for each benchmark in both files: the speed of the second machine relative to the first.

    The ratio is that of the medians.  `low` and `high` are the ratios between the slowest repeat of one machine and the
    fastest repeat of the other.  With seven repeats, the true median is beyond all repeats on one side with probability
    1/128, so that each limit holds with more than 98 %.

    Raises
    ------
    FileFormatError
        If a file was not written by `bench`, or the files have no benchmark in common.
    """
    one, two = read_rates(first), read_rates(second)
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
        raise FileFormatError(
            f"expected two files of bench with common measurements, got {str(first)!r} and {str(second)!r}"
        )
    return rows
