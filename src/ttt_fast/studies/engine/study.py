"""A study: its measures make csv files, and its pages are written from those files alone."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ttt_fast import FileFormatError, UsageError
from ttt_fast.core.locks import only_writer
from ttt_fast.files import environment, make_folder, read_text
from ttt_fast.report.rows import write_bytes
from ttt_fast.running.api import Executor
from ttt_fast.studies.engine.evidence import KINDS
from ttt_fast.studies.engine.figures import draw_figures, figures_of
from ttt_fast.studies.engine.judging import judged_cells, judged_claims, table_rows, verdict_rows
from ttt_fast.studies.engine.pages import Progress, command_of, filled, made_by
from ttt_fast.studies.engine.sources import cells_of, claims_of, package_of, template_of
from ttt_fast.studies.engine.tables import Rows, Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict
from ttt_fast.studies.engine.work import Runner

Measure = Callable[[Runner], Rows]
"""A function that returns the rows of a csv file; it has the name of that file."""


def _of_measures(study: str, name: str) -> Mapping[str, Any]:
    """Return a mapping of the module `measures` of a study; empty if it has none of this name."""
    found: Mapping[str, Any] = getattr(import_module(f"{package_of(study)}.measures"), name, {})
    return found


def measures_of(study: str) -> Mapping[str, Measure]:
    """Return the measures of a study by the names of their csv files."""
    return _of_measures(study, "MEASURES")


def reproduce(
    study: str,
    folder: Path,
    *,
    quick: bool = False,
    pages: bool = False,
    only: Sequence[str] = (),
    seeds: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    kept: Path = Path("runs"),
    on_progress: Progress | None = None,
) -> Rows:
    """Run the measures of a study, write its files and its page, and return a row for each published number.

    Parameters
    ----------
    study
        Name of the study; `STUDY.PART` is a long part, which is a study in a subfolder of another.
    folder
        Output folder for the csv files, README.md and the pictures, which are the same bits on every run, and
        timing.json.
    quick
        Whether to run small measures, for a first look and for tests.
    pages
        Whether only to judge and write the page, from existing csv files.
    only
        The tables to make (default: all); the other csv files and their times stay unchanged.
    seeds
        Maximum number of runs of a setting (default: that of the study).
    threads
        Number of threads for pieces of work (default: all cores); results do not depend on it.
    executor
        Runs the pieces instead of threads; it stays open.
    kept
        The folder of finished pieces, which are not computed again.
    on_progress
        Called with a message about the current work.

    Raises
    ------
    KeyboardInterrupt
        If the work was interrupted; finished pieces are in `kept`, and no file of the study has changed.
    UsageError
        If the study has no such table, or both `only` and `pages` are given.
    FileFormatError
        If `only` is given, and the folder does not contain the files of this study in the same form, quick or full.
    """
    measures = _chosen(study, only)
    if pages and only:
        raise UsageError(f"expected tables to make or pages from those that are there, got both: {', '.join(only)!r}")
    if pages:
        return write_pages(study, folder, quick=quick, seeds=seeds, on_progress=on_progress)
    say: Progress = on_progress or (lambda news: None)
    count, command = threads or int(environment()["cores"]), command_of(study, quick, seeds=seeds)
    before = _timing_of(folder, command) if only else {}
    tables = Tables(folder, command)
    seconds: dict[str, Any] = {}
    made: dict[str, Rows] = {}
    taken: dict[str, float] = {}  # of each piece, which several tables may need
    make_folder(folder.parent)
    with only_writer(folder):
        for name, measure in measures.items():
            say(name)
            work, started = Runner(kept, quick, count, executor, say, seeds), time.perf_counter()
            made[name] = measure(work)
            seconds[name] = {"wall": time.perf_counter() - started, "pieces": sum(work.taken.values())}
            taken |= work.taken
        for name, rows in made.items():
            tables.write(name, rows)
        here = environment()
        timing = {"command": command, "threads": count, "seconds": seconds, "pieces": sum(taken.values())}
        timing = timing | {"environment": here} if not only else _remade(before, seconds, here["cpu"])
        write_bytes((json.dumps(timing, indent=2) + "\n").encode(), folder / "timing.json")
        return write_pages(study, folder, quick=quick, seeds=seeds, on_progress=on_progress)


def _chosen(study: str, only: Sequence[str]) -> Mapping[str, Measure]:
    """Return the measures of the chosen tables, in the order of the study."""
    known = measures_of(study)
    if unknown := [name for name in only if name not in known]:
        raise UsageError(f"expected tables of {', '.join(known)}, got {unknown[0]!r}")
    return {name: measure for name, measure in known.items() if name in only or not only}


def _remade(before: dict[str, Any], seconds: dict[str, Any], cpu: object) -> dict[str, Any]:
    """Return the times of a folder of which some tables have been remade; pieces that they share count as unchanged."""
    old, new = before["seconds"], {name: one | {"cpu": cpu} for name, one in seconds.items()}
    change = sum(one["pieces"] - old.get(name, {"pieces": 0})["pieces"] for name, one in new.items())
    return before | {"seconds": old | new} | ({"pieces": before["pieces"] + change} if "pieces" in before else {})


def _timing_of(folder: Path, command: str) -> dict[str, Any]:
    """Return the times of the run that made the files of a folder."""
    path = folder / "timing.json"
    try:
        found: dict[str, Any] = json.loads(read_text(path))
        maker = found["command"]
    except (FileFormatError, ValueError, KeyError, TypeError):
        raise FileFormatError(f"expected the times of a run in {str(path)!r}, found none; run: {command}") from None
    if maker != command:
        raise FileFormatError(f"expected files of {command!r} in {str(folder)!r}, found those of {maker!r}")
    return found


def write_pages(
    study: str,
    folder: Path,
    *,
    quick: bool = False,
    seeds: int | None = None,
    on_progress: Progress | None = None,
) -> Rows:
    """Compare a study with the published numbers, write its page, and return a row for each published number.

    The page is written from the csv files in the study's folder.  For a study without published numbers, the rows of
    its first measure are returned.

    Raises
    ------
    FileFormatError
        If a file of the study is missing; the message names the command that makes it.
    """
    package, tables = package_of(study), Tables(folder, command_of(study, quick, seeds=seeds))
    kinds = {**KINDS, **_of_measures(study, "EVIDENCE_KINDS")}
    rows = tables[next(iter(measures_of(study)))]
    if cells := cells_of(package):
        rows = tables.write("cells", judged_cells(cells, tables, kinds, partial=quick))
        tables.write("verdicts", verdict_rows(rows))
        if whole := table_rows(rows):
            tables.write("tables", whole)
    if claims := claims_of(package):
        judged = any(one.judge not in set(StatementVerdict) for one in claims)
        judges = vars(import_module(f"{package}.judges")) if judged else {}
        tables.write("claims", judged_claims(claims, judges, tables))
    page = filled(template_of(package).replace("{{made by}}", made_by(study, quick, seeds)), tables, partial=quick)
    write_bytes(page.encode(), folder / "README.md")
    draw_figures(folder, figures_of(study), on_progress)
    return rows
