"""Scores of the suite as rows: interquartile means over seeds, with intervals, at the end and over the budget."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.statistics.interquartile import interquartile_interval
from ttt_fast.studies.statistics.samples import ROUNDING
from ttt_fast.studies.suite.problems import PROBLEMS, SuiteProblem, scale_of
from ttt_fast.studies.suite.runs import SuitePlan, Values

ALL = "all"
"""The value of the problem column for all eight problems together."""


def problem_rows(problems: Sequence[SuiteProblem] = PROBLEMS) -> Rows:
    """Return a row for each problem: its definition, and the bounds of its scores.

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


def score_rows(plan: SuitePlan, values: Values) -> Rows:
    """Return a row for each learner and problem, and for all problems together if the learner has run each of them.

    `normalised_score` is the interquartile mean of the final scores.  `over_budget` is the interquartile mean of each
    run's mean over the checkpoints.  `_low` and `_high` are the ends of their 95 % intervals.  `at_best` counts the
    runs that end with the best value.
    """
    groups = [(problem.name, [problem]) for problem in plan.problems]
    groups += [(ALL, [*PROBLEMS])] * (tuple(plan.problems) == PROBLEMS)
    return [
        {"learner": learner, "problem": name, "seeds": plan.seeds, **_score(learner, of, values)}
        for learner, (name, of) in product(plan.names, groups)
    ]


def _score(learner: str, problems: Sequence[SuiteProblem], values: Values) -> Row:
    """Return the joint scores of a learner on some problems; mean values are given for a single problem only."""
    pairs = [(scale_of(problem), values[learner, problem.name]) for problem in problems]
    scores = [scale.scores(found) for scale, found in pairs]
    (scale, found), is_one = pairs[0], len(pairs) == 1
    return {
        "episodes": sum(problem.episodes for problem in problems),
        **_estimates([one[:, -1] for one in scores], "normalised_score"),
        **_estimates([one.mean(axis=1) for one in scores], "over_budget"),
        "min_normalised_score": float(min(one[:, -1].min() for one in scores)),
        "at_best": sum(int((scale.best_value - found[:, -1] <= ROUNDING).sum()) for scale, found in pairs),
        "mean_value": float(found[:, -1].mean()) if is_one else None,
        "best_value": scale.best_value if is_one else None,
    }


def curve_rows(plan: SuitePlan, values: Values) -> Rows:
    """Return a row for each learner, problem and checkpoint: the interquartile mean of the scores, and its interval."""
    rows: Rows = []
    for learner in plan.names:
        for problem in plan.problems:
            scores = scale_of(problem).scores(values[learner, problem.name])
            for place, episodes in enumerate(problem.checkpoints):
                described = {"learner": learner, "problem": problem.name, "budget": episodes / problem.episodes}
                rows.append({**described, "episodes": episodes, **_estimates([scores[:, place]], "normalised_score")})
    return rows


def run_rows(plan: SuitePlan, values: Values) -> Rows:
    """Return a row for each problem and seed, with the final score of each learner in a column of its name."""
    rows: Rows = []
    for problem in plan.problems:
        ends = {name: scale_of(problem).scores(values[name, problem.name][:, -1]).tolist() for name in plan.names}
        for seed in range(plan.seeds):
            rows.append({"problem": problem.name, "seed": seed, **{name: ends[name][seed] for name in plan.names}})
    return rows


def across(scores: Iterable[Row], text: Callable[[Row], str]) -> Rows:
    """Return scores as texts, with a row for each problem and a column for each learner.

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
    """Return a function that formats a score of a row with its interval."""
    return lambda row: f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


def at_best_text(row: Row) -> str:
    """Return the number of runs of a row that end with the best value, as text."""
    return f"{row['at_best']} of {row['seeds']}"
