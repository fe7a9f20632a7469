"""The figures of Bichot's study: Fig. 5 as a matrix, Table I, ratings, the first move, what changes do, our agents."""

from typing import Any, Final

from ttt_fast.plot.figure import Reference
from ttt_fast.studies.engine.figures import figure
from ttt_fast.studies.pictures import KIND
from ttt_fast.studies.ultimate.contests import AGENTS, CODED, FIRST
from ttt_fast.studies.ultimate.measures import PRINTED

BARS: Final[dict[str, Any]] = {
    "kind": "bars", "horizontal": True, "band": True, "spread": ("score_low", "score_high"), "bounds": (0.0, 1.0),
    "y_label": "score", "y_format": ".0%", "subtitle": "seats swapped; whiskers: 95 %",
    "references": (Reference(0.5, ""),),
}  # fmt: skip
SIDE_BY_SIDE: Final[dict[str, Any]] = {"panels": None, "series": KIND, "kind": "bars", "horizontal": True}
KINDS: Final = (PRINTED, CODED, FIRST)

FIGURES = (
    figure("scores", "figure-5", "Fig. 5: score of the row against the column, in %", x="column", y="score",
           where={"program": KINDS}, kind="matrix", series="row", series_order=AGENTS, panels="program", columns=1,
           bounds=(0.0, 100.0), y_format=".0f", x_label="against", series_label="agent",
           subtitle="below the diagonal: mirrors; the DQN as coded: its untrained network"),
    figure("exploration", "table-1", "Table I: wins of MCTS with 500 iterations against 5-step minimax", x="weight",
           y={PRINTED: (PRINTED, f"{PRINTED} low", f"{PRINTED} high"), CODED: (CODED, f"{CODED} low", f"{CODED} high"),
              "corrected": ("corrected", "corrected low", "corrected high")},
           panels=None, series=KIND, series_order=(PRINTED, CODED, "corrected"), bounds=(0.0, 1.0), y_format=".0%",
           x_label="exploration parameter c", y_label="games won", subtitle="bands: 95 %; printed: 100 games"),
    figure("ratings", "ratings", "Elo ratings from all games, random = 0", x="agent", **SIDE_BY_SIDE,
           y={name: (name, f"{name} low", f"{name} high") for name in KINDS}, series_order=KINDS, y_label="Elo",
           subtitle="whiskers: 95 %"),
    figure("first_player", "first-player", "Score of the first player of two equal agents", x="agent", **SIDE_BY_SIDE,
           y={name: (name, f"{name}_low", f"{name}_high") for name in KINDS}, series_order=KINDS, bounds=(0.0, 1.0),
           y_label="score", y_format=".0%", subtitle="whiskers: 95 %", references=(Reference(0.5, ""),)),
    figure("games", "defects", "One thing changed: score against the same agent without the change", x="name",
           y="score", where={"part": ["defects"]}, x_label="change", **BARS),
    figure("games", "options", "Options of MCTS one by one, against none of them, with 1,000 simulations", x="name",
           y="score", where={"part": ["options"]}, x_label="option", **BARS),
    figure("games", "improved", "Improved minimax against its base, by the own moves before it looks for a win",
           x="variant", y="score", where={"part": ["improved"]}, series="name", x_label="N_start", **BARS),
    figure("openings", "openings", "Share of the legal moves that are equally good to 5-step minimax", x="plies",
           y="equal", series="reward", band=True, spread=("low", "high"), bounds=(0.0, 1.0), y_format=".0%",
           x_label="random plies before", y_label="share of the legal moves", subtitle="bands: 95 %"),
    figure("games", "strength", "mcts-best:sims=5000 against Bichot's agents", x="name", y="score", series="part",
           where={"part": ["ours as coded", "ours corrected"]}, x_label="opponent", **BARS),
)  # fmt: skip
