"""Rows of tables of results, and old column names: files of earlier versions are read under the current names.

A quantity has one name in all commands, curves and files.  A rule applies only to a file that has all columns of a
given set.  The reason is that `score` is the current name in one kind of file and an old name in another.
"""

from collections.abc import Collection
from typing import NamedTuple

Cell = bool | int | float | str | None
Row = dict[str, Cell]
"""A row of a table of results, by column name."""


class Renaming(NamedTuple):
    """The renamed columns of one kind of file.

    Attributes
    ----------
    beside
        Columns that identify the kind of file, which has all of them.
    names
        Old names and current names.
    """

    beside: frozenset[str]
    names: dict[str, str]


def _renaming(beside: str, names: str) -> Renaming:
    pairs = (pair.split("=") for pair in names.split())
    return Renaming(frozenset(beside.split()), {old: new for old, new in pairs})


RENAMED = (
    _renaming("best_value gap", "gap=regret"),  # scorecards, rows of `train`
    _renaming("agrees value_lost", "value_lost=regret"),  # `score --by-state`
    _renaming("best_score score", "score=value best_score=best_value"),  # units of sweeps
    _renaming(
        "best_score mean_score",  # summaries of sweeps
        "mean_score=mean_value sd_score=sd_value min_score=min_value max_score=max_value best_score=best_value",
    ),
    _renaming(
        "learner problem score",  # the suite
        "score=normalised_score score_low=normalised_score_low score_high=normalised_score_high"
        " min_score=min_normalised_score",
    ),
    _renaming("exact_at_the_end mean_gap", "mean_gap=mean_regret"),  # the study `optimum/dqn`
    _renaming("episodes kept_value", "kept_value=agreement"),  # curves of n-tuple tables of Connect 4
    _renaming(
        "part share_by_chance",  # the same on solved positions
        "kept=agreeing share=agreement share_low=agreement_low share_high=agreement_high"
        " share_by_chance=agreement_by_chance",
    ),
)
"""The table of old names.  A new name that already exists in a file is not given to another column."""


def renamed_columns(columns: Collection[str]) -> dict[str, str]:
    """Return the old names among the columns of a file, with the current names.

    Examples
    --------
    >>> renamed_columns(["value", "best_value", "gap"]), renamed_columns(["agent", "score", "elo"])
    ({'gap': 'regret'}, {})
    """
    found: dict[str, str] = {}
    for renaming in RENAMED:
        if renaming.beside <= set(columns):
            names = renaming.names.items()
            found |= {old: new for old, new in names if old in columns and new not in {*columns, *found.values()}}
    return found


def current_column(name: str, columns: Collection[str]) -> str:
    """Return the current name of a column that may be given by an old name.

    Examples
    --------
    >>> current_column("gap", ["value", "regret"]), current_column("wins", ["wins", "regret"])
    ('regret', 'wins')
    """
    if name in columns:
        return name
    current = (renaming.names[name] for renaming in RENAMED if name in renaming.names)
    return next((new for new in current if new in columns), name)
