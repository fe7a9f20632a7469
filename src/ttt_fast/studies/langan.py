"""`ttt-fast reproduce langan`: seed 000, "Reinforcement Learning and Minimax in a Simple Game".

What was published, the program emulated with its defects, the defects mended one at a time, and the exact values.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ttt_fast._archive import make_folder
from ttt_fast._manifest import available_cores, environment
from ttt_fast.matchup.match import MatchConfig, play_match
from ttt_fast.report.figure import Figure, Reference
from ttt_fast.report.rows import encode, write_bytes
from ttt_fast.studies import langan_ablation as ablation
from ttt_fast.studies.langan_claims import claim_rows
from ttt_fast.studies.langan_page import page
from ttt_fast.studies.langan_plan import FULL, QUICK, VARIANTS, Plan, jobs_of
from ttt_fast.studies.langan_published import (
    BASE_CELLS,
    GAMES,
    MINIMAX,
    MINUTES_WITH_MINIMAX,
    MINUTES_WITHOUT,
    PUBLISHED_STATES,
    Z_TEST,
)
from ttt_fast.studies.langan_rows import agent, cell_rows, players_of
from ttt_fast.studies.langan_runs import train_all

__all__ = ["BASE_CELLS", "FIGURES", "GAMES", "MINIMAX", "PUBLISHED_STATES", "Z_TEST", "run"]

_ORDER = tuple(map(str, VARIANTS))
_COMMON: dict[str, Any] = {
    "x": "episodes",
    "series": "mended",
    "panels": "player",
    "x_label": "episodes of self-play",
    "series_label": "mended",
    "log_x": True,
    "band": True,
    "y_format": ".0%",
    "series_order": _ORDER,
    "columns": 2,
}

FIGURES: tuple[tuple[str, Figure], ...] = (
    (
        "curves.csv",
        Figure(
            name="agreement",
            title="Self-play agrees with minimax only when all three defects are mended",
            subtitle="rows in which the learner is to move",
            y="agreement",
            y_label="agreement with minimax",
            references=(Reference(1.0, "minimax"),),
            **_COMMON,
        ),
    ),
    (
        "curves.csv",
        Figure(
            name="agreement_as_counted",
            title="Self-play's agreement as the report counts it",
            subtitle="all rows of a table, those of the opponent's turn included",
            y="agreement_as_counted",
            y_label="agreement with minimax",
            references=(
                Reference(0.6930, "published, player 1", panel="player 1"),
                Reference(0.6649, "published, player 2", panel="player 2"),
            ),
            **_COMMON,
        ),
    ),
)
"""File of the data (in the folder of the results) and specification of each figure."""


def run(
    folder: Path,
    *,
    quick: bool = False,
    threads: int | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> list[dict[str, Any]]:
    """Do the study, write its page and tables to a folder, and return a row for each published figure.

    Parameters
    ----------
    folder
        For README.md, the tables as csv, and timing.json; made if it is missing.
    quick
        Whether to do a thousandth of the training: for tests, not for verdicts.
    threads
        Number of threads (all cores unless told); the results do not depend on it.
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
    tables: dict[str, list[dict[str, Any]]] = {
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
    make_folder(folder)
    for name, rows in tables.items():
        write_bytes(encode("csv", "reproduce", rows, {}), folder / f"{name}.csv")
    write_bytes(page(tables, plan, quick=quick).encode(), folder / "README.md")
    timing = _timing(plan, threads, seconds)
    write_bytes((json.dumps(timing, indent=2) + "\n").encode(), folder / "timing.json")
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
