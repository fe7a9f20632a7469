"""Every figure of Smirnov's study: those of the page that need no network, and the numbers of the tables."""

from typing import Any

from ttt_fast.plot.figure import Figure, Reference
from ttt_fast.studies.pictures import KIND, VALUE, Column, StudyFigure
from ttt_fast.studies.smirnov.published import BY_SELF_PLAY, DOUBLE, OPTIMUM_DRAWN, OURS, SINGLE, THEIRS

_V_RANDOM = "X against random after a drawn first move"
_WINS = "exact probability that X wins"
_BAND: dict[str, Any] = {"band": True, "bounds": (0.0, 1.0)}


def _sweep(name: str, csv: str, title: str, symbol: str, subtitle: str, **more: Any) -> StudyFigure:
    figure = Figure(
        name=name,
        title=title,
        subtitle=f"{_V_RANDOM}; {subtitle}",
        x="episodes",
        y="mean",
        series="setting",
        series_label=symbol,
        y_label=_WINS,
        spread=("sd",),
        runs="n",
        references=(Reference(OPTIMUM_DRAWN, "optimum 107/108"),),
        **_BAND,
        **more,
    )
    return StudyFigure(csv, figure)


def _duel(
    name: str, title: str, y: str, panels: str, where: tuple[tuple[str, tuple[str, ...]], ...], **more: Any
) -> StudyFigure:
    figure = Figure(
        name=name, title=title, x="episodes", y=y, series="setting", series_label="learner", panels=panels,
        series_order=(SINGLE, DOUBLE), spread=(f"{y}_sd",), runs="n", columns=2, log_x=True, **_BAND, **more,
    )  # fmt: skip
    return StudyFigure("double.csv", figure, where)


FIGURES: tuple[StudyFigure, ...] = (
    _sweep("alpha", "alpha.csv", "Step size", "alpha", "gamma 0.9, epsilon 0.4"),
    StudyFigure(
        "alpha_runs.csv",
        Figure(
            name="alpha-runs",
            title="Step size: the first ten runs of each alpha",
            subtitle=f"{_V_RANDOM}; gamma 0.9, epsilon 0.4; each panel an alpha",
            x="episodes",
            y="wins",
            series="seed",
            panels="setting",
            width=900,
            height=360,
            y_label=_WINS,
        ),
        where=(("setting", ("0.01", "0.1", "0.2", "0.3", "0.4", "0.9")),),
    ),
    _sweep("gamma", "gamma.csv", "Discount", "gamma", "alpha 0.1, epsilon 0.4", log_x=True),
    _sweep("gamma-long", "gamma_long.csv", "Discount, longer runs", "gamma", "alpha 0.1, epsilon 0.4", log_x=True),
    StudyFigure(
        "gamma_lengths.csv",
        Figure(
            name="gamma-wins",
            title="Gamma and the length of won games",
            subtitle="shares of all games against random that X wins at each length",
            kind="stacked",
            x="gamma",
            y=VALUE,
            series=KIND,
            series_label="won after",
            panels="shown",
            y_label="share of the games",
            y_format=".0%",
            columns=2,
            width=900,
        ),
        where=(("shown", (THEIRS, OURS)),),
        columns=tuple(Column(f"{plies} plies", f"wins_at_{plies}") for plies in (5, 7, 9)),
    ),
    StudyFigure(
        "gamma_lengths.csv",
        Figure(
            name="gamma-lengths",
            title="Mean length of a won game by gamma",
            x="gamma",
            y="mean_win_length",
            series="shown",
            series_order=(THEIRS, OURS),
            series_label="whose",
            y_label="plies of a game that X wins against random",
        ),
        where=(("shown", (THEIRS, OURS)),),
    ),
    _sweep("epsilon", "epsilon.csv", "Exploration", "epsilon", "alpha 0.1, gamma 0.9"),
    _sweep("visits", "visits.csv", "Step sizes by visits, and the ad-hoc schedule", "step size", "by self-play",
            log_x=True),
    _duel("double-unbeaten", "Single and double Q-learning by self-play: X does not lose", "not_lost", "opponent",
          (("training", (BY_SELF_PLAY,)), ("opponent", ("minimax", "heuribot", SINGLE, DOUBLE))),
          subtitle="after a drawn first move; each plot an opponent",
          y_label="exact probability that X does not lose"),
    _duel("double-wins", "Single and double Q-learning: X's wins against random", "wins", "training",
          (("opponent", ("random",)),), subtitle="after a drawn first move; each plot a training",
          y_label=_WINS, references=(Reference(OPTIMUM_DRAWN, "optimum 107/108"),)),
)  # fmt: skip
"""Every figure of this study, in the order of its page."""
