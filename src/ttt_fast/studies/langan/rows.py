"""Every figure that Langan published, beside emulated runs of the program, ours, and the best possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.evaluate.strength import agreement
from ttt_fast.games import api
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.policies.best_response import best_response_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.cells import Cell, agent, ordinary_table
from ttt_fast.studies.langan import published
from ttt_fast.studies.langan.emulation import Mended
from ttt_fast.studies.langan.plan import AS_CODED, MEND_ALL, SELF_PLAY, Plan
from ttt_fast.studies.langan.published import LearnedCell
from ttt_fast.studies.langan.runs import Run
from ttt_fast.studies.page import Row, Rows
from ttt_fast.studies.sample import Sample

Runs = dict[tuple[str, str], list[Run]]

_PRINTED_STATES = {published.Q_BUGGY: (published.BUGGY, 554), published.Q_BUGGY2: (published.BUGGY2, 596)}
"""Opponent and number of states (table 4) of the policies whose training length is not stated."""


@dataclass(frozen=True)
class Players:
    """The policies behind each published name, one for each run: as coded and corrected; and the training lengths."""

    coded: dict[str, list[Policy]]
    corrected: dict[str, list[Policy]]
    lengths: dict[str, int]

    def pairs(self, cell: LearnedCell, which: dict[str, list[Policy]]) -> list[tuple[Policy, Policy]]:
        """Return the pairs of policies that stand for a cell; runs are paired by their number."""
        x = which.get(cell.x) or [agent(cell.x)]
        o = which.get(cell.o) or [agent(cell.o or published.MINIMAX)]
        count = max(len(x), len(o)) if min(len(x), len(o)) == 1 else min(len(x), len(o))
        return [(x[i % len(x)], o[i % len(o)]) for i in range(count)]


@lru_cache(maxsize=32)
def best_against(spec: str) -> Policy:
    """Return the policy that does best against an agent."""
    return best_response_policy(agent(spec))


def train_ours(opponent: str, episodes: int, seed: int) -> Policy:
    """Return the policy of this package's learner, as X, with its usual schedules."""
    config = TrainingConfig(opponent=opponent, episodes=episodes, seed=seed)
    return train(start_training(config), agent(opponent)).policy()


def nearest_length(runs: Sequence[Run], states: int) -> int:
    """Return the training length after which the mean number of states is nearest to a printed one."""
    lengths = [snapshot.episodes for snapshot in runs[0].snapshots]
    means = [float(np.mean([run.at(length).agreement().states for run in runs])) for length in lengths]
    return lengths[int(np.argmin(np.abs(np.array(means) - states)))]


def players_of(runs: Runs, plan: Plan) -> Players:
    """Return the policies of all published names."""
    coded: dict[str, list[Policy]] = {}
    ours: dict[str, list[Policy]] = {}
    lengths: dict[str, int] = {}
    seeds = range(plan.corrected_seeds)
    for stated, length in zip(published.MINIMAX_EPISODES, plan.minimax, strict=True):
        name = published.q_minimax_after(stated)
        coded[name] = [run.at(length).policy() for run in runs[published.MINIMAX, AS_CODED]]
        ours[name] = [train_ours(published.MINIMAX, length, seed) for seed in seeds]
        lengths[name] = length
    for learner, name in enumerate((published.Q_SELF_1, published.Q_SELF_2)):
        long_runs = runs[SELF_PLAY, str(Mended())][: plan.published_seeds]
        coded[name] = [run.last.policy(learner) for run in long_runs]
        ours[name] = [run.last.policy(learner) for run in runs[SELF_PLAY, str(MEND_ALL)]]
        lengths[name] = plan.published
    coded[published.Q_RANDOM] = [run.last.policy() for run in runs["random", AS_CODED]]
    ours[published.Q_RANDOM] = [train_ours("random", plan.corrected_random, seed) for seed in seeds]
    lengths[published.Q_RANDOM] = plan.random
    for name, (opponent, states) in _PRINTED_STATES.items():
        lengths[name] = nearest_length(runs[opponent, AS_CODED], states)
        coded[name] = [run.at(lengths[name]).policy() for run in runs[opponent, AS_CODED]]
        ours[name] = [train_ours(opponent, plan.corrected, seed) for seed in seeds]
    return Players(coded, ours, lengths)


def measure(quantity: str, x: Policy, o: Policy) -> float:
    """Return a quantity of a policy (`states`, `agreeing`, `agreement`) or of a match, exactly."""
    if quantity in published.POLICY_QUANTITIES:
        agreed = agreement(x)
        return float({"states": agreed.states, "agreeing": agreed.agreeing}.get(quantity, agreed.share))
    return float(getattr(exact_outcome(x, o), quantity))


def best_possible(cell: LearnedCell) -> float | None:
    """Return the most that any X could have: against the opponent, or against perfect play for a learned one.

    Of the quantities of a policy: the boards that can come up in its training, all of which should agree with
    minimax, except against the buggy players, whose best adversary does not play like minimax.
    """
    if cell.is_match:
        opponent = published.MINIMAX if cell.o == published.Q_SELF_2 else cell.o
        return measure(cell.quantity, best_against(opponent), agent(opponent))
    if cell.x in _PRINTED_STATES and cell.quantity != "states":
        return None
    if cell.quantity == "agreement":
        return 1.0
    if cell.x in (published.Q_SELF_1, published.Q_SELF_2):
        decisions = int(ordinary_table().decision_mask.sum())
        return float(decisions - (cell.x == published.Q_SELF_2))  # player 2 never looks at the empty board
    opponent = _PRINTED_STATES.get(cell.x, ("random" if cell.x == published.Q_RANDOM else published.MINIMAX, 0))[0]
    reach = exact_outcome(agent("random"), agent(opponent)).reach  # a learner that may do anything
    return float(((reach > 0) & (ordinary_table().player == api.X)).sum())


def learned_row(cell: LearnedCell, players: Players) -> Row:
    """Return the row of a figure about a learned policy."""
    sample = Sample(tuple(measure(cell.quantity, x, o) for x, o in players.pairs(cell, players.coded)))
    ours = Sample(tuple(measure(cell.quantity, x, o) for x, o in players.pairs(cell, players.corrected)))
    low, high = sample.prediction(cell.sampling_error(sample.mean))
    low, high = max(low, 0.0), high if cell.quantity in ("states", "agreeing") else min(high, 1.0)
    slack = cell.rounding + 1e-9
    inside = low - slack <= cell.value <= high + slack
    count = len(sample.values)
    return {
        "source": cell.source,
        "cell": cell.label,
        "quantity": cell.quantity,
        "published": cell.published,
        "published_value": cell.value,
        "published_low": cell.interval[0],
        "published_high": cell.interval[1],
        "as_coded": sample.mean,
        "as_coded_sd": sample.sd,
        "as_coded_low": low,
        "as_coded_high": high,
        "runs": count,
        "episodes": players.lengths.get(cell.x) or players.lengths[cell.o],
        "corrected": ours.mean,
        "corrected_sd": ours.sd,
        "exact": best_possible(cell),
        "verdict": "reproduced" if inside else "not reproduced",
        "reason": f"{'inside' if inside else 'outside'} what {count} emulated runs predict; {cell.why}",
    }


def base_row(cell: Cell) -> Row:
    """Return the row of a figure that needs no learning, judged against the exact value."""
    judged = cell.judge()
    interval = wilson_interval(round(cell.share * cell.games), cell.games)
    reason = judged["why"] or f"{judged['sigmas']:.1f} standard errors from the exact value"
    return {
        "source": cell.source,
        "cell": cell.label,
        "quantity": cell.quantity,
        "published": cell.published,
        "published_value": cell.share,
        "published_low": interval[0],
        "published_high": interval[1],
        "as_coded": None,
        "as_coded_sd": None,
        "as_coded_low": None,
        "as_coded_high": None,
        "runs": 0,
        "episodes": 0,
        "corrected": None,
        "corrected_sd": None,
        "exact": judged["exact"],
        "verdict": judged["verdict"],
        "reason": reason,
    }


def cell_rows(players: Players) -> Rows:
    """Return a row for each published figure, in the order of the report's tables."""
    rows = [learned_row(cell, players) for cell in published.LEARNED_CELLS]
    rows += [base_row(cell) for cell in published.BASE_CELLS]
    return sorted(rows, key=lambda row: ("table" not in row["source"], row["source"]))
