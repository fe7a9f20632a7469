"""The pictures of the study."""

from typing import Any

from ttt_fast.plot.figure import Reference
from ttt_fast.studies.engine.figures import figure
from ttt_fast.studies.optimum.plan import ENOUGH, PROBLEMS

_LINES: dict[str, Any] = {
    "x": "episodes", "series": "problem", "series_label": "learner", "log_x": True, "y_format": ".0%",
    "series_order": tuple(problem.name for problem in PROBLEMS), "width": 640, "height": 380,
    "references": (Reference(ENOUGH, f"{ENOUGH:.0%}"),),
}  # fmt: skip

FIGURES = (
    figure("share", "share", "Q-learning ends exactly at the optimum", y="share", x_label="episodes of the run",
           y_label="runs at the optimum", **_LINES,
           subtitle="share of the runs whose final greedy policy has exactly the best value"),
    figure("settled", "settled", "Episodes needed within a run", y="settled", x_label="episodes so far",
           y_label="runs that stay at the optimum", **_LINES,
           subtitle="share of the longest runs that stay at the optimum from there on"),
)  # fmt: skip
