"""The page of the findings, generated from the results of the studies."""

from pathlib import Path
from textwrap import fill
from typing import Any

from ttt_fast.report.rows import write_bytes
from ttt_fast.studies.findings.finding import Finding
from ttt_fast.studies.findings.quotes import Quote, Results
from ttt_fast.studies.findings.statements import SOURCES

NAME = "FINDINGS.md"
COMMAND = "ttt-fast reproduce findings"
_OPENING = """What five published projects say about tic-tac-toe, Connect 4 and Ultimate
tic-tac-toe that is not so, or only in part, and what is. Every measured figure is read from the csv files of the
studies beside this page, or computed exactly when the page is made; what the sources and their programs say is quoted.
Each finding names the page that shows it, and `ttt-fast reproduce STUDY` makes that page again. The DQN of Ultimate
tic-tac-toe (bichot) comes later."""


def gather(results: Results) -> list[tuple[str, Finding, list[Quote]]]:
    """Return each finding with the heading of its source and the figures that it quotes."""
    gathered = []
    for heading, source in SOURCES.items():
        results.quotes.clear()
        for finding in source(results):
            gathered.append((heading, finding, list(results.quotes)))
            results.quotes.clear()
    return gathered


def _paragraph(number: int, finding: Finding) -> str:
    links = ", ".join(f"[{study}]({study}/README.md)" for study in finding.studies)
    text = f"{number}. *{finding.claim}* ({finding.place}) {finding.truth} {finding.why} See {links}."
    return fill(
        text, 120, subsequent_indent=" " * (len(str(number)) + 2), break_long_words=False, break_on_hyphens=False
    )


def page(gathered: list[tuple[str, Finding, list[Quote]]]) -> str:
    """Return the page as markdown."""
    parts = ["# Findings", f"Made by `{COMMAND}`.", _OPENING]
    last = ""
    for number, (heading, finding, _) in enumerate(gathered, 1):
        if heading != last:
            parts.append(f"## {heading}")
            last = heading
        parts.append(_paragraph(number, finding))
    return "\n\n".join(parts) + "\n"


def run(folder: Path) -> list[dict[str, Any]]:
    """Write FINDINGS.md into the folder of results and return a row for every finding.

    Parameters
    ----------
    folder
        Has the results of the studies, each in its folder.

    Raises
    ------
    FileFormatError
        If a result is missing: one line that names the command that makes it.
    """
    gathered = gather(Results(folder))
    write_bytes(page(gathered).encode(), folder / NAME)
    return [
        {
            "number": number, "source": heading, "place": finding.place, "claim": finding.claim,
            "truth": finding.truth, "why": finding.why, "studies": ", ".join(finding.studies),
        }
        for number, (heading, finding, _) in enumerate(gathered, 1)
    ]  # fmt: skip
