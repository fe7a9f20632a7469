"""Smirnov's learning curves: step size, discount, exploration, step sizes by visits, single against double Q."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import TrainingConfig
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Arrays, Runner
from ttt_fast.studies.smirnov.learners import ALGORITHMS, DOUBLE, SINGLE, annealed, column, constant, traced
from ttt_fast.studies.smirnov.players import HEURIBOT, MINIMAX
from ttt_fast.studies.statistics.samples import RunSample, counted, spread

OPTIMUM_DRAWN: Final = 107 / 108
"""The largest share of wins of X against random, if X's first move is random."""
BY_SELF_PLAY, AGAINST_RANDOM = "by self-play", "against random"
OPPONENTS: Final = ("random", "minimax", "heuribot", SINGLE, DOUBLE)
"""Opponents that evaluate single and double Q-learning, in the order of a trace's columns."""
_SURE = 1e-9
_LATE, _ARRIVED = 0.25, 0.99

Curves = Mapping[Any, list[Arrays]]
"""Traces by their setting."""


def _traces(work: Runner, configs: Mapping[Any, TrainingConfig], seeds: range, judges: Sequence[Any]) -> Curves:
    settings = [{**config.as_dict(), "seed": seed} for config in configs.values() for seed in seeds]
    found = work.pieces(traced, [{"config": one, "judges": list(judges)} for one in settings])
    return {setting: found[n * len(seeds) : (n + 1) * len(seeds)] for n, setting in enumerate(configs)}


def curves_of(work: Runner, name: str, first: int = 0) -> Curves:
    """Return the runs with some constants, by their setting, from a seed on.

    Parameters
    ----------
    work
        Runs the pieces.
    name
        `alpha`, `gamma`, `epsilon` or `gamma_long`; the short gamma runs are the beginnings of the long runs with the
        same constants.
    first
        The first seed.
    """
    plan, is_long = work.plan(__package__), name.endswith("_long")
    if name == "gamma" and not first:
        rest = curves_of(work, name, plan.seeds["gamma_long"])
        long = curves_of(work, "gamma_long")
        return {gamma: [cut(run, plan.short) for run in runs] + rest[gamma] for gamma, runs in long.items()}
    episodes, curve = plan.long if is_long else plan.short, plan.curves[name.removesuffix("_long")]
    points = plan.points * episodes // plan.short
    configs = {value: constant(episodes, points, **{curve["field"]: value}) for value in curve["values"]}
    return _traces(work, configs, range(first, plan.seeds[name]), ("random", MINIMAX))


def cut(run: Arrays, episodes: int) -> Arrays:
    """Return the checkpoints of a run up to a number of episodes."""
    kept = run["episodes"] <= episodes
    return {**run, "episodes": run["episodes"][kept], "values": run["values"][kept]}


def _duels(work: Runner, training: str, only: Mapping[str, Any] | None = None) -> Curves:
    """Return the runs of single and double Q-learning, evaluated against scripted players and learners.

    If `only` is given, return runs with those changes of self-play instead, evaluated against scripted players alone.
    """
    plan, is_self = work.plan(__package__), training == BY_SELF_PLAY
    opponent, chunk = "self" if is_self else "random", ceil(plan.long / plan.points)
    changes = only or {name: {"algorithm": one} for name, one in ALGORITHMS.items()}
    configs = {
        name: annealed(plan.long, opponent=opponent, chunk_episodes=chunk, **one) for name, one in changes.items()
    }
    learned = [annealed(plan.pretrained, algorithm=one).as_dict() for one in ALGORITHMS.values()]
    judges = ("random", MINIMAX) if only else ("random", MINIMAX, HEURIBOT, *learned)
    return _traces(work, configs, range(plan.seeds["duels" if is_self and not only else "taught"]), judges)


def _visits(work: Runner) -> Curves:
    """Return self-play runs with step sizes by visits, and last those of the ad-hoc schedule; all else is equal."""
    runs = _duels(work, BY_SELF_PLAY, only={power: {"step_size": power} for power in ("visits", "visits:0.75")})
    return {**runs, "ad hoc": _duels(work, BY_SELF_PLAY)[SINGLE]}


CURVES: Final[Mapping[str, Callable[[Runner], Curves]]] = {
    **{name: partial(curves_of, name=name) for name in ("alpha", "gamma", "gamma_long", "epsilon")}, "visits": _visits,
}  # fmt: skip


def shown(work: Runner, name: str) -> Rows:
    """Return mean and standard deviation over the runs of a curve, at every checkpoint."""
    rows = []
    for setting, runs in CURVES[name](work).items():
        wins, ties, unbeaten = (column(runs, one) for one in ("wins", "draws 1", "unbeaten"))
        for place in range(wins.shape[1]):
            rows.append({
                "episodes": int(runs[0]["episodes"][place]), "setting": setting, **spread(wins[:, place], []),
                "n": len(runs), "ties_with_minimax": float(ties[:, place].mean()),
                "share_unbeatable": float(unbeaten[:, place].mean()),
            })  # fmt: skip
    return rows


def estimated(name: str, found: NDArray[np.float64]) -> Row:
    """Return the mean over runs, and the ends of its 95 % interval; the values are None without runs.

    Examples
    --------
    >>> estimated("wins", np.array([0.5, 0.5]))
    {'wins': 0.5, 'wins low': 0.5, 'wins high': 0.5}
    """
    sample = RunSample(found)
    values = (sample.mean, *sample.mean_interval()) if found.size else (None, None, None)
    return dict(zip((name, f"{name} low", f"{name} high"), values, strict=True))


def arrival(curve: NDArray[np.float64], episodes: NDArray[np.int64], level: float) -> int | None:
    """Return the first checkpoint at which a curve has reached a level, or None.

    Examples
    --------
    >>> arrival(np.array([0.5, 0.9, 0.8]), np.array([10, 20, 30]), 0.85)
    20
    """
    reached = np.flatnonzero(curve >= level)
    return int(episodes[reached[0]]) if reached.size else None


def _tail(values: NDArray[np.float64], share: float = _LATE) -> NDArray[np.float64]:
    return values[..., -max(1, round(values.shape[-1] * share)) :]


def ends(work: Runner) -> Rows:
    """Return summaries of the curves by setting: wins late, overall and at the end, noise, and unbeatable runs."""
    rows = []
    for curve, setting, runs in ((name, *one) for name, found in CURVES.items() for one in found(work).items()):
        wins, mean = column(runs, "wins"), column(runs, "wins").mean(axis=0)
        at_best = np.abs(_tail(wins, 0.5) - OPTIMUM_DRAWN) < _SURE
        rows.append({
            "curve": curve.replace("_", ", "), "setting": setting, "episodes": int(runs[0]["episodes"][-1]),
            **estimated("late", _tail(wins).mean(axis=1)),
            **estimated("overall", wins.mean(axis=1)), **estimated("end", wins[:, -1]),
            **estimated("noise", _tail(wins).std(axis=1)), **estimated("first", wins[:, 0]),
            "peak": float(mean.max()), "arrives": arrival(mean, runs[0]["episodes"], _ARRIVED * _tail(mean).mean()),
            "at the optimum": float(at_best.mean()), "reach it": int(at_best.any(axis=1).sum()),
            "leave it": int((at_best[:, :-1] & ~at_best[:, 1:]).any(axis=1).sum()),
            **counted("unbeatable", column(runs, "unbeaten")[:, -1].tolist()),
        })  # fmt: skip
    return rows


def _compared(work: Runner) -> Iterator[tuple[Row, list[Arrays], NDArray[np.float64], NDArray[np.float64]]]:
    """Yield all curves of single and double Q: their labels, their runs, X's wins and games not lost, (R, P) each."""
    for training in (BY_SELF_PLAY, AGAINST_RANDOM):
        for learner, runs in _duels(work, training).items():
            for number, opponent in enumerate(OPPONENTS):
                wins, draws = (column(runs, f"{name} {number}" if number else name) for name in ("wins", "draws"))
                yield {"training": training, "opponent": opponent, "learner": learner}, runs, wins, wins + draws


def double(work: Runner) -> Rows:
    """Return mean and deviation of X's wins and of its games not lost, by training, learner and opponent."""
    return [
        {"episodes": int(episodes), "training": described["training"], "opponent": described["opponent"],
         "setting": described["learner"], "wins": RunSample(won).mean, "wins_sd": RunSample(won).sd,
         "not_lost": RunSample(not_lost).mean, "not_lost_sd": RunSample(not_lost).sd, "n": len(runs)}
        for described, runs, wins, kept in _compared(work)
        for episodes, won, not_lost in zip(runs[0]["episodes"], wins.T, kept.T, strict=True)
    ]  # fmt: skip


def duels(work: Runner) -> Rows:
    """Return summaries of those curves: the share not lost over all checkpoints, and wins or ties at the end."""
    rows = []
    for described, runs, wins, kept in _compared(work):
        mean, last = wins.mean(axis=0), (wins if described["opponent"] == "random" else kept)[:, -1]
        rows.append({
            **described, "runs": len(runs), **estimated("not lost overall", kept.mean(axis=1)),
            **estimated("end", last), "sd": RunSample(last).sd,
            "arrives": arrival(kept.mean(axis=0), runs[0]["episodes"], _ARRIVED),
            "greatest fall": float((np.maximum.accumulate(mean) - mean).max()),
        })  # fmt: skip
    return rows


MEASURES: Final[dict[str, Callable[[Runner], Rows]]] = {
    **{name: partial(shown, name=name) for name in CURVES if name != "gamma_long"},
    **{one.__name__: one for one in (double, ends, duels)},
}
