"""Verdicts as data: `holds if all({{each triggers.wins player=buggy}} == 1) | holds in part if ... | does not hold`.

The alternatives are tried in their order; where none is true the statement does not hold.  A condition compares
numbers of tables: arithmetic, comparisons, `and`, `or`, `not`, and the functions of `_FUNCTIONS`.  A placeholder is
`{{NAME.column k=v; l=w}}` for the only row that has the values, with `first` or `last` before it for the first or the
last of several, and with `each` for all of them: an array, compared element by element.
"""

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from ttt_fast.core.errors import UsageError
from ttt_fast.studies.engine.pages import quoted
from ttt_fast.studies.engine.tables import Rows
from ttt_fast.studies.engine.verdicts import StatementVerdict

ALTERNATIVE: Final = " | "
_IF: Final = " if "
_PLACEHOLDER: Final = re.compile(r"\{\{(.+?)\}\}")
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "all": np.all, "any": np.any, "abs": np.abs, "max": np.max, "min": np.min, "round": np.round, "sum": np.sum,
}  # fmt: skip
_ALLOWED: Final = (
    ast.Expression, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator, ast.Compare, ast.cmpop,
    ast.Call, ast.Name, ast.Load, ast.Constant,
)  # fmt: skip


def is_condition(judge: str) -> bool:
    """Return whether the judge of a statement is spelled as conditions, and not as a name or a verdict."""
    return _IF in judge


def judged_by(conditions: str, tables: Mapping[str, Rows]) -> StatementVerdict:
    """Return the verdict of the first condition that is true.

    Parameters
    ----------
    conditions
        Verdicts with their conditions.
    tables
        The rows that they quote.

    Raises
    ------
    UsageError
        If a verdict is none, a condition is no such expression, or quotes what is not there.

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
    """Return whether a condition is true of some tables.

    Raises
    ------
    UsageError
        If it is no such expression, or quotes what is not there.

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
    if word not in ("each", "first", "last"):
        return quoted(text.strip(), tables)[0]
    values = quoted(rest, tables, is_one=False)
    return {"each": np.array(values), "first": values[0], "last": values[-1]}[word]
