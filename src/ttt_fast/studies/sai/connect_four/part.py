"""The Connect 4 part of Sai's study: its work, and its files."""

import time
from typing import Any, NamedTuple

from ttt_fast.studies.page import Progress, Rows
from ttt_fast.studies.sai.connect_four import learning, samples, strength, tables, usage
from ttt_fast.studies.sai.connect_four.claims import claim_rows
from ttt_fast.studies.sai.published import CONNECT_FOUR_EPISODES, CONNECT_FOUR_HOURS


class Size(NamedTuple):
    """How much it does.

    Attributes
    ----------
    effort
        Training runs of each variant, games of each, pairs of games of each of their matches.
    pairs, pairs_unpruned
        Pairs of games of minimax against the default opponent, with and without pruning.
    pairs_of_others
        Pairs of games of players that need no training.
    decisions
        Moves of each player that are held against the exact value.
    games
        Games measured of each published table in plain Python; of 0 the table is left out.
    """

    effort: learning.Effort
    pairs: int
    pairs_unpruned: int
    pairs_of_others: int
    decisions: int
    games: dict[int, int]


FULL = Size(learning.Effort(6, CONNECT_FOUR_EPISODES, 250), 2000, 500, 100, 400, {4: 4, 5: 20, 6: 200, 9: 2, 10: 20})
QUICK = Size(learning.Effort(2, 1_000, 10), 20, 5, 3, 8, {4: 0, 5: 2, 6: 4, 9: 0, 10: 2})


class Part(NamedTuple):
    """What it found: rows for every printed count, rows by the name of their file, and what differs from run to run."""

    cells: Rows
    tables: dict[str, Rows]
    timing: dict[str, Any]


def run_part(size: Size, threads: int, on_progress: Progress | None = None) -> Part:
    """Train, play, solve and measure; all but the timing is the same for any number of threads."""
    started = time.perf_counter()

    def say(news: str) -> None:
        if on_progress is not None:
            on_progress(f"Connect 4: {news}")

    runs = learning.train_variants(size.effort, threads, say)
    trained = time.perf_counter() - started
    played = samples.play_samples(size.pairs, size.pairs_unpruned, threads)
    others = strength.play_others(size.pairs_of_others, threads)
    say("the games are played")
    cells, searches = tables.cell_rows(runs, played), usage.search_rows(runs, played)
    readings = tables.reading_rows(runs, played)
    found: dict[str, Rows] = {
        "connect_four_readings": readings,
        "connect_four_strength": strength.strength_rows(runs, others),
        "connect_four_truth": strength.truth_rows(runs, others, size.decisions, threads),
        "connect_four_curve": [row for run in runs for row in run.curve],
        "connect_four_values": tables.value_rows(runs),
        "connect_four_searches": searches,
        "connect_four_claims": claim_rows(runs, played, searches, cells, readings),
    }
    say("the positions are solved")
    coded = [run for run in runs if run.variant == learning.AS_CODED]
    timing = {
        "training": {
            "runs": len(runs),
            "episodes": size.effort.episodes,
            "seconds_with_matches": trained,
            "seconds_of_a_run": {
                variant: [run.seconds for run in runs if run.variant == variant] for variant in learning.VARIANTS
            },
            "slowest_run_as_coded": max(run.seconds for run in coded),
            "published_seconds_of_a_run": CONNECT_FOUR_HOURS * 3600,
            "most_bytes_of_a_table": max(run.bytes for run in runs),
        },
        "games": usage.timing_rows(size.games, runs, played),
    }
    return Part(cells, found, timing | {"seconds": time.perf_counter() - started})
