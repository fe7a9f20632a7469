"""The pages of the findings, written from the csv files of the studies alone."""

import re
from collections import ChainMap
from pathlib import Path
from typing import Final

from ttt_fast.report.rows import write_bytes
from ttt_fast.studies.engine.pages import filled_page
from ttt_fast.studies.engine.sources import template_of
from ttt_fast.studies.engine.study import package_of
from ttt_fast.studies.engine.tables import Rows, Tables
from ttt_fast.studies.engine.texts import Progress
from ttt_fast.studies.findings.measures import MEASURES, AllTables
from ttt_fast.studies.pictures import draw_figures, figures_of

NAME: Final = "FINDINGS.md"
PAGES: Final = {NAME: "page.md", "CONFIRMED.md": "confirmed.md"}
"""The pages and their templates."""
STUDY: Final = "findings"
COMMAND: Final = "ttt-fast reproduce findings"


def run(results: Path, on_progress: Progress | None = None) -> Rows:
    """Write the pages, their tables and pictures into the folder of results, and return a row for each finding.

    Parameters
    ----------
    results
        The folder that contains the results of each study in a subfolder.
    on_progress
        Called with a message about the current work.

    Raises
    ------
    FileFormatError
        If a result is missing; the message names the command that makes it, and no file is written.
    """
    found = AllTables(results)
    made = {name: measure(found) for name, measure in MEASURES.items()}
    every = ChainMap(made, found)  # type: ignore[arg-type]  # it is only read
    texts = {name: filled_page(template_of(package_of(STUDY), template), every) for name, template in PAGES.items()}
    own = Tables(results / STUDY, COMMAND)
    for name, rows in made.items():
        own.write(name, rows)
    for name, text in texts.items():
        write_bytes(text.encode(), results / name)
    draw_figures(results / STUDY, figures_of(STUDY), on_progress)
    headings = re.findall(r"^### (\d+)\. (.+)$", texts[NAME], re.MULTILINE)
    return [{"number": int(number), "finding": finding} for number, finding in headings]
