"""Smirnov's statements about the tables, single and double Q-learning, and scripted players, with our verdicts."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import never_loses
from ttt_fast.games import api
from ttt_fast.learn.settings import SELF_PLAY
from ttt_fast.studies.cells import agent
from ttt_fast.studies.page import Rows
from ttt_fast.studies.sample import Sample
from ttt_fast.studies.smirnov.claims import PARTLY, SIGMAS, UNDECIDED, claim, compared, greater, time_to
from ttt_fast.studies.smirnov.curves import OPPONENTS, Duels, wins_and_kept
from ttt_fast.studies.smirnov.lengths import Measured, best_reading, win_lengths
from ttt_fast.studies.smirnov.published import DOUBLE, HEURIBOT, MINIMAX, OPTIMUM_CHOSEN, SINGLE
from ttt_fast.studies.smirnov.runs import Trace
from ttt_fast.studies.smirnov.tables import most_wins


def _areas(runs: Sequence[Trace], number: int) -> Sample:
    """Return each run's mean share of games not lost over the whole curve: higher is faster."""
    _, kept = wins_and_kept(runs, number)
    return Sample(kept.mean(axis=1))


def duel_claims(duels: Duels) -> Rows:
    """Judge the text on single and double Q-learning by self-play."""
    single, double = duels[SELF_PLAY, SINGLE], duels[SELF_PLAY, DOUBLE]
    ends, speeds, times = [], [], []
    for number, name in enumerate(OPPONENTS):
        first, second = (wins_and_kept(runs, number) for runs in (single, double))
        column = 0 if name == "random" else 1
        a, b = (Sample(values[column][:, -1]) for values in (first, second))
        ends.append((name, a, b))
        speeds.append((name, _areas(single, number), _areas(double, number)))
        if name == "minimax":
            times = [time_to(values[1].mean(axis=0), single[0].episodes, 0.99) for values in (first, second)]
    worse = [name for name, a, b in ends if name != "random" and greater(a, b) is True]
    faster = [name for name, a, b in speeds if greater(b, a) is True]
    slower = [name for name, a, b in speeds if greater(a, b) is True]
    at_end = "; ".join(f"{name} {a.mean:.4f} against {b.mean:.4f}" for name, a, b in ends)
    over_all = "; ".join(f"{name} {a.mean:.4f} against {b.mean:.4f}" for name, a, b in speeds)
    rows = [
        claim("double Q", "double Q-learning ends better than, or comparable to, single (the page excepts random)",
              f"single against double at the end (v random wins, else not lost): {at_end}; worse by more than"
              f" {SIGMAS:g} standard errors, random excepted, against: {', '.join(worse) or 'nobody'}", not worse),
        claim("double Q", "double Q-learning converges faster",
              f"mean share not lost over the whole curve: {over_all}; 99 % not lost v minimax after {times[0]:,.0f} and"
              f" {times[1]:,.0f} games", True if len(faster) == len(OPPONENTS) else (False if slower else UNDECIDED)),
        _dip(duels),
    ]  # fmt: skip
    return rows + _own_counterparts(duels) + taught_claims(duels)


def _dip(duels: Duels) -> dict[str, str]:
    """Judge whether double Q-learning falls below single against random somewhere on the way."""
    single, double = (wins_and_kept(duels[SELF_PLAY, name], 0)[0] for name in (SINGLE, DOUBLE))
    episodes = duels[SELF_PLAY, SINGLE][0].episodes
    gaps = [compared(Sample(a), Sample(b)) for a, b in zip(single.T, double.T, strict=True)]
    place = int(np.argmax([gap for gap, _ in gaps]))
    gap, error = gaps[place]
    below = [gap > SIGMAS * error for gap, error in gaps]
    return claim(
        "double Q",
        "against random, double Q-learning dips below single slightly",
        f"single ahead by more than {SIGMAS:g} standard errors at {sum(below)} of {len(below)} checkpoints, at most by"
        f" {gap:.4f} ± {error:.4f}, after {int(episodes[place]):,} games",
        gap > 3 * error,
    )


def _own_counterparts(duels: Duels) -> Rows:
    rows = []
    for own, other in ((SINGLE, DOUBLE), (DOUBLE, SINGLE)):
        number = OPPONENTS.index(own)
        own_area, other_area = (_areas(duels[SELF_PLAY, name], number) for name in (own, other))
        rows.append(
            claim(
                "double Q",
                f"{own} learns to play against {own} more slowly than {other} does",
                f"mean share not lost over the whole curve: {own} {own_area.mean:.4f}, {other} {other_area.mean:.4f}"
                f" (standard errors {own_area.error:.4f}, {other_area.error:.4f})",
                greater(other_area, own_area),
            )
        )
    return rows


def taught_claims(duels: Duels) -> Rows:
    """Judge the text on learners that are trained against random."""
    single, double = (wins_and_kept(duels["random", name], 0)[0] for name in (SINGLE, DOUBLE))
    ends = [Sample(values[:, -1]) for values in (single, double)]
    falls = []
    for name in (SINGLE, DOUBLE):
        mean = wins_and_kept(duels[SELF_PLAY, name], 0)[0].mean(axis=0)
        falls.append(float((np.maximum.accumulate(mean) - mean).max()))
    taught = [float((np.maximum.accumulate(mean) - mean).max()) for mean in (single.mean(axis=0), double.mean(axis=0))]
    difference, error = compared(ends[0], ends[1])
    return [
        claim("double Q", "trained against random, double catches up to the 0.991 of single",
              f"at the end single {ends[0].mean:.6f}, double {ends[1].mean:.6f}, difference {difference:.6f} ±"
              f" {error:.6f}; the optimum is 107/108 = 0.990741",
              abs(difference) <= max(SIGMAS * error, 0.0005) and ends[1].mean > 0.9905),
        claim("double Q", "... and avoids the dip of single",
              f"greatest fall of the mean curve: trained v random single {taught[0]:.4f}, double {taught[1]:.4f};"
              f" in self-play single {falls[0]:.4f}, double {falls[1]:.4f}", taught[1] < falls[0]),
    ]  # fmt: skip


def tabular_claims(strength: Rows) -> Rows:
    """Judge the text on the tabular learner of the pair tables."""
    marks = {(row["training"], row["mark"]): row for row in strength}
    trainings = list(dict.fromkeys(row["training"] for row in strength))
    drawn = trainings[0]
    chosen_wins, drawn_wins, as_o = (
        f"X v random, first move {word}: wins" if word != "o" else "O v random: wins"
        for word in ("chosen", "drawn", "o")
    )

    def spread(mark: str) -> str:
        row = marks[drawn, mark]
        return f"{row['mean']:.4f} (sd {row['sd']:.4f}, {row['lowest']:.4f} to {row['highest']:.4f})"

    reached = "; ".join(
        f"{name}: {marks[name, chosen_wins]['runs at optimum']} of {marks[name, chosen_wins]['runs']} runs at exactly"
        f" 191/192 = {OPTIMUM_CHOSEN:.6f}, mean {marks[name, chosen_wins]['mean']:.4f}"
        for name in trainings
    )
    tied = [f"X v minimax, first move {word}: ties" for word in ("chosen", "drawn")] + ["O v minimax: ties"]
    always = [marks[drawn, mark]["runs at optimum"] for mark in tied]
    unbeaten = [marks[drawn, f"never loses as {seat}"]["runs at optimum"] for seat in "XO"]
    runs = marks[drawn, chosen_wins]["runs"]
    o_row = marks[drawn, as_o]
    return [
        claim("self-play", "wins 0.995 of the games as X against random, first move chosen", reached,
              _some([marks[name, chosen_wins] for name in trainings])),
        claim("self-play", "always ties with minimax, which it was not trained against",
              f"{always[0]} of {runs} runs as X with the first move chosen, {always[1]} drawn, {always[2]} as O",
              min(always) == runs),
        claim("tables", "every match without random always ends in a tie; optimal in the sense of never losing",
              f"proved never to lose to anybody: {unbeaten[0]} of {runs} runs as X, {unbeaten[1]} as O",
              min(unbeaten) == runs),
        claim("tables", "different runs yield nearly equal numbers; the variance is not large",
              f"X chosen {spread(chosen_wins)}; X drawn {spread(drawn_wins)}; O {spread(as_o)}",
              max(marks[drawn, mark]["sd"] for mark in (chosen_wins, drawn_wins, as_o)) < 0.01),
        claim("tables", "0.916 as O against random (the best of several runs)",
              f"highest of {runs} runs {o_row['highest']:.4f}; attainable 0.938624 (most wins), 0.932275 with the"
              " highest wins minus losses, 0.924868: self-play does not learn to exploit random",
              o_row["highest"] >= 0.9155),
    ]  # fmt: skip


def _some(marks: Rows) -> bool | str:
    """Return whether all runs reach the optimum, or some of them."""
    reached, runs = (sum(row[name] for row in marks) for name in ("runs at optimum", "runs"))
    return PARTLY if 0 < reached < runs else bool(reached)


def length_claims(found: Measured) -> Rows:
    """Judge the conjecture on gamma and the length of won games."""
    lengths = win_lengths(found)
    gammas = [gamma for gamma in lengths if gamma > 0]
    steps = [lengths[b] - lengths[a] for a, b in pairwise(gammas)]
    listed = ", ".join(f"{gamma:g}: {length:.3f}" for gamma, length in lengths.items())
    return [
        claim("gamma", "a learner with low gamma wins sooner",
              f"mean plies of a won game ({best_reading(found)}): {listed}; longer in {sum(step > 0 for step in steps)}"
              f" of {len(steps)} steps from 0.1; gamma 0 is the exception, since it sees nothing but the next move",
              _in_order(lengths, steps)),
    ]  # fmt: skip


def _in_order(lengths: dict[float, float], steps: list[float]) -> bool | str:
    """Return whether wins take longer with a larger gamma: everywhere, or from 0.1 on (by a hundredth of a ply)."""
    rises = lengths[0.1] < lengths[1.0] and all(step > -0.01 for step in steps)
    return rises and (lengths[0.0] < lengths[0.1] or PARTLY)


def scripted_claims() -> Rows:
    """Judge what the text says of minimax and heuribot: exactly."""
    minimax, fast, bot, random = (
        agent(spec) for spec in (MINIMAX, "minimax:tie=first,prefer=fast", HEURIBOT, "random")
    )
    mutual = [exact_outcome(minimax, bot), exact_outcome(bot, minimax)]
    at_nine = min(float(outcome.lengths[1, 9]) for outcome in mutual)
    plies = np.arange(10)
    slow, quick = (float(exact_outcome(one, random).lengths.sum(axis=0) @ plies) for one in (minimax, fast))
    ties = [1 - most_wins("random", api.X, random_opening=drawn) for drawn in (False, True)]
    holds = all(never_loses(bot, seat) for seat in (api.X, api.O))
    return [
        claim("baselines", "minimax and heuribot always tie each other, in nine turns", f"probability {at_nine:g}",
              at_nine > 1 - 1e-12),
        claim("baselines", "heuribot never loses", "proved for both seats" if holds else "refuted", holds),
        claim("baselines", "no player wins every game against random, which ties with a chance of about 0.005",
              f"whoever wins most leaves {ties[0]:.6f} of the games, first move chosen, and {ties[1]:.6f} drawn"
              " (exactly 1/192 and 1/108)", round(ties[0], 3) == 0.005),
        claim("baselines", "a penalty on filled squares lets minimax play more aggressively",
              f"mean plies as X against random {slow:.3f}, with the penalty {quick:.3f}", quick < slow),
    ]  # fmt: skip
