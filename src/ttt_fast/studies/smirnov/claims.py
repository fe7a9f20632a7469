"""The statements of Smirnov's text about the learners, a row each: our measurement and a verdict."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.cells import agent
from ttt_fast.studies.page import Rows
from ttt_fast.studies.sample import Sample
from ttt_fast.studies.smirnov.curves import Curves, duel_config
from ttt_fast.studies.smirnov.published import MINIMAX, OPTIMUM_DRAWN
from ttt_fast.studies.smirnov.runs import CURVE_GAMMA, Size, Trace, annealed, each, learn, trace
from ttt_fast.studies.smirnov.tables import LATER

SIGMAS = 2.0
"""Differences of means below this many standard errors count as none."""

MOST = 0.9
"""The share of the runs from which on they count as `always`."""

TRUE, FALSE, PARTLY, UNDECIDED = "holds", "does not hold", "holds in part", "cannot be told"


class Arm(NamedTuple):
    """A way to train, whose runs either always tie with minimax or do not."""

    words: str
    config: TrainingConfig


class Tied(NamedTuple):
    """How many of the runs always tie with minimax.

    Attributes
    ----------
    training, episodes, runs
        How they were trained, and for how long.
    x_chosen, x_drawn, o
        Runs that tie as X with the first move chosen, or drawn, and as O where that was learned.
    all
        Runs that tie in the seats that were learned, with the first move as in training.
    """

    training: str
    episodes: int
    x_chosen: int
    x_drawn: int
    o: int | None
    all: int
    runs: int


def tie_arms(size: Size) -> list[Arm]:
    """Return the ways in which `30,000 games`, and `300,000` with the first move drawn, can be read."""
    arms = [
        Arm(
            f"self-play, annealed, first move {'drawn' if drawn else 'chosen'}",
            annealed(episodes, 0, random_opening=drawn),
        )
        for drawn in (False, True)
        for episodes in (size.few_games, size.many_games)
    ]
    for drawn in (False, True):
        for episodes in (size.few_games, size.many_games):
            config = TrainingConfig(
                opponent="random", episodes=episodes, step_size="0.1", epsilon="0.4", discount=CURVE_GAMMA,
                random_opening=drawn, evaluations=1,
            )  # fmt: skip
            words = f"v random as X, alpha 0.1, epsilon 0.4, first move {'drawn' if drawn else 'chosen'}"
            arms.append(Arm(words, config))
    return arms


def tie_rows(size: Size, threads: int) -> list[Tied]:
    """Train every arm with every seed, and count who always ties with minimax (ties first)."""
    arms = tie_arms(size)
    found = []
    for arm, runs in zip(arms, each(learn, [arm.config for arm in arms], threads, size.claim_runs), strict=True):
        ties = np.array([_ties(policy, arm.config.is_self_play) for policy in runs])
        needed = ties[:, [1, 2]] if arm.config.random_opening else ties[:, [0, 2]]
        chosen, drawn, as_o = (int(column.sum()) for column in ties.T)
        o, both = (as_o if arm.config.is_self_play else None), int(needed.all(axis=1).sum())
        found.append(Tied(arm.words, arm.config.episodes, chosen, drawn, o, both, len(runs)))
    return found


def _ties(policy: Policy, learned_o: bool) -> list[bool]:
    """Return whether a policy always ties with minimax: as X with its first move chosen, drawn, and as O."""
    minimax = agent(MINIMAX)
    draws = [exact_outcome(policy, minimax, random_opening=drawn).draws for drawn in (False, True)]
    draws.append(exact_outcome(minimax, policy).draws if learned_o else 1.0)
    return [one > 1 - 1e-12 for one in draws]


def visit_runs(size: Size, threads: int) -> dict[str, list[Trace]]:
    """Return self-play runs with step sizes by visits, and otherwise as the ad-hoc schedule's."""
    judges = [agent("random"), agent(MINIMAX)]
    base = duel_config("single Q", "self", size)
    configs = {power: TrainingConfig(**{**base.as_dict(), "step_size": power}) for power in ("visits", "visits:0.75")}
    runs = each(lambda config: trace(config, judges), list(configs.values()), threads, size.visit_runs)
    return dict(zip(configs, runs, strict=True))


def tails(curves: Curves, share: float = 0.25) -> dict[float, Sample]:
    """Return each run's mean wins over the last part of its checkpoints, by setting."""
    return {
        setting: Sample(np.array([_tail(run["wins"], share).mean() for run in runs]))
        for setting, runs in curves.items()
    }


def _tail(values: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    return values[-max(1, round(values.size * share)) :]


def claim(where: str, words: str, measured: str, verdict: bool | str) -> dict[str, Any]:
    """Return a row: a statement of the text, our measurement, and whether it holds."""
    told = verdict if isinstance(verdict, str) else (TRUE if verdict else FALSE)
    return {"where": where, "statement": words, "measured": measured, "verdict": told}


def compared(first: Sample, second: Sample) -> tuple[float, float]:
    """Return the difference of two means and its standard error."""
    return first.mean - second.mean, sqrt(first.error**2 + second.error**2)


def greater(first: Sample, second: Sample) -> bool | str:
    """Return whether a mean is greater than another, beyond `SIGMAS` standard errors."""
    difference, error = compared(first, second)
    return UNDECIDED if abs(difference) <= SIGMAS * error else difference > 0


def _listed(samples: Mapping[float, Sample]) -> str:
    return ", ".join(f"{setting:g}: {one.mean:.4f}" for setting, one in samples.items())


def alpha_claims(curves: Curves) -> Rows:
    """Judge the text on step sizes, by the mean wins over the last quarter of the runs."""
    ends = tails(curves)
    best = max(ends, key=lambda alpha: ends[alpha].mean)
    near = [alpha for alpha in ends if greater(ends[best], ends[alpha]) == UNDECIDED or alpha == best]
    middle = [alpha for alpha in ends if 0.1 <= alpha <= 0.4]
    gap = max(ends[best].mean - ends[alpha].mean for alpha in middle)
    noise = {alpha: Sample(np.array([_tail(run["wins"], 0.25).std() for run in curves[alpha]])) for alpha in (0.2, 0.4)}
    peak = {alpha: float(np.mean([run["wins"] for run in curves[alpha]], axis=0).max()) for alpha in curves}
    whole = tails(curves, 1.0)
    fastest = max(whole, key=lambda alpha: whole[alpha].mean)
    listed = f"mean wins over the last quarter: {_listed(ends)}"
    return [
        claim("alpha", "the best values are 0.2 or 0.3",
              f"{listed}; best {best:g}; not told apart from it: {', '.join(f'{one:g}' for one in near)};"
              f" over the whole run: {_listed(whole)}; best {fastest:g}", _both(set(near), {fastest}, {0.2, 0.3})),
        claim("alpha", "the range from 0.1 to 0.4 is reasonable",
              f"none of them ends more than {gap:.4f} below the best (reasonable: one game in a hundred)", gap <= 0.01),
        claim("alpha", "at 0.4 learning becomes noisier than at 0.2",
              f"standard deviation of a run over its last quarter: {noise[0.4].mean:.4f} at 0.4,"
              f" {noise[0.2].mean:.4f} at 0.2", greater(noise[0.4], noise[0.2])),
        claim("alpha", "at 0.4 the maximum of the performance decreases",
              f"highest mean {peak[0.4]:.4f} at 0.4, {peak[0.2]:.4f} at 0.2, {peak[0.3]:.4f} at 0.3",
              peak[0.4] < min(peak[0.2], peak[0.3])),
        claim("alpha", "0.01 performs worse",
              f"{ends[0.01].mean:.4f} against {ends[best].mean:.4f}", greater(ends[best], ends[0.01])),
    ]  # fmt: skip


def _both(at_end: set[float], on_the_way: set[float], named: set[float]) -> bool | str:
    """Return whether the settings that the text names are best at the end, and over the whole run."""
    found = bool(at_end & named), bool(on_the_way & named)
    return PARTLY if any(found) and not all(found) else all(found)


def time_to(curve: NDArray[np.float64], episodes: NDArray[np.int64], level: float) -> float:
    """Return the first checkpoint at which a curve has reached a level, infinity for none.

    Examples
    --------
    >>> time_to(np.array([0.5, 0.9, 0.8]), np.array([10, 20, 30]), 0.85)
    20.0
    """
    reached = np.flatnonzero(curve >= level)
    return float(episodes[reached[0]]) if reached.size else float("inf")


def gamma_claims(short: Curves, long: Curves) -> Rows:
    """Judge the text on discounts."""
    ends = tails(long)
    times = {}
    for gamma, runs in short.items():
        mean = np.mean([run["wins"] for run in runs], axis=0)
        times[gamma] = time_to(mean, runs[0].episodes, 0.99 * float(_tail(mean, 0.25).mean()))
    early = {gamma: float(np.mean([run["wins"][0] for run in runs])) for gamma, runs in short.items()}
    first = int(next(iter(short.values()))[0].episodes[0])
    best = max(ends, key=lambda gamma: ends[gamma].mean)
    others = [greater(ends[best], ends[gamma]) for gamma in ends if gamma != best]
    rising = [ends[gamma].mean for gamma in sorted(ends)]
    apart = compared(ends[best], ends[1.0])
    return [
        claim("gamma", "lower gamma converges faster",
              "episodes to 99 % of their end: " + ", ".join(f"{gamma:g}: {time:,.0f}" for gamma, time in times.items())
              + f"; wins after {first:,}: " + ", ".join(f"{gamma:g}: {wins:.3f}" for gamma, wins in early.items()),
              times[0.2] < times[1.0]),
        claim("gamma", "... but to a lower maximum",
              f"mean wins over the last quarter of the long runs: {_listed(ends)}", _rises(rising)),
        claim("gamma", "the optimum is gamma = 1",
              f"best {best:g} with {ends[best].mean:.4f}, gamma 1 with {ends[1.0].mean:.4f},"
              f" {apart[0] / max(apart[1], 1e-300):.1f} standard errors lower (optimum {OPTIMUM_DRAWN:.6f})",
              False if best != 1.0 and greater(ends[best], ends[1.0]) is True
              else (UNDECIDED if UNDECIDED in others else best == 1.0)),
        claim("gamma", "other values of alpha and epsilon appear to confirm it",
              "not measured: the text does not say which", UNDECIDED),
    ]  # fmt: skip


def _rises(values: Sequence[float]) -> bool | str:
    """Return whether values rise at every step, or at all but one.

    Examples
    --------
    >>> _rises([1, 2, 3]), _rises([1, 3, 2]), _rises([3, 2, 1])
    (True, 'holds in part', False)
    """
    falls = sum(second < first for first, second in pairwise(values))
    return PARTLY if falls == 1 and len(values) > 2 else falls == 0


def epsilon_claims(curves: Curves, constants: Curves) -> Rows:
    """Judge the text on exploration, and on constant settings."""
    ends = tails(curves)
    best = max(ends, key=lambda epsilon: ends[epsilon].mean)
    late = np.array([_tail(run["wins"], 0.5) for run in constants[CURVE_GAMMA]])
    at_peak = np.abs(late - OPTIMUM_DRAWN) < 1e-9
    left = int(np.count_nonzero((at_peak[:, :-1] & ~at_peak[:, 1:]).any(axis=1)))
    return [
        claim("epsilon", "epsilon = 0 tends to stay in a suboptimal policy",
              f"mean wins over the last quarter: {_listed(ends)}; best {best:g}", greater(ends[best], ends[0.0])),
        claim("annealing", "with constant settings the agent does not stay at the optimum",
              f"gamma {CURVE_GAMMA:g}, last half of the long runs: at the optimum in {at_peak.mean():.1%} of the"
              f" checkpoints; {int(at_peak.any(axis=1).sum())} of {len(late)} runs reach it, {left} leave it again",
              not at_peak.all()),
        claim("annealing", "alpha ends at 0.9 ** 100, about 0.00003", f"{0.9**100:.8f}", round(0.9**100, 5) == 0.00003),
    ]  # fmt: skip


def tie_claims(ties: Sequence[Tied], size: Size) -> Rows:
    """Judge after how many games minimax is always tied."""
    rows = []
    wanted = (("chosen", size.few_games), ("drawn", size.many_games))
    for (opening, games), stated in zip(wanted, ("30,000", "300,000"), strict=True):
        arms = [arm for arm in ties if arm.training.endswith(opening)]
        shown = "; ".join(f"{arm.episodes:,} games of {arm.training}: {arm.all} of {arm.runs}" for arm in arms)
        annealing = next(arm for arm in arms if arm.episodes == games and "annealed" in arm.training)
        low, high = wilson_interval(annealing.all, annealing.runs)
        verdict = True if low > MOST else (False if high < MOST else UNDECIDED)
        rows.append(
            claim(
                "self-play",
                f"always ties with minimax within {stated} games, first move {opening}",
                f"runs that always tie, as X and (in self-play) as O: {shown}; judged by the annealed ones of"
                f" {games:,} games: {low:.0%} to {high:.0%} of such runs tie (95 %), where {MOST:.0%} would do",
                verdict,
            )
        )
    return rows


def visit_claims(visits: Mapping[str, Sequence[Trace]], ad_hoc: Sequence[Trace]) -> Rows:
    """Judge step sizes by visit counts against the schedule of the page."""
    rows = []
    theirs = Sample(np.array([run["wins"][-1] for run in ad_hoc]))
    kept = float(np.mean([run["unbeaten"][-1] for run in ad_hoc]))
    for name, runs in visits.items():
        ours = Sample(np.array([run["wins"][-1] for run in runs]))
        unbeaten = float(np.mean([run["unbeaten"][-1] for run in runs]))
        power = "1 / n" if name == "visits" else "n ** -0.75"
        rows.append(
            claim(
                "annealing",
                f"the ad-hoc schedule is better than step sizes by visits ({power})",
                f"X's wins v random {theirs.mean:.4f} against {ours.mean:.4f} (sd {theirs.sd:.4f}, {ours.sd:.4f});"
                f" never beaten as X: {kept:.0%} of the runs against {unbeaten:.0%}",
                greater(theirs, ours),
            )
        )
    return rows


def later_claims() -> Rows:
    """Return the rows of what this version of the study leaves out."""
    words = "the section on DQN: optimisers, minibatches, layers, target update, replay buffer, the chosen one"
    pages = "two pages show what minimax, the heuribot, tabular Q and the DQN make of every position"
    shown = "not printed again: `ttt-fast show BOARD --agents minimax,heuribot,FILE` shows any; the DQN comes later"
    return [
        claim("DQN", words, "not measured by this version of the study", LATER),
        claim("positions", pages, shown, LATER),
    ]
