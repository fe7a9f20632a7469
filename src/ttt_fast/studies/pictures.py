"""The figures of a study, as defined in its `figures.toml`, and a function that draws them beside its page."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from ttt_fast.plot.described import DescribedFigure, described
from ttt_fast.plot.plots import save
from ttt_fast.studies.engine.sources import lines_of_toml
from ttt_fast.studies.engine.texts import Progress


def figures_of(study: str) -> tuple[DescribedFigure, ...]:
    """Return the figures of a study, in the order of its page; empty if it has no file of figures.

    Examples
    --------
    >>> [one.figure.name for one in figures_of("langan")][:2]
    ['agreement', 'agreement-as-counted']
    """
    return described(lines_of_toml(f"ttt_fast.studies.{study}", "figures.toml").get("figure", ()))


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
