"""Every figure of the study of seed 000."""

from typing import Any

from ttt_fast.report.figure import Figure, Reference
from ttt_fast.studies.langan.plan import VARIANTS
from ttt_fast.studies.pictures import StudyFigure

_ORDER = tuple(map(str, VARIANTS))
_COMMON: dict[str, Any] = {
    "x": "episodes",
    "series": "mended",
    "panels": "player",
    "x_label": "episodes of self-play",
    "series_label": "mended",
    "log_x": True,
    "band": True,
    "y_format": ".0%",
    "series_order": _ORDER,
    "columns": 2,
}

FIGURES: tuple[StudyFigure, ...] = (
    StudyFigure(
        "curves.csv",
        Figure(
            name="agreement",
            title="Self-play agrees with minimax only when all three defects are mended",
            subtitle="rows in which the learner is to move",
            y="agreement",
            y_label="agreement with minimax",
            references=(Reference(1.0, "minimax"),),
            **_COMMON,
        ),
    ),
    StudyFigure(
        "curves.csv",
        Figure(
            name="agreement-as-counted",
            title="Self-play's agreement as the report counts it",
            subtitle="all rows of a table, those of the opponent's turn included",
            y="agreement_as_counted",
            y_label="agreement with minimax",
            references=(
                Reference(0.6930, "published, player 1", panel="player 1"),
                Reference(0.6649, "published, player 2", panel="player 2"),
            ),
            **_COMMON,
        ),
    ),
)
"""File of the data (in the folder of the results) and specification of each figure."""
