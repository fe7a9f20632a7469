"""Judges of Smirnov's statements, from the tables of the study; the reasons are given with the statements."""

from typing import Any

import numpy as np

from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import CANNOT, FALSE, IN_PART, StatementVerdict, by_parts, compared, falls, holds
from ttt_fast.studies.statistics.samples import Mean

GAMMA, LONG = "gamma", "gamma, long"
SELF, SINGLE, DOUBLE = "by self-play", "single Q", "double Q"
RELIABLE = 0.9
"""The share of runs above which a training is called reliable."""


def _strength(tables: Tables, mark: str, column: str = "share") -> Any:
    return tables.value("strength", column, training="as described", mark=mark)


def _end(tables: Tables, curve: str, setting: float | str, column: str = "late") -> Mean:
    return tables.mean("ends", column, curve=curve, setting=setting)


def never_losing(tables: Tables) -> StatementVerdict:
    """Judge whether the heuribot and all tabular learners never lose."""
    safe = all(tables.array("bots", "never loses", bot="heuribot as coded"))
    shares = [_strength(tables, f"never loses as {seat}") for seat in "XO"]
    return holds(safe and min(shares) == 1, IN_PART)


def other_pairs_tie(tables: Tables) -> StatementVerdict:
    """Judge whether tabular learners tie with all players but random, in every run."""
    rows = tables.where("pairs", training="as described", quantity="draws")
    tied = [row["min"] == 1 for row in rows if "Random" not in row["place"]]
    return holds(all(tied), IN_PART if max(row["mean"] for row in rows) == 1 else FALSE)


def best_step_sizes(tables: Tables) -> StatementVerdict:
    """Judge whether no step size is better than both of the best ones, late in training and overall."""
    parts = []
    for column in ("late", "overall"):
        best = max(tables.means("ends", column, curve="alpha"), key=lambda one: one.value)
        parts.append(not all(best > _end(tables, "alpha", size, column) for size in (0.2, 0.3)))
    return by_parts(parts)


def reasonable_step_sizes(tables: Tables) -> bool:
    """Judge whether all step sizes of the range are nearly as good as the best one."""
    sizes, late = (tables.array("ends", column, curve="alpha") for column in ("setting", "late"))
    return not any((sizes >= 0.1) & (sizes <= 0.4) & (np.nanmax(late) - late >= 0.01))


def noise_grows(tables: Tables) -> StatementVerdict:
    """Judge whether curves have more noise with a larger step size."""
    return compared(_end(tables, "alpha", 0.4, "noise"), _end(tables, "alpha", 0.2, "noise"))


def _are_worse(tables: Tables, size: float) -> bool:
    return all(_end(tables, "alpha", best) > _end(tables, "alpha", size) for best in (0.2, 0.3))


def large_steps_are_worse(tables: Tables) -> bool:
    """Judge whether a larger step size ends lower than the best ones."""
    return _are_worse(tables, 0.4)


def small_steps_are_worse(tables: Tables) -> bool:
    """Judge whether a small step size ends lower than the best ones."""
    return _are_worse(tables, 0.01)


def short_sight_is_faster(tables: Tables) -> bool:
    """Judge whether learners of a lower discount arrive earlier."""
    arrives = tables.array("ends", "arrives", curve=GAMMA)
    return falls(arrives) == 0 and bool(arrives[0] < arrives[-1])


def short_sight_ends_lower(tables: Tables) -> StatementVerdict:
    """Judge whether the end rises with the discount, with at most one exception in part."""
    count = falls(tables.array("ends", "late", curve=LONG))
    return holds(count == 0, IN_PART if count == 1 else FALSE)


def games_grow_with_the_discount(tables: Tables) -> StatementVerdict:
    """Judge whether won games get longer with the discount, with the step from 0 as the only exception in part."""
    first, second, last = (
        tables.mean("gamma_lengths", "plies of a win", shown="nearest reading", gamma=gamma)
        for gamma in (0.0, 0.1, 1.0)
    )
    count = falls(tables.means("gamma_lengths", "plies of a win", shown="nearest reading"))
    return holds(count == 0, IN_PART if count == (first > second) and last > second else FALSE)


def no_exploration_is_worse(tables: Tables) -> bool:
    """Judge whether every rate of exploration ends higher than none."""
    better = tables.means("ends", "late", curve="epsilon") > _end(tables, "epsilon", 0.0)
    return sum(better) == sum(tables.array("ends", "setting", curve="epsilon") > 0)


def ad_hoc_steps_are_better(tables: Tables) -> StatementVerdict:
    """Judge whether his own falling step size ends higher than both step sizes by visits."""
    best = _end(tables, "visits", "ad hoc", "end")
    return by_parts(best > _end(tables, "visits", one, "end") for one in ("visits", "visits:0.75"))


def _are_reliable(tables: Tables, opening: str, games: str) -> StatementVerdict:
    """Return whether both trainings reliably tie with minimax after some games."""
    low, high = (tables.array("ties", column, opening=opening, games=games) for column in ("low", "high"))
    return by_parts(low > RELIABLE) if any(low > RELIABLE) else FALSE if all(high < RELIABLE) else CANNOT


def ties_within_30_000_games(tables: Tables) -> StatementVerdict:
    """Judge whether learners tie with minimax within 30,000 games, their first move chosen."""
    return _are_reliable(tables, "first move chosen", "few")


def ties_within_300_000_games(tables: Tables) -> StatementVerdict:
    """Judge whether learners tie with minimax within 300,000 games, their first move drawn."""
    return _are_reliable(tables, "first move drawn", "many")


def double_is_faster(tables: Tables) -> StatementVerdict:
    """Judge whether a double learner loses less over the whole training, against every opponent."""
    single, double = (tables.means("duels", "not lost overall", training=SELF, learner=one) for one in (SINGLE, DOUBLE))
    more = double > single
    return holds(all(more), IN_PART if any(more) and not any(double < single) else FALSE)


def _overall(tables: Tables, opponent: str, learner: str) -> Mean:
    return tables.mean("duels", "not lost overall", training=SELF, opponent=opponent, learner=learner)


def double_beats_single_faster(tables: Tables) -> StatementVerdict:
    """Judge whether a double learner is faster than a single one against a single one."""
    return compared(_overall(tables, SINGLE, DOUBLE), _overall(tables, SINGLE, SINGLE))


def single_beats_double_faster(tables: Tables) -> StatementVerdict:
    """Judge whether a single learner is faster than a double one against a double one."""
    return compared(_overall(tables, DOUBLE, SINGLE), _overall(tables, DOUBLE, DOUBLE))
