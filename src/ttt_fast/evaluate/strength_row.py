"""The one row of exact strength: its columns, in every command, curve and page."""

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.manifest import JsonObject

RESULTS = ("x_wins", "draws", "o_wins")
"""The results of a game: columns of rows, and fields of outcomes."""
MEASURES = (
    *RESULTS, "value", "best_value", "regret", "agreement", "reached_agreement", "never_loses", "exploitability",
)  # fmt: skip
"""The columns of learning curves: the names are the same in all rows, and the shares say more than the counts."""
ROUNDING = 1e-12
"""Differences of exact values below this are floating-point noise: true differences are far larger."""


def without_rounding(gains: ArrayLike) -> NDArray[np.float64]:
    """Return differences of exact values that cannot be negative: regrets, or gains of a best response.

    nan stays nan.

    Examples
    --------
    >>> without_rounding([0.25, 1e-16, -1e-16]).tolist()
    [0.25, 0.0, 0.0]
    """
    found = np.asarray(gains, np.float64)
    return np.where(found <= ROUNDING, 0.0, found)


@dataclass(frozen=True, repr=False)
class Strength:
    """The exact strength of a policy in one seat, or in both, against one opponent.

    Attributes
    ----------
    policy, seat, opponent
        The policy, its seat (`x`, `o` or `both`), and its opponent (`self`: its own best response in self-play).
    x, o
        The agent strings of the same pair, by seat; None for both seats, and in self-play.
    x_wins, draws, o_wins
        Exact probabilities; None for both seats, and in self-play.
    value
        The policy's wins minus losses, the mean of both seats; in self-play minus the exploitability.
    best_value
        The largest value of any policy in this seat against this opponent; 0 in self-play.
    states, agreeing, agreement
        States of the seat in the policy's domain, those in which its move is a minimax move, and their share.
    reached_states, reached_agreeing, reached_agreement
        The same for the states that its own play in the seat can reach against any opponent, learned or not.
    reached_learned
        The number of these states in the policy's domain.
    never_loses
        Whether no opponent can ever beat the policy in the seat.
    exploitability
        The exploitability of the policy; minimax plays a seat without states in the policy's domain.

    Examples
    --------
    >>> from ttt_fast import scorecard
    >>> row = scorecard("minimax", ["random"])[0]
    >>> row.never_loses, round(row.regret, 6)
    (True, 0.02698)
    >>> row
    <Strength minimax as X v random: value 0.967811 of at most 0.994792, never loses>
    """

    policy: str
    seat: str
    opponent: str
    x: str | None
    o: str | None
    x_wins: float | None
    draws: float | None
    o_wins: float | None
    value: float
    best_value: float
    states: int
    agreeing: int
    agreement: float
    reached_states: int
    reached_agreeing: int
    reached_agreement: float
    reached_learned: int
    never_loses: bool
    exploitability: float

    def __repr__(self) -> str:
        """Return a one-line description of the row."""
        summary = f"value {self.value:.6f} of at most {self.best_value:.6f}"
        safe = "never loses" if self.never_loses else "can lose"
        return f"<Strength {self.policy} as {self.seat.upper()} v {self.opponent}: {summary}, {safe}>"

    @property
    def regret(self) -> float:
        """Distance of the policy from the best possible value against this opponent, 0 up to rounding."""
        return float(without_rounding(self.best_value - self.value))

    def as_row(self) -> JsonObject:
        """Return the fields and the regret, as a row for `report.rows`."""
        return columns_of(**asdict(self))


def columns_of(**known: Any) -> JsonObject:
    """Return a row with the columns of `Strength.as_row`, of which only some are known; the others are None.

    The values of a column may also be an array, for many rows.

    Examples
    --------
    >>> row = columns_of(policy="mine", seat="x", value=0.5, best_value=0.75)
    >>> row["value"], row["regret"], row["agreement"]
    (0.5, 0.25, None)
    """
    value, best = known.get("value"), known.get("best_value")
    if value is not None and best is not None:
        lost = without_rounding(best - value)
        known["regret"] = lost if lost.ndim else lost.item()
    return dict.fromkeys((*(field.name for field in fields(Strength)), "regret")) | known


def measures_of(**known: Any) -> JsonObject:
    """Return the known columns of a learning curve: those of `columns_of` without names, counts and empty columns.

    Examples
    --------
    >>> measures_of(policy="mine", seat="x", value=np.array([0.5, 0.75]), agreement=None)
    {'value': array([0.5 , 0.75])}
    """
    row = columns_of(**known)
    return {name: row[name] for name in MEASURES if row[name] is not None}
