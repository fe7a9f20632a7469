"""The picture of the part."""

from typing import Final

from ttt_fast.studies.engine.figures import figure

FIGURES: Final = (
    figure("dqn_rates", "rates", "Runs that keep an exactly optimal network", x="setting", panels="opponent", y="share",
           kind="bars", horizontal=True, band=True, spread=("low", "high"), columns=2, y_label="share of the runs",
           x_label="the default, or one change of it", y_format=".0%", bounds=(0.0, 1.0),
           subtitle="the whisker is the 95 % interval"),
)  # fmt: skip
