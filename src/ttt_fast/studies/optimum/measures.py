"""The measures of the study: runs that end exactly at the optimum, compared as fractions and not as floats."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, TrainingRun, best_response, exact_fractions, exploitability, table_of, train
from ttt_fast.games import api
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Arrays, Runner
from ttt_fast.studies.optimum.plan import BY_NAME, CHECKPOINTS, PROBLEMS, RECIPES, OptimumProblem, config_of, lengths_of
from ttt_fast.studies.statistics.samples import ROUNDING, counted

ENOUGH: Final = 0.95
"""The share of exact runs from which a length counts as sufficient."""
QUANTILES: Final = {"5 %": 0.05, "median": 0.5, "95 %": 0.95, "last run": 1.0}


def value_of(problem: OptimumProblem, policy: Policy) -> Fraction:
    """Return the exact value of a policy, by the objective of a problem.

    Examples
    --------
    >>> value_of(BY_NAME["X v random"], agent("minimax:tie=first"))
    Fraction(191, 192)
    """
    if problem.is_self_play:
        return -Fraction(exploitability(policy))  # replies to a deterministic policy have value -1, 0 or 1
    pair = (policy, agent(problem.opponent))
    exact = exact_fractions(*(pair if problem.seat == api.X else pair[::-1]))
    wins, losses = (exact.x_wins, exact.o_wins)[:: 1 if problem.seat == api.X else -1]
    return wins - losses if problem.objective == "value" else wins


@lru_cache(maxsize=64)
def best_value(problem: OptimumProblem) -> Fraction:
    """Return the best possible value: that of the best response; in self-play, the value at exploitability 0.

    Examples
    --------
    >>> {problem.name: str(best_value(problem)) for problem in PROBLEMS[:4]}
    {'X v random': '191/192', 'O v random, score': '874/945', 'O v random, wins': '887/945', 'X v buggy2': '5/6'}
    """
    if problem.is_self_play:
        return Fraction(0)
    return value_of(problem, best_response(agent(problem.opponent), problem.objective))


def at_best(problem: OptimumProblem, training: TrainingRun) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the checkpoints of a run, (H,) episodes, and whether its greedy policy has the best value there, (H,)."""
    # Distinct values differ by at least 1/945 against random, and by more than ROUNDING against the others.
    curve = dict(zip(training.columns, training.history.T, strict=True))
    if problem.is_self_play:
        values = -curve["exploitability"]
    else:
        values = curve["wins"] - (curve["losses"] if problem.objective == "value" else 0.0)
    return curve["episodes"].astype(np.int64), np.abs(values - float(best_value(problem))) <= ROUNDING


def learn(problem: str, recipe: str, episodes: int, seed: int, evaluations: int) -> dict[str, Any]:
    """Train; return the value of the final policy as a fraction, and the checkpoints with the best value."""
    config = config_of(problem, recipe, episodes, seed, evaluations)
    training = train(config, [agent(one) for one in config.opponent.agents])
    policy = Policy.from_values(table_of("tic-tac-toe"), training.q_table, held=training.held)
    marks, best = at_best(BY_NAME[problem], training)
    return {"value": str(value_of(BY_NAME[problem], policy)), "episodes": marks, "at_best": best}


def runs_of(work: Runner, problem: str, episodes: int, recipe: str = "", evaluations: int = 1) -> list[Arrays]:
    """Return the runs of a problem at a length, with this package's recipe or a published one."""
    settings = {"problem": problem, "recipe": recipe, "episodes": episodes, "evaluations": evaluations}
    return work.pieces(learn, [settings | {"seed": seed} for seed in range(4 if work.quick else 100)])


def looked_at(work: Runner, problem: OptimumProblem) -> list[Arrays]:
    """Return the longest runs of a problem, which are also evaluated during training."""
    return runs_of(work, problem.name, lengths_of(problem, work.quick)[-1], evaluations=CHECKPOINTS)


def ends(problem: OptimumProblem, runs: Sequence[Arrays]) -> Row:
    """Return how many runs end exactly at the optimum, and their mean value."""
    values = [Fraction(str(run["value"])) for run in runs]
    best = best_value(problem)
    exact = counted("exact", [value == best for value in values])
    return {**exact, "mean_value": float(sum(values) / len(values)), "best": str(best), "best_value": float(best)}


def needed(run: Arrays) -> float:
    """Return the first checkpoint from which a run stays at the optimum; infinity if it never stays there."""
    if not run["at_best"][-1]:
        return inf
    away = np.flatnonzero(~run["at_best"])
    return float(run["episodes"][away[-1] + 1 if away.size else 0])


def quantiles(values: Sequence[float]) -> dict[str, int | None]:
    """Return quantiles, each the value of a run; None for a run that never stays at the optimum.

    Examples
    --------
    >>> quantiles([300.0, 100.0, 200.0, float("inf")])
    {'5 %': 100, 'median': 200, '95 %': None, 'last run': None}
    """
    ranked = sorted(values)
    found = {name: ranked[max(0, -int(-cut * len(ranked) // 1) - 1)] for name, cut in QUANTILES.items()}
    return {name: int(value) if isfinite(value) else None for name, value in found.items()}


def share(work: Runner) -> Rows:
    """Return a row for each problem and length: the runs that end exactly at the optimum, and the mean value."""
    rows = []
    for problem in PROBLEMS:
        for episodes in (lengths := lengths_of(problem, work.quick)):
            is_longest = episodes == lengths[-1]
            runs = looked_at(work, problem) if is_longest else runs_of(work, problem.name, episodes)
            rows.append(
                {"problem": problem.name, "episodes": episodes, **ends(problem, runs), "is_longest": is_longest}
            )
    return rows


def problems(work: Runner) -> Rows:
    """Return a row for each problem: its longest runs, and the length from which nearly all runs are exact."""
    rows, shares = [], share(work)
    for problem in PROBLEMS:
        own = [row for row in shares if row["problem"] == problem.name]
        few = [place for place, row in enumerate(own) if row["share"] < ENOUGH]
        enough = own[few[-1] + 1 if few else 0]["episodes"] if own[-1]["share"] >= ENOUGH else None
        within = {f"needed {name}": at for name, at in quantiles(list(map(needed, looked_at(work, problem)))).items()}
        rows.append(own[-1] | {"enough": enough, **within})
    return rows


def settled(work: Runner) -> Rows:
    """Return, for each checkpoint, the share of the longest runs that stay at the optimum from there on."""
    rows = []
    for problem in PROBLEMS:
        runs = looked_at(work, problem)
        for episodes in runs[0]["episodes"].tolist():
            is_there = [needed(run) <= episodes for run in runs]
            rows.append({"problem": problem.name, "episodes": episodes, "settled": float(np.mean(is_there))})
    return rows


def recipes(work: Runner) -> Rows:
    """Return a row for each published recipe: how many of its runs end exactly at the optimum."""
    rows = []
    for recipe in RECIPES:
        episodes = min(recipe.episodes, 20_000) if work.quick else recipe.episodes
        runs, config = runs_of(work, recipe.problem, episodes, recipe.source), config_of(recipe.problem, recipe.source)
        shown = {name: config.as_dict()[name] for name in ("step_size", "epsilon", "discount")}
        found = ends(BY_NAME[recipe.problem], runs)
        head = {"source": recipe.source, "problem": recipe.problem, "episodes": episodes}
        rows.append(head | shown | found | {"note": recipe.note})
    return rows


MEASURES: Final = {one.__name__: one for one in (share, problems, settled, recipes)}
