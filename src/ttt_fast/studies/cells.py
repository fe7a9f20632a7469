"""A published figure, the exact value beside it, and the verdict."""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

from ttt_fast.agents.registry import parse_agent
from ttt_fast.evaluate.outcome import Outcome, exact_outcome
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, table_of

NOISE_SIGMAS = 3.5
"""Deviations up to this many standard errors (beyond rounding) count as noise: about one in 2,000 is larger."""


def ordinary_table() -> StateTable:
    """Return the table of ordinary tic-tac-toe, the game of most published figures."""
    return table_of("tic-tac-toe")


@lru_cache(maxsize=64)
def agent(spec: str) -> Policy:
    """Return the policy of an agent string, parsed once."""
    return parse_agent(spec)


@dataclass(frozen=True)
class Setting:
    """A match whose exact result is to be compared: two agents, and whether X's first move is drawn."""

    x: str
    o: str
    random_opening: bool = False

    def outcome(self) -> Outcome:
        """Return its exact result."""
        return exact_outcome(agent(self.x), agent(self.o), random_opening=self.random_opening)

    def __str__(self) -> str:
        """Return the match as text."""
        return f"{self.x} v {self.o}" + (", first move drawn uniformly" if self.random_opening else "")


@dataclass(frozen=True)
class Cell:
    """One published figure.

    Attributes
    ----------
    source
        Source and table.
    label
        The row or cell, in the source's words.
    quantity
        `x_wins`, `draws`, `o_wins`, or `plies_N` for the share of games of N plies.
    published
        The figure as printed: a count of `games`, or a share.
    games
        Games that the source played for it.
    setting
        The match that the source describes.
    instead
        The match that gives the printed figure where the described one does not.
    why
        What went wrong, for a wrong figure.
    """

    source: str
    label: str
    quantity: str
    published: str
    games: int
    setting: Setting
    instead: Setting | None = None
    why: str = ""

    @property
    def share(self) -> float:
        """The published figure as a share of the games."""
        return float(self.published) if "." in self.published else int(self.published) / self.games

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit, as a share."""
        decimals = len(self.published.partition(".")[2])
        return 0.5 * 10.0**-decimals if "." in self.published else 0.0

    def exact(self, setting: Setting) -> float:
        """Return the exact share in a setting."""
        outcome = setting.outcome()
        if self.quantity.startswith("plies_"):
            return float(outcome.lengths[:, int(self.quantity.removeprefix("plies_"))].sum())
        return float(getattr(outcome, self.quantity))

    def sigmas(self, exact: float) -> float:
        """Return how many standard errors the printed figure is off, after allowing for its rounding."""
        excess = max(0.0, abs(self.share - exact) - self.rounding - 1e-12)
        if excess == 0.0:
            return 0.0
        error = sqrt(exact * (1 - exact) / self.games)
        return float("inf") if error < 1e-9 else excess / error

    def judge(self) -> dict[str, Any]:
        """Return the row of the report: published, exact, verdict and reason."""
        exact = self.exact(self.setting)
        sigmas = self.sigmas(exact)
        equal = sigmas == 0.0 and (self.rounding > 0 or abs(self.share - exact) < 1e-12)
        verdict = "equal" if equal else ("within noise" if sigmas <= NOISE_SIGMAS else "wrong")
        row: dict[str, Any] = {
            "source": self.source,
            "cell": self.label,
            "quantity": self.quantity,
            "published": self.published,
            "published_share": self.share,
            "exact": exact,
            "sigmas": sigmas,
            "verdict": verdict,
            "why": self.why if verdict == "wrong" else "",
            "fits": "",
            "exact_of_fit": None,
        }
        if verdict == "wrong" and self.instead is not None:
            fitted = self.exact(self.instead)
            if self.sigmas(fitted) <= NOISE_SIGMAS:
                row["fits"], row["exact_of_fit"] = str(self.instead), fitted
        return row


def result_cells(
    source: str, label: str, games: int, setting: Setting, printed: tuple[str, str, str], **extra: Any
) -> list[Cell]:
    """Return the three cells of a match: X wins, draws, O wins."""
    return [
        Cell(source, label, quantity, value, games, setting, **extra)
        for quantity, value in zip(("x_wins", "draws", "o_wins"), printed, strict=True)
    ]
