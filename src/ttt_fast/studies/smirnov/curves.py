"""Smirnov's learning curves: step size, discount, exploration, step sizes by visits, single against double Q."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.samples import Sample, counted, spread
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.settings import SELF_PLAY
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Arrays, Work
from ttt_fast.studies.smirnov.learners import (
    ALGORITHMS,
    CURVE_GAMMA,
    DOUBLE,
    SINGLE,
    annealed,
    column,
    constant,
    traced,
)
from ttt_fast.studies.smirnov.players import HEURIBOT, MINIMAX

ALPHAS: Final = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.9)
GAMMAS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
EPSILONS: Final = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
OPTIMUM_DRAWN: Final = 107 / 108
"""The most that X can win against random with its first move drawn."""
AD_HOC: Final = "ad hoc"
BY_SELF_PLAY, AGAINST_RANDOM = "by self-play", "against random"
OPPONENTS: Final = ("random", "minimax", "heuribot", SINGLE, DOUBLE)
"""Whom single and double Q-learning are measured against, in the order of a trace's columns."""
_SURE = 1e-9
_LATE, _ARRIVED = 0.25, 0.99

Curves = Mapping[Any, list[Arrays]]
"""Traces by their setting."""


class Size(NamedTuple):
    """How much the curves take: episodes of short and long runs, checkpoints of short ones, runs of each kind."""

    short: int = 300_000
    long: int = 1_000_000
    points: int = 60
    alpha: int = 20
    gamma: int = 100
    gamma_long: int = 20
    epsilon: int = 50
    duels: int = 50
    taught: int = 20
    pretrained: int = 5_000_000


FULL: Final = Size()
QUICK: Final = Size(6_000, 20_000, 6, 2, 3, 2, 2, 2, 2, 30_000)


def _size(work: Work) -> Size:
    return QUICK if work.quick else FULL


def _traces(work: Work, configs: Mapping[Any, TrainingConfig], seeds: range, judges: Sequence[Any]) -> Curves:
    jobs = [
        {"config": {**config.as_dict(), "seed": seed}, "judges": list(judges)}
        for config in configs.values()
        for seed in seeds
    ]
    found, count = work.pieces(traced, jobs), len(seeds)
    return {setting: found[place * count : (place + 1) * count] for place, setting in enumerate(configs)}


def _constants(work: Work, changes: Mapping[float, dict[str, float]], seeds: range, *, is_long: bool = False) -> Curves:
    size = _size(work)
    episodes = size.long if is_long else size.short
    base, points = {"alpha": 0.1, "gamma": CURVE_GAMMA, "epsilon": 0.4}, size.points * episodes // size.short
    configs = {setting: constant(episodes, points, **{**base, **change}) for setting, change in changes.items()}
    return _traces(work, configs, seeds, ("random", MINIMAX))


def _alpha(work: Work) -> Curves:
    return _constants(work, {one: {"alpha": one} for one in ALPHAS}, range(_size(work).alpha))


def _epsilon(work: Work) -> Curves:
    return _constants(work, {one: {"epsilon": one} for one in EPSILONS}, range(_size(work).epsilon))


def _gamma_long(work: Work) -> Curves:
    return _constants(work, {one: {"gamma": one} for one in GAMMAS}, range(_size(work).gamma_long), is_long=True)


def _gamma(work: Work) -> Curves:
    """Return the short runs: the first ones are the beginnings of the long ones, which have the same constants."""
    size = _size(work)
    rest = _constants(work, {one: {"gamma": one} for one in GAMMAS}, range(size.gamma_long, size.gamma))
    return {gamma: [cut(run, size.short) for run in runs] + rest[gamma] for gamma, runs in _gamma_long(work).items()}


def cut(run: Arrays, episodes: int) -> Arrays:
    """Return the checkpoints of a run up to a number of episodes."""
    kept = run["episodes"] <= episodes
    return {**run, "episodes": run["episodes"][kept], "values": run["values"][kept]}


def _duel_config(work: Work, learner: str, opponent: str) -> TrainingConfig:
    size = _size(work)
    return annealed(
        size.long, algorithm=ALGORITHMS[learner], opponent=opponent, chunk_episodes=ceil(size.long / size.points)
    )


def _duels(work: Work, training: str) -> Curves:
    """Return the runs of single and double Q-learning, measured against scripted players and learners."""
    size, is_self = _size(work), training == BY_SELF_PLAY
    learned = [annealed(size.pretrained, algorithm=one).as_dict() for one in ALGORITHMS.values()]
    configs = {one: _duel_config(work, one, SELF_PLAY if is_self else "random") for one in ALGORITHMS}
    seeds = range(size.duels if is_self else size.taught)
    return _traces(work, configs, seeds, ("random", MINIMAX, HEURIBOT, *learned))


def _visits(work: Work) -> Curves:
    """Return self-play runs with step sizes by visits; all else is as in the ad-hoc schedule, which comes last."""
    base = _duel_config(work, SINGLE, SELF_PLAY).as_dict()
    configs = {power: TrainingConfig(**{**base, "step_size": power}) for power in ("visits", "visits:0.75")}
    runs = _traces(work, configs, range(_size(work).taught), ("random", MINIMAX))
    return {**runs, AD_HOC: _duels(work, BY_SELF_PLAY)[SINGLE]}


def _rows(curves: Curves, every: int = 1) -> Rows:
    """Return mean and standard deviation over the runs at each checkpoint, or at every so many."""
    rows = []
    for setting, runs in curves.items():
        wins, ties, unbeaten = (column(runs, name) for name in ("wins", "draws 1", "unbeaten"))
        for place in range(every - 1, wins.shape[1], every):
            rows.append({
                "episodes": int(runs[0]["episodes"][place]), "setting": setting, **spread(wins[:, place], []),
                "n": len(runs), "ties_with_minimax": float(ties[:, place].mean()),
                "share_unbeatable": float(unbeaten[:, place].mean()),
            })  # fmt: skip
    return rows


def alpha_runs(work: Work) -> Rows:
    """Return single runs' curves, as the page's plot on the left shows ten of them."""
    return [
        {"episodes": int(episodes), "setting": setting, "seed": seed, "wins": float(won)}
        for setting, runs in _alpha(work).items()
        for seed, wins in enumerate(column(runs[:10], "wins"))
        for episodes, won in zip(runs[0]["episodes"], wins, strict=True)
    ]


def estimated(name: str, found: NDArray[np.float64]) -> Row:
    """Return the mean over runs, and the ends of its 95 % interval.

    Examples
    --------
    >>> estimated("wins", np.array([0.5, 0.5]))
    {'wins': 0.5, 'wins low': 0.5, 'wins high': 0.5}
    """
    sample = Sample(found)
    low, high = sample.mean_interval()
    return {name: sample.mean, f"{name} low": low, f"{name} high": high}


def arrival(curve: NDArray[np.float64], episodes: NDArray[np.int64], level: float) -> int | None:
    """Return the first checkpoint at which a curve has reached a level, if there is one.

    Examples
    --------
    >>> arrival(np.array([0.5, 0.9, 0.8]), np.array([10, 20, 30]), 0.85)
    20
    """
    reached = np.flatnonzero(curve >= level)
    return int(episodes[reached[0]]) if reached.size else None


def _tail(values: NDArray[np.float64], share: float = _LATE) -> NDArray[np.float64]:
    return values[..., -max(1, round(values.shape[-1] * share)) :]


def ends(work: Work) -> Rows:
    """Return what the curves come to, by setting: wins late, overall and at the end, noise, and unbeatable runs."""
    found = {"alpha": _alpha(work), "gamma": _gamma(work), "gamma, long": _gamma_long(work),
             "epsilon": _epsilon(work), "visits": _visits(work)}  # fmt: skip
    rows = []
    for curve, setting, runs in ((one, *two) for one, curves in found.items() for two in curves.items()):
        wins, mean = column(runs, "wins"), column(runs, "wins").mean(axis=0)
        at_best = np.abs(_tail(wins, 0.5) - OPTIMUM_DRAWN) < _SURE
        rows.append({
            "curve": curve, "setting": setting, "episodes": int(runs[0]["episodes"][-1]),
            **estimated("late", _tail(wins).mean(axis=1)),
            **estimated("overall", wins.mean(axis=1)), **estimated("end", wins[:, -1]),
            **estimated("noise", _tail(wins).std(axis=1)), **estimated("first", wins[:, 0]),
            "peak": float(mean.max()), "arrives": arrival(mean, runs[0]["episodes"], _ARRIVED * _tail(mean).mean()),
            "at the optimum": float(at_best.mean()), "reach it": int(at_best.any(axis=1).sum()),
            "leave it": int((at_best[:, :-1] & ~at_best[:, 1:]).any(axis=1).sum()),
            **counted("unbeatable", column(runs, "unbeaten")[:, -1].tolist()),
        })  # fmt: skip
    return rows


def wins_and_kept(runs: Sequence[Arrays], number: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return X's wins and its games not lost against an opponent, each (runs, checkpoints) float64."""
    suffix = f" {number}" if number else ""
    wins = column(runs, f"wins{suffix}")
    return wins, wins + column(runs, f"draws{suffix}")


def _compared(work: Work) -> list[tuple[str, str, list[Arrays], int, str]]:
    """Return training, learner, runs, number and name of the opponent, of all curves of single and double Q."""
    return [
        (training, learner, runs, number, opponent)
        for training in (BY_SELF_PLAY, AGAINST_RANDOM)
        for learner, runs in _duels(work, training).items()
        for number, opponent in enumerate(OPPONENTS)
    ]


def double(work: Work) -> Rows:
    """Return mean and deviation of X's wins and of its games not lost, by training, learner and opponent."""
    rows = []
    for training, learner, runs, number, opponent in _compared(work):
        wins, kept = wins_and_kept(runs, number)
        for place, episodes in enumerate(runs[0]["episodes"]):
            won, not_lost = Sample(wins[:, place]), Sample(kept[:, place])
            rows.append({
                "episodes": int(episodes), "training": training, "opponent": opponent, "setting": learner,
                "wins": won.mean, "wins_sd": won.sd, "not_lost": not_lost.mean, "not_lost_sd": not_lost.sd,
                "n": len(runs),
            })  # fmt: skip
    return rows


def duels(work: Work) -> Rows:
    """Return what those curves come to: the share not lost over all checkpoints, and wins or ties at the end."""
    rows = []
    for training, learner, runs, number, opponent in _compared(work):
        wins, kept = wins_and_kept(runs, number)
        mean, last = wins.mean(axis=0), (kept if number else wins)[:, -1]
        rows.append({
            "training": training, "opponent": opponent, "learner": learner, "runs": len(runs),
            **estimated("not lost overall", kept.mean(axis=1)), **estimated("end", last), "sd": Sample(last).sd,
            "arrives": arrival(kept.mean(axis=0), runs[0]["episodes"], _ARRIVED),
            "greatest fall": float((np.maximum.accumulate(mean) - mean).max()),
        })  # fmt: skip
    return rows


def dips(work: Work) -> Rows:
    """Return by how much single Q wins more against random than double Q, where it is most, by training."""
    rows = []
    for training in (BY_SELF_PLAY, AGAINST_RANDOM):
        runs = _duels(work, training)
        single, double_q = (wins_and_kept(runs[one], 0)[0] for one in (SINGLE, DOUBLE))
        pairs = [(Sample(a), Sample(b)) for a, b in zip(single.T, double_q.T, strict=True)]
        gaps = np.array([a.mean - b.mean for a, b in pairs])
        half = np.array([a.student * np.hypot(a.error, b.error) for a, b in pairs])
        most = int(gaps.argmax())
        rows.append({
            "training": training, "checkpoints": len(pairs), "single ahead": int((gaps > half).sum()),
            "greatest gap": float(gaps[most]), "low": float(gaps[most] - half[most]),
            "high": float(gaps[most] + half[most]), "after": int(runs[SINGLE][0]["episodes"][most]),
            "gap at the end": float(gaps[-1]), "end low": float(gaps[-1] - half[-1]),
            "end high": float(gaps[-1] + half[-1]),
        })  # fmt: skip
    return rows


MEASURES: Final[dict[str, Callable[[Work], Rows]]] = {
    "alpha": lambda work: _rows(_alpha(work)),
    "alpha_runs": alpha_runs,
    "gamma": lambda work: _rows(_gamma(work)),
    "gamma_long": lambda work: _rows(_gamma_long(work), every=1 if work.quick else 4),
    "epsilon": lambda work: _rows(_epsilon(work)),
    "visits": lambda work: _rows(_visits(work)),
    "double": double,
    "ends": ends,
    "duels": duels,
    "dips": dips,
}
