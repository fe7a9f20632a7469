"""The picture of the suite."""

from ttt_fast.plot.figure import Figure
from ttt_fast.studies.pictures import StudyFigure
from ttt_fast.studies.suite.problems import BASELINES

FIGURES = (
    StudyFigure(
        "curves.csv",
        Figure(
            name="curves",
            title="Scores by the part of the budget that is used",
            subtitle="interquartile means over the seeds, with 95 % intervals; 1 is the best play, 0 random play",
            x="budget",
            y="score",
            series="learner",
            series_order=BASELINES,
            panels="problem",
            columns=4,
            shared_y=False,
            band=True,
            spread=("score_low", "score_high"),
            x_label="part of the budget",
            y_label="score",
        ),
        where=(("budget", ("0.1", "0.4", "1.0")),),
    ),
)
