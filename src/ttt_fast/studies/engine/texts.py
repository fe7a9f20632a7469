"""Texts common to all studies: the command that makes a page, its first lines, and formatted numbers."""

from collections.abc import Callable
from textwrap import fill
from typing import Any

from ttt_fast import __version__

Progress = Callable[[str], None]
"""A callback that receives progress messages."""


def command_of(study: str, quick: bool, part: str = "", seeds: int | None = None) -> str:
    """Return the command that makes a study's page, or the files of a part of it, with a number of seeds.

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
    """Return a p-value as text; a value of 0 within rounding is shown as an upper bound.

    Examples
    --------
    >>> p_text(0.098929), p_text(0.0)
    ('p = 0.0989', 'p < 1e-15')
    """
    return f"p = {p_value:.3g}" if p_value > 1e-15 else "p < 1e-15"


def made_text(command: str, told: str = "", kept_apart: str = "the seconds that it took") -> str:
    """Return the first lines of a page: the command that made it, and the files that every run reproduces."""
    return fill(
        f"Made by `{command}`, version {__version__}{told}. This page and the files beside it have the same bits"
        f" on every run, with any number of threads, but for `timing.json`: {kept_apart}.",
        120,
    )


def made_by(study: str, quick: bool, seeds: int | None = None) -> str:
    """Return the first lines of a study's page: its command, its reproducibility, and a warning in the quick form."""
    text = made_text(command_of(study, quick, seeds=seeds))
    if quick:
        text += """

**This is the quick form, for tests: its runs are short and few, and its verdicts on learners mean nothing.**"""
    return text


def number_text(value: Any, digits: int = 6) -> Any:
    """Return a float with a fixed number of decimals, an empty text for None, and any other value unchanged.

    Examples
    --------
    >>> number_text(0.5, 4), number_text(None), number_text(7)
    ('0.5000', '', 7)
    """
    if value is None:
        return ""
    return f"{value + 0.0:.{digits}f}" if isinstance(value, float) else value
