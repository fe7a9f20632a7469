"""The figures of Hensler's study; the page published has none."""

from ttt_fast.plot.figure import Reference
from ttt_fast.studies.engine.figures import figure
from ttt_fast.studies.hensler.measures import CHANGES, PUBLISHED

EPISODES = "episodes of self-play"

FIGURES = (
    figure("curve", "unbeatable", "Runs that nobody can beat", x="episodes", y="unbeatable", series="learner",
           series_order=tuple(CHANGES), log_x=True, x_label=EPISODES, y_label="share of the runs with exploitability 0",
           y_format=".0%", subtitle="proved exactly; as published 100 runs, of which 20 go on after episode 100,000"),
    figure("curve", "exploitability", "Exploitability of the greedy agents", x="episodes", y="exploitability",
           panels="learner", columns=2, log_x=True, band=True, spread=("exploitability_sd",), runs="runs",
           bounds=(0.0, 1.0), x_label=EPISODES, y_label="exploitability (0: nobody can beat it)"),
    figure("curve", "random", "Wins against random, as published", x="episodes", where={"learner": [PUBLISHED]},
           y={"as X": ("x_wins", "x_wins_sd"), "as O": ("o_wins", "o_wins_sd")}, log_x=True, runs="runs",
           subtitle="exact, greedy; band: standard deviation", bounds=(0.0, 1.0), x_label=EPISODES, y_label="games won",
           references=(Reference(191 / 192, "best possible 191/192", panel="as X"),
                       Reference(866 / 945, "best without a risk 866/945", panel="as O"))),
    figure("ranks", "spread", "One recipe, many agents: wins against random of all runs, in rising order", x="share",
           y="wins", series="episodes", panels="seat", x_label="share of the runs", y_label="games won (exact, greedy)",
           shared_y=False, references=(Reference(0.97656, "the author's file", panel="X"),
                                       Reference(0.90159, "the author's file", panel="O", side="left"))),
)  # fmt: skip
