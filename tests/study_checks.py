"""What holds for the page and the pictures of every study."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from cli_runner import Ran, run
from conftest import REPOSITORY
from ttt_fast.plot.figure import summarise
from ttt_fast.plot.plots import MAX_BYTES
from ttt_fast.studies.engine import study as studies
from ttt_fast.studies.engine.figures import DescribedFigure, figures_of

RESULTS = REPOSITORY / "results"


def folder_of(study: str, results: Path = RESULTS) -> Path:
    """The folder of a study's files."""
    return results / study.replace(".", "/")


def reproduced(study: str, results: Path, *words: object) -> Ran:
    """Make a study in its quick form by the command, or its pages alone; the rows are those of its page."""
    name, _, part = study.partition(".")
    chosen = [name, "--part", part] if part else [name]
    ran = run("reproduce", *chosen, "--quick", "--results", results, *words, "-f", "json")
    assert ran.code in (0, 130), ran.err
    return ran


DRAWN = find_spec("vl_convert") is not None


def pictures(study: str) -> set[str]:
    """The files that a run draws: none without the extra."""
    return {one.picture for one in figures_of(study)} if DRAWN else set()


def linked(folder: Path) -> list[str]:
    """The pictures that a page shows, in its order."""
    return re.findall(r"^!\[[^\]]+\]\(([^)]+)\)$", (folder / "README.md").read_text(), re.MULTILINE)


def check_pictures(study: str, folder: Path, drawn: bool = DRAWN) -> None:
    """Every figure has rows, one link, and (if drawn) a small picture with its title."""
    figures = figures_of(study)
    assert sorted(linked(folder)) == sorted(one.picture for one in figures)
    assert len(set(linked(folder))) == len(figures)
    for one in figures:
        assert summarise(one.figure, one.frame(folder)).height > 1
        if drawn:
            check_picture(one, folder / one.picture)


@contextmanager
def undrawn() -> Iterator[None]:
    """Leave the pictures of runs undrawn: they are slow.  `test_studies` draws them in the slow form."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studies, "draw_figures", lambda *_: None)
        yield


EXACT = {
    "langan": ("moves", "positions", "search", "triggers", "values"), "hensler": ("bleeding",), "sai": ("course",),
    "smirnov": ("bots", "bounds", "forks", "fractions", "passed_wins", "told_apart", "values"),
    "ultimate": ("calibration", "printed_games"), "smirnov.dqn": ("aims", "fractions"),
}  # fmt: skip
"""Files without any run, which are the same in the quick form."""
ELSEWHERE = {"bugs.csv", "control.csv", "rounds.csv", "stored.csv"}
"""Files in results/ that other commands make."""


def check_files(study: str, folder: Path) -> None:
    """A quick run has the files, the columns and the exact rows that are committed, and a page without holes."""
    committed = folder_of(study)
    files = {path.name for path in committed.glob("*.csv")} - ELSEWHERE
    assert {path.name for path in folder.iterdir() if path.suffix != ".svg"} == files | {"README.md", "timing.json"}
    for name in files:
        made, known = ((place / name).read_text().splitlines() for place in (folder, committed))
        assert made[0] == known[0] and len(made) > 1, name
        assert made == known or name.removesuffix(".csv") not in EXACT.get(study, ()), name
    page = (folder / "README.md").read_text()
    assert "{{" not in page and f"Made by `ttt-fast reproduce {study.replace('.', ' --part ')} --quick`" in page
    check_pictures(study, folder, drawn=False)


def check_picture(one: DescribedFigure, path: Path) -> None:
    """A picture below 200 kB with the words of its title."""
    assert path.stat().st_size < MAX_BYTES
    texts = " ".join(element.text or "" for element in ElementTree.parse(path).getroot().iter())
    assert one.figure.title.split()[0] in texts
    assert one.figure.title.split()[-1] in texts


def same_files(folder: Path, other: Path) -> bool:
    """Whether two folders hold the same bits, the seconds aside."""
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    return all(
        (folder / name).read_bytes() == (other / name).read_bytes()
        for name in names
        if not name.endswith("timing.json")
    )


_SPARED = re.compile(
    r"\{\{.*?\}\}|```.*?```|`[^`]*`|\[[^\]]*\]\([^)]*\)|\"[^\"]*\"|^#.*?$|"
    r"\b(?:tables?|figures?|sections?|Fig\.|plots?|chapters?) [IVX\d]+(?:\.\d+)*(?:(?:,| and| to) [IVX\d]+(?:\.\d+)*)*"
    r"|^\s*\d+\. |\bConnect 4\b",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


def typed_digits(template: str) -> list[str]:
    """The words of a template that hold digits where none may stand.

    Digits may stand in placeholders, code, links, quotations, headings, numbers of list items and names of tables,
    sections and games; all else is measured, and quoted by a placeholder.

    Examples
    --------
    >>> typed_digits('Of table 5 "97 %" is `B3`: {{cells.value | .2f}}; 12 of them')
    ['12']
    """
    return re.findall(r"\S*\d\S*", _SPARED.sub(" ", template))


_COUNT = "no|none|one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand"
_FACT = re.compile(rf"\bnone\b|\bexactly (?:{_COUNT})\b", re.IGNORECASE)


def typed_facts(template: str) -> list[str]:
    """The words of a template that state what is to be quoted: typed digits, `none`, and `exactly N`.

    A value of a setting is written as code.

    Examples
    --------
    >>> typed_facts('of 7 runs none, "none" and `0.1`: exactly two, {{runs.best}}')
    ['7', 'none', 'exactly two']
    """
    return typed_digits(template) + _FACT.findall(_SPARED.sub(" ", template))
