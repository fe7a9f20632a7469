"""Sai's study: tic-tac-toe and Connect 4, beside the corrected results and the best possible."""

import random
import time
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from ttt_fast.core.manifest import available_cores, environment
from ttt_fast.studies.cells import ordinary_table
from ttt_fast.studies.page import Progress, Rows, command_of, write_study
from ttt_fast.studies.pictures import draw_figures
from ttt_fast.studies.sai import learning, tables
from ttt_fast.studies.sai.claims import claim_rows
from ttt_fast.studies.sai.connect_four import part
from ttt_fast.studies.sai.figures import FIGURES
from ttt_fast.studies.sai.page import page
from ttt_fast.studies.sai.published import ALPHA_BETA, DEFAULT, EPISODES, EPSILON_IN_PLAY, HOURS, PLAIN, TABLE, TABLES
from ttt_fast.studies.sai.search import Move, Searcher, default_player, measure, table_player
from ttt_fast.tables.boards import boards_of


class Size(NamedTuple):
    """How much a form of the study does.

    Attributes
    ----------
    seeds, episodes
        Training runs of each variant, and games of each.
    games
        Games measured of each published table; of 0 the table is left out.
    connect_four
        The same for Connect 4.
    """

    seeds: int
    episodes: int
    games: dict[int, int]
    connect_four: part.Size


FULL = Size(40, EPISODES, {1: 2, 2: 20, 3: 400, 7: 2, 8: 20}, part.FULL)
QUICK = Size(2, 50_000, {1: 0, 2: 2, 3: 20, 7: 0, 8: 2}, part.QUICK)


def run(folder: Path, *, quick: bool = False, threads: int | None = None, on_progress: Progress | None = None) -> Rows:
    """Write the report to `folder` and return a row for every printed count.

    Parameters
    ----------
    folder
        Gets README.md and the csv files, the same bits on every run, and timing.json, which is of this machine.
    quick
        Two short training runs of each variant instead of forty of 5,000,000 games (in Connect 4 six of 1,000,000),
        and no search without pruning on the clock.
    threads
        Threads over training runs (default: all cores); they change no bit.
    on_progress
        Called with the number of training runs done.
    """
    size, threads = (QUICK if quick else FULL), threads or available_cores()
    started = time.perf_counter()
    runs = learning.train_variants(size.seeds, size.episodes, threads, on_progress)
    trained = time.perf_counter() - started
    first = learning.train_variant(learning.AS_CODED, 0, size.episodes)
    played = first.policy("learner as coded", seats="x", epsilon=Fraction(EPSILON_IN_PLAY))
    cells, searches = tables.cell_rows(runs), tables.search_rows(played)
    four = part.run_part(size.connect_four, threads, on_progress)
    parts: dict[str, Rows] = {
        "cells": [*cells, *four.cells],
        "readings": tables.reading_rows(runs),
        "strength": [*learning.strength_rows(runs), *tables.possible_rows()],
        "extremes": tables.extreme_rows(runs),
        "searches": searches,
        "claims": claim_rows(searches, cells),
        **four.tables,
    }
    timing: dict[str, Any] = {
        "command": command_of("sai", quick),
        "threads": threads,
        "training": {
            "runs": len(runs),
            "episodes": size.episodes,
            "seconds": trained,
            "seconds_of_a_run_as_coded": first.seconds,
            "published_seconds_of_a_run": HOURS * 3600,
        },
        "games": timing_rows(size.games, first),
        "connect_four": four.timing,
    }
    timing |= {"seconds": time.perf_counter() - started, "environment": environment()}
    write_study(folder, parts, page(parts, size.seeds, size.episodes, size.connect_four, quick=quick), timing)
    draw_figures(folder, FIGURES, on_progress)
    return parts["cells"]


def timing_rows(games: dict[int, int], run: learning.AfterstateRun) -> Rows:
    """Return measured seconds and bytes a game beside the printed ones, for both players of every table.

    Parameters
    ----------
    games
        Games to measure by number of the table.
    run
        The learner whose table of X's values plays.
    """
    table = ordinary_table()
    boards = boards_of(table)
    own = [state for state in range(table.num_states) if run.visited[state] and table.ply[state] % 2 == 1]
    values = {str(boards[state].tolist()): float(run.values[state]) for state in own}
    rows = []
    for published in TABLES:
        if not games[published.number]:
            continue
        players = [_player(one.player, values, published.number) for one in (published.first, published.second)]
        measured = measure(players[0], players[1], games[published.number])
        for printed, found in zip((published.first, published.second), measured, strict=True):
            rows.append(
                {
                    "source": published.source,
                    "player": printed.player,
                    "published_seconds": printed.seconds,
                    "published_bytes": printed.memory,
                    **found,
                }
            )
    return rows


def _player(name: str, values: dict[str, float], seed: int) -> Move:
    generator = random.Random(seed)
    if name == DEFAULT:
        return default_player(0.01, generator)
    if name == TABLE:
        return table_player(values, float(EPSILON_IN_PLAY), generator)
    return Searcher(prune={ALPHA_BETA: True, PLAIN: False}[name])
