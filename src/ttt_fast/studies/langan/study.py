"""The study of Langan's "Reinforcement Learning and Minimax in a Simple Game"."""

import time
from pathlib import Path
from typing import Any

from ttt_fast.core.manifest import available_cores, environment
from ttt_fast.play.match import MatchConfig, play_match
from ttt_fast.studies.cells import agent
from ttt_fast.studies.langan import ablation
from ttt_fast.studies.langan.claims import claim_rows
from ttt_fast.studies.langan.figures import FIGURES
from ttt_fast.studies.langan.page import page
from ttt_fast.studies.langan.plan import FULL, QUICK, Plan, jobs_of
from ttt_fast.studies.langan.published import GAMES, MINIMAX, MINUTES_WITH_MINIMAX, MINUTES_WITHOUT
from ttt_fast.studies.langan.rows import cell_rows, players_of
from ttt_fast.studies.langan.runs import train_all
from ttt_fast.studies.page import Progress, Rows, command_of, write_study
from ttt_fast.studies.pictures import draw_figures


def run(folder: Path, *, quick: bool = False, threads: int | None = None, on_progress: Progress | None = None) -> Rows:
    """Do the study, write its page and tables to a folder, and return a row for each published figure.

    Parameters
    ----------
    folder
        For README.md, the tables as csv, and timing.json; made if it is missing.
    quick
        Whether to do a thousandth of the training: for tests, not for verdicts.
    threads
        Number of threads (default: all cores); the results do not depend on it.
    on_progress
        Called with a line of text after every training run.

    Raises
    ------
    KeyboardInterrupt
        If it is interrupted; nothing has been written then.
    """
    plan = QUICK if quick else FULL
    threads = threads or available_cores()
    started, cpu_started = time.perf_counter(), time.process_time()
    runs = train_all(jobs_of(plan), threads, on_progress)
    trained = time.perf_counter()
    players = players_of(runs, plan)
    corrected = time.perf_counter()
    per_run = ablation.ablation_runs(runs, plan)
    tables: dict[str, Rows] = {
        "cells": cell_rows(players),
        "ablation": ablation.ablation_rows(per_run),
        "ablation_runs": per_run,
        "curves": ablation.curve_rows(runs),
        "twins": ablation.twin_rows(runs),
        "evidence": ablation.evidence_rows(runs),
        "minimax": ablation.minimax_rows(runs),
        "lengths": ablation.length_rows(runs),
        "search": ablation.search_rows(),
    }
    tables["claims"] = claim_rows(runs, players, tables["ablation"], tables["lengths"])
    seconds = {
        "emulated runs": trained - started,
        "corrected runs": corrected - trained,
        "exact results": time.perf_counter() - corrected,
        "processor time of all threads": time.process_time() - cpu_started,
    }
    timing = {"command": command_of("langan", quick), **_timing(plan, threads, seconds)}
    write_study(folder, tables, page(tables, plan, quick=quick), timing)
    draw_figures(folder, FIGURES, on_progress)
    return tables["cells"]


def _timing(plan: Plan, threads: int, seconds: dict[str, float]) -> dict[str, Any]:
    """Return what depends on the machine: seconds taken, and section 6.4's rates beside ours."""
    episodes = sum(job.checkpoints[-1] for job in jobs_of(plan))
    games_per_second = {}
    for x, o in ((MINIMAX, "random"), ("random", MINIMAX), ("random", "random")):
        config = MatchConfig(games=plan.timed_games)
        play_match(agent(x), agent(o), MatchConfig(games=GAMES), threads=1)  # loads the kernel
        games_per_second[f"{x} v {o}"] = play_match(agent(x), agent(o), config, threads=1).games_per_second
    return {
        "seconds": seconds,
        "threads": threads,
        "emulated_episodes": episodes,
        "emulated_episodes_per_second": episodes / seconds["emulated runs"],
        "games_per_second_one_thread": games_per_second,
        "published_games_per_second": {
            "one player searches (minimax)": GAMES / (MINUTES_WITH_MINIMAX * 60),
            "both players are tables": GAMES / (MINUTES_WITHOUT * 60),
        },
        "environment": environment(),
    }
