"""The pictures of the study: what they show, and drawing them where the extra `plot` is installed."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ttt_fast.report.figure import Figure, Reference
from ttt_fast.studies.optimum.plan import PROBLEMS, TARGET

_NAMES = tuple(problem.name for problem in PROBLEMS)
_TARGET = (Reference(TARGET, f"{TARGET:.0%}"),)
_LINES: dict[str, Any] = {
    "x": "episodes", "series": "problem", "series_label": "learner", "series_order": _NAMES, "log_x": True,
    "y_format": ".0%", "references": _TARGET, "width": 640, "height": 380,
}  # fmt: skip

FIGURES = {
    "share": Figure(
        name="share",
        title="Q-learning ends exactly at the optimum",
        subtitle="share of the runs whose final greedy policy has exactly the best value",
        y="share",
        x_label="episodes of the run",
        y_label="runs at the optimum",
        **_LINES,
    ),
    "settled": Figure(
        name="settled",
        title="Episodes needed within a run",
        subtitle="share of the longest runs that stay at the optimum from there on",
        y="settled",
        x_label="episodes so far",
        y_label="runs that stay at the optimum",
        **_LINES,
    ),
}
"""By the csv file that each is drawn from."""


def save_figures(folder: Path, parts: Mapping[str, Sequence[Mapping[str, Any]]]) -> bool:
    """Draw the pictures into a folder; return whether the extra that draws them is installed."""
    if find_spec("vl_convert") is None:
        return False
    import polars as pl

    from ttt_fast.report.plots import save

    for name, figure in FIGURES.items():
        save(figure, pl.DataFrame(list(parts[name])), folder / f"{figure.name}.svg")
    return True
