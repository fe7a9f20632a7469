"""What the pages of all studies share: rows, texts of numbers, the files of a study, its progress."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from ttt_fast.core.archive import make_folder
from ttt_fast.core.manifest import package_version
from ttt_fast.report.rows import encode, write_bytes

Row = dict[str, Any]
Rows = list[Row]
Tables = Mapping[str, Sequence[Row]]
"""The rows of each csv file by its name."""

Progress = Callable[[str], None]
"""Is told in words what has been done."""

_DIGITS = 9
_NOISE = 1e-12
_NEWS = 10  # of many equal jobs


def rounded(row: Row) -> Row:
    """Return a row with nine digits of every number, so that no vector unit's last bit shows in a file.

    Examples
    --------
    >>> rounded({"share": 1 / 3, "sd": 1e-17, "runs": 3})
    {'share': 0.333333333, 'sd': 0.0, 'runs': 3}
    """
    return {key: _rounded(value) if isinstance(value, float) else value for key, value in row.items()}


def _rounded(value: float) -> float:
    return 0.0 if abs(value) < _NOISE else float(f"{value:.{_DIGITS}g}")


def write_study(folder: Path, tables: Tables, page: str, timing: Mapping[str, Any]) -> None:
    """Write the csv files, README.md and timing.json of a study; only the last one differs from run to run."""
    make_folder(folder)
    for name, rows in tables.items():
        write_bytes(encode("csv", "reproduce", [rounded(row) for row in rows], {}), folder / f"{name}.csv")
    write_bytes(page.encode(), folder / "README.md")
    write_bytes((json.dumps(timing, indent=2) + "\n").encode(), folder / "timing.json")


def command_of(study: str, quick: bool) -> str:
    """Return the command that makes a study's page.

    Examples
    --------
    >>> command_of("sai", quick=True)
    'ttt-fast reproduce sai --quick'
    """
    return f"ttt-fast reproduce {study}" + (" --quick" if quick else "")


def p_text(p_value: float) -> str:
    """Return a p-value in words: one that is 0 within rounding is only known to be small.

    Examples
    --------
    >>> p_text(0.098929), p_text(0.0)
    ('p = 0.0989', 'p < 1e-15')
    """
    return f"p = {p_value:.3g}" if p_value > 1e-15 else "p < 1e-15"


def made_by(study: str, quick: bool) -> str:
    """Return the first lines of a page: what made it, what repeats, and whether its verdicts count."""
    text = fill(
        f"Made by `{command_of(study, quick)}`, version {package_version()}. This page and the files beside it have the"
        " same bits on every run, with any number of threads, but for `timing.json`: the seconds that it took.",
        120,
    )
    if quick:
        text += """

**This is the quick form, for tests: its runs are short and few, and its verdicts on learners mean nothing.**"""
    return text


def verdict_counts(rows: Iterable[Mapping[str, Any]], column: str = "verdict") -> dict[str, int]:
    """Return the number of rows by verdict, in the order in which they appear.

    Examples
    --------
    >>> verdict_counts([{"verdict": "equal"}, {"verdict": "wrong"}, {"verdict": "equal"}])
    {'equal': 2, 'wrong': 1}
    """
    verdicts = [row[column] for row in rows]
    return {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}


def counts_text(rows: Iterable[Mapping[str, Any]], column: str = "verdict") -> str:
    """Return the number of rows by verdict, in words, the largest number first.

    Examples
    --------
    >>> counts_text([{"verdict": "wrong"}, {"verdict": "equal"}, {"verdict": "equal"}])
    '2 equal, 1 wrong'
    """
    counts = sorted(verdict_counts(rows, column).items(), key=lambda one: -one[1])
    return ", ".join(f"{number} {verdict}" for verdict, number in counts)


def number_text(value: Any, digits: int = 6) -> Any:
    """Return a number with a fixed count of digits after the point, nothing for None, and all else as it is.

    Examples
    --------
    >>> number_text(0.5, 4), number_text(None), number_text(7)
    ('0.5000', '', 7)
    """
    if value is None:
        return ""
    return f"{value + 0.0:.{digits}f}" if isinstance(value, float) else value


def with_digits(rows: Iterable[Mapping[str, Any]], digits: int = 6) -> Rows:
    """Return rows whose numbers are texts with a fixed count of digits."""
    return [{key: number_text(value, digits) for key, value in row.items()} for row in rows]


def share_text(value: float | None) -> str:
    """Return a share with four decimals, or more where that would hide a difference from 0 or 1.

    Examples
    --------
    >>> share_text(0.97008), share_text(1.0), share_text(0.99998), share_text(None)
    ('0.9701', '1', '0.99998', '')
    """
    if value is None:
        return ""
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    text = f"{value:.4f}"
    if text in ("0.0000", "1.0000"):
        return f"{value:.2g}" if value < 0.5 else f"{value:.6g}"
    return text


def runs_told(on_progress: Progress | None, total: int) -> Callable[[int], None]:
    """Return a function that is called with the number of training runs done, and tells of each tenth of them."""

    def tell(done: int) -> None:
        if on_progress is not None and done * _NEWS // total > (done - 1) * _NEWS // total:
            on_progress(f"{done} of {total} training runs")

    return tell
