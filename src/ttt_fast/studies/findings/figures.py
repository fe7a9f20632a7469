"""The pictures at the head of the findings."""

from typing import Final

from ttt_fast.studies.engine.figures import figure

FIGURES: Final = (
    figure("ties", "ties", "Which minimax? Games that X does not win against random", x="player", y="not won",
           kind="bars", horizontal=True, band=True, spread=("low", "high"), y_label="games not won, exact",
           y_format=".1%", subtitle="the whisker is the 95 % interval of a mean of runs"),
    figure("safety", "safety", "The price of safety: games that O does not win against random", x="goal", y="share",
           series="result", kind="stacked", horizontal=True, x_label="the goal of O", y_label="games not won, exact",
           y_format=".0%", series_order=("draws", "losses")),
    figure("agreement", "agreement", "Agreement says little about strength", x="policy", kind="bars", horizontal=True,
           y={"agreement with minimax": ("agreement",), "games lost as X against random": ("losses",)},
           columns=2, shared_y=False, y_format=".0%", y_label="share", x_label="learned policy"),
)  # fmt: skip
