"""The page of a study: a template with tables and quoted numbers, filled from the csv files alone.

A template has two kinds of placeholder, in double braces.

`{{table NAME | columns a, b as c | where k=v; l=w | digits 4}}`
    Rows of a csv file as a table.  `columns` selects and renames columns (default: all); `where` selects rows (default:
    all).
`{{NAME.column k=v; l=w | .1%}}`
    One number or word, from the row that has the values, in a Python format; the format `p` writes a p-value.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ttt_fast import UsageError, __version__
from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.engine.tables import Row, Rows, select, typed

_PLACEHOLDER = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
_DIGITS = 4
_MISSING = "(not in this run)"


def filled(template: str, tables: Mapping[str, Rows], *, partial: bool = False) -> str:
    """Return the template with every placeholder filled.

    Parameters
    ----------
    template, tables
        The text, and the tables to which it refers.
    partial
        Whether a value may be missing, as in a quick run of fewer cases; the page then says so.

    Raises
    ------
    UsageError
        If a placeholder refers to a value that does not exist.
    """

    def value(found: re.Match[str]) -> str:
        try:
            return _value(" ".join(found.group(1).split()), tables)
        except UsageError:
            if partial:
                return _MISSING
            raise

    return _PLACEHOLDER.sub(value, template)


def _value(text: str, tables: Mapping[str, Rows]) -> str:
    parts = [part.strip() for part in text.split(" | ")]
    if parts[0].startswith("table "):
        return _table(parts[0].removeprefix("table ").strip(), parts[1:], tables)
    return _quote(parts[0], parts[1] if len(parts) > 1 else "", tables)


def _wanted(text: str) -> Row:
    """Return the columns and values of `k=v; l=w`.

    Examples
    --------
    >>> _wanted("runs=3; learner=as published")
    {'runs': 3, 'learner': 'as published'}
    """
    pairs = (one.partition("=") for one in text.split(";") if one.strip())
    return {name.strip(): typed(value.strip()) for name, _, value in pairs}


def _table(name: str, parts: Sequence[str], tables: Mapping[str, Rows]) -> str:
    described = {word: rest for word, _, rest in (part.partition(" ") for part in parts)}
    if described.keys() - {"columns", "where", "digits"}:
        raise UsageError(f"expected columns, where or digits in a table of a template, got {' | '.join(parts)!r}")
    rows, digits = select(tables[name], _wanted(described.get("where", ""))), int(described.get("digits", _DIGITS))
    if not rows:
        raise UsageError(f"expected rows for {name!r}, {' | '.join(parts)!r} in a template, found none")
    columns = [(column, column.replace("_", " ")) for column in rows[0]]
    if "columns" in described:
        pairs = (one.strip().partition(" as ") for one in described["columns"].split(","))
        columns = [(column.strip(), (shown or column).strip()) for column, _, shown in pairs]
    for column, _ in columns:
        if column not in rows[0]:
            raise UsageError(f"expected a column of {name!r}, got {column!r} in a template")
    return markdown_table([{shown: _cell(row[column], digits) for column, shown in columns} for row in rows])


def _cell(value: Any, digits: int) -> Any:
    """Return a cell of a table as text; a number too small for four digits gets three significant digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return "" if value is None else value
    is_small = value and abs(value) < 0.5 * 10**-digits
    return f"{value:.2g}" if is_small else f"{value + 0.0:.{digits}f}"


def _quote(text: str, form: str, tables: Mapping[str, Rows]) -> str:
    """Return the value quoted by `NAME.column k=v; l=w`; `_` and a blank in a column name are interchangeable."""
    place, _, rest = text.partition(" ")
    name, _, column = place.rpartition(".")
    if not name:
        raise UsageError(f"expected TABLE.column or `table TABLE` in a template, got {text!r}")
    rows = select(tables[name], _wanted(rest))
    alike = {one.replace("_", " "): one for one in (rows[0] if rows else {})}
    if len(rows) != 1 or column.replace("_", " ") not in alike:
        raise UsageError(f"expected one row of {name!r} with {column!r} for {rest!r} in a template, found {len(rows)}")
    value = rows[0][alike[column.replace("_", " ")]]
    if value is None:
        return "none"
    if form == "p":
        return p_text(float(value))
    return format(value, form) if form else str(value)


Progress = Callable[[str], None]
"""A callback that receives progress messages."""


def command_of(study: str, quick: bool, seeds: int | None = None) -> str:
    """Return the command that makes a study's page, or the files of a part of it, with a number of seeds.

    Examples
    --------
    >>> command_of("sai", quick=True), command_of("smirnov.dqn", quick=False)
    ('ttt-fast reproduce sai --quick', 'ttt-fast reproduce smirnov --part dqn')
    """
    study, _, part = study.partition(".")
    words = [f"ttt-fast reproduce {study}"] + [f"--part {part}"] * bool(part) + ["--quick"] * quick
    return " ".join(words if seeds is None else [*words, f"--seeds {seeds}"])


def p_text(p_value: float) -> str:
    """Return a p-value as text; a value of 0 within rounding is shown as an upper bound.

    Examples
    --------
    >>> p_text(0.098929), p_text(0.0)
    ('p = 0.0989', 'p < 1e-15')
    """
    return f"p = {p_value:.3g}" if p_value > 1e-15 else "p < 1e-15"


def made_by(study: str, quick: bool, seeds: int | None = None) -> str:
    """Return the first lines of a study's page: its command, and a warning in the quick form."""
    text = f"Made by `{command_of(study, quick, seeds=seeds)}`, version {__version__}."
    if quick:
        text += """

**This is the quick form, for tests: its runs are short and few, and its verdicts on learners mean nothing.**"""
    return text
