"""The words of the verdicts, and the one level at which all tests of a family are judged."""

from enum import StrEnum

LEVEL = 0.05
"""The chance that any of a family of right numbers is called wrong: p-values are corrected for their number (Holm)."""


class NumberVerdict(StrEnum):
    """What may be said of a printed number."""

    EXACT = "exact"
    """The true value, rounded as the source rounds, is the printed one."""
    NOISE = "within noise"
    """The printed number is a sample, and the exact value, or a larger sample, does not contradict it."""
    REPRODUCED = "reproduced"
    """Emulated runs of the program do not contradict it."""
    WRONG = "wrong"
    """The evidence contradicts it: its chance, corrected for the family, is below the level."""
    OPEN = "open"
    """Nothing to compare it with could be made."""


class StatementVerdict(StrEnum):
    """What may be said of a statement."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_BE_TOLD = "cannot be told"
