"""The words of the verdicts, and the one level at which all tests of a family are judged."""

from collections.abc import Sequence
from enum import StrEnum

LEVEL = 0.05
"""The chance that any of a family of right numbers is called wrong: p-values are corrected for their number (Holm)."""


class NumberVerdict(StrEnum):
    """What may be said of a printed number."""

    EXACT = "exact"
    """The true value, rounded as the source rounds, is the printed one."""
    NOISE = "within noise"
    """The printed number is a sample, and one of the exact value, or of a larger sample, may well look so."""
    REPRODUCED = "reproduced"
    """Emulated runs of the program leave an interval for one further run, and the number lies in it."""
    WRONG = "wrong"
    """None of these."""
    OPEN = "open"
    """Nothing to compare it with could be made."""


class StatementVerdict(StrEnum):
    """What may be said of a statement."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_BE_TOLD = "cannot be told"


def corrected(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of a family of tests, each corrected for their number.

    Notes
    -----
    S. Holm, "A simple sequentially rejective multiple test procedure" (Scandinavian Journal of Statistics 6, 1979).

    Examples
    --------
    >>> corrected([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    found, so_far = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda one: p_values[one])):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[place]))
        found[place] = so_far
    return found
