"""Every figure of Langan's study: the tables of the report, whose own figures are boards, and their background."""

from typing import Any

from ttt_fast.plot.figure import Figure, Reference
from ttt_fast.studies.langan.plan import VARIANTS
from ttt_fast.studies.langan.published import BUGGY, BUGGY2
from ttt_fast.studies.pictures import HIGH, KIND, LOW, VALUE, Column, StudyFigure

_COLUMNS = (
    Column("published", "published_value", ("published_low", "published_high")),
    Column("as coded", "as_coded", ("as_coded_low", "as_coded_high")),
    Column("corrected", "corrected"),
    Column("best possible", "exact"),
)
_LEARNED = ("verdict", ("reproduced", "not reproduced"))
_SELF_PLAY: dict[str, Any] = {
    "x": "episodes",
    "series": "mended",
    "panels": "player",
    "x_label": "episodes of self-play",
    "series_label": "mended",
    "log_x": True,
    "band": True,
    "bounds": (0.0, 1.0),
    "y_format": ".0%",
    "series_order": tuple(map(str, VARIANTS)),
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
            **_SELF_PLAY,
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
            **_SELF_PLAY,
        ),
    ),
    StudyFigure(
        "minimax.csv",
        Figure(
            name="q-minimax",
            title="The missing 3 % of Q_minimax: a maximum over illegal actions",
            x="episodes",
            y="agreement",
            series="learner",
            series_order=("published", "as coded", "B3", "as written"),
            log_x=True,
            band=True,
            spread=("agreement_sd",),
            bounds=(0.0, 1.0),
            subtitle="mean and standard deviation over 20 runs of each learner; B3: over legal actions",
            x_label="episodes against minimax",
            y_label="agreement with minimax",
            y_format=".0%",
            references=(Reference(1.0, "all rows"),),
        ),
    ),
    StudyFigure(
        "lengths.csv",
        Figure(
            name="lengths",
            title="Training against flawed players, as coded",
            columns=2,
            x="episodes",
            y="wins",
            panels="opponent",
            log_x=True,
            band=True,
            spread=("wins_sd",),
            runs="runs",
            bounds=(0.0, 1.0),
            x_label="episodes against the opponent",
            y_label="wins as X (exact)",
            y_format=".0%",
            references=(
                Reference(1.0, "published and best possible", panel=BUGGY),
                Reference(5 / 6, "best possible 5/6", panel=BUGGY2),
                Reference(0.7499, "published", panel=BUGGY2, side="left"),
            ),
        ),
        where=(("opponent", (BUGGY, BUGGY2)),),
    ),
    StudyFigure(
        "cells.csv",
        Figure(
            name="matches",
            title="Matches of the learned policies (tables 2, 5 and 6)",
            subtitle="shares of 200,000 games as published; all others exact, means over the runs",
            kind="stacked",
            x="cell",
            y=VALUE,
            series="quantity",
            series_order=("x_wins", "draws", "o_wins"),
            series_label="result",
            panels=KIND,
            x_label="match",
            y_label="share of the games",
            y_format=".0%",
            horizontal=True,
            columns=2,
        ),
        where=(("source", ("langan table 2", "langan table 5", "langan table 6")), _LEARNED),
        columns=_COLUMNS,
    ),
    StudyFigure(
        "cells.csv",
        Figure(
            name="policies",
            title="Agreement of the learned policies with minimax (tables 1, 3 and 4)",
            subtitle="whiskers: 95 % of one more emulated run; Q_buggy and Q_buggy2 have no best possible",
            kind="bars",
            x="cell",
            y=VALUE,
            series=KIND,
            series_order=tuple(column.name for column in _COLUMNS),
            series_label="shares",
            x_label="policy",
            y_label="share of the rows that agree",
            y_format=".0%",
            horizontal=True,
            band=True,
            spread=(LOW, HIGH),
            bounds=(0.0, 1.0),
        ),
        where=(("quantity", ("agreement",)), _LEARNED),
        columns=_COLUMNS,
    ),
)
