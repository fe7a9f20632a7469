"""Verdicts on published numbers, from measured tables alone, and on statements, by judges or as in `claims.csv`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ttt_fast import TttFastError, UsageError
from ttt_fast.studies.engine.evidence import KINDS, Evidence, Kind
from ttt_fast.studies.engine.pages import filled
from ttt_fast.studies.engine.sources import Cell, Claim
from ttt_fast.studies.engine.tables import Row, Rows, Tables
from ttt_fast.studies.engine.verdicts import LEVEL, NumberVerdict, StatementVerdict, holds
from ttt_fast.studies.statistics.distributions import combined, corrected

SEPARATOR = " | "
"""Separator between the readings of a source that a number is compared with."""
NOTHING = "-"
"""Used in place of a reading if there is nothing to compare the number with."""
_FOUND: Final = ("kind", "value", "low", "high", "size", "p", "p_corrected")
"""Columns of the evidence."""
_READING: Final = re.compile(r"(?:\[([^]]*)\]\s*)?(\S+)\s*(.*)")
ONCE, AGAIN, CERTAIN = "once", "again", "certain"
"""How a number counts: once, as a repetition of an earlier number, or as certain because no other is possible."""
_RUNS: Final = "runs"
"""The kind of evidence that comes from emulated programs."""


class Reading(NamedTuple):
    """One reading (interpretation) of the source, with which a published number is compared.

    Attributes
    ----------
    name
        Its name, such as `as coded`; empty if there is only one reading.
    kind, words
        The kind of evidence, and its arguments.
    """

    name: str
    kind: str
    words: str


def readings_of(cell: Cell) -> list[Reading]:
    """Return the readings that a cell is compared with, the source's own description first.

    Examples
    --------
    >>> cell = Cell("s", "1", "a", "x_wins", "7", 10, "[as written] exact random v minimax | [as coded] runs a")
    >>> [tuple(one) for one in readings_of(cell)]
    [('as written', 'exact', 'random v minimax'), ('as coded', 'runs', 'a')]
    """
    readings = [Reading(*_READING.findall(text.strip())[0]) for text in cell.against.split(SEPARATOR)]
    return [one for one in readings if one.kind != NOTHING]


def judged_cells(
    cells: Sequence[Cell], tables: Tables, kinds: Mapping[str, Kind] = KINDS, *, partial: bool = False
) -> Rows:
    """Return the rows of `cells.csv`: each number beside its evidence, one row for each reading.

    A repeated number counts once: it has the same printed value, reading and evidence as an earlier number, or evidence
    that is marked as repeated.  The tests of each reading form one family.  Certain numbers and repeated numbers are
    not members of a family.  If the measures are `partial`, a number without evidence is open.

    Raises
    ------
    FileFormatError, UsageError
        If a kind of evidence is unknown, or its rows are missing.
    """
    rows: Rows = []
    seen: set[tuple[object, ...]] = set()
    for cell in cells:
        for place, reading in enumerate(readings_of(cell) or [Reading("", NOTHING, "")]):
            found = None if reading.kind == NOTHING else _evidence(cell, reading, tables, kinds, partial)
            key = (cell.quantity, cell.printed, cell.games, reading, found)
            is_again = found is not None and (key in seen or found.is_repeated)
            counted = AGAIN if is_again else CERTAIN if found and found.is_certain else ONCE
            seen.add(key)
            rows.append(_row(cell, reading, found, counted, is_own=place == 0))
    judged = [row for row in rows if row["p"] is not None]
    for name in {row["reading"] for row in judged}:
        of = [row for row in judged if row["reading"] == name and row["counts"] != CERTAIN]
        family = [row["p"] for row in of if row["counts"] == ONCE]
        p_corrected = dict(zip(family, corrected(family), strict=True))
        for row in of:  # a repeated number has the verdict of the first
            row["p_corrected"] = p_corrected.get(row["p"], row["p"])
    for row in rows:
        row["verdict"] = str(_verdict(row))
    return rows


def _evidence(
    cell: Cell, reading: Reading, tables: Tables, kinds: Mapping[str, Kind], partial: bool
) -> Evidence | None:
    if reading.kind not in kinds:
        raise UsageError(f"{cell.table}, {cell.place}: expected evidence of {', '.join(kinds)}, got {reading.kind!r}")
    try:
        return kinds[reading.kind](cell, reading.words, tables)
    except TttFastError:
        if partial:
            return None
        raise


def _row(cell: Cell, reading: Reading, found: Evidence | None, counted: str, *, is_own: bool) -> Row:
    low, high = cell.interval
    evidence: tuple[Any, ...] = (None,) * len(_FOUND)
    if found is not None:
        evidence = (found.kind, found.value, found.low, found.high, found.size or None, found.p, found.p)
    return {
        "source": cell.source, "table": cell.table, "place": cell.place, "quantity": cell.quantity,
        "printed": cell.printed, "games": cell.games or None, "printed_value": cell.value,
        "printed_low": low, "printed_high": high, "reading": reading.name, "own_reading": is_own,
        "against": f"{reading.kind} {reading.words}".strip(),
        **dict(zip(_FOUND, evidence, strict=True)), "counts": counted,
        "rounds": found and abs(cell.value - found.value) <= cell.half_unit + 1e-9, "verdict": "", "note": cell.note,
    }  # fmt: skip


def _verdict(row: Row) -> NumberVerdict:
    """Return the verdict of a row; only an exact value can be "exact", a mean of runs or games cannot."""
    if row["kind"] is None:
        return NumberVerdict.OPEN
    if row["kind"] == "exact" and row["rounds"]:
        return NumberVerdict.EXACT
    if row["p_corrected"] < LEVEL:
        return NumberVerdict.WRONG
    return NumberVerdict.REPRODUCED if row["kind"] == _RUNS else NumberVerdict.NOISE


def verdict_rows(cells: Rows) -> Rows:
    """Return the number of cells with each verdict, by reading and by the way in which they count."""
    rows = []
    for reading in dict.fromkeys(row["reading"] for row in cells):
        own = [row for row in cells if row["reading"] == reading]
        for verdict in NumberVerdict:
            of = [row["counts"] for row in own if row["verdict"] == verdict]
            if of:
                counts = {f"of them {name}": of.count(name) for name in (ONCE, CERTAIN, AGAIN)}
                rows.append({"reading": reading, "verdict": str(verdict), "numbers": len(of), **counts})
    return rows


def table_rows(cells: Rows) -> Rows:
    """Return the joint p-value of all published numbers of a table, for each table of the source and each reading.

    Numbers that are not samples, and numbers that do not count once, are left out.  Numbers from the same match depend
    on each other, and so do all numbers compared with emulated runs.  Each such group gets its smallest p-value times
    its size.  The groups are independent.
    """
    tests: dict[tuple[str, str, bool], list[Row]] = {}
    for row in cells:
        if row["counts"] == ONCE and (row["kind"] == _RUNS or (row["kind"] and row["games"])):
            tests.setdefault((row["table"], row["reading"], row["own_reading"]), []).append(row)
    rows = []
    for (table, reading, is_own), of in tests.items():
        groups: dict[str, list[float]] = {}
        for row in of:
            groups.setdefault("" if row["kind"] == _RUNS else row["place"], []).append(row["p"])
        rows.append({
            "table": table, "reading": reading, "own_reading": is_own, "numbers": len(of), "groups": len(groups),
            "low_p": sum(row["p"] < LEVEL for row in of),
            "p": combined([min(1.0, len(group) * min(group)) for group in groups.values()]),
        })  # fmt: skip
    for reading in {row["reading"] for row in rows}:
        family = [row for row in rows if row["reading"] == reading]
        for row, p_value in zip(family, corrected([row["p"] for row in family]), strict=True):
            row["p_corrected"] = p_value
    return rows


def judged_claims(claims: Sequence[Claim], judges: Mapping[str, Any], tables: Tables) -> Rows:
    """Return the rows of `claims.csv`: each statement with its verdict and its reason.

    Raises
    ------
    UsageError
        If a statement names neither a verdict, nor a function that judges it.
    """
    return [
        {"source": claim.source, "where": claim.where, "statement": claim.quotation,
         "verdict": str(_verdict_on(claim, judges, tables)), "found": filled(claim.found, tables)}
        for claim in claims
    ]  # fmt: skip


def _verdict_on(claim: Claim, judges: Mapping[str, Any], tables: Tables) -> StatementVerdict:
    if claim.judge in set(StatementVerdict):
        return StatementVerdict(claim.judge)
    judge = judges.get(claim.judge)
    if judge is None:
        raise UsageError(f"{claim.where}: expected a verdict or the name of a judge, got {claim.judge!r}")
    found = judge(tables)
    return found if isinstance(found, StatementVerdict) else holds(found)
