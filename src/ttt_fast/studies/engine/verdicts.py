"""The verdicts on published numbers and on statements, and comparisons of which judges of statements are made."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from ttt_fast.studies.statistics.samples import Mean

LEVEL = 0.05
"""The probability that any correct number of a family is called wrong; Holm's method corrects the p-values."""


class NumberVerdict(StrEnum):
    """The possible verdicts on a published number."""

    EXACT = "exact"
    """The true value, rounded as in the source, equals the published number."""
    NOISE = "within noise"
    """The published number is a sample, and the exact value, or a larger sample, does not contradict it."""
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


HOLDS, IN_PART, FALSE, CANNOT = StatementVerdict


def holds(is_so: bool, otherwise: StatementVerdict = FALSE) -> StatementVerdict:
    """Return HOLDS if the condition is true, and `otherwise` if not.

    Examples
    --------
    >>> str(holds(1 + 1 == 2)), str(holds(1 + 1 == 3, IN_PART))
    ('holds', 'holds in part')
    """
    return HOLDS if is_so else otherwise


def by_parts(parts: Iterable[bool]) -> StatementVerdict:
    """Return HOLDS if all parts of a statement hold, IN_PART if any of them does, and FALSE if none does.

    Examples
    --------
    >>> str(by_parts([True, False]))
    'holds in part'
    """
    each = [bool(part) for part in parts]
    return holds(all(each), IN_PART if any(each) else FALSE)


def compared(one: Mean, other: Mean) -> StatementVerdict:
    """Return whether a mean is greater than another one: it holds, does not hold, or cannot be told."""
    return holds(one > other, FALSE if one < other else CANNOT)


def falls(found: Sequence[Any] | NDArray[Any]) -> int:
    """Return the number of falls between neighbours in a sequence; means must fall by more than the interval.

    Examples
    --------
    >>> falls([1, 3, 2, 4]), falls([Mean(0.5, 0.4, 0.6), Mean(0.49, 0.4, 0.6)])
    (1, 0)
    """
    return sum(bool(first > second) for first, second in pairwise(found))
