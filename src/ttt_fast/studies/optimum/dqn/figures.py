"""The picture of the part."""

from typing import Final

from ttt_fast.studies.engine.figures import figure

FIGURES: Final = (
    figure("dqn_rates", "first", "Episodes until a network is exactly optimal", x="setting", panels="opponent",
           y={"median": ("median_first_exact",)}, kind="bars", horizontal=True, columns=2, shared_y=False, y_label="episodes",
           subtitle="the median of the runs; no bar: half of them or more never are"),
)  # fmt: skip
