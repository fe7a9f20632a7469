"""The figures of Sai's study: the ten published ones, which draw the counts of the tables, and some of the learner."""

from typing import Any, Final

from ttt_fast.studies.engine.figures import figure
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.pictures import KIND
from ttt_fast.studies.sai.costs import sides_of
from ttt_fast.studies.sai.matches import CONNECT_FOUR, SKILLS, TIC_TAC_TOE

_SHARES: Final[dict[str, Any]] = {
    "kind": "bars",
    "series_label": "shares",
    "horizontal": True,
    "y_format": ".0%",
    "bounds": (0.0, 1.0),
    "y_label": "share of the games",
}
_ROUNDS = {cell.table: cell.games for cell in cells_of(__package__) if cell.games}

FIGURES = (
    *(figure("cells", f"figure-{n}", f"Figure {n}: {' v '.join(sides_of(n)[1:])}, {_ROUNDS[f'table {n}']} rounds",
             x="quantity", where={"table": [f"table {n}"], "kind": ["exact", "runs", "games"]}, panels="reading",
             y={"printed": ("printed_value", "printed_low", "printed_high"), "emulated": ("value", "low", "high")},
             series=KIND, series_order=("printed", "emulated"), x_label="result", columns=2,
             subtitle="whiskers: 95 % interval of the printed share; 95 % of such matches", **_SHARES)
      for n in range(1, 11)),
    figure("curve", "learning", "Tic-tac-toe: the learner against the default opponent", x="episodes", y="wins",
           where={"game": [TIC_TAC_TOE]}, series="learner", panels="opponent", columns=2, band=True, spread=("sd",),
           runs="runs", bounds=(0.0, 1.0), x_label="games of self-play", y_label="games won (exact, greedy)"),
    figure("curve", "connect-four-learning", "Connect 4: the learner against the default opponent", x="episodes",
           y="wins", where={"game": [CONNECT_FOUR]}, series="learner", panels="opponent", columns=2, band=True,
           spread=("sd",), runs="runs", bounds=(0.0, 1.0), x_label="games of self-play",
           subtitle="greedy, seats split, small samples of several runs", y_label="share of the games won"),
    figure("strength", "connect-four-strength", "Connect 4: games won against the default opponent", x="player",
           y={"games won": ("wins", "low", "high")}, panels="opponent", columns=2,
           where={"game": [CONNECT_FOUR], "opponent": [*SKILLS]},
           subtitle="learners greedy with all their values; depths are of minimax; whiskers: 95 %", **_SHARES),
    figure("kept", "connect-four-kept", "Connect 4: moves that keep the exact value", x="player",
           y={"the player": ("kept", "low", "high"), "any legal move": ("by chance",)}, panels=None, series=KIND,
           series_order=("the player", "any legal move"),
           subtitle="where some moves do and some do not; whiskers: 95 %", **_SHARES),
)  # fmt: skip
