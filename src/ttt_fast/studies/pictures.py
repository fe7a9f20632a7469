"""The figures of a study: what each shows, and one function that draws them beside its page."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ttt_fast.core.errors import UsageError
from ttt_fast.plot.curves import read_curves
from ttt_fast.plot.figure import Figure
from ttt_fast.plot.plots import save
from ttt_fast.studies.engine.texts import Progress

if TYPE_CHECKING:
    import polars as pl

VALUE, KIND, LOW, HIGH = "value", "kind", "low", "high"
"""Columns of a figure that shows several columns of its file: a row for each, and what it is."""


class Column(NamedTuple):
    """One of several columns that a figure shows.

    Attributes
    ----------
    name
        What it is called in the figure.
    y
        The column of values.
    spread
        None, the column of standard deviations, or the two columns between which the band lies.
    """

    name: str
    y: str
    spread: tuple[str, ...] = ()


@dataclass(frozen=True)
class StudyFigure:
    """A figure of a study and the file that it is drawn from.

    Attributes
    ----------
    csv
        Name of the file, beside the page.
    figure
        The specification; its name is that of the picture.
    where
        Columns with their admitted values: a row is drawn if each of them has one.  No values: any value will do.
    columns
        Several columns to show: they become rows with `value`, `kind`, `low` and `high`, which `figure` names.
    """

    csv: str
    figure: Figure
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    columns: tuple[Column, ...] = ()

    @property
    def picture(self) -> str:
        """The name of the picture's file."""
        return f"{self.figure.name}.svg"

    def frame(self, folder: Path) -> "pl.DataFrame":
        """Return the rows to draw, from the file in the folder of a study.

        Raises
        ------
        FileFormatError
            If the file is missing or damaged.
        UsageError
            If it lacks a column that the figure shows.
        """
        import polars as pl

        frame = read_curves([folder / self.csv])
        wanted = [name for name, _ in self.where] + [one for column in self.columns for one in column[1:2]]
        for name in wanted:
            if name not in frame.columns:
                raise UsageError(f"{str(folder / self.csv)!r}: expected a column {name!r}, which the figure shows")
        for name, values in self.where:
            is_there = pl.col(name).is_not_null()
            frame = frame.filter(pl.col(name).cast(pl.String).is_in(values) if values else is_there)
        if not self.columns:
            return frame
        return pl.concat([frame.with_columns(*_shown(column)) for column in self.columns])


def _shown(column: Column) -> "list[pl.Expr]":
    """Return the columns of a figure that one of several columns makes."""
    import polars as pl

    value = pl.col(column.y).cast(pl.Float64)
    low = high = value
    if len(column.spread) == 1:
        sd = pl.col(column.spread[0]).cast(pl.Float64)
        low, high = value - sd, value + sd
    elif column.spread:
        low, high = (pl.col(name).cast(pl.Float64) for name in column.spread)
    return [pl.lit(column.name).alias(KIND), value.alias(VALUE), low.alias(LOW), high.alias(HIGH)]


def figures_of(study: str) -> tuple[StudyFigure, ...]:
    """Return the figures of a study, in the order of its page; none where it has no module for them.

    Examples
    --------
    >>> [one.figure.name for one in figures_of("langan")][:2]
    ['agreement', 'agreement-as-counted']
    """
    try:
        module = import_module(f"ttt_fast.studies.{study}.figures")
    except ModuleNotFoundError as error:
        if not f"ttt_fast.studies.{study}.figures".startswith(error.name or "?"):
            raise
        return ()
    figures: tuple[StudyFigure, ...] = module.FIGURES
    return figures


def draw_figures(folder: Path, figures: Sequence[StudyFigure], on_progress: Progress | None = None) -> None:
    """Draw the figures of a study from the files in its folder, beside its page.

    Where the extra `plot` is missing nothing is drawn, and `on_progress` is told so; the page links the pictures
    in any case.
    """
    for one in figures:
        try:
            import_module("vl_convert")
        except ImportError:
            if on_progress is not None:
                on_progress("the page stands, its pictures are not drawn: install 'ttt-fast[plot]'")
            return
        save(one.figure, one.frame(folder), folder / one.picture)
