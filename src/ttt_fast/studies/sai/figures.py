"""Every figure of Sai's study: the published ones, which draw the counts of the tables, and three on Connect 4."""

from ttt_fast.plot.figure import Figure
from ttt_fast.studies.pictures import HIGH, KIND, LOW, VALUE, Column, StudyFigure
from ttt_fast.studies.sai.connect_four.learning import VARIANTS
from ttt_fast.studies.sai.published import CONNECT_FOUR_TABLES, TABLE, TABLES, Published

_COLUMNS = (
    Column("published", "published_share", ("share_low", "share_high")),
    Column("as coded", "as_coded", ("as_coded_low", "as_coded_high")),
    Column("as described", "as_described", ("as_described_low", "as_described_high")),
)
_RESPONSE = Column("best response", "possible")


def _figure(published: Published) -> StudyFigure:
    learns = TABLE in (published.first.player, published.second.player)
    columns = (*_COLUMNS, _RESPONSE) if learns and published in TABLES else _COLUMNS
    return StudyFigure(
        "cells.csv",
        Figure(
            name=f"figure-{published.number}",
            title=f"Figure {published.number}: {published.label}, {published.rounds} rounds",
            subtitle="whiskers: 95 % interval of the published share; 95 % of the distribution of such a match",
            kind="bars",
            x="quantity",
            y=VALUE,
            series=KIND,
            series_order=tuple(column.name for column in columns),
            series_label="shares",
            horizontal=True,
            x_label="result",
            y_label="share of the games",
            y_format=".0%",
            band=True,
            spread=(LOW, HIGH),
            bounds=(0.0, 1.0),
        ),
        where=(("source", (published.source,)),),
        columns=columns,
    )


_STRENGTH = StudyFigure(
    "connect_four_strength.csv",
    Figure(
        name="connect-four-strength",
        title="Connect 4: games won against the default opponent",
        subtitle="seats split; whiskers: 95 % interval of these games; learners play greedily, depths are of minimax",
        kind="bars",
        x="player",
        y=VALUE,
        series=KIND,
        series_order=("as described (skill 1)", "as coded (skill 0.01)"),
        series_label="default opponent",
        horizontal=True,
        y_label="share of the games",
        y_format=".0%",
        band=True,
        spread=(LOW, HIGH),
        bounds=(0.0, 1.0),
    ),
    columns=tuple(
        Column(name, f"{mark}", (f"{mark} low", f"{mark} high"))
        for name, mark in (
            ("as described (skill 1)", "wins v default (skill 1)"),
            ("as coded (skill 0.01)", "wins v default (skill 0.01)"),
        )
    ),
)
_KEPT = StudyFigure(
    "connect_four_truth.csv",
    Figure(
        name="connect-four-kept",
        title="Connect 4: moves that keep the exact value",
        subtitle="where some moves do and some do not, from the tenth stone on; whiskers: 95 % interval",
        kind="bars",
        x="player",
        y=VALUE,
        series=KIND,
        series_order=("the player", "any legal move"),
        series_label="moves of",
        horizontal=True,
        y_label="share of these positions",
        y_format=".0%",
        band=True,
        spread=(LOW, HIGH),
        bounds=(0.0, 1.0),
    ),
    columns=(Column("the player", "kept", ("kept_low", "kept_high")), Column("any legal move", "kept by chance")),
)
_LEARNING = StudyFigure(
    "connect_four_curve.csv",
    Figure(
        name="connect-four-learning",
        title="Connect 4: the learner against the default opponent",
        subtitle="greedy, seats split, small samples of several runs; band: standard deviation",
        x="games",
        y=VALUE,
        series="learner",
        series_order=VARIANTS,
        panels=KIND,
        columns=2,
        band=True,
        bounds=(0.0, 1.0),
        x_label="games of self-play",
        y_label="share of the games won",
        y_format=".0%",
    ),
    columns=(
        Column("as described (skill 1)", "wins v default (skill 1)"),
        Column("as coded (skill 0.01)", "wins v default (skill 0.01)"),
    ),
)

TIC_TAC_TOE_FIGURES: tuple[StudyFigure, ...] = tuple(map(_figure, TABLES))
CONNECT_FOUR_FIGURES: tuple[StudyFigure, ...] = tuple(map(_figure, CONNECT_FOUR_TABLES))
FIGURES: tuple[StudyFigure, ...] = (*TIC_TAC_TOE_FIGURES, *CONNECT_FOUR_FIGURES, _STRENGTH, _KEPT, _LEARNING)
