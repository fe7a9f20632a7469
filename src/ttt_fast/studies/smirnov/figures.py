"""Every figure of the study of seed 002: those of its page that need no network, and the numbers of its tables."""

from typing import Any

from ttt_fast.learn.config import SELF_PLAY
from ttt_fast.report.figure import Figure, Reference
from ttt_fast.studies.pictures import HIGH, KIND, LOW, VALUE, Column, StudyFigure
from ttt_fast.studies.smirnov.published import OPTIMUM_DRAWN, PAIRS_CHOSEN, PAIRS_DRAWN

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


def _duel(name: str, title: str, y: str, training: str, **more: Any) -> StudyFigure:
    figure = Figure(
        name=name, title=title, x="episodes", y=y, series="setting", series_label="learner", panels="opponent",
        spread=(f"{y}_sd",), runs="n", columns=2, **_BAND, **more,
    )  # fmt: skip
    return StudyFigure("double.csv", figure, (("training", (training,)),))


_OPTIMUM = Reference(OPTIMUM_DRAWN, "optimum 107/108", panel="random")
_PAIRS = (
    Column("published", "published_share"),
    Column("ours, mean", "ours", ("lowest", "highest")),
    Column("ours, best run", "best_run"),
    Column("optimum", "optimum"),
)
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
            columns=4,
            width=900,
            height=260,
            y_label=_WINS,
        ),
    ),
    _sweep("gamma", "gamma.csv", "Discount", "gamma", "alpha 0.1, epsilon 0.4"),
    _sweep("gamma-long", "gamma_long.csv", "Discount, longer runs", "gamma", "alpha 0.1, epsilon 0.4"),
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
        where=(("shown", ("published", "ours, nearest reading")),),
        columns=tuple(Column(f"{plies} plies", f"wins_at_{plies}") for plies in (5, 7, 9)),
    ),
    StudyFigure(
        "gamma_lengths.csv",
        Figure(
            name="gamma-lengths",
            title="Mean length of a won game by gamma, in every reading of the text",
            x="gamma",
            y="mean_win_length",
            series="reading",
            series_order=("published",),
            y_label="plies of a game that X wins against random",
        ),
    ),
    _sweep("epsilon", "epsilon.csv", "Exploration", "epsilon", "alpha 0.1, gamma 0.9"),
    _sweep("visits", "visits.csv", "Step sizes by visits, and the ad-hoc schedule", "step size", "by self-play"),
    _duel("double-wins", "Single and double Q-learning by self-play: X's wins", "wins", SELF_PLAY,
          y_label=_WINS, references=(_OPTIMUM,)),
    _duel("double-unbeaten", "Single and double Q-learning by self-play: X does not lose", "not_lost", SELF_PLAY,
          y_label="exact probability that X does not lose"),
    _duel("double-taught", "Single and double Q-learning trained against random: X's wins", "wins", "random",
          y_label=_WINS, references=(_OPTIMUM,)),
    StudyFigure(
        "cells.csv",
        Figure(
            name="pairs",
            title="The tabular learner against random, in the tables",
            subtitle="wins of the learner; whiskers: all our runs",
            kind="bars",
            x="source",
            y=VALUE,
            series=KIND,
            series_order=tuple(column.name for column in _PAIRS),
            series_label="shares",
            panels="cell",
            x_label="",
            y_label="share of the games",
            columns=2,
            spread=(LOW, HIGH),
            **_BAND,
        ),
        where=(
            ("source", (PAIRS_CHOSEN, PAIRS_DRAWN)),
            ("cell", ("X Tabular Q, O Random", "X Random, O Tabular Q")),
            ("optimum", ()),
        ),
        columns=_PAIRS,
    ),
)  # fmt: skip
"""Every figure of this study, in the order of its page."""
