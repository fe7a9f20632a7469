"""`ttt-fast reproduce sai`: the tic-tac-toe part of seed 001, beside what it would be and what is possible."""

import json
import random
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from ttt_fast._archive import make_folder
from ttt_fast._manifest import available_cores, environment
from ttt_fast.report.rows import encode, write_bytes
from ttt_fast.studies import sai_learning as learning
from ttt_fast.studies import sai_tables as tables
from ttt_fast.studies.sai_claims import claim_rows
from ttt_fast.studies.sai_page import page
from ttt_fast.studies.sai_published import ALPHA_BETA, DEFAULT, EPISODES, EPSILON_IN_PLAY, PLAIN, TABLE, TABLES
from ttt_fast.studies.sai_search import Move, Searcher, default_player, measure, table_player
from ttt_fast.tables import StateTable, standard_table

COMMAND = "ttt-fast reproduce sai"
Progress = Callable[[int, int], None]


class Size(NamedTuple):
    """How much a form of the study does.

    Attributes
    ----------
    seeds, episodes
        Training runs of each variant, and games of each.
    games
        Games measured of each published table; of 0 the table is left out.
    """

    seeds: int
    episodes: int
    games: dict[int, int]


FULL = Size(40, EPISODES, {1: 2, 2: 20, 3: 400, 7: 2, 8: 20})
QUICK = Size(2, 50_000, {1: 0, 2: 2, 3: 20, 7: 0, 8: 2})


def run(
    folder: Path, *, quick: bool = False, threads: int | None = None, on_progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Write the report to `folder` and return a row for every printed count.

    Parameters
    ----------
    folder
        Gets README.md and the csv files, the same bits on every run, and timing.json, which is of this machine.
    quick
        Two short training runs of each variant instead of forty of 5,000,000 games, and no search without pruning
        on the clock.
    threads
        Threads over training runs, all cores unless told; they change no bit.
    on_progress
        Called after each training run with the number done and of all.
    """
    size, table = (QUICK if quick else FULL), standard_table()
    started = time.perf_counter()
    runs = learning.train_variants(size.seeds, size.episodes, threads or available_cores(), on_progress)
    trained = time.perf_counter() - started
    first = learning.train_variant(learning.AS_CODED, 0, size.episodes)
    played = first.policy("learner as coded", seats="x", epsilon=Fraction(EPSILON_IN_PLAY))
    cells, searches = tables.cell_rows(runs), tables.search_rows(played)
    parts: dict[str, list[dict[str, Any]]] = {
        "cells": cells,
        "readings": tables.reading_rows(runs),
        "strength": [*learning.strength_rows(runs), *tables.possible_rows()],
        "extremes": tables.extreme_rows(runs),
        "searches": searches,
        "claims": claim_rows(searches, cells),
    }
    make_folder(folder)
    for name, rows in parts.items():
        write_bytes(encode("csv", "reproduce", rows, {}), folder / f"{name}.csv")
    command = COMMAND + (" --quick" if quick else "")
    write_bytes(page(parts, size.seeds, size.episodes, command).encode(), folder / "README.md")
    timing: dict[str, Any] = {
        "environment": environment(),
        "training": {
            "runs": len(runs),
            "episodes": size.episodes,
            "seconds": trained,
            "seconds_of_a_run_as_coded": first.seconds,
            "published_seconds_of_a_run": 7 * 3600,
        },
        "games": timing_rows(size.games, first, table),
    }
    timing["seconds"] = time.perf_counter() - started
    write_bytes((json.dumps(timing, indent=2) + "\n").encode(), folder / "timing.json")
    return cells


def verdict_counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Return the number of rows by verdict."""
    return {name: sum(row["verdict"] == name for row in rows) for name in ("equal", "within noise", "wrong")}


def timing_rows(games: dict[int, int], run: learning.AfterstateRun, table: StateTable) -> list[dict[str, Any]]:
    """Return measured seconds and bytes a game beside the printed ones, for both players of every table.

    Parameters
    ----------
    games
        Games to measure by number of the table.
    run
        The learner whose table of X's values plays.
    table
        The game.
    """
    own = [state for state in range(table.num_states) if run.visited[state] and table.ply[state] % 2 == 1]
    values = {str(table.boards[state].tolist()): float(run.values[state]) for state in own}
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
