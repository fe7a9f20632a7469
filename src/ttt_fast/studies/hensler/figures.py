"""Every figure of Hensler's study; the page published has none."""

from ttt_fast.plot.figure import Figure, Reference
from ttt_fast.studies.hensler.plan import CHANGES
from ttt_fast.studies.hensler.published import FILES
from ttt_fast.studies.pictures import HIGH, KIND, LOW, VALUE, Column, StudyFigure

_ORDER = tuple(CHANGES)
_BEST_AS_O = 0.938624338624
"""The most that O can win against random, exactly."""

FIGURES: tuple[StudyFigure, ...] = (
    StudyFigure(
        "curve.csv",
        Figure(
            name="unbeatable",
            title="Runs that nobody can beat",
            subtitle="proved exactly; as published 100 runs, of which 20 go on after episode 100,000",
            x="episodes",
            y="unbeatable",
            series="learner",
            series_order=_ORDER,
            log_x=True,
            x_label="episodes of self-play",
            y_label="share of the runs with exploitability 0",
            y_format=".0%",
        ),
    ),
    StudyFigure(
        "curve.csv",
        Figure(
            name="exploitability",
            title="Exploitability of the greedy agents",
            x="episodes",
            y="exploitability",
            panels="learner",
            columns=2,
            log_x=True,
            band=True,
            spread=("exploitability_sd",),
            runs="runs",
            bounds=(0.0, 1.0),
            x_label="episodes of self-play",
            y_label="exploitability (0: nobody can beat it)",
        ),
    ),
    StudyFigure(
        "curve.csv",
        Figure(
            name="random",
            title="Wins against random, as published",
            subtitle="exact, greedy; band: standard deviation",
            runs="runs",
            x="episodes",
            y=VALUE,
            panels=KIND,
            log_x=True,
            band=True,
            spread=(LOW, HIGH),
            bounds=(0.0, 1.0),
            x_label="episodes of self-play",
            y_label="games won",
            references=(
                Reference(191 / 192, "best possible 191/192", panel="as X"),
                Reference(_BEST_AS_O, "best possible 0.9386", panel="as O"),
            ),
        ),
        where=(("learner", ("as published",)),),
        columns=(Column("as X", "x_wins", ("x_wins_sd",)), Column("as O", "o_wins", ("o_wins_sd",))),
    ),
    StudyFigure(
        "spread.csv",
        Figure(
            name="spread",
            title="One recipe, many agents: wins against random of all runs, in rising order",
            x="share",
            y="wins",
            series="episodes",
            panels="seat",
            x_label="share of the runs",
            y_label="games won (exact, greedy)",
            shared_y=False,
            references=(
                Reference(float(FILES["x wins v random"]), "the author's file", panel="X"),
                Reference(float(FILES["o wins v random"]), "the author's file", panel="O", side="left"),
            ),
        ),
    ),
)
