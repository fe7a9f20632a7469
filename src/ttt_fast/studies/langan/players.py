"""The players behind the names in Langan's report: their runs, lengths and numbers of seeds."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ttt_fast import Policy, TrainingConfig
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.langan.emulation import Mended
from ttt_fast.studies.langan.runs import AS_CODED, AS_WRITTEN, SELF_PLAY, Run, one_two_five, runs_of

MINIMAX, RANDOM = "minimax", "random"
BUGGY, BUGGY2, FROZEN = "buggy:as=coded", "buggy2:as=coded", "random:frozen={seed}"
CORRECTED = "corrected"
"""This package's learner against the same player; for self-play, the program with its three defects mended."""
VARIANTS = [Mended(), Mended(credit=True), Mended(successor=True), Mended(True, True), Mended(True, True, True)]
WITHOUT_B3, MEND_ALL = VARIANTS[-2:]


def self_play(work: Runner, mended: Mended) -> list[Run]:
    """Return the runs of self-play with some defects mended, at all their checkpoints."""
    n = work.plan(__package__)
    last = {Mended(): n.published, WITHOUT_B3: n.repaired, MEND_ALL: n.repaired}.get(mended, n.ablation[0])
    return runs_of(work, SELF_PLAY, str(mended), n.seeds, one_two_five(last, *n.ablation))


def against_minimax(work: Runner, variant: str) -> list[Run]:
    """Return the runs of table 1."""
    n = work.plan(__package__)
    return runs_of(work, MINIMAX, variant, n.minimax_seeds, one_two_five(n.minimax[-1], *n.minimax))


def against_flawed(work: Runner, opponent: str, variant: str = AS_CODED) -> list[Run]:
    """Return the runs against a buggy player or frozen random players, with a different frozen player for each run."""
    return runs_of(work, opponent, variant, work.plan(__package__).many, work.plan(__package__).lengths)


def nearest_length(runs: Sequence[Run], states: int) -> int:
    """Return the training length after which the mean number of states is nearest to a published number."""
    decisions = agent(RANDOM).table.decision_mask
    means = np.mean([(run.seen[:, 0] & decisions).sum(axis=1) for run in runs], axis=0)
    return runs[0].lengths[int(np.argmin(np.abs(means - states)))]


UNSTATED: Final = {"Q_buggy": (BUGGY, 554), "Q_buggy2": (BUGGY2, 596)}
"""Opponent and states (table 4) of the policies whose training length is not stated in the report."""


def episodes_of(work: Runner, name: str) -> int:
    """Return the training length of a published policy."""
    n = work.plan(__package__)
    if name in UNSTATED:
        opponent, states = UNSTATED[name]
        return nearest_length(against_flawed(work, opponent), states)
    stated = dict(zip(("Q_minimax after 2,000", "Q_minimax after 100,000", "Q_minimax"), n.minimax, strict=True))
    return int(stated.get(name, n.published))


def policies(work: Runner, variant: str, name: str) -> list[Policy]:
    """Return the policies behind a name in Langan's report, one for each run: as coded, as written or corrected."""
    n, length = work.plan(__package__), episodes_of(work, name)
    if name.startswith("Q_self-play"):
        player = int(name[-1]) - 1
        if variant == AS_WRITTEN:
            runs = runs_of(work, SELF_PLAY, variant, n.written_seeds, one_two_five(n.published))
        else:
            runs = self_play(work, Mended() if variant == AS_CODED else MEND_ALL)
        return [run.policy(learner=player) for run in runs]
    opponent = UNSTATED[name][0] if name in UNSTATED else MINIMAX if name.startswith("Q_minimax") else RANDOM
    if variant == CORRECTED:
        own = length if opponent == MINIMAX else n.corrected_random if opponent == RANDOM else n.corrected
        configs = [TrainingConfig(opponent=opponent, episodes=own, seed=seed) for seed in range(n.corrected_seeds)]
        return [run.policy() for run in work.trainings(configs) if run is not None]
    if opponent == RANDOM:
        seeds = n.random_seeds if variant == AS_CODED else n.written_seeds
        return [run.policy() for run in runs_of(work, RANDOM, variant, seeds, one_two_five(n.published))]
    of = against_minimax(work, variant) if opponent == MINIMAX else against_flawed(work, opponent, variant)
    return [run.policy(length) for run in of]
