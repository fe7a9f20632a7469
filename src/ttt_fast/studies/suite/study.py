"""The suite as a command runs it: the missing runs, then rows and, if they are asked for, the files of its page."""

from pathlib import Path
from typing import Any

from ttt_fast.core.manifest import environment
from ttt_fast.running.executors import Executor
from ttt_fast.studies.page import Progress, write_study
from ttt_fast.studies.pictures import draw_figures
from ttt_fast.studies.suite.figures import FIGURES
from ttt_fast.studies.suite.measures import curve_rows, problem_rows, run_rows, score_rows
from ttt_fast.studies.suite.page import page
from ttt_fast.studies.suite.problems import VERSION
from ttt_fast.studies.suite.runs import OnProgress, Plan, Rows, do_runs, read_values, seconds_of


def run(
    plan: Plan, folder: Path, executor: Executor, on_progress: OnProgress = lambda runs, episodes: None
) -> Rows | None:
    """Do the missing runs of a plan and return a row for each learner and problem; None if it was interrupted.

    Parameters
    ----------
    plan
        The runs.
    folder
        The folder with a file for each run; those that are there are not done again.
    executor
        The place where they run; it stays open, and changes no bit.
    on_progress
        Called with the number of runs that are there, and their episodes.

    Examples
    --------
    >>> import tempfile
    >>> from ttt_fast.running.executors import ThreadExecutor
    >>> from ttt_fast.studies.suite.problems import PROBLEMS
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = run(Plan(PROBLEMS[2:3], ["q"], seeds=2), Path(folder), ThreadExecutor(2))
    >>> rows[0]["learner"], rows[0]["problem"], rows[0]["score"] > 0.5
    ('q', 'o-v-minimax', True)
    """
    missing = do_runs(plan, folder, executor, on_progress)
    return None if missing else score_rows(plan, read_values(plan, folder))


def write_results(plan: Plan, folder: Path, scores: Rows, results: Path, on_progress: Progress | None = None) -> None:
    """Write the page of the suite, its csv files and its picture.

    Parameters
    ----------
    plan, folder, scores
        What `run` was called with, and what it returned.
    results
        The folder of the page.
    on_progress
        Told in words what could not be done.
    """
    values, problems = read_values(plan, folder), problem_rows(plan.problems)
    tables: dict[str, Rows] = {
        "problems": problems, "scores": scores, "curves": curve_rows(plan, values), "runs": run_rows(plan, values),
    }  # fmt: skip
    timing: dict[str, Any] = {
        "environment": environment(), "suite": VERSION, "runs": plan.num_runs, "episodes": plan.episodes,
        "seconds_of_the_baselines": seconds_of(plan, folder),
    }  # fmt: skip
    write_study(results, tables, page(problems, scores, plan), timing)
    draw_figures(results, FIGURES, on_progress)
