"""The figures of Langan's study: its tables and their background; the report's own figures are boards."""

from typing import Any, Final

from ttt_fast.plot.figure import Reference
from ttt_fast.studies.engine.figures import figure
from ttt_fast.studies.langan.players import BUGGY, BUGGY2, VARIANTS
from ttt_fast.studies.langan.runs import AS_CODED, AS_WRITTEN, OVER_LEGAL

_SHARE: Final[dict[str, Any]] = {"bounds": (0.0, 1.0), "y_format": ".0%"}
_EPISODES: Final[dict[str, Any]] = {"x": "episodes", "log_x": True, "band": True, **_SHARE}
_SELF_PLAY: Final[dict[str, Any]] = {
    "series": "mended", "panels": "player", "columns": 2, "series_label": "mended", "y_label": "agreement with minimax",
    "series_order": tuple(map(str, VARIANTS)), "x_label": "episodes of self-play", **_EPISODES,
}  # fmt: skip
_PRINTED: Final[dict[str, Any]] = {
    "x": "place", "y": {"printed": ("printed_value",), "as coded": ("value", "low", "high")}, "kind": "bars",
    "panels": None, "series": "kind", "series_order": ("printed", AS_CODED), "series_label": "shares",
    "horizontal": True, "subtitle": "whiskers: 95 % of one more emulated run", **_SHARE,
}  # fmt: skip

FIGURES = (
    figure("curves", "agreement", "Self-play agrees with minimax only when all three defects are mended",
           y="agreement", subtitle="rows in which the learner is to move", references=(Reference(1.0, "minimax"),),
           **_SELF_PLAY),
    figure("curves", "agreement-as-counted", "Self-play's agreement as the report counts it", y="agreement_as_counted",
           subtitle="all rows of a table, those of the opponent's turn included", **_SELF_PLAY,
           references=(Reference(0.6930, "printed, player 1", panel="player 1"),
                       Reference(0.6649, "printed, player 2", panel="player 2"))),
    figure("minimax", "q-minimax", "The missing 3 % of Q_minimax: a maximum over illegal actions", y="agreement",
           series="learner", series_order=("printed", AS_CODED, OVER_LEGAL, AS_WRITTEN), spread=("agreement_sd",),
           subtitle="mean and standard deviation over the runs; B3: over legal actions",
           x_label="episodes against minimax", y_label="agreement with minimax",
           references=(Reference(1.0, "all rows"),), **_EPISODES),
    figure("lengths", "lengths", "Runs that end at the best possible, as coded", y="share", series="opponent",
           spread=("low", "high"), runs="runs", x_label="episodes against the opponent", y_label="share of the runs",
           **_EPISODES),
    figure("lengths", "flawed", "Wins against the flawed player of the training, as coded", y="wins", panels="opponent",
           columns=2, spread=("wins_sd",), runs="runs", where={"opponent": [BUGGY, BUGGY2]},
           x_label="episodes against the opponent", y_label="wins as X (exact)", **_EPISODES,
           references=(Reference(1.0, "printed and best possible", panel=BUGGY),
                       Reference(5 / 6, "best possible 5/6", panel=BUGGY2),
                       Reference(0.7499, "printed", panel=BUGGY2, side="left"))),
    figure("cells", "policies", "Agreement of the learned policies with minimax (tables 1, 3 and 4)",
           where={"quantity": ["agreement"], "reading": [AS_CODED]}, x_label="policy",
           y_label="share of the rows that agree", **_PRINTED),
    figure("cells", "wins", "Wins of the learned policies (tables 2, 5 and 6)", x_label="match",
           y_label="games won by X", where={"quantity": ["x_wins"], "reading": [AS_CODED], "place": [
               "Q_minimax v Random", "Q_self-play v Random", "Q_random v Random", "Q_buggy v Random",
               "Q_buggy2 v Random", "Q_buggy2 v Buggy2"]}, **_PRINTED),
)  # fmt: skip
