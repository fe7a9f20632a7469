"""Scores of the suite as rows: interquartile means over seeds with their intervals, at the end and over the budget."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.interquartile import interquartile_interval
from ttt_fast.evaluate.scorecard import ROUNDING
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.suite.problems import PROBLEMS, Problem, scale_of
from ttt_fast.studies.suite.runs import Plan, Values

ALL = "all"
"""In the place of a problem: all eight together."""


def problem_rows(problems: Sequence[Problem] = PROBLEMS) -> Rows:
    """Return a row for each problem: its definition, and the ends of its scores.

    Examples
    --------
    >>> row = problem_rows(PROBLEMS[:1])[0]
    >>> row["problem"], row["states"], row["episodes"], round(row["best_value"], 6)
    ('x-v-random', 5478, 20000, 0.994792)
    """
    rows = []
    for problem in problems:
        scale, meter = scale_of(problem), problem.meter()
        rows.append({
            "problem": problem.name, "game": problem.game, "states": meter.table.num_states,
            "seat": meter.labels["seat"], "opponent": problem.opponent, "episodes": problem.episodes,
            **scale._asdict(),
        })  # fmt: skip
    return rows


def _estimates(strata: Sequence[NDArray[np.float64]], name: str) -> dict[str, float]:
    found = interquartile_interval(strata)
    return {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}


def score_rows(plan: Plan, values: Values) -> Rows:
    """Return a row for each learner and problem, and for all problems together if it has learned each of them.

    `score` is the interquartile mean of the final scores, `over_budget` that of the means over the checkpoints;
    `_low` and `_high` end their 95 % intervals.  `at_best` counts the runs that end with the best value.
    """
    rows: Rows = []
    for learner in plan.names:
        ends, means, at_best = [], [], []
        for problem in plan.problems:
            found, scale = values[learner, problem.name], scale_of(problem)
            scores = scale.scores(found)
            ends.append(scores[:, -1])
            means.append(scores.mean(axis=1))
            at_best.append(int((scale.best_value - found[:, -1] <= ROUNDING).sum()))
            rows.append({
                "learner": learner, "problem": problem.name, "seeds": plan.seeds, "episodes": problem.episodes,
                **_estimates(ends[-1:], "score"), **_estimates(means[-1:], "over_budget"),
                "min_score": float(ends[-1].min()), "at_best": at_best[-1],
                "mean_value": float(found[:, -1].mean()), "best_value": scale.best_value,
            })  # fmt: skip
        if tuple(plan.problems) == PROBLEMS:
            rows.append({
                "learner": learner, "problem": ALL, "seeds": plan.seeds, "episodes": sum(p.episodes for p in PROBLEMS),
                **_estimates(ends, "score"), **_estimates(means, "over_budget"),
                "min_score": float(min(one.min() for one in ends)), "at_best": sum(at_best),
                "mean_value": None, "best_value": None,
            })  # fmt: skip
    return rows


def curve_rows(plan: Plan, values: Values) -> Rows:
    """Return a row for each learner, problem and checkpoint: the interquartile mean of the scores, and its interval."""
    rows: Rows = []
    for learner in plan.names:
        for problem in plan.problems:
            scores = scale_of(problem).scores(values[learner, problem.name])
            for place, episodes in enumerate(problem.checkpoints):
                told = {"learner": learner, "problem": problem.name, "budget": episodes / problem.episodes}
                rows.append({**told, "episodes": episodes, **_estimates([scores[:, place]], "score")})
    return rows


def run_rows(plan: Plan, values: Values) -> Rows:
    """Return a row for each problem and seed, with the final score of each learner in a column of its name."""
    rows: Rows = []
    for problem in plan.problems:
        ends = {name: scale_of(problem).scores(values[name, problem.name][:, -1]).tolist() for name in plan.names}
        for seed in range(plan.seeds):
            rows.append({"problem": problem.name, "seed": seed, **{name: ends[name][seed] for name in plan.names}})
    return rows


def across(scores: Iterable[Row], text: Callable[[Row], str]) -> Rows:
    """Return texts of scores with a line for each problem and a column for each learner.

    Examples
    --------
    >>> rows = [{"problem": "misere", "learner": name, "at_best": 1, "seeds": 2} for name in ("q", "sarsa")]
    >>> across(rows, at_best_text)
    [{'problem': 'misere', 'q': '1 of 2', 'sarsa': '1 of 2'}]
    """
    lines: dict[str, Row] = {}
    for row in scores:
        lines.setdefault(row["problem"], {"problem": row["problem"]})[row["learner"]] = text(row)
    return list(lines.values())


def interval_text(name: str) -> Callable[[Row], str]:
    """Return the function that shows a score of a row, and its interval."""
    return lambda row: f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


def at_best_text(row: Row) -> str:
    """Return how many runs of a row end with the best value."""
    return f"{row['at_best']} of {row['seeds']}"
