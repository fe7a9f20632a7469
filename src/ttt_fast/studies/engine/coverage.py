"""The page that says where each item of the sources is found: its numbers, figures, features and statements.

Each study has a `coverage.csv`: an item of its source, and where it is shown.  A place is one of these, several being
separated by ` + `: `cells TABLE`, `claims WHERE`, `table NAME`, `figure NAME`, `command WORDS`, or `left REASON`.
"""

from collections import Counter
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from ttt_fast.core.errors import UsageError
from ttt_fast.report.rows import markdown_table, write_bytes
from ttt_fast.studies.engine.sources import lines_of
from ttt_fast.studies.engine.tables import Row, Tables

COVERAGE = "COVERAGE.md"
NAME = "coverage.csv"
_OPENING = """# Where each item of the sources is found

Every table, figure, feature and statement of the five sources, in the order of each source, with the place where it is
shown and what was found. The words of the verdicts are told in [WORDS](WORDS.md)."""


class Item(NamedTuple):
    """An item of a source: a line of `coverage.csv`.

    Attributes
    ----------
    number
        Its place in the list of the source.
    item
        A few words about it.
    shown
        The places where it is shown.
    """

    number: str
    item: str
    shown: str


def items_of(study: str) -> list[Item]:
    """Return the items of the source of a study; none where nobody has listed them."""
    return [Item(**line) for line in lines_of(f"ttt_fast.studies.{study}", NAME)]


def studies_with_items() -> list[str]:
    """Return the studies that list the items of their source."""
    root = resources.files("ttt_fast.studies")
    return sorted(one.name for one in root.iterdir() if one.joinpath(NAME).is_file())


def found_of(study: str, place: str, tables: Tables) -> str:
    """Return what is found at a place, as markdown.

    Raises
    ------
    UsageError
        If there is no such place.
    """
    kind, _, words = place.partition(" ")
    page = f"{study}/README.md"
    if kind in ("cells", "claims"):
        column = "table" if kind == "cells" else "where"
        rows = [row for row in tables[kind] if row[column] == words and row.get("own_reading", True)]
        counts = Counter(str(row["verdict"]) for row in rows)
        if counts:
            return f"[{words}]({page}): " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    if kind == "table" and tables[words]:
        return f"[{words}.csv]({study}/{words}.csv)"
    if kind == "figure" and words in _figures(study):
        return f"[{words}]({study}/{words}.svg)"
    if kind == "command" and words:
        return f"`{words}`"
    if kind == "left" and words:
        return words
    raise UsageError(f"{study}: expected a place of coverage.csv that is there, got {place!r}")


def _figures(study: str) -> set[str]:
    from ttt_fast.studies.pictures import figures_of

    return {one.figure.name for one in figures_of(study)}


def coverage_rows(study: str, tables: Tables) -> list[Row]:
    """Return each item of a source with all that is found of it."""
    return [
        {"item": f"{one.number}. {one.item}", "found": "; ".join(found_of(study, place, tables) for place in
                                                               one.shown.split(" + "))}
        for one in items_of(study)
    ]  # fmt: skip


def write_coverage(results: Path) -> None:
    """Write the page into the folder of results, from the csv files of the studies."""
    parts = [_OPENING]
    for study in studies_with_items():
        tables = Tables(results / study, f"ttt-fast reproduce {study}")
        parts.append(f"## {study.capitalize()}\n\n{markdown_table(coverage_rows(study, tables))}")
    write_bytes(("\n\n".join(parts) + "\n").encode(), results / COVERAGE)
