"""Hensler's study: the self-play many times over, and the exact strength that the page never measured."""

import time
from pathlib import Path

from ttt_fast.core.manifest import available_cores, environment
from ttt_fast.running.chunks import run_chunks
from ttt_fast.studies.hensler import tables
from ttt_fast.studies.hensler.figures import FIGURES
from ttt_fast.studies.hensler.page import page
from ttt_fast.studies.hensler.plan import PUBLISHED, jobs_of
from ttt_fast.studies.hensler.runs import Run, train_job
from ttt_fast.studies.page import Progress, Rows, command_of, runs_told, write_study
from ttt_fast.studies.pictures import draw_figures


def run(folder: Path, *, quick: bool = False, threads: int | None = None, on_progress: Progress | None = None) -> Rows:
    """Write the report to `folder` and return a row for every known figure.

    Parameters
    ----------
    folder
        Gets README.md and the csv files, the same bits on every run, and timing.json, which is of this machine.
    quick
        Three seeds instead of a hundred.
    threads
        Threads over training runs (default: all cores); they change no bit.
    on_progress
        Called with the number of training runs done.
    """
    jobs, threads, started = jobs_of(quick), threads or available_cores(), time.perf_counter()
    runs: list[Run] = []
    tell = runs_told(on_progress, len(jobs))
    for one in run_chunks(lambda index: train_job(jobs[index]), 0, len(jobs), threads):
        runs.append(one)
        tell(len(runs))
    trained = time.perf_counter() - started
    own = [one.marks for one in runs if one.job.variant == PUBLISHED]
    parts = {
        "cells": tables.cell_rows(runs),
        "progress": tables.progress_rows(runs),
        "strength": [{"measure": name, **tables.spread([marks[name] for marks in own])} for name in own[0]],
        "curve": tables.curve_rows(runs),
        "spread": tables.spread_rows(runs),
        "variants": tables.variant_rows(runs),
        "further": tables.more_rows(runs),
    }
    timing = {
        "command": command_of("hensler", quick),
        "threads": threads,
        "seconds": trained,
        "runs": len(jobs),
        "episodes": sum(job.episodes for job in jobs),
        "environment": environment(),
    }
    write_study(folder, parts, page(parts, len(own), quick=quick), timing)
    draw_figures(folder, FIGURES, on_progress)
    return parts["cells"]
