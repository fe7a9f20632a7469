"""Curves from files, and figures of their columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ttt_fast import FileFormatError, UsageError, seed_intervals
from ttt_fast.core.frames import read_frame
from ttt_fast.learners import Sweep, single_runs
from ttt_fast.plot.figure import Figure, Reference, labels, summarise, unknown_column
from ttt_fast.report.rows import cell_text

if TYPE_CHECKING:
    import polars as pl

FILE_COLUMN = "file"
_IN_FOLDERS = (".parquet", ".csv", ".jsonl")
"""Suffixes of the files that are read from a folder."""
_USUAL_X = ("episodes", "games", "ply", "plies", "depth")
_REGRETS = ("regret", "mean_regret")
_RESULTS = ("wins", "exact_x_wins", "wins_v_random", "value", "x_wins", "agreement", "exploitability")
"""The value comes before the wins of X, which the learner may not be."""
_COUNTS = ("leaves", "states")
_SHARES = ("x_wins", "o_wins", "wins", "draws", "losses")
_BOUNDS = {"value": (-1.0, 1.0), "regret": (0.0, 2.0), **dict.fromkeys(_SHARES, (0.0, 1.0))}
"""Limits of some columns, at which bands end."""
_Y_OF_SEVERAL, _SERIES, _PANELS = "value", "series", "panels"
_SEEDED = "runs with seeds"
"""The series of all files with a seed in their rows, beside other files."""


@dataclass(frozen=True)
class Choice:
    """The selection of curves to show.

    Attributes
    ----------
    x
        Column of positions; None for the default column.
    y
        Columns of values; several become series, or panels if `by` is given.  The default is the first available one in
        this order: the regret, the value (with the best value) or the score, the probability of a win, the value, the
        count.
    by
        Columns that distinguish the series (default: the files, if there are several).
    panels
        Column of small multiples.
    title
        The title; empty for a title made from the columns.
    log_x, log_y, references
        As in `Figure`.
    band
        The band over the runs, if any: `sd`, mean ± standard deviation; `mean` or `iqm`, the mean or interquartile mean
        with its 95 % bootstrap interval.
    """

    x: str | None = None
    y: Sequence[str] = ()
    by: Sequence[str] = ()
    panels: str | None = None
    title: str = ""
    log_x: bool = False
    log_y: bool = False
    band: Literal["sd", "mean", "iqm"] | None = None
    references: tuple[Reference, ...] = ()


def read_curves(paths: Sequence[Path]) -> "pl.DataFrame":
    """Return the concatenated rows of parquet, CSV, JSON-lines and `ttt-fast` JSON files.

    A folder stands for the runs of its latest sweep or, without one, for its parquet, CSV and JSON-lines files.  A run
    in several files occurs once.  The column `file` contains the source of a row, unless the files have such a column.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged or of another format.
    UsageError
        If a folder contains no such files.
    """
    import polars as pl

    files = _files(paths)
    stems = [path.stem for path in files]
    names = stems if len(set(stems)) == len(files) else [str(path) for path in files]
    frames = []
    for path, name in zip(files, names, strict=True):
        frame = read_frame(path)
        frames.append(frame if FILE_COLUMN in frame.columns else frame.with_columns(pl.lit(name).alias(FILE_COLUMN)))
    try:
        return single_runs(pl.concat(frames, how="diagonal_relaxed"))
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise FileFormatError(f"expected files whose columns have the same types: {reason}") from None


def figure_of(frame: "pl.DataFrame", choice: Choice) -> "tuple[Figure, pl.DataFrame]":
    """Return a figure of some columns of a frame, and the frame for drawing it.

    Raises
    ------
    UsageError
        If a column is missing, or no column was given and the frame has no default column.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"episodes": [1, 2], "wins": [0.5, 0.75], "draws": [0.1, 0.2]})
    >>> figure, data = figure_of(frame, Choice(y=["wins", "draws"]))
    >>> figure.title, figure.y, figure.series, data.height
    ('wins and draws by episodes', 'value', 'series', 4)
    """
    import polars as pl

    x = choice.x or _usual(frame, _USUAL_X, "--x")
    values = list(dict.fromkeys(choice.y)) or [_usual(frame, _usual_values(frame), "--y")]
    by = list(choice.by)
    are_files = not by and len(values) == 1 and FILE_COLUMN in frame.columns and _files_are_series(frame)
    by = [FILE_COLUMN] if are_files else by
    for name in [x, *values, *by, *([choice.panels] if choice.panels else [])]:
        if name not in frame.columns:
            raise UsageError(unknown_column(name, frame.columns))
    for name in (x, *values):
        for file in _files_without(frame, name)[:1]:
            raise UsageError(f"expected files with values in the column {name!r}, got {file!r}, which has none")
    if are_files and "seed" in frame.columns:
        source = pl.when(pl.col("seed").is_null()).then(FILE_COLUMN).otherwise(pl.lit(_SEEDED))
        frame = frame.with_columns(source.alias(FILE_COLUMN))
    y, series, panels = values[0], (by[0] if by else None), choice.panels
    if panels:
        frame, panels = _with_named_panels(frame, panels)
    if len(by) > 1:
        texts = [pl.concat_str(pl.lit(f"{name} = "), pl.col(name), ignore_nulls=True) for name in by]
        frame, series = frame.with_columns(pl.concat_str(texts, separator=", ").alias(_SERIES)), _SERIES
    title = choice.title or f"{' and '.join(name.replace('_', ' ') for name in values)} by {x.replace('_', ' ')}"
    if len(values) > 1:
        frame, y, variable = _unpivoted(frame, values, [name for name in (x, series, panels) if name])
        if series is not None and panels is not None:
            raise UsageError(f"expected one --y with both --by and --panels, got {len(values)}")
        series, panels = (series, variable) if series else (variable, panels)
    figure = Figure(
        name="plot", title=title, x=x, y=y, series=series, panels=panels, log_x=choice.log_x, log_y=choice.log_y,
        band=choice.band is not None, references=choice.references, series_label=", ".join(by).replace("_", " "),
        names_series=by == [series] != [FILE_COLUMN],
        bounds=_BOUNDS.get(values[0] if len(values) == 1 else "", Figure.bounds),
    )  # fmt: skip
    if choice.band is None or choice.band == "sd":
        if choice.band is not None:
            single_runs(frame.filter(pl.col(y).is_not_null()), [name for name in (panels, series) if name], x)
        return figure, frame
    return _with_intervals(figure, frame, choice.band)


def _with_intervals(
    figure: Figure, frame: "pl.DataFrame", statistic: Literal["mean", "iqm"]
) -> "tuple[Figure, pl.DataFrame]":
    """Return the figure and the frame of a statistic over the runs with its interval."""
    by = [name for name in (figure.panels, figure.series) if name is not None]
    found = seed_intervals(frame, figure.y, by, statistic=statistic, x=figure.x)
    number = " to ".join(dict.fromkeys(str(one) for one in (min(found["runs"]), max(found["runs"]))))
    name = "mean" if statistic == "mean" else "interquartile mean"
    subtitle = f"{name} with its 95 % bootstrap interval, of {number} runs"
    return replace(figure, subtitle=subtitle, spread=("low", "high")), found


def last_values(figure: Figure, frame: "pl.DataFrame") -> list[str]:
    """Return a text for each line of a figure, with its value at the end; for other figures the number of values.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"episodes": [1, 2000], "wins": [0.5, 0.75], "epsilon": [0.1, 0.1]})
    >>> last_values(*figure_of(frame, Choice(by=["epsilon"])))
    ['epsilon = 0.1: wins 0.75 at 2,000 episodes']
    """
    points = summarise(figure, frame)
    x_label, y_label, name = figure.axis_labels()
    if figure.kind != "lines":
        return [f"{points.height:,} values of {y_label}"]
    named = f"{name} = " if figure.names_series else ""
    ends = points.group_by("panel", "series", maintain_order=True).last()
    found = []
    for panel, series, x, y in ends.select("panel", "series", "x", "y").iter_rows():
        line = ", ".join(filter(None, [panel, series and named + series])) or figure.title
        found.append(f"{line}: {y_label} {cell_text(y)} at {cell_text(int(x) if x.is_integer() else x)} {x_label}")
    return found


def _with_named_panels(frame: "pl.DataFrame", name: str) -> "tuple[pl.DataFrame, str]":
    """Add the column of the titles of panels, such as `epsilon = 0.1`; return the sorted frame and its name."""
    import polars as pl

    frame = frame.sort(name, maintain_order=True) if frame[name].dtype.is_numeric() else frame
    titles = pl.concat_str(pl.lit(f"{name} = "), labels(frame, name))
    return frame.with_columns(titles.alias(_PANELS)), _PANELS


def _unpivoted(frame: "pl.DataFrame", values: Sequence[str], kept: Sequence[str]) -> "tuple[pl.DataFrame, str, str]":
    """Stack the columns of values; return the frame, and the names of its columns of values and of their names."""
    for name in values:
        if name in kept or not frame[name].dtype.is_numeric():
            raise UsageError(f"expected columns of numbers other than x and series for several --y, got {name!r}")
    kept = [*dict.fromkeys([*kept, *(one for one in ("unit", "seed") if one in frame.columns and one not in values)])]
    value, variable = (name + "_" * (name in {*kept, *values}) for name in (_Y_OF_SEVERAL, _SERIES))
    shown = frame.select(*kept, *values)  # no other column may have a new name
    return shown.unpivot(values, index=kept, variable_name=variable, value_name=value), value, variable


def _usual(frame: "pl.DataFrame", usual: Sequence[str], option: str) -> str:
    there = (name for name in usual if name in frame.columns and frame[name].dtype.is_numeric())
    found = next((name for name in there if not _files_without(frame, name)), None)
    if found is None:
        raise UsageError(f"expected {option} with one of the columns {', '.join(frame.columns)}, got none")
    return found


def _files_without(frame: "pl.DataFrame", name: str) -> list[str]:
    """Return the files that have no value in a column: a picture would leave them out."""
    if FILE_COLUMN not in frame.columns:
        return []
    known = set(frame.filter(frame[name].is_not_null())[FILE_COLUMN])
    return [file for file in frame[FILE_COLUMN].unique(maintain_order=True) if file not in known]


def _usual_values(frame: "pl.DataFrame") -> tuple[str, ...]:
    """Return the default columns of values; the first available one is shown."""
    values = ("value",) if "best_value" in frame.columns else ()
    return (*_REGRETS, *values, "score", *_RESULTS, *_COUNTS)


def _files_are_series(frame: "pl.DataFrame") -> bool:
    """Whether the file distinguishes rows: not if all files are runs with seeds."""
    return frame[FILE_COLUMN].n_unique() > 1 and ("seed" not in frame.columns or frame["seed"].null_count() > 0)


def _files(paths: Sequence[Path]) -> list[Path]:
    files = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        others = (one for one in path.iterdir() if one.suffix.lower() in _IN_FOLDERS and one.is_file())
        inside = Sweep.files(path) or sorted(others)
        if not inside:
            raise UsageError(f"expected {', '.join(_IN_FOLDERS)} files in the folder {str(path)!r}, found none")
        files += inside
    return files
