"""Every figure of the study of seed 001: its figures 1, 2, 3, 7 and 8, which draw the counts of its tables."""

from ttt_fast.report.figure import Figure
from ttt_fast.studies.pictures import HIGH, KIND, LOW, VALUE, Column, StudyFigure
from ttt_fast.studies.sai.published import TABLE, TABLES, Published

_COLUMNS = (
    Column("published", "published_share", ("share_low", "share_high")),
    Column("as coded", "as_coded", ("as_coded_low", "as_coded_high")),
    Column("as described", "as_described", ("as_described_low", "as_described_high")),
)
_RESPONSE = Column("best response", "possible")


def _figure(published: Published) -> StudyFigure:
    learns = TABLE in (published.first.player, published.second.player)
    columns = (*_COLUMNS, _RESPONSE) if learns else _COLUMNS
    return StudyFigure(
        "cells.csv",
        Figure(
            name=f"figure-{published.number}",
            title=f"Figure {published.number}: {published.label}, {published.rounds} rounds",
            subtitle="whiskers: 95 % interval of the published share; 95 % of the exact distribution of such a match",
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


FIGURES: tuple[StudyFigure, ...] = tuple(map(_figure, TABLES))
