"""The figures of Smirnov's study that need no network: those of the page, and the numbers of the table of gammas."""

from typing import Any, Final

from ttt_fast.plot.figure import Reference
from ttt_fast.studies.engine.figures import figure
from ttt_fast.studies.pictures import StudyFigure
from ttt_fast.studies.smirnov.curves import BY_SELF_PLAY, OPTIMUM_DRAWN
from ttt_fast.studies.smirnov.learners import DOUBLE, SINGLE
from ttt_fast.studies.smirnov.measures import NEAREST, PRINTED

_V_RANDOM: Final = "X against random after a drawn first move"
_WINS: Final = "exact probability that X wins"
_BEST: Final = (Reference(OPTIMUM_DRAWN, "best possible 107/108"),)
_BAND: Final[dict[str, Any]] = {"band": True, "bounds": (0.0, 1.0), "runs": "n"}


def _sweep(name: str, csv: str, title: str, symbol: str, subtitle: str, **more: Any) -> StudyFigure:
    return figure(csv, name, title, x="episodes", y="mean", series="setting", series_label=symbol, y_label=_WINS,
                  subtitle=f"{_V_RANDOM}; {subtitle}", spread=("sd",), references=_BEST, **_BAND, **more)  # fmt: skip


def _duel(name: str, title: str, y: str, panels: str, where: dict[str, list[str]], **more: Any) -> StudyFigure:
    return figure("double", name, title, x="episodes", y=y, where=where, series="setting", series_label="learner",
                  panels=panels, series_order=(SINGLE, DOUBLE), spread=(f"{y}_sd",), columns=2, log_x=True, **_BAND,
                  **more)  # fmt: skip


FIGURES = (
    _sweep("alpha", "alpha", "Step size", "alpha", "gamma 0.9, epsilon 0.4"),
    figure("alpha_runs", "alpha-runs", "Step size: the first ten runs of each alpha", x="episodes", y="wins",
           series="seed", panels="setting", columns=4, width=900, height=360, y_label=_WINS,
           subtitle=f"{_V_RANDOM}; gamma 0.9, epsilon 0.4; each panel an alpha"),
    _sweep("gamma", "gamma", "Discount", "gamma", "alpha 0.1, epsilon 0.4", log_x=True),
    _sweep("gamma-long", "gamma_long", "Discount, longer runs", "gamma", "alpha 0.1, epsilon 0.4", log_x=True),
    figure("gamma_lengths", "gamma-wins", "Gamma and the length of won games", x="gamma", kind="stacked",
           y={f"{plies} plies": (f"wins_at_{plies}",) for plies in (5, 7, 9)}, where={"shown": [PRINTED, NEAREST]},
           panels="shown", series="kind", series_label="won after", y_label="share of the games", y_format=".0%",
           columns=2, width=900, subtitle="shares of all games against random that X wins at each length"),
    figure("gamma_lengths", "gamma-lengths", "Mean length of a won game by gamma", x="gamma", y="plies of a win",
           where={"shown": [PRINTED, NEAREST]}, series="shown", series_order=(PRINTED, NEAREST), series_label="whose",
           band=True, spread=("plies of a win low", "plies of a win high"),
           y_label="plies of a game that X wins against random", subtitle="band: 95 % of the mean"),
    _sweep("epsilon", "epsilon", "Exploration", "epsilon", "alpha 0.1, gamma 0.9"),
    _sweep("visits", "visits", "Step sizes by visits, and the ad-hoc schedule", "step size", "by self-play",
           log_x=True),
    _duel("double-unbeaten", "Single and double Q-learning by self-play: X does not lose", "not_lost", "opponent",
          {"training": [BY_SELF_PLAY], "opponent": ["minimax", "heuribot", SINGLE, DOUBLE]},
          subtitle="after a drawn first move; each plot an opponent", y_label="exact probability that X does not lose"),
    _duel("double-wins", "Single and double Q-learning: X's wins against random", "wins", "training",
          {"opponent": ["random"]}, subtitle="after a drawn first move; each plot a training", y_label=_WINS,
          references=_BEST),
)  # fmt: skip
