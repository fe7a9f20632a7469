"""Verdicts as data: `holds if all({{each triggers.wins player=buggy}} == 1) | holds in part if ... | does not hold`.

The alternatives are tried in order.  If none is true, the statement does not hold.  A condition compares numbers from
tables with arithmetic, comparisons, `and`, `or`, `not`, and the functions in `_FUNCTIONS`.

A placeholder has one of these forms:

`{{NAME.column k=v; l=w}}`
    The column in the only row that has these values.
`{{first NAME.column k=v}}`, `{{last NAME.column k=v}}`
    The column in the first or last of several rows.
`{{each NAME.column k=v}}`
    The column in all rows, as an array that is compared element by element.  A missing number is NaN, which is neither
    greater nor less than any other number.
`{{mean NAME.column k=v}}`, `{{means NAME.column k=v}}`
    A mean over runs with its interval, from the columns `column low` and `column high`; `means` allows several rows.
    One mean is greater than another if the interval of the difference excludes zero.  Rows without a mean are left out.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import hypot, isnan, nan
from typing import Any, Final

import numpy as np

from ttt_fast import UsageError
from ttt_fast.studies.engine.pages import quoted
from ttt_fast.studies.engine.tables import Rows

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


ALTERNATIVE: Final = " | "
_IF: Final = " if "
_PLACEHOLDER: Final = re.compile(r"\{\{(.+?)\}\}")
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Mean:
    """A mean over runs with its 95 % interval; means are compared by the interval of their difference.

    Examples
    --------
    >>> Mean(0.5, 0.4, 0.6) > Mean(0.3, 0.3, 0.3), Mean(0.5, 0.4, 0.6) > Mean(0.3, 0.1, 0.5)
    (True, False)
    """

    value: float
    low: float
    high: float

    def __gt__(self, other: "Mean") -> bool:
        """Return whether this mean is greater by more than the half width of the interval of the difference."""
        half = hypot(self.high - self.low, other.high - other.low) / 2
        return self.value - other.value > half + _ROUNDING


def _greatest(means: Sequence[Mean]) -> Mean:
    return max(means, key=lambda one: one.value)


def _falls(found: Sequence[Any]) -> int:
    """Return the number of falls between neighbours in a sequence; means must fall by more than the interval."""
    return sum(bool(first > second) for first, second in pairwise(found))


_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "all": np.all, "any": np.any, "abs": np.abs, "max": np.nanmax, "min": np.nanmin, "round": np.round, "sum": np.sum,
    "greatest": _greatest, "falls": _falls,
}  # fmt: skip
_ALLOWED: Final = (
    ast.Expression, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator, ast.Compare, ast.cmpop,
    ast.Call, ast.Name, ast.Load, ast.Constant,
)  # fmt: skip


def is_condition(judge: str) -> bool:
    """Return whether the judge of a statement is a list of conditions, rather than a function name or a verdict."""
    return _IF in judge


def judged_by(conditions: str, tables: Mapping[str, Rows]) -> StatementVerdict:
    """Return the verdict of the first condition that is true.

    Parameters
    ----------
    conditions
        Verdicts with their conditions.
    tables
        The rows that the conditions quote.

    Raises
    ------
    UsageError
        If a verdict is unknown, a condition is not a valid expression, or a quoted value does not exist.

    Examples
    --------
    >>> rows = [{"player": "a", "wins": 3}, {"player": "b", "wins": 0}]
    >>> str(judged_by("holds if all({{each t.wins}} > 0) | holds in part if {{t.wins player=a}} > 0", {"t": rows}))
    'holds in part'
    """
    for alternative in conditions.split(ALTERNATIVE):
        verdict, _, condition = alternative.partition(_IF)
        if verdict not in set(StatementVerdict):
            raise UsageError(f"expected a verdict of {', '.join(StatementVerdict)}, got {verdict!r}")
        if not condition or is_true(condition, tables):
            return StatementVerdict(verdict)
    return StatementVerdict.DOES_NOT_HOLD


def is_true(condition: str, tables: Mapping[str, Rows]) -> bool:
    """Return whether a condition is true for the given tables.

    Raises
    ------
    UsageError
        If the condition is not a valid expression, or a quoted value does not exist.

    Examples
    --------
    >>> is_true("{{t.a}} + 1 == 3 and not {{t.a}} > 2", {"t": [{"a": 2}]})
    True
    """
    names: dict[str, Any] = dict(_FUNCTIONS)

    def bind(found: re.Match[str]) -> str:
        name = f"_{len(names)}"
        names[name] = _number(found.group(1), tables)
        return name

    text = _PLACEHOLDER.sub(bind, condition)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise UsageError(f"expected a condition, got {condition!r}") from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED) or (isinstance(node, ast.Name) and node.id not in names):
            raise UsageError(f"expected comparisons of numbers and {', '.join(_FUNCTIONS)}, got {condition!r}")
    return bool(eval(compile(tree, "condition", "eval"), {"__builtins__": {}}, names))


def _number(text: str, tables: Mapping[str, Rows]) -> Any:
    word, _, rest = text.strip().partition(" ")
    if word in ("mean", "means"):
        place, _, where = rest.partition(" ")
        ends = (_values(f"{place}{end} {where}", tables, is_one=word == "mean") for end in ("", "_low", "_high"))
        means = [Mean(*one) for one in zip(*ends, strict=True) if not isnan(one[0])]
        return means[0] if word == "mean" else np.array(means, object)
    if word not in ("each", "first", "last"):
        return quoted(text.strip(), tables)[0]
    values = _values(rest, tables)
    return {"each": np.array(values), "first": values[0], "last": values[-1]}[word]


def _values(text: str, tables: Mapping[str, Rows], *, is_one: bool = False) -> list[Any]:
    """Return the values quoted from rows, with NaN for missing values."""
    return [nan if one is None else one for one in quoted(text, tables, is_one=is_one)]
