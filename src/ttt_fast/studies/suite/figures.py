"""The picture of the suite."""

from typing import Final

from ttt_fast.studies.engine.figures import figure
from ttt_fast.studies.suite.problems import BASELINES

FIGURES: Final = (
    figure("curves", "curves", "Scores by the part of the budget that is used", x="budget", y="score", series="learner",
           series_order=BASELINES, where={"budget": ["0.1", "0.4", "1.0"]}, panels="problem", columns=4, shared_y=False,
           band=True, spread=("score_low", "score_high"), x_label="part of the budget", y_label="score",
           subtitle="interquartile means over the seeds, with 95 % intervals; 1 is the best play, 0 random play"),
)  # fmt: skip
