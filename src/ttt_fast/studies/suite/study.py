"""The suite as run by its command: the missing runs, the rows, and on request the files of its page."""

import json
from contextlib import suppress
from pathlib import Path
from textwrap import fill
from typing import Any

from ttt_fast import UsageError
from ttt_fast.files import environment
from ttt_fast.learners import Sweep
from ttt_fast.report.rows import write_bytes
from ttt_fast.running.api import Executor
from ttt_fast.studies.engine.figures import draw_figures, figures_of
from ttt_fast.studies.engine.pages import Progress, filled_page, made_text
from ttt_fast.studies.engine.sources import template_of
from ttt_fast.studies.engine.tables import Rows, Tables, write_json
from ttt_fast.studies.statistics.interquartile import RESAMPLES
from ttt_fast.studies.suite import measures
from ttt_fast.studies.suite.problems import BASELINES, CHECKPOINTS, PROBLEMS, RECIPE, SEEDS, TITLE, VERSION
from ttt_fast.studies.suite.runs import OnProgress, SuitePlan, do_runs, read_values, seconds_of


def run(
    plan: SuitePlan, folder: Path, executor: Executor, on_progress: OnProgress = lambda runs, episodes: None
) -> Rows:
    """Do the missing runs of a plan and return a row for each learner and problem.

    Parameters
    ----------
    plan
        The runs.
    folder
        The folder with a file for each run; finished runs are not repeated.
    executor
        Executes the runs; it stays open, and results do not depend on it.
    on_progress
        Called with the numbers of finished runs and episodes.

    Raises
    ------
    RunInterrupted
        If a signal has interrupted the runs; finished runs are kept.

    Examples
    --------
    >>> import tempfile
    >>> from ttt_fast.running.executors import ThreadExecutor
    >>> from ttt_fast.studies.suite.problems import PROBLEMS
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = run(SuitePlan(PROBLEMS[2:3], ["q"], seeds=2), Path(folder), ThreadExecutor(2))
    >>> rows[0]["learner"], rows[0]["problem"], rows[0]["normalised_score"] > 0.5
    ('q', 'o-v-minimax', True)
    """
    do_runs(plan, folder, executor, on_progress)
    return measures.score_rows(plan, read_values(plan, folder))


def check_place(plan: SuitePlan, folder: Path, results: Path | None) -> None:
    """Raise UsageError if a plan must not use a folder of runs, or must not overwrite the page in `results`.

    The folder may contain another unfinished sweep (`Sweep.check_folder`), or the page may be that of more runs.
    """
    Sweep.check_folder(folder, list(plan.sweeps()))
    described: Any = {}
    with suppress(OSError, ValueError):
        described = json.loads((results / "timing.json").read_bytes()) if results is not None else {}
    there = described.get("runs", 0) if isinstance(described, dict) else 0
    if there > plan.num_runs:
        raise UsageError(
            f"expected another folder for the page, or --force, got {str(results)!r}, which has the page of"
            f" {there:,} runs, more than these {plan.num_runs:,}"
        )


def write_results(
    plan: SuitePlan, folder: Path, scores: Rows, results: Path, on_progress: Progress | None = None
) -> None:
    """Write the page of the suite, its csv files and its picture.

    Parameters
    ----------
    plan, folder, scores
        The first two arguments of `run`, and its return value.
    results
        The folder of the page.
    on_progress
        Called with a message if the picture could not be drawn.
    """
    tables, values = Tables(results, command_of(plan)), read_values(plan, folder)
    tables.write("problems", measures.problem_rows(plan.problems))
    tables.write("scores", scores)
    tables.write("curves", measures.curve_rows(plan, values))
    tables.write("runs", measures.run_rows(plan, values))
    timing = {
        "environment": environment(), "suite": VERSION, "runs": plan.num_runs, "episodes": plan.episodes,
        "seconds_of_the_baselines": seconds_of(plan, folder),
    }  # fmt: skip
    write_json(results / "timing.json", timing)
    write_page(plan, tables)
    draw_figures(results, figures_of("suite"), on_progress)


def write_page(plan: SuitePlan, tables: Tables) -> None:
    """Write the page of the suite from its csv files alone."""
    scores = tables["scores"]
    facts = {"title": TITLE, "seeds": plan.seeds, "checkpoints": CHECKPOINTS, "resamples": RESAMPLES}
    shown = {
        "suite": [facts],
        "problems": tables["problems"],
        "final": measures.across(scores, measures.interval_text("normalised_score")),
        "over budget": measures.across(scores, measures.interval_text("over_budget")),
        "at best": measures.across([row for row in scores if row["problem"] != measures.ALL], measures.at_best_text),
    }
    described = f", seeds 0 to {plan.seeds - 1}"
    made = made_text(command_of(plan), described, "the machine, the versions and the seconds that it took")
    template = template_of("ttt_fast.studies.suite").replace("{{made by}}", made)
    page = filled_page(template.replace("{{learners}}", _learners_text(plan)), shown)
    write_bytes(page.encode(), tables.folder / "README.md")


def _learners_text(plan: SuitePlan) -> str:
    """Return the paragraph that describes the learners and their settings."""
    ours = (
        "Tabular learners of this package as baselines, with one setting for all problems, tuned on none: step size"
        f" `{RECIPE['step_size']}`, epsilon `{RECIPE['epsilon']}` (over the run), discount 1, values that begin at 0,"
        " and the greedy policy at each checkpoint."
    )
    other = f"`{plan.learner}` is a learner of others."
    return fill(" ".join([ours] * bool(plan.algorithms) + [other] * bool(plan.learner)), 120, break_on_hyphens=False)


def command_of(plan: SuitePlan) -> str:
    """Return the command that makes the page of a plan.

    Examples
    --------
    >>> command_of(SuitePlan(PROBLEMS, BASELINES, SEEDS)), command_of(SuitePlan(PROBLEMS, ["q"], 2))
    ('ttt-fast suite --results results', 'ttt-fast suite --algorithms q --seeds 2 --results results')
    """
    words = ["ttt-fast suite"]
    if plan.learner:
        words.append(f"--learner {plan.learner}")
    if tuple(plan.problems) != PROBLEMS:
        words.append(f"--problems {','.join(problem.name for problem in plan.problems)}")
    if tuple(plan.algorithms) != (() if plan.learner else BASELINES):
        words.append(f"--algorithms {','.join(plan.algorithms)}")
    if plan.seeds != SEEDS:
        words.append(f"--seeds {plan.seeds}")
    return " ".join([*words, "--results results"])
