"""The pictures of the study."""

from typing import Any

from ttt_fast.plot.figure import Figure, Reference
from ttt_fast.studies.optimum.plan import PROBLEMS, TARGET
from ttt_fast.studies.pictures import StudyFigure

_NAMES = tuple(problem.name for problem in PROBLEMS)
_TARGET = (Reference(TARGET, f"{TARGET:.0%}"),)
_LINES: dict[str, Any] = {
    "x": "episodes", "series": "problem", "series_label": "learner", "series_order": _NAMES, "log_x": True,
    "y_format": ".0%", "references": _TARGET, "width": 640, "height": 380,
}  # fmt: skip

FIGURES = (
    StudyFigure(
        "share.csv",
        Figure(
            name="share",
            title="Q-learning ends exactly at the optimum",
            subtitle="share of the runs whose final greedy policy has exactly the best value",
            y="share",
            x_label="episodes of the run",
            y_label="runs at the optimum",
            **_LINES,
        ),
    ),
    StudyFigure(
        "settled.csv",
        Figure(
            name="settled",
            title="Episodes needed within a run",
            subtitle="share of the longest runs that stay at the optimum from there on",
            y="settled",
            x_label="episodes so far",
            y_label="runs that stay at the optimum",
            **_LINES,
        ),
    ),
)
