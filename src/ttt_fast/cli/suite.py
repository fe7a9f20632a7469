"""The command `suite`: eight problems for built-in and custom learners, with exact scores."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.options import leave_interrupted, this_command
from ttt_fast.cli.parsing import words_of
from ttt_fast.cli.signatures import option
from ttt_fast.core.specs import parse_count

if TYPE_CHECKING:
    from ttt_fast.studies.engine.tables import Rows
    from ttt_fast.studies.suite.runs import SuitePlan

_MAX_SEEDS = 10_000
_SHOWN = (
    "learner", "problem", "seeds", "normalised_score", "normalised_score_low", "normalised_score_high", "over_budget",
    "min_normalised_score", "at_best",
)  # fmt: skip
"""Printed columns; the files and the machine formats contain all columns."""


def suite(
    target: options.Target,
    learner: Annotated[
        str | None,
        option("--learner python:MODULE:NAME", "your own function learn(problem, seed), run in one thread by default"),
    ] = None,
    problems: Annotated[str | None, option("--problems A,B", "problems (default: all)")] = None,
    algorithms: Annotated[
        str | None, option("--algorithms A,B", "built-in learners (default: all; none with --learner)")
    ] = None,
    seeds: Annotated[
        str | None, option("--seeds N", "run each learner on each problem with the seeds 0 to N - 1 (default: 100)")
    ] = None,
    threads: options.Threads = None,
    runs: Annotated[
        Path | None,
        option(
            "--runs FOLDER", "folder with one file per run; finished runs are not repeated (default: a folder in runs/)"
        ),
    ] = None,
    results: Annotated[Path | None, option("--results FOLDER", "also write a results page below this folder")] = None,
    force: options.Force = False,
    listed: Annotated[bool, option("--list", "list the problems, and run nothing")] = False,
) -> None:
    """Run learners on eight problems of rising size, with fixed budgets, many seeds and exact scores."""
    from ttt_fast.files import check_folders
    from ttt_fast.report.console import rows_report
    from ttt_fast.studies.suite.measures import problem_rows
    from ttt_fast.studies.suite.problems import TITLE
    from ttt_fast.studies.suite.study import check_place, write_results

    plan = _plan(learner, problems, algorithms, seeds)
    if listed:
        target.write("suite", problem_rows(plan.problems), {}, TITLE)
        return
    folder = runs or Path("runs") / TITLE.replace(" ", "-")
    check_folders(folder, results)
    if not force:
        check_place(plan, folder, None if results is None else results / "suite")
    rows = _run(plan, folder, threads)
    if results is not None:
        page = results / "suite"
        write_results(plan, folder, rows, page, lambda news: typer.echo(f"suite: {news}", err=True))
        typer.echo(f"suite: the page is {page / 'README.md'}", err=True)
    listing = [{name: row[name] for name in _SHOWN} for row in rows]
    target.write("suite", rows, plan.as_dict(), lambda: rows_report(listing, f"{TITLE}: runs in {folder}"))


def _plan(learner: str | None, problems: str | None, algorithms: str | None, seeds: str | None) -> "SuitePlan":
    """Return the requested runs."""
    from ttt_fast.studies.suite.learners import load_learner
    from ttt_fast.studies.suite.problems import BASELINES, PROBLEMS, SEEDS, chosen, problem_of
    from ttt_fast.studies.suite.runs import SuitePlan

    if learner is not None:
        load_learner(learner)
    ours = words_of(algorithms) if algorithms is not None else [] if learner is not None else list(BASELINES)
    names = [one.name for one in PROBLEMS]
    wanted = names if problems is None else chosen(words_of(problems), names, "problem")
    count = SEEDS if seeds is None else parse_count(seeds, "a number of seeds", 1, 10**6)
    if count > _MAX_SEEDS:
        raise UsageError(f"expected at most {_MAX_SEEDS:,} seeds, got {count:,}")
    return SuitePlan(
        tuple(map(problem_of, wanted)),
        chosen(ours, BASELINES, "algorithm") if ours or learner is None else [],
        count,
        learner or "",
    )


def _run(plan: "SuitePlan", folder: Path, threads: int | None) -> "Rows":
    """Do the missing runs; an interrupted command exits with a message about its resumption."""
    from ttt_fast.report.progress import progress
    from ttt_fast.studies.suite.study import run

    done = 0
    with (
        options.given_executor(None, threads or (1 if plan.learner else None)) as pool,
        progress(plan.episodes, "episodes", f"{plan.num_runs:,} runs") as update,
    ):

        def on_count(number: int, episodes: int) -> None:
            nonlocal done
            done = number
            update(episodes, f"{number:,} of {plan.num_runs:,} runs")

        with suppress(KeyboardInterrupt):
            return run(plan, folder, pool, on_count)
    leave_interrupted(this_command(), f"{done:,} of {plan.num_runs:,} runs")
