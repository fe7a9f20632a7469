"""The command `reproduce`: published results, beside the exact values."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from ttt_fast.cli import options
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.errors import UsageError

STUDIES = {
    "base": "published figures of Langan and Smirnov that need no learning",
    "langan": "Langan: Q-learning against minimax, random and buggy opponents, and its self-play",
    "smirnov": "Smirnov: heuribot, tabular Q-learning, its curves and pair tables",
    "hensler": "Hensler: two agents in self-play",
    "sai": "Sai: the default opponent, minimax and afterstate learning in tic-tac-toe and Connect 4",
    "ultimate": "Bichot: minimax and MCTS in Ultimate tic-tac-toe (the DQN comes later)",
    "optimum": "how many episodes Q-learning needs to end exactly at the optimum",
    "connect4": "Connect 4 solved on boards of many sizes",
}
FINDINGS = "findings"
"""The findings of all studies, from their results; the last part of `all`."""
_SHOWN = (
    *("source", "cell", "quantity", "published", "as_coded", "as_described", "ours", "corrected"),
    *("width", "height", "score", "stones_at_the_end", "best_first_moves", "nodes"),
    *("problem", "best", "episodes", "runs", "enough", "exact", "sigmas", "verdict"),
)
"""Columns that are printed; the files and the machine formats have all of them."""


def reproduce(
    study: Annotated[str, argument("STUDY", f"{', '.join(STUDIES)}, findings, or all")],
    results: Annotated[Path, option("--results FOLDER", "write the pages below this folder")] = Path("results"),
    quick: Annotated[bool, option("--quick", "fewer episodes and seeds: for a first look")] = False,
    threads: options.Threads = None,
    form: options.Format = None,
) -> None:
    """Reproduce published tables: each figure beside ours and the exact value, with a verdict."""
    target = options.Target(form)
    if study not in (*STUDIES, FINDINGS, "all"):
        raise UsageError(f"expected a study of {', '.join(STUDIES)}, {FINDINGS} or all, got {study!r}")
    options.announce_compilation()
    for name in STUDIES if study == "all" else (study,):
        if name in STUDIES:
            _reproduce_one(name, results / name, quick, threads, target)
    if study in (FINDINGS, "all"):
        _collect_findings(results, target)


def _reproduce_one(name: str, folder: Path, quick: bool, threads: int | None, target: options.Target) -> None:
    """Run a study, print its rows and the number of each verdict."""
    from ttt_fast.report.console import rows_report

    def say(news: str) -> None:
        typer.echo(f"{name}: {news}", err=True)

    module = import_module(f"ttt_fast.studies.{name}")
    records: list[dict[str, Any]] = (
        module.run(folder) if name == "base" else module.run(folder, quick=quick, threads=threads, on_progress=say)
    )
    listing = [{key: row[key] for key in _SHOWN if key in row} for row in records]
    target.write("reproduce", records, {"study": name, "quick": quick}, lambda: rows_report(listing, name))
    verdicts = [str(row["verdict"]) for row in records if row.get("verdict")]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
    typer.echo(f"{name}: {counts}; the page is {folder / 'README.md'}", err=True)


def _collect_findings(results: Path, target: options.Target) -> None:
    """Write the page of the findings and print its rows."""
    from ttt_fast.report.console import rows_report
    from ttt_fast.studies import findings

    records = findings.run(results)
    listing = [{key: row[key] for key in ("number", "source", "place", "claim", "truth")} for row in records]
    target.write("reproduce", records, {"study": FINDINGS}, lambda: rows_report(listing, FINDINGS))
    typer.echo(f"{FINDINGS}: {len(records)}; the page is {results / 'FINDINGS.md'}", err=True)
