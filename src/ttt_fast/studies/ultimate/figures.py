"""Every figure of Bichot's study: the published Fig. 5 and Table I, ratings, the first move, and our agents."""

from typing import Any

from ttt_fast.plot.figure import Figure, Reference
from ttt_fast.studies.pictures import HIGH, KIND, LOW, VALUE, Column, StudyFigure
from ttt_fast.studies.ultimate.plan import CODED, MENDED, UCT
from ttt_fast.studies.ultimate.players import OURS

_BAND: dict[str, Any] = {"band": True, "spread": (LOW, HIGH), "bounds": (0.0, 1.0)}
_COLUMNS = (
    Column("published", "published_share", ("published_low", "published_high")),
    Column("as coded", "as_coded", ("as_coded_low", "as_coded_high")),
    Column("corrected", "corrected", ("corrected_low", "corrected_high")),
)
_ORDER = tuple(column.name for column in _COLUMNS)
_OF_FIGURE = (("source", ("bichot figure 5",)), ("as_coded", ()))

FIGURES: tuple[StudyFigure, ...] = (
    StudyFigure(
        "cells.csv",
        Figure(
            name="figure-5",
            title="Fig. 5: score of each agent against each, without the DQN",
            subtitle="whiskers: 95 %; published: 100 games, the upper triangle played, its first agent begins",
            kind="bars", x="column", y=VALUE, series=KIND, series_order=_ORDER, series_label="scores", panels="row",
            columns=2, x_label="against", y_label="score", y_format=".0%", horizontal=True,
            **_BAND,
        ),
        where=_OF_FIGURE,
        columns=_COLUMNS,
    ),
    StudyFigure(
        "exploration.csv",
        Figure(
            name="table-1",
            title="Table I: wins of MCTS with 500 iterations against 5-step minimax",
            subtitle="bands: 95 %; corrected: UCB1, true ties, seats swapped",
            x="weight", y=VALUE, series=KIND, series_order=_ORDER, series_label="games",
            x_label="exploration parameter c", y_label="games won", y_format=".0%", **_BAND,
        ),
        columns=(
            Column("published", "published", ("published_low", "published_high")),
            Column("as coded", "as_coded", ("as_coded_low", "as_coded_high")),
            Column("corrected", "wins", ("wins_low", "wins_high")),
        ),
    ),
    StudyFigure(
        "ratings.csv",
        Figure(
            name="ratings",
            title="Elo ratings from all games, random = 0",
            kind="bars", x="agent", y=VALUE, series=KIND, series_order=_ORDER, series_label="games",
            y_label="Elo", x_label="agent", horizontal=True,
        ),
        columns=(
            Column("published", "published"), Column("as coded", "as_coded"), Column("corrected", "corrected"),
        ),
    ),
    StudyFigure(
        "first_player.csv",
        Figure(
            name="first-player",
            title="Does the first move help? Score of the first player of two equal agents",
            subtitle="whiskers: 95 %",
            kind="bars", x="agent", y=VALUE, series=KIND, series_order=_ORDER, series_label="scores", x_label="agent",
            y_label="score of the first player", y_format=".0%", horizontal=True,
            references=(Reference(0.5, ""),), **_BAND,
        ),
        where=(("as_coded", ()),),
        columns=(Column("published", "published", ("published_low", "published_high")), *_COLUMNS[1:]),
    ),
    StudyFigure(
        "defects.csv",
        Figure(
            name="defects",
            title="One thing changed: score against the same agent without the change",
            subtitle="seats swapped; whiskers: 95 %",
            kind="bars", x="change", y="score", x_label="change", y_label="score", y_format=".0%", horizontal=True,
            references=(Reference(0.5, ""),), band=True, spread=("score_low", "score_high"), bounds=(0.0, 1.0),
        ),
    ),
    StudyFigure(
        "strength.csv",
        Figure(
            name="strength-uct",
            title="MCTS with the best options against plain UCT, equal simulations",
            subtitle="seats swapped; whiskers: 95 %",
            kind="bars", x="agent", y="score", x_label="agent", y_label="score", y_format=".0%", horizontal=True,
            references=(Reference(0.6, "60 %"),), band=True, spread=("score_low", "score_high"), bounds=(0.0, 1.0),
        ),
        where=(("version", (UCT,)),),
    ),
    StudyFigure(
        "strength.csv",
        Figure(
            name="strength",
            title=f"Our agent, {OURS}, against Bichot's agents",
            subtitle="seats swapped; whiskers: 95 %",
            kind="bars", x="opponent", y="score", series="version", series_order=(CODED, MENDED), x_label="opponent",
            y_label="score", y_format=".0%", horizontal=True, references=(Reference(0.65, "65 %"),), band=True,
            spread=("score_low", "score_high"), bounds=(0.0, 1.0),
        ),
        where=(("version", (CODED, MENDED)),),
    ),
)  # fmt: skip
"""In the order of the page."""
