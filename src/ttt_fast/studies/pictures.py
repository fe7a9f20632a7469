"""The figures of a study, as `figures.toml` says them, and one function that draws them beside its page.

A line of `[[figure]]` is a field of `Figure`, or one of these.

`table`
    The csv file that it is drawn from, without its ending.
`where`
    Columns with their admitted values: a row is drawn if each of them has one.  No values: any value will do.
`y`
    The column of the values; or several, by what they are called: each with its columns of spread (none, a standard
    deviation, or two ends).  These have a panel each, if the figure does not say otherwise.
`like`
    The name of a figure before it, whose lines it has where it has none of its own.

An empty text stands for none, and the value of a reference may be a fraction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_fast.core.errors import UsageError
from ttt_fast.plot.curves import read_curves
from ttt_fast.plot.figure import Figure, Reference
from ttt_fast.plot.plots import save
from ttt_fast.studies.engine.sources import lines_of_toml
from ttt_fast.studies.engine.texts import Progress

if TYPE_CHECKING:
    import polars as pl

VALUE, KIND, LOW, HIGH = "value", "kind", "low", "high"
"""Columns of a figure that shows several columns of its file: a row for each, and what it is."""


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
        Columns with their admitted values.
    columns
        Several columns to show: they become rows with `value`, `kind`, `low` and `high`, which `figure` names.
    """

    csv: str
    figure: Figure
    where: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def picture(self) -> str:
        """The name of the picture's file."""
        return f"{self.figure.name}.svg"

    def link(self) -> str:
        """Return the picture as markdown."""
        return f"![{self.figure.title}]({self.picture})"

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
        for name in [*self.where, *(column[0] for column in self.columns.values())]:
            if name not in frame.columns:
                raise UsageError(f"{str(folder / self.csv)!r}: expected a column {name!r}, which the figure shows")
        for name, values in self.where.items():
            is_there = pl.col(name).is_not_null()
            frame = frame.filter(pl.col(name).cast(pl.String).is_in(list(map(str, values))) if values else is_there)
        shown = [frame.with_columns(*_shown(name, *columns)) for name, columns in self.columns.items()]
        return pl.concat(shown) if shown else frame


def _shown(kind: str, *columns: str) -> "list[pl.Expr]":
    """Return the columns of a figure that a column of values and its spread make."""
    import polars as pl

    value, *spread = (pl.col(name).cast(pl.Float64) for name in columns)
    low, high = spread if len(spread) == 2 else (value - sum(spread), value + sum(spread))
    return [pl.lit(kind).alias(KIND), value.alias(VALUE), low.alias(LOW), high.alias(HIGH)]


def figure_of(lines: Mapping[str, Any]) -> StudyFigure:
    """Return a figure from its lines.

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
    told = own.get("references", ())
    own["references"] = tuple(Reference(**one | {"value": float(Fraction(str(one["value"])))}) for one in told)
    look: dict[str, Any] = {key: None if one == "" else one for key, one in own.items()}
    return StudyFigure(f"{table}.csv", Figure(**look, y=VALUE if columns else y), where, columns)


def figures_of(study: str) -> tuple[StudyFigure, ...]:
    """Return the figures of a study, in the order of its page; none where it has no file of them.

    Examples
    --------
    >>> [one.figure.name for one in figures_of("langan")][:2]
    ['agreement', 'agreement-as-counted']
    """
    lines: dict[str, dict[str, Any]] = {}
    for one in lines_of_toml(f"ttt_fast.studies.{study}", "figures.toml").get("figure", ()):
        lines[one["name"]] = lines.get(one.get("like"), {}) | one
    return tuple(map(figure_of, lines.values()))


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
