"""Every figure of the study of seed 002."""

from typing import Any

from ttt_fast.learn.config import SELF_PLAY
from ttt_fast.report.figure import Figure, Reference
from ttt_fast.studies.pictures import StudyFigure
from ttt_fast.studies.smirnov.published import OPTIMUM_DRAWN


def _sweep(name: str, csv: str, title: str, symbol: str, subtitle: str) -> StudyFigure:
    figure = Figure(
        name=name,
        title=title,
        subtitle=subtitle,
        x="episodes",
        y="mean",
        series="setting",
        series_label=symbol,
        y_label="exact probability that X beats random",
        references=(Reference(OPTIMUM_DRAWN, "optimum 107/108"),),
    )
    return StudyFigure(csv, figure)


def _duel(name: str, title: str, y: str, training: str, **more: Any) -> StudyFigure:
    figure = Figure(name=name, title=title, x="episodes", y=y, series="setting", **more)
    return StudyFigure("double.csv", figure, (("training", (training,)),))


_V_RANDOM = "X against random, first move drawn"
_OPTIMUM = Reference(OPTIMUM_DRAWN, "optimum against random 107/108", panel="random")
FIGURES: tuple[StudyFigure, ...] = (
    _sweep("alpha", "alpha.csv", "Step size", "alpha", f"{_V_RANDOM}; gamma 0.9, epsilon 0.4"),
    _sweep("gamma", "gamma.csv", "Discount", "gamma", f"{_V_RANDOM}; alpha 0.1, epsilon 0.4"),
    _sweep("gamma-long", "gamma_long.csv", "Discount, longer runs", "gamma", f"{_V_RANDOM}; alpha 0.1, epsilon 0.4"),
    _sweep("epsilon", "epsilon.csv", "Exploration", "epsilon", f"{_V_RANDOM}; alpha 0.1, gamma 0.9"),
    _duel("double-wins", "Single and double Q-learning by self-play: X's wins", "wins", SELF_PLAY,
          panels="opponent", references=(_OPTIMUM,)),
    _duel("double-unbeaten", "Single and double Q-learning by self-play: X does not lose", "not_lost", SELF_PLAY,
          panels="opponent"),
    _duel("double-taught", "Single and double Q-learning against random: X's wins", "wins", "random",
          panels="opponent", references=(_OPTIMUM,)),
    StudyFigure(
        "gamma_lengths.csv",
        Figure(name="gamma-lengths", title="Gamma and the length of won games", x="gamma", y="mean_win_length",
               series="reading", y_label="mean plies of a game that X wins against random"),
    ),
)  # fmt: skip
"""Every figure of this study."""
