"""Episodes that learners need, by the number of states: a curve of exact measures for each game, learner and seed.

A learner is unbeatable if the exploitability of its greedy policy is exactly 0.  It is near the best if its value
against random play, averaged over the seats, is within 0.001 of the largest possible one.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import solution_of
from ttt_fast.core.specs import parse_count
from ttt_fast.evaluate.over_runs import bootstrap_interval, median_time_interval
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.scaling.law import Law, fitted
from ttt_fast.studies.scaling.runs import MEASURED, first_unbeatable, learn, table

_NEAR: Final = 0.001
"""Largest difference from the best value against random play of a learner that is near it."""


class Arm(NamedTuple):
    """A learner on a game: its settings, seeds, the episodes of the first checkpoint, and those of a run."""

    game: str
    learner: str
    settings: dict[str, Any]
    seeds: range
    first: int
    episodes: int


class Runs(NamedTuple):
    """The curves of an arm's runs: episodes (K,), and measures by name, (R, K); `reached` is (R, 2)."""

    arm: Arm
    episodes: NDArray[np.int64]
    measures: dict[str, NDArray[np.float64]]

    def first_at(self, name: str, bound: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the episodes at which each run first has a measure up to a bound, (R,), or its end; and which do."""
        is_there: NDArray[np.bool_] = self.measures[name] <= bound + 1e-12
        place = np.where(is_there.any(axis=1), is_there.argmax(axis=1), is_there.shape[1] - 1)
        return self.episodes[place].astype(np.float64), np.asarray(is_there.any(axis=1))

    def reached(self) -> float:
        """Return the mean number of states that the last policies reach, in the seats that are not lost."""
        value = solution_of(table(self.arm.game)).value[0]
        return float((self.measures["reached"] @ [value >= 0, value <= 0]).mean())

    def at_end(self, name: str) -> NDArray[np.float64]:
        """Return a measure of the last checkpoint of each run, (R,)."""
        return self.measures[name][:, -1]


def _arm(plan: Any, one: dict[str, Any], learner: str, changes: dict[str, str], episodes: str, seed: int = 0) -> Arm:
    """Return a learner, with changes of its settings, on a game of the plan, with seeds from the first one."""
    seeds = range(seed, seed + min(one["runs"], plan.runs))
    most = min(parse_count(episodes), parse_count(plan.most))
    return Arm(one["game"], learner, plan.learners[learner] | changes, seeds, one["first"], most)


def arms(work: Runner) -> list[Arm]:
    """Return the arms of the study, with the settings of the plan for all games, and with those chosen by size."""
    plan, found = work.plan(__package__), []
    for one in plan.games[: plan.sizes]:
        for learner, episodes in zip(plan.learners, one["episodes"], strict=False):
            found.append(_arm(plan, one, learner, {}, episodes))
            changes = plan.by_size.get(learner, {}).get(one["game"])
            if changes:
                by_size = _arm(plan, one, learner, changes, episodes)
                found.append(by_size._replace(learner=f"{learner}, by size"))
    return found


def _jobs(work: Runner, chosen: Sequence[Arm]) -> list[dict[str, Any]]:
    """Return the settings of the runs of some arms."""
    checkpoints = work.plan(__package__).checkpoints
    return [
        {"game": arm.game, "settings": arm.settings, "seed": seed, "first": arm.first, "episodes": arm.episodes,
         "checkpoints": checkpoints}
        for arm in chosen for seed in arm.seeds
    ]  # fmt: skip


def runs_of(work: Runner, chosen: Sequence[Arm]) -> list[Runs]:
    """Return the curves of some arms, which are computed arm by arm."""
    found = iter(work.pieces(learn, _jobs(work, chosen)))
    runs = [(arm, [next(found) for _ in arm.seeds]) for arm in chosen]
    return [
        Runs(arm, own[0]["episodes"].astype(np.int64), {name: np.array([one[name] for one in own]) for name in own[0]})
        for arm, own in runs
    ]


def times_of(name: str, runs: Runs, measure: str, bound: float) -> Row:
    """Return how many runs reach a bound, and the median of the episodes until then with its 95 % interval."""
    at, is_there = runs.first_at(measure, bound)
    median, low, high = (None if one == np.inf else int(one) for one in median_time_interval(at, is_there))
    return {f"{name}_runs": int(is_there.sum()), name: median, f"{name}_low": low, f"{name}_high": high}


def mean_of(name: str, values: NDArray[np.float64]) -> Row:
    """Return the mean of a measure over runs with its 95 % interval; None if it is not measured."""
    found = (None,) * 3 if np.isnan(values).any() else bootstrap_interval([values])
    return dict(zip((name, f"{name}_low", f"{name}_high"), found, strict=True))


def unseen(runs: Runs) -> NDArray[np.float64]:
    """Return the share of the states met without an update, at the last checkpoint at which each run is beatable."""
    is_beatable = runs.measures["exploitability"] > 0
    last = is_beatable.shape[1] - 1 - is_beatable[:, ::-1].argmax(axis=1)
    rows = np.arange(len(last))
    shares: NDArray[np.float64] = runs.measures["met_new"][rows, last] / runs.measures["met"][rows, last]
    return shares


def _row(runs: Runs) -> Row:
    arm = runs.arm
    return {
        "game": arm.game, "states": table(arm.game).num_states, "learner": arm.learner, "runs": len(arm.seeds),
        "episodes": arm.episodes, **times_of("unbeatable", runs, "exploitability", 0.0),
        "unbeatable_at_the_end": int((runs.at_end("exploitability") == 0).sum()),
        **times_of("near_best", runs, "regret", _NEAR), **mean_of("regret", runs.at_end("regret")),
        "reached": round(runs.reached()), **mean_of("updated", runs.at_end("updated")),
        **mean_of("unseen", unseen(runs)),
    }  # fmt: skip


def needed(work: Runner) -> Rows:
    """Return a row for each game and learner: the episodes until unbeatable, and until near the best value."""
    return [_row(runs) for runs in runs_of(work, arms(work))]


def times(work: Runner) -> Rows:
    """Return the time of each run of the learners with a law, on the games in which any run becomes unbeatable.

    Runs end there, so that this table costs little; on the larger games every time is the length of the run.
    """
    law = work.plan(__package__).law
    chosen = [arm for arm in arms(work) if arm.learner in law["learners"] and arm.game not in law["censored"]]
    heads = [(arm, seed) for arm in chosen for seed in arm.seeds]
    return [
        {"game": arm.game, "learner": arm.learner, "seed": seed, "episodes": int(found["episodes"]),
         "unbeatable": bool(found["unbeatable"])}
        for (arm, seed), found in zip(heads, work.pieces(first_unbeatable, _jobs(work, chosen)), strict=True)
    ]  # fmt: skip


def curves(work: Runner) -> Rows:
    """Return the means of the measures at each checkpoint."""
    return [
        {
            "game": runs.arm.game, "learner": runs.arm.learner, "episodes": int(episodes),
            **{key: value for name in MEASURED for key, value in mean_of(name, runs.measures[name][:, place]).items()},
        }
        for runs in runs_of(work, arms(work)) for place, episodes in enumerate(runs.episodes)
    ]  # fmt: skip


class _Game(NamedTuple):
    """The size of a game, and of each run the episodes until unbeatable or the end, (R,), and whether it is reached."""

    size: float
    times: NDArray[np.float64]
    reached: NDArray[np.bool_]

    @classmethod
    def of(cls, runs: Runs, size: str) -> "_Game":
        known = table(runs.arm.game).num_states if size == "states" else runs.reached()
        return cls(known, *runs.first_at("exploitability", 0.0))

    def drawn(self, generator: np.random.Generator) -> "_Game":
        places = generator.integers(self.times.size, size=self.times.size)
        return self._replace(times=self.times[places], reached=self.reached[places])


def _has_law(games: Sequence[_Game]) -> bool:
    """Return whether games of more than one size have runs that are not censored."""
    return len({one.size for one in games if one.reached.any()}) > 1


def _fit(games: Sequence[_Game]) -> Law:
    """Return the law of some games, which have equal weights."""
    columns = [
        (np.full(one.times.size, one.size), one.times, one.reached, np.full(one.times.size, 1 / one.times.size))
        for one in games
    ]
    return fitted(*map(np.concatenate, zip(*columns, strict=True)))


def choice(work: Runner) -> Rows:
    """Return a row for each setting that was tried, with seeds of its own."""
    plan = work.plan(__package__)
    tried, found = plan.choice, []
    for one, learner, step_size, epsilon in product(
        tried["games"][: plan.sizes], tried["learners"], tried["step_sizes"], tried["epsilons"]
    ):
        changes = {"step_size": step_size, "epsilon": epsilon}
        found.append(_arm(plan, one, learner, changes, one["episodes"], tried["first_seed"]))
    rows = []
    for runs in runs_of(work, found):
        row = _row(runs)
        setting = {name: runs.arm.settings[name] for name in ("step_size", "epsilon")}
        rows.append({"game": row["game"], "learner": row["learner"], **setting, **row})
    return rows


def law(work: Runner) -> Rows:
    """Return the fitted power laws of the episodes until unbeatable, and what they say of Connect 4 on 7x6.

    A learner that is unbeatable in games of one size only has no law.  The intervals come from a bootstrap that draws
    games, and then runs of each.
    """
    plan, rows = work.plan(__package__), []
    found = runs_of(work, arms(work))
    for learner, (size, target) in product(plan.law["learners"], plan.law["sizes"].items()):
        games = [_Game.of(runs, size) for runs in found if runs.arm.learner == learner]
        if not _has_law(games):
            continue
        laws, generator = [_fit(games)], np.random.default_rng(0)
        while len(laws) <= plan.resamples:
            drawn = [games[one].drawn(generator) for one in generator.integers(len(games), size=len(games))]
            if _has_law(drawn):
                laws.append(_fit(drawn))
        row: Row = {"learner": learner, "size": size, "games": len(games), "log_likelihood": laws[0].log_likelihood}
        row |= {"runs": sum(one.times.size for one in games), "unbeatable": sum(one.reached.sum() for one in games)}
        of_target = [one.log10_at(target) for one in laws]
        for name, values in (("power", [one.slope for one in laws]), ("log10_episodes", of_target)):
            low, high = np.quantile(values[1:], [0.025, 0.975]).tolist()
            row |= {name: values[0], f"{name}_low": low, f"{name}_high": high}
        rows.append(row | {"target": target, "sd": laws[0].sd})
    return rows


MEASURES: Final = {one.__name__: one for one in (choice, needed, times, curves, law)}
