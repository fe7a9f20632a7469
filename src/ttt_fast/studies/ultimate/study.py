"""Bichot's study: the tables as coded and corrected, the statements, and the strength of our search."""

import time
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ttt_fast.core.manifest import available_cores, environment
from ttt_fast.studies.page import Progress, Rows, command_of, write_study
from ttt_fast.studies.pictures import draw_figures
from ttt_fast.studies.ultimate import plan, tables, ties
from ttt_fast.studies.ultimate.claims import claim_rows
from ttt_fast.studies.ultimate.figures import FIGURES
from ttt_fast.studies.ultimate.matches import Contest, Result, play_all
from ttt_fast.studies.ultimate.page import page
from ttt_fast.studies.ultimate.plan import FULL, PAIRS, QUICK, Size

Key = TypeVar("Key", bound=Hashable)


class _Field:
    """Plays the parts of the study one after the other, and notes their seconds."""

    def __init__(self, threads: int, on_progress: Progress | None) -> None:
        self.threads, self.on_progress = threads, on_progress
        self.seconds: dict[str, float] = {}
        self.games = 0

    def play(self, part: str, contests: Mapping[Key, Contest]) -> dict[Key, Result]:
        """Play the contests of a part and return their results by the same keys."""
        started, total = time.perf_counter(), sum(one.games for one in contests.values())
        self.tell(f"{part}: {total:,} games of {len(contests)} contests")
        played = dict(zip(contests, play_all(list(contests.values()), self.threads), strict=True))
        self.games += total
        self.seconds[part] = time.perf_counter() - started
        return played

    def tell(self, words: str) -> None:
        """Say what is being done."""
        if self.on_progress is not None:
            self.on_progress(words)


def _numbered(contests: Sequence[Contest]) -> dict[int, Contest]:
    return dict(enumerate(contests))


def run(folder: Path, *, quick: bool = False, threads: int | None = None, on_progress: Progress | None = None) -> Rows:
    """Write the report to `folder` and return a row for every printed number.

    Parameters
    ----------
    folder
        Gets README.md and the csv files, the same bits on every run, and timing.json, which is of this machine.
    quick
        A few games of each match instead of a thousand.
    threads
        Threads over games (default: all cores); they change no bit.
    on_progress
        Called with what is being done.
    """
    size, count = (QUICK if quick else FULL), threads or available_cores()
    started, used = time.perf_counter(), time.process_time()
    field = _Field(count, on_progress)
    coded = field.play("as coded", dict(zip(PAIRS, plan.coded_contests(size), strict=True)))
    mended = field.play("corrected", dict(zip(PAIRS, plan.corrected_contests(size), strict=True)))
    parts = _parts(size, field, coded, mended)
    timing: dict[str, Any] = {
        "command": command_of("ultimate", quick),
        "threads": count,
        "games": field.games,
        "seconds": time.perf_counter() - started,
        "processor_seconds_of_all_threads": time.process_time() - used,
        "seconds_by_part": field.seconds,
        "milliseconds_a_move": {"as coded": _move_times(coded), "corrected": _move_times(mended)},
        "environment": environment(),
    }
    write_study(folder, parts, page(parts, size, quick=quick), timing)
    draw_figures(folder, FIGURES, on_progress)
    return parts["cells"]


def _parts(size: Size, field: _Field, coded: tables.Results, mended: tables.Results) -> dict[str, Rows]:
    """Play the rest and return the rows of every file."""
    table = field.play("table I", plan.table_1_contests(size))
    tuned = field.play("exploration", plan.tuned_contests(size))
    defects = field.play("defects", _numbered(plan.defect_contests(size)))
    ours = field.play("our agents", _numbered(plan.our_contests(size)))
    parts: dict[str, Rows] = {
        "cells": tables.figure_rows(coded, mended) + tables.table_rows(table, tuned),
        "fit": tables.fit_rows(coded, mended),
        "ratings": tables.rating_rows(coded, mended),
        "first_player": tables.seat_rows(coded, mended),
        "readings": tables.reading_rows(table),
        "exploration": tables.tuned_rows(table, tuned),
        "defects": tables.defect_rows(list(defects.values())),
        "strength": tables.strength_rows(list(ours.values())),
        "ties": ties.tie_rows(size.positions),
        "deterministic": ties.without_randomness(),
    }
    parts["claims"] = claim_rows(parts)
    return parts


def _move_times(results: tables.Results) -> dict[str, float]:
    """Return the mean milliseconds of a move of each agent, over all of its games."""
    spent: dict[str, tuple[int, float]] = {}
    for pair, result in results.items():
        for agent, effort in zip(pair, result.efforts, strict=True):
            moves, seconds = spent.get(agent, (0, 0.0))
            spent[agent] = moves + effort.moves, seconds + effort.seconds
    return {agent: 1000 * seconds / max(moves, 1) for agent, (moves, seconds) in spent.items()}
