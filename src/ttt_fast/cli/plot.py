"""The command `plot`: curves from files, in the terminal or as a picture."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ttt_fast import UsageError
from ttt_fast.cli.parsing import one_of, output_file
from ttt_fast.cli.signatures import argument, of_result, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from ttt_fast.plot.figure import Figure, Reference

_BAND = "over the seeds, mean ± standard deviation, or the mean or interquartile mean with its 95 % interval"
_Band = Annotated[
    Literal["sd", "mean", "iqm"] | None, option("--band sd|mean|iqm", _BAND, one_of("the band", "sd", "mean", "iqm"))
]
_MAX_CHARACTERS = 1000
_MAX_LINES = 12
"""Lines of a picture whose last value is printed."""


def plot(
    files: Annotated[
        list[Path], argument("FILE", "curves (.parquet, .csv, .jsonl, .json), or a folder: its latest sweep, or all")
    ],
    x: Annotated[str | None, option("--x COLUMN", "x axis (default: episodes)")] = None,
    y: Annotated[
        list[str] | None,
        option("--y COLUMN", "y axis (default: the first column among regret, value, score and wins); may be repeated"),
    ] = None,
    by: Annotated[list[str] | None, option("--by COLUMN", "a line for each value; may be repeated")] = None,
    panels: Annotated[str | None, option("--panels COLUMN", "a plot for each value")] = None,
    log_x: Annotated[bool, option("--log-x", "logarithmic x axis")] = False,
    log_y: Annotated[bool, option("--log-y", "logarithmic y axis")] = False,
    band: _Band = None,
    reference: Annotated[
        list[str] | None, option("--reference [LABEL=]VALUE", "a horizontal line: optimum=191/192; may be repeated")
    ] = None,
    figure: Annotated[
        str | None,
        option(
            "--figure [STUDY/]NAME",
            "a figure on the results page of a study; FILE is then the folder of this study, such as results/langan",
        ),
    ] = None,
    title: Annotated[str, option("--title TEXT", "title (default: the columns)")] = "",
    width: Annotated[int | None, option("--width N", "width in characters (default: that of the terminal)")] = None,
    height: Annotated[int, option("--height N", "height of a chart in lines")] = 20,
    output: Annotated[
        Path | None,
        of_result("--output -o FILE", "picture (.png, .svg, .pdf, .html, Vega-Lite .json) or text (.txt)", output_file),
    ] = None,
) -> None:
    """Draw learning curves or a figure of a study in the terminal, or as a picture with -o; requires ttt-fast[plot]."""
    from ttt_fast.plot.curves import Choice, figure_of, last_values, read_curves

    mixed: list[str] = []
    lines = tuple(_reference(text) for text in reference or ())
    _check_size(width, height)
    choice = Choice(x, y or (), by or (), panels, title, log_x, log_y, band, lines)
    if figure is None:
        curves = read_curves(files)
        shown, frame = figure_of(curves, choice)
        mixed = _mixed_settings(curves, [shown.x, *choice.by, panels])
    elif choice == Choice(y=(), by=()):
        shown, frame = _of_a_study(files, figure)
    else:
        raise UsageError(f"expected no option that selects columns with --figure, got one with --figure {figure!r}")
    if output is None or output.suffix.lower() == ".txt":
        _write_chart(shown, frame, width, height, output)
    else:
        from ttt_fast.plot.plots import save

        save(shown, frame, output)
    if output is not None:
        values = last_values(shown, frame)
        typer.echo("\n".join([*[*values[:_MAX_LINES], "..."][: len(values)], f"wrote {output}"]), err=True)
    if mixed:
        typer.echo(
            f"each line is a mean over {', '.join(mixed)}: --by {mixed[0]} draws a line for each value", err=True
        )


def _mixed_settings(frame: "pl.DataFrame", shown: "Sequence[str | None]") -> list[str]:
    """Return the settings, except the seed, that differ between rows: lines are means over them."""
    from ttt_fast.learners import SETTINGS

    names = [name for name in frame.columns if name in {*SETTINGS, "run_episodes", "package"} - {"seed", *shown}]
    return [name for name in names if frame[name].drop_nulls().n_unique() > 1]


def _of_a_study(files: list[Path], wanted: str) -> "tuple[Figure, pl.DataFrame]":
    """Return a figure and its rows; `wanted` is `STUDY/NAME`, or NAME if the folder is named after the study."""
    from ttt_fast.cli.reproduce import STUDIES
    from ttt_fast.studies.engine.figures import figures_of

    if len(files) != 1:
        raise UsageError(f"expected one folder, that of a study, with --figure, got {len(files)}")
    folder = files[0]
    study, _, name = wanted.rpartition("/")
    study = study or os.path.basename(os.path.realpath(folder))
    if study not in STUDIES:
        raise UsageError(
            f"expected a folder of a study, or --figure STUDY/NAME, where STUDY is one of {', '.join(STUDIES)};"
            f" got {study!r}"
        )
    figures = {one.figure.name: one for one in figures_of(study)}
    if name not in figures:
        raise UsageError(
            f"expected the name of a figure of {study} ({', '.join(figures) or 'there is none'}), got {name!r}"
        )
    return figures[name].figure, figures[name].frame(folder)


def _write_chart(figure: "Figure", frame: "pl.DataFrame", width: int | None, height: int, output: Path | None) -> None:
    import sys
    from shutil import get_terminal_size

    from ttt_fast.plot.chart import MIN_WIDTH, figure_chart
    from ttt_fast.report.rows import write_bytes

    columns = width or max(MIN_WIDTH, min(get_terminal_size().columns, 120))
    chart = figure_chart(figure, frame, columns, height, colours=output is None and sys.stdout.isatty())
    write_bytes(chart.encode(), output)


def _check_size(width: int | None, height: int) -> None:
    from ttt_fast.plot.chart import MIN_HEIGHT, MIN_WIDTH

    for name, value, least in (("width", width, MIN_WIDTH), ("height", height, MIN_HEIGHT)):
        if value is not None and not least <= value <= _MAX_CHARACTERS:
            raise UsageError(f"expected a {name} from {least} to {_MAX_CHARACTERS}, got {value}")


def _reference(text: str) -> "Reference":
    """Return the reference line of a text such as 'optimum=191/192' or '0.5'."""
    from fractions import Fraction

    from ttt_fast.plot.figure import Reference

    label, _, value = text.rpartition("=")
    try:
        return Reference(float(Fraction(value.strip())), label or value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"expected [LABEL=]VALUE, for instance optimum=191/192, got {text!r}") from None
