"""The figures of a study, as described in its `figures.toml`, drawn beside its page from its csv files.

A key of `[[figure]]` is a field of `Figure`, or one of these.

`table`
    The csv file with the data, without its suffix.
`where`
    Columns with their admitted values: a row is drawn if all of these columns have admitted values.  An empty list
    admits any value.
`y`
    The column of the values; or several labelled columns, each with its columns of spread (none, a standard deviation,
    or two ends).  By default each of them has its own panel.
`like`
    The name of an earlier figure, whose keys are the defaults of this one.

An empty text stands for None, and the value of a reference may be a fraction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_fast import UsageError
from ttt_fast.plot.curves import read_curves
from ttt_fast.plot.figure import Figure, Reference
from ttt_fast.plot.plots import save
from ttt_fast.studies.engine.pages import Progress
from ttt_fast.studies.engine.sources import lines_of_toml, package_of

if TYPE_CHECKING:
    import polars as pl

VALUE, KIND, LOW, HIGH = "value", "kind", "low", "high"
"""Columns of a figure that shows several columns of its file: value, label, and the ends of the spread."""


@dataclass(frozen=True)
class DescribedFigure:
    """A figure and the file of its data.

    Attributes
    ----------
    csv
        Name of the file.
    figure
        The specification; its name is the name of the picture.
    where
        Columns with their admitted values.
    columns
        The columns, if several are shown: they become rows with `value`, `kind`, `low` and `high`, which `figure` uses.
    """

    csv: str
    figure: Figure
    where: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def picture(self) -> str:
        """The name of the picture's file."""
        return f"{self.figure.name}.svg"

    def frame(self, folder: Path) -> "pl.DataFrame":
        """Return the rows to draw, from the file in a folder.

        Raises
        ------
        FileFormatError
            If the file is missing or damaged.
        UsageError
            If the file lacks a column of the figure.
        """
        import polars as pl

        frame = read_curves([folder / self.csv])
        for name in [*self.where, *(column[0] for column in self.columns.values())]:
            if name not in frame.columns:
                raise UsageError(f"{str(folder / self.csv)!r}: expected a column {name!r}, which the figure shows")
        for name, values in self.where.items():
            is_there = pl.col(name).is_not_null()
            frame = frame.filter(pl.col(name).cast(pl.String).is_in(list(map(str, values))) if values else is_there)
        shown = [frame.with_columns(*_shown(name, *columns)) for name, columns in self.columns.items()]
        return pl.concat(shown) if shown else frame


def _shown(kind: str, *columns: str) -> "list[pl.Expr]":
    """Return the columns of a figure from a column of values and its columns of spread."""
    import polars as pl

    value, *spread = (pl.col(name).cast(pl.Float64) for name in columns)
    low, high = spread if len(spread) == 2 else (value - sum(spread), value + sum(spread))
    return [pl.lit(kind).alias(KIND), value.alias(VALUE), low.alias(LOW), high.alias(HIGH)]


def figure_of(lines: Mapping[str, Any]) -> DescribedFigure:
    """Return a figure from its keys.

    Examples
    --------
    >>> lines = {"table": "t", "name": "wins", "title": "Wins", "x": "n", "y": {"as X": ["x", "sd"]}}
    >>> figure_of(lines).figure.panels, figure_of(lines).figure.spread
    ('kind', ('low', 'high'))
    """
    own: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in lines.items()}
    own.pop("like", None)
    table, y, where = own.pop("table"), own.pop("y"), own.pop("where", {})
    columns: dict[str, list[str]] = {} if isinstance(y, str) else y
    if columns:
        own = {"panels": KIND, **own}
        if any(len(column) > 1 for column in columns.values()):
            own = {"band": True, "spread": (LOW, HIGH), **own}
    references = own.get("references", ())
    own["references"] = tuple(Reference(**one | {"value": float(Fraction(str(one["value"])))}) for one in references)
    look: dict[str, Any] = {key: None if one == "" else one for key, one in own.items()}
    return DescribedFigure(f"{table}.csv", Figure(**look, y=VALUE if columns else y), where, columns)


def figures_of(study: str) -> tuple[DescribedFigure, ...]:
    """Return the figures of a study, in the order of its page; empty if it has no file of figures.

    Examples
    --------
    >>> [one.figure.name for one in figures_of("langan")][:2]
    ['agreement', 'q-minimax']
    """
    found: dict[str, dict[str, Any]] = {}
    for one in lines_of_toml(package_of(study), "figures.toml").get("figure", ()):
        found[one["name"]] = {**found.get(one.get("like", ""), {}), **one}
    return tuple(map(figure_of, found.values()))


def draw_figures(folder: Path, figures: Sequence[DescribedFigure], on_progress: Progress | None = None) -> None:
    """Draw the figures of a study from the files in its folder, beside its page.

    If the extra `plot` is missing, no figure is drawn and `on_progress` is called with a message.  The page links the
    pictures in any case.
    """
    for one in figures:
        try:
            import_module("vl_convert")
        except ImportError:
            if on_progress is not None:
                on_progress("the page stands, its pictures are not drawn: install 'ttt-fast[plot]'")
            return
        save(one.figure, one.frame(folder), folder / one.picture)
