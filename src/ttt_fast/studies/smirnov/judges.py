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


def heuribot_never_loses(tables: Tables) -> StatementVerdict:
    """Judge whether the heuribot never loses, as written and as coded."""
    bots = [tables.array("bots", "never loses", bot=f"heuribot as {version}") for version in ("written", "coded")]
    return by_parts(np.concatenate(bots))


def other_pairs_tie(tables: Tables) -> StatementVerdict:
    """Judge whether tabular learners tie with all players but random, in every run."""
    rows = tables.where("pairs", training="as described", quantity="draws")
    tied = [row["min"] == 1 for row in rows if "Random" not in row["place"]]
    return holds(all(tied), IN_PART if max(row["mean"] for row in rows) == 1 else FALSE)


def runs_are_alike(tables: Tables) -> bool:
    """Judge whether the wins against random of all runs are nearly equal."""
    marks = ("X v random, first move chosen: wins", "X v random, first move drawn: wins", "O v random: wins")
    return all(_strength(tables, mark, "sd") < 0.01 for mark in marks)


def as_good_as_minimax(tables: Tables) -> StatementVerdict:
    """Judge whether all learners never lose, and win as often against random as minimax."""
    minimax = {"table": "first table", "reading": "as described"}
    is_safe = all(_strength(tables, f"never loses as {seat}") == 1 for seat in "XO")
    x = _strength(tables, "X v random, first move chosen: wins", "mean")
    x -= tables.value("cells", "value", place="X Minimax, O Random", quantity="x_wins", **minimax)
    o = _strength(tables, "O v random: wins", "min")
    o -= tables.value("cells", "value", place="X Random, O Minimax", quantity="o_wins", **minimax)
    return holds(is_safe and o >= 0 and x >= -0.0005, IN_PART)


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


def no_discount_is_best(tables: Tables) -> StatementVerdict:
    """Judge whether no other discount wins more, and whether none is unbeatable as often."""
    curves = [tables.means("ends", "late", curve=curve) > _end(tables, curve, 1.0) for curve in (GAMMA, LONG)]
    sizes, high = (tables.array("ends", column, curve=GAMMA) for column in ("setting", "high"))
    as_often = (sizes < 1) & (high >= tables.value("ends", "low", curve=GAMMA, setting=1.0))
    return by_parts([not any(map(any, curves)), not any(as_often)])


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


def optimum_is_left(tables: Tables) -> bool:
    """Judge whether most runs of constant settings leave the optimum that they reach."""
    row = tables.one("ends", curve=LONG, setting=0.9)
    return bool(row["reach it"] > 0 and row["leave it"] >= 0.9 * row["reach it"])


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


def drawn_openings_take_longer(tables: Tables) -> bool:
    """Judge whether drawn first moves need more than the few games, and no more than the many."""
    training = {"training": "self-play, annealed"}
    chosen = tables.value("ties", "low", opening="first move chosen", games="few", **training)
    few, many = (
        tables.value("ties", "high", opening="first move drawn", games=games, **training) for games in ("few", "many")
    )
    return bool(few < chosen <= many)


def self_play_is_optimal_as_x(tables: Tables) -> StatementVerdict:
    """Judge whether all runs of self-play tie with minimax, and win as often as possible against random."""
    ties = _strength(tables, "X v minimax, first move chosen: ties") == 1
    wins = _strength(tables, "X v random, first move chosen: wins")
    return holds(ties and wins == 1, IN_PART if ties and wins > 0 else FALSE)


def self_play_is_optimal_against_others(tables: Tables) -> StatementVerdict:
    """Judge whether all runs of self-play win as often as possible against random in both seats."""
    shares = [_strength(tables, mark) for mark in ("X v random, first move chosen: wins", "O v random: wins")]
    return holds(min(shares) == 1, IN_PART if max(shares) > 0 else FALSE)


def double_is_as_good(tables: Tables) -> bool:
    """Judge whether a double learner ends nowhere clearly lower than a single one."""
    single, double = (tables.means("duels", "end", training=SELF, learner=one) for one in (SINGLE, DOUBLE))
    values = [tables.array("duels", "end", training=SELF, learner=one) for one in (SINGLE, DOUBLE)]
    return not any((single > double) & (values[0] - values[1] >= 0.01))


def double_is_faster(tables: Tables) -> StatementVerdict:
    """Judge whether a double learner loses less over the whole training, against every opponent."""
    single, double = (tables.means("duels", "not lost overall", training=SELF, learner=one) for one in (SINGLE, DOUBLE))
    more = double > single
    return holds(all(more), IN_PART if any(more) and not any(double < single) else FALSE)


def double_dips(tables: Tables) -> bool:
    """Judge whether a double learner is behind on the way, and not at the end."""
    row = tables.one("dips", training=SELF)
    return bool(row["low"] > 0 and row["gap at the end"] < 0.01)


def _overall(tables: Tables, opponent: str, learner: str) -> Mean:
    return tables.mean("duels", "not lost overall", training=SELF, opponent=opponent, learner=learner)


def double_beats_single_faster(tables: Tables) -> StatementVerdict:
    """Judge whether a double learner is faster than a single one against a single one."""
    return compared(_overall(tables, SINGLE, DOUBLE), _overall(tables, SINGLE, SINGLE))


def single_beats_double_faster(tables: Tables) -> StatementVerdict:
    """Judge whether a single learner is faster than a double one against a double one."""
    return compared(_overall(tables, DOUBLE, SINGLE), _overall(tables, DOUBLE, DOUBLE))


def _taught(tables: Tables, training: str, learner: str, column: str) -> Any:
    return tables.value("duels", column, training=training, opponent="random", learner=learner)


def double_catches_up(tables: Tables) -> bool:
    """Judge whether a double learner ends with the wins of a single one, in the printed digits."""
    single, double = (round(_taught(tables, "against random", one, "end"), 3) for one in (SINGLE, DOUBLE))
    return bool(single == double)


def double_avoids_the_dip(tables: Tables) -> bool:
    """Judge whether a double learner against random falls less than a single one in self-play."""
    fall = _taught(tables, "against random", DOUBLE, "greatest fall")
    return bool(fall < _taught(tables, SELF, SINGLE, "greatest fall"))
