"""The names of the verdicts, and the significance level of every family of tests."""

from enum import StrEnum

LEVEL = 0.05
"""The probability that any correct number of a family is called wrong; Holm's method corrects the p-values."""


class NumberVerdict(StrEnum):
    """The possible verdicts on a printed number."""

    EXACT = "exact"
    """The true value, rounded as in the source, equals the printed number."""
    NOISE = "within noise"
    """The printed number is a sample, and the exact value, or a larger sample, does not contradict it."""
    REPRODUCED = "reproduced"
    """Emulated runs of the program do not contradict it."""
    WRONG = "wrong"
    """The evidence contradicts it: its p-value, corrected for the family, is below the level."""
    OPEN = "open"
    """There is no evidence to compare it with."""


class StatementVerdict(StrEnum):
    """The possible verdicts on a statement."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_BE_TOLD = "cannot be told"
