"""The command `reproduce`: published results next to the exact values."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.options import leave_interrupted, this_command
from ttt_fast.cli.parsing import words_of
from ttt_fast.cli.signatures import argument, of_run, option
from ttt_fast.core.specs import parse_count

STUDIES = {
    "langan": "Langan: Q-learning against minimax, random and buggy opponents, and its self-play",
    "smirnov": "Smirnov: heuribot, tabular Q-learning, its curves and pair tables",
    "hensler": "Hensler: two agents in self-play",
    "sai": "Sai: the default opponent, minimax and afterstate learning in tic-tac-toe and Connect 4",
    "ultimate": "Bichot: minimax, MCTS and deep Q-learning in Ultimate tic-tac-toe",
    "optimum": "how many episodes Q-learning needs to end exactly at the optimum",
    "alphazero": "AlphaZero by settings, games and other learners, judged by exact values",
    "scaling": "episodes that tabular learning needs, by the number of states",
    "ntuples": "Connect 4 learned by n-tuples: openings, settings, and players that learn from their refutations",
    "connect4": "Connect 4 solved on boards of many sizes",
    "exact-connect4": "exact strength of agents in Connect 4, on 7x6 and on smaller boards",
}
PARTS = {"smirnov": ("dqn",), "optimum": ("dqn",)}
"""Long parts of studies, which run only by name; each saves its runs, and resumes them."""
DATA = (*STUDIES, *(f"{name}.{part}" for name, parts in PARTS.items() for part in parts))
"""All studies and parts with their own page."""
FINDINGS = "findings"
"""The findings of all studies, from their results; the last part of `all`."""
_SHOWN = (
    *("reading", "source", "table", "place", "printed", "value", "quantity", "problem", "setting", "opponent", "best"),
    *("episodes", "runs", "exact", "exact_at_the_end", "mean_regret", "verdict"),
)
"""Printed columns; the files and the machine formats contain all columns."""


def reproduce(
    study: Annotated[str, argument("STUDY", f"{', '.join(STUDIES)}, findings, or all", (*STUDIES, FINDINGS, "all"))],
    results: Annotated[Path, option("--results FOLDER", "write the pages below this folder")] = Path("results"),
    quick: Annotated[bool, option("--quick", "use fewer episodes and seeds, for a first look")] = False,
    part: Annotated[str | None, option("--part NAME", "run a long part of smirnov or optimum alone: dqn")] = None,
    seeds: Annotated[str | None, of_run("--seeds N", "run at most N seeds of each setting of a part")] = None,
    runs: Annotated[Path, option("--runs FOLDER", "folder of finished runs, which are not repeated")] = Path("runs"),
    pages: Annotated[bool, option("--pages", "run nothing: write the pages from the existing files")] = False,
    only: Annotated[
        str | None, option("--only TABLE,...", "make only these csv files, and the pages from all files")
    ] = None,
    scheduler: options.Scheduler = None,
    threads: options.Threads = None,
    form: options.Format = None,
) -> None:
    """Reproduce published tables: each published figure beside the reproduced and the exact one, with a verdict."""
    from ttt_fast.files import check_output

    target = options.Target(form)
    if study not in (*STUDIES, FINDINGS, "all"):
        raise UsageError(f"expected {', '.join(STUDIES)}, {FINDINGS} or all as STUDY, got {study!r}")
    most = None if seeds is None else parse_count(seeds, "a number of seeds", minimum=1)
    tables = words_of(only or "")
    if only is not None and not tables:
        raise UsageError(f"expected names of csv files after --only, got {only!r}")
    if tables and (pages or study in (FINDINGS, "all")):
        raise UsageError(f"expected --only with one study that is measured, got {'--pages' if pages else study!r}")
    if part is None and most is not None:
        raise UsageError("expected --part with --seeds, got none")
    if part is not None and part not in PARTS.get(study, ()):
        known = " or ".join(f"{name} --part {one}" for name, parts in PARTS.items() for one in parts)
        raise UsageError(f"expected {known}, got {f'{study} --part {part}'!r}")
    shared = {"quick": quick, "threads": threads}
    name = study if part is None else f"{study}.{part}"
    for folder in (results, runs):
        if folder is not None:
            check_output(folder, makes_folders=True, is_folder=True)
    with options.given_executor(scheduler, threads) as pool:
        for one in {"all": DATA, FINDINGS: ()}.get(name, (name,)):
            kept = runs / one.replace(".", "-")
            given = {"pages": pages, "executor": pool, "kept": kept, "seeds": most, "only": tables}
            _reproduce_one(one, results / one.replace(".", "/"), target, shared | given)
    if study == FINDINGS or (study == "all" and not quick):
        _collect_findings(results, target)
    elif study == "all":
        typer.echo(f"{FINDINGS}: not written, they summarise studies in full", err=True)


def _reproduce_one(name: str, folder: Path, target: options.Target, given: dict[str, Any]) -> None:
    """Run a study or a part of it; print its rows and the number of each verdict."""
    from ttt_fast.report.console import rows_report
    from ttt_fast.studies.engine import study

    def say(news: str) -> None:
        typer.echo(f"{name}: {news}", err=True)

    try:
        records = study.reproduce(name, folder, **given, on_progress=say)
    except KeyboardInterrupt:
        leave_interrupted(this_command())
    listing = [{key: row[key] for key in _SHOWN if key in row} for row in records]
    config = {"study": name, "quick": given.get("quick", False)}
    target.write("reproduce", records, config, lambda: rows_report(listing, name, ("source",)))
    verdicts = [str(row["verdict"]) for row in records if row.get("verdict")]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
    typer.echo(f"{name}: {f'{counts}; ' if counts else ''}the page is {folder / 'README.md'}", err=True)


def _collect_findings(results: Path, target: options.Target) -> None:
    """Write the page of the findings and print its rows."""
    from ttt_fast.report.console import rows_report
    from ttt_fast.studies import findings

    records = findings.run(results)
    target.write("reproduce", records, {"study": FINDINGS}, lambda: rows_report(records, FINDINGS))
    typer.echo(f"{FINDINGS}: {len(records)}; the page is {results / 'FINDINGS.md'}", err=True)
