"""Figures of a study as calls of a few lines: the file, what it shows, and how."""

from collections.abc import Mapping, Sequence
from typing import Any

from ttt_fast.plot.figure import Figure
from ttt_fast.studies.pictures import HIGH, KIND, LOW, VALUE, Column, StudyFigure


def figure(
    table: str,
    name: str,
    title: str,
    *,
    x: str,
    y: str | Mapping[str, Sequence[str]],
    where: Mapping[str, Sequence[Any]] | None = None,
    **look: Any,
) -> StudyFigure:
    """Return a figure of a csv file of a study.

    Parameters
    ----------
    table
        The csv file, without its ending.
    name, title
        Of the picture, and above it.
    x
        The column of the places.
    y
        The column of the values; or several, by what they are called: each with its columns of spread (none, a
        standard deviation, or two ends).  These have a panel each, if `look` does not say otherwise.
    where
        Columns with their admitted values; none: any value will do.
    **look
        More fields of `Figure`.

    Examples
    --------
    >>> figure("curve", "wins", "Games won", x="episodes", y={"as X": ("x_wins", "x_sd")}).columns[0].spread
    ('x_sd',)
    """
    columns: tuple[Column, ...] = ()
    value = y if isinstance(y, str) else VALUE
    if not isinstance(y, str):
        columns = tuple(Column(shown, column, tuple(spread)) for shown, (column, *spread) in y.items())
        look = {"panels": KIND, **look}
        if any(column.spread for column in columns):
            look = {"band": True, "spread": (LOW, HIGH), **look}
    admitted = tuple((column, tuple(map(str, values))) for column, values in (where or {}).items())
    return StudyFigure(f"{table}.csv", Figure(name=name, title=title, x=x, y=value, **look), admitted, columns)
