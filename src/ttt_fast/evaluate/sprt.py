"""The sequential probability ratio test of a match, which stops as soon as the games decide between two strengths."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

from ttt_fast.core.errors import UsageError
from ttt_fast.core.specs import shorten
from ttt_fast.evaluate.rating import score_of_elo, scores_of

Decision = Literal["H1", "H0", "continue"]
_PRIOR = 1e-3  # count of a result without games, so that no probability is zero
_STEPS = 200


@dataclass(frozen=True)
class Sprt:
    """A test of H1, the first player is `elo1` points stronger, against H0, it is `elo0` points stronger.

    Attributes
    ----------
    elo0, elo1
        The two strengths, elo0 < elo1.
    alpha, beta
        Probability of accepting H1 if H0 is true, and H0 if H1 is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Raise UsageError if the parameters are invalid."""
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise UsageError(f"expected -1000 <= elo0 < elo1 <= 1000, got {self.elo0!r} and {self.elo1!r}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UsageError(f"expected alpha and beta between 0 and 0.5, got {self.alpha!r} and {self.beta!r}")

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Parse a test: `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.

        Examples
        --------
        >>> Sprt.parse("0,50")
        Sprt(elo0=0.0, elo1=50.0, alpha=0.05, beta=0.05)
        """
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4):
            raise UsageError(f"expected a test as ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, got {shorten(text)!r}")
        return cls(*numbers)

    @property
    def bounds(self) -> tuple[float, float]:
        """Log likelihood ratios at which H0 and H1 are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def decide(self, counts: Sequence[int], distinct: int | None = None) -> Decision:
        """Return the verdict of the counts of pairs (five) or games (three), as `log_likelihood_ratio`.

        Examples
        --------
        >>> Sprt(0, 50).decide([0, 10, 30, 50, 40]), Sprt(0, 50).decide([2, 1, 4, 1, 2])
        ('H1', 'continue')
        """
        low, high = self.bounds
        ratio = self.log_likelihood_ratio(counts, distinct)
        return "H1" if ratio >= high else ("H0" if ratio <= low else "continue")

    def log_likelihood_ratio(self, counts: Sequence[int], distinct: int | None = None) -> float:
        """Return the generalised log likelihood ratio of H1 to H0.

        The counts are the numbers of pairs of games with each score.  Each hypothesis fixes only the mean score.  It is
        represented by the distribution with this mean that fits the counts best.  If only `distinct` pairs repeat no
        other one, the ratio is that share of the ratio of all.  Source: M. Van den Bergh, "A
        practical introduction to the GSPRT" (2020), proposition 1.1.

        Examples
        --------
        >>> round(Sprt(0, 5).log_likelihood_ratio([100, 200, 400, 250, 120]), 2)
        1.73
        """
        scores = scores_of(counts)
        if sum(counts) == 0:
            return 0.0
        seen = [count or _PRIOR for count in counts]
        at0, at1 = (_likelihoods(scores, seen, score_of_elo(elo)) for elo in (self.elo0, self.elo1))
        share = 1.0 if distinct is None else distinct / sum(counts)
        return share * sum(count * log(one / zero) for count, one, zero in zip(seen, at1, at0, strict=True))


def _likelihoods(scores: Sequence[float], seen: Sequence[float], mean: float) -> list[float]:
    """Return the distribution with a given mean that fits the counts best: seen / (1 + x (score - mean))."""
    number = sum(seen)
    away = [score - mean for score in scores]
    low, high = -1 / max(away), -1 / min(away)
    for _ in range(_STEPS):  # the sum decreases in x, from infinity to minus infinity
        x = (low + high) / 2
        slope = sum(count * one / (1 + x * one) for count, one in zip(seen, away, strict=True))
        low, high = (x, high) if slope > 0 else (low, x)
    return [count / number / (1 + x * one) for count, one in zip(seen, away, strict=True)]
