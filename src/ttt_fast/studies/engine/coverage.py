"""The page that shows where each item of the sources is covered: its numbers, figures, features and statements.

Each study has a `coverage.csv`, which lists the items of its source and the places that show them.  Several places are
separated by ` + `.  The prefix `PART/` before the first word names a long part of the study (`dqn/cells`).  A place has
one of these forms:

`cells TABLE`, `quantity QUANTITY`
    The published numbers of a table, or of a quantity: the number of each verdict, as described and in other readings.
`claims WHERE`, `statement WORDS`
    The verdicts of the statements in a section, or of the one statement that equals or contains the words.
`table NAME`, `figure NAME`, `seconds NAME`
    A csv file, a picture, or the seconds of a measure or a clock on the timing page.
`command WORDS`, `left REASON`
    A command of the program, or the reason why there is nothing to show.

A link goes to the section of a page that shows most of the item, or to the csv file if no section does.
"""

import re
from collections import Counter
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

from ttt_fast import FileFormatError, TttFastError, UsageError
from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.engine.figures import figures_of
from ttt_fast.studies.engine.judging import AGAIN
from ttt_fast.studies.engine.pages import anchor_of, command_of, wanted_of
from ttt_fast.studies.engine.sources import lines_of, package_of, template_of
from ttt_fast.studies.engine.study import clocks_of, measures_of
from ttt_fast.studies.engine.tables import Row, Rows, Tables, select

NAME = "coverage.csv"
SEPARATOR: Final = " + "
_COUNTED: Final = {"cells": ("cells", "table"), "quantity": ("cells", "quantity"), "claims": ("claims", "where")}
"""Places that count verdicts: the file of each, and the column that contains the words."""
_HEADING: Final = re.compile(r"#+ (.+)")
_TABLE: Final = re.compile(r"\{\{table (\w+)(.*)\}\}")
_OPENING = """# Where each item of the sources is found

Every table, figure, feature and statement of the five sources, in the order of each source, with the place where it is
shown and what was found. Of numbers, the verdicts by the source's own description come first, those of the program as
coded and of other readings after them; a number that is printed again counts once. [WORDS](WORDS.md) explains the words
of the verdicts, and [TIMING](TIMING.md) lists seconds."""


class Item(NamedTuple):
    """An item of a source: a line of `coverage.csv`.

    Attributes
    ----------
    number
        Its number in the list of the source.
    item
        A short description.
    shown
        The places that show it.
    """

    number: str
    item: str
    shown: str


def items_of(study: str) -> list[Item]:
    """Return the items of the source of a study; the list is empty if the study has no `coverage.csv`."""
    return [Item(**line) for line in lines_of(f"ttt_fast.studies.{study}", NAME)]


def studies_with_items() -> list[str]:
    """Return the studies that list the items of their source."""
    root = resources.files("ttt_fast.studies")
    return sorted(one.name for one in root.iterdir() if one.joinpath(NAME).is_file())


class CoveragePlace(NamedTuple):
    """A place that shows an item.

    Attributes
    ----------
    kind, words
        The kind of place, and its name.
    part
        The long part of the study that contains it; empty for the study itself.
    """

    kind: str
    words: str
    part: str

    def of(self, name: str) -> str:
        """Return the path of a file relative to the folder of the study."""
        return f"{self.part}/{name}" if self.part else name

    def study(self, study: str) -> str:
        """Return the study, or the part of it that contains the place."""
        return f"{study}.{self.part}" if self.part else study


def place_of(text: str) -> CoveragePlace:
    """Return the place described by a text in `coverage.csv`.

    Examples
    --------
    >>> place_of("cells table 1"), place_of("dqn/figure main").part
    (CoveragePlace(kind='cells', words='table 1', part=''), 'dqn')
    """
    first, _, words = text.partition(" ")
    part, _, kind = first.rpartition("/")
    return CoveragePlace(kind, words, part)


def found_of(study: str, text: str, tables: Tables) -> str:
    """Return the findings at a place, as markdown.

    Parameters
    ----------
    study
        The study.
    text
        The place, as written in `coverage.csv`.
    tables
        The csv files of the study.

    Raises
    ------
    FileFormatError
        If the file of the place is missing.
    UsageError
        If the place does not exist.
    """
    place = place_of(text)
    kind, words, _ = place
    if rows := _judged(place, tables):
        link = f"{study}/{place.of(_section(study, place, rows))}"
        shown = f'"{words}"' if kind == "statement" else words
        facts = str(rows[0]["verdict"]) if kind == "statement" else _counted(rows)
        return f"[{shown}]({link}): {facts}"
    if kind == "table" and tables[place.of(words)]:
        return f"[{words}.csv]({study}/{place.of(words)}.csv)"
    if kind == "figure" and words in {one.figure.name for one in figures_of(place.study(study))}:
        picture = place.of(f"{words}.svg")
        if not (tables.folder / picture).is_file():
            raise FileFormatError(f"expected a picture {str(tables.folder / picture)!r}, found none")
        return f"[{words}]({study}/{picture})"
    clocks = clocks_of(place.study(study)) if kind == "seconds" else {}
    if kind == "seconds" and words in {**clocks, **measures_of(place.study(study))}:
        heading = f"{place.study(study)}: {words}" if words in clocks else "By measure"
        return f"[seconds: {words}](TIMING.md#{anchor_of(heading)})"
    if kind in ("command", "left") and words:
        return f"`{words}`" if kind == "command" else words
    raise UsageError(f"{study}: expected a place of coverage.csv that is there, got {text!r}")


def _judged(place: CoveragePlace, tables: Tables) -> Rows:
    """Return the rows whose verdicts a place shows, without numbers that repeat an earlier number."""
    if place.kind == "statement":
        rows = tables[place.of("claims")]
        equal = [row for row in rows if row.get("statement") == place.words]
        having = equal or [row for row in rows if place.words in str(row.get("statement"))]
        return having if len(having) == 1 else []
    if place.kind not in _COUNTED:
        return []
    name, column = _COUNTED[place.kind]
    rows = tables[place.of(name)]
    own = [row for row in rows if str(row.get(column)) == place.words]
    return [row for row in own if row.get("counts") != AGAIN] or own


def _counted(rows: Rows) -> str:
    """Return the number of rows with each verdict: as described first, then in each other reading."""
    counts: dict[tuple[bool, str], Counter[str]] = {}
    for row in rows:
        is_own = row.get("own_reading", True)
        name = str(row.get("reading") or "")
        counts.setdefault((not is_own, name), Counter())[str(row["verdict"])] += 1
    facts = []
    for (_, name), of in sorted(counts.items(), key=lambda one: one[0][0]):
        each = ", ".join(f"{count} {verdict}" for verdict, count in of.items())
        facts.append(f"*{name}* {each}" if name and len(counts) > 1 else each)
    return " / ".join(facts)


@lru_cache(maxsize=64)
def _shown(study: str) -> tuple[tuple[str, str, str], ...]:
    """Return the tables of a study's page: for each, the heading above it, its name and the rest of its placeholder."""
    found, heading = [], ""
    for line in template_of(package_of(study)).splitlines():
        if title := _HEADING.match(line):
            heading = title[1]
        elif table := _TABLE.match(line):
            found.append((heading, table[1], table[2]))
    return tuple(found)


def _section(study: str, place: CoveragePlace, rows: Rows) -> str:
    """Return the section of the page that shows most of the rows, or the file that contains them all."""
    name = _COUNTED[place.kind][0] if place.kind in _COUNTED else "claims"
    most, section = 0, f"{name}.csv"
    for heading, table, rest in _shown(place.study(study)):
        if table == name and (count := len(select(rows, wanted_of(rest)))) > most:
            most, section = count, f"README.md#{anchor_of(heading)}"
    return section


def coverage_rows(study: str, tables: Tables, *, partial: bool = False) -> list[Row]:
    """Return each item of a source with all its findings.

    Parameters
    ----------
    study
        The study.
    tables
        The csv files of the study.
    partial
        If true, a missing place is shown with the command that makes it, instead of raising an error.

    Raises
    ------
    FileFormatError, UsageError
        If a place is missing and `partial` is false.
    """
    rows: list[Row] = []
    for one in items_of(study):
        found = []
        for text in one.shown.split(SEPARATOR):
            try:
                found.append(found_of(study, text, tables))
            except TttFastError:
                if not partial:
                    raise
                found.append(f"not there yet, run `{command_of(place_of(text).study(study), quick=False)}`")
        rows.append({"item": f"{one.number}. {one.item}", "found": "; ".join(dict.fromkeys(found))})
    return rows


def coverage_page(results: Path) -> str:
    """Return the page about all sources, from the csv files of the studies that exist."""
    parts = [_OPENING]
    for study in studies_with_items():
        command, folder = command_of(study, quick=False), results / study
        text = f"Its files are not there yet: run `{command}`."
        if folder.is_dir():
            text = markdown_table(coverage_rows(study, Tables(folder, command), partial=True))
        parts.append(f"## {study.capitalize()}\n\n{text}")
    return "\n\n".join(parts) + "\n"
