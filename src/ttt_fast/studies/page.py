"""What the pages of all studies share: rows, texts of numbers, the files of a study, its progress."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from ttt_fast.core.manifest import package_version
from ttt_fast.report.rows import write_bytes
from ttt_fast.studies.engine.tables import Row as Row, Rows as Rows, write_json, write_rows

Tables = Mapping[str, Sequence[Row]]
"""The rows of each csv file by its name."""

Progress = Callable[[str], None]
"""Is told in words what has been done."""


def write_study(folder: Path, tables: Tables, page: str, timing: Mapping[str, Any]) -> None:
    """Write the csv files, README.md and timing.json of a study; only the last one differs from run to run."""
    write_tables(folder, tables, timing)
    write_bytes(page.encode(), folder / "README.md")


def write_tables(folder: Path, tables: Tables, timing: Mapping[str, Any], timed: str = "timing") -> None:
    """Write the csv files and the timing of a study, or of a part of it, whose timing has another name."""
    for name, rows in tables.items():
        write_rows(folder / f"{name}.csv", rows)
    write_json(folder / f"{timed}.json", timing)


def command_of(study: str, quick: bool, part: str = "", seeds: int | None = None) -> str:
    """Return the command that makes a study's page, or the files of a part of it with so many seeds.

    Examples
    --------
    >>> command_of("sai", quick=True), command_of("smirnov", quick=False, part="dqn")
    ('ttt-fast reproduce sai --quick', 'ttt-fast reproduce smirnov --part dqn')
    >>> command_of("smirnov.dqn", quick=True)
    'ttt-fast reproduce smirnov --part dqn --quick'
    """
    study, _, inner = study.partition(".")
    part = part or inner
    words = [f"ttt-fast reproduce {study}"] + [f"--part {part}"] * bool(part) + ["--quick"] * quick
    return " ".join(words if seeds is None else [*words, f"--seeds {seeds}"])


def p_text(p_value: float) -> str:
    """Return a p-value in words: one that is 0 within rounding is only known to be small.

    Examples
    --------
    >>> p_text(0.098929), p_text(0.0)
    ('p = 0.0989', 'p < 1e-15')
    """
    return f"p = {p_value:.3g}" if p_value > 1e-15 else "p < 1e-15"


def made_by(study: str, quick: bool, seeds: int | None = None) -> str:
    """Return the first lines of a page: what made it, what repeats, and whether its verdicts count."""
    text = fill(
        f"Made by `{command_of(study, quick, seeds=seeds)}`, version {package_version()}. This page and the files"
        " beside it have the same bits on every run, with any number of threads, but for `timing.json`: the seconds"
        " that it took.",
        120,
    )
    if quick:
        text += """

**This is the quick form, for tests: its runs are short and few, and its verdicts on learners mean nothing.**"""
    return text


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
