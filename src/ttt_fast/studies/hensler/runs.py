"""Hensler's self-play, run by run, with the exact strength of both agents on the way and at the end."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.learn.learner import Episodes
from ttt_fast.learn.learners import GeneralLearner
from ttt_fast.learn.rows import make_measures
from ttt_fast.learn.stores import nothing_learned
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import epsilon_soft_policy, greedy_policy
from ttt_fast.studies.cells import agent, ordinary_table
from ttt_fast.studies.hensler.plan import CHUNK, EPISODES, FLOOR, PRINT_EVERY, PUBLISHED, Job, config_of
from ttt_fast.studies.hensler.published import RESULTS
from ttt_fast.tables import ROOT
from ttt_fast.values.dense import EdgeValues


class Run(NamedTuple):
    """What is kept of a run: X's states at each print, the curve by chunk, the marks at the published end."""

    job: Job
    sizes: list[int]
    curve: dict[str, NDArray[np.float64]]
    marks: dict[str, float]


def train_job(job: Job) -> Run:
    """Train, and measure on the way."""
    config = config_of(job)
    learner = GeneralLearner(config, [], nothing_learned(config), np.zeros(3, np.int64))
    measures = make_measures(config, ())
    greedy = measures.first_greedy()
    measured, sizes, marks = [], [], {}
    for chunk in range(config.num_chunks):
        if job.variant == PUBLISHED and chunk * CHUNK < EPISODES and chunk * CHUNK % PRINT_EVERY == 0:
            sizes.append(_size_after_one_more(learner, chunk))
        measured.append(learner.run_measured(chunk, [chunk + 1], measures, greedy)[0])
        if config.episodes_after(chunk + 1) == (EPISODES if job.variant == PUBLISHED else job.episodes):
            marks = marks_of(_values_of(learner))
    curve = dict(zip(measures.columns, np.array(measured).T, strict=True))
    return Run(job, sizes, curve, marks)


def _values_of(learner: GeneralLearner) -> EdgeValues:
    """Return a copy of what has been learned."""
    values = learner.values()
    assert isinstance(values, EdgeValues)
    return values


def _size_after_one_more(learner: GeneralLearner, chunk: int) -> int:
    """Return X's states after one more episode: the program prints after episode i, which is the (i + 1)-th."""
    config = learner.config
    ahead = GeneralLearner(config, [], learner.values(), np.zeros(3, np.int64))
    first = config.episodes_after(chunk)
    alpha, epsilon = (one.values(first, 1, config.episodes) for one in (config.step_sizes, config.epsilons))
    stream = np.array([chunk_stream(config.seed, chunk)], np.uint64)
    ahead.learn(0, Episodes(first, alpha, epsilon), stream, np.zeros(3, np.int64))
    return int(np.count_nonzero(_values_of(ahead).held & (ordinary_table().player == 1)))


def marks_of(values: EdgeValues) -> dict[str, float]:
    """Return the exact strength of both agents: greedy, ties drawn as in the program; and as saved, exploring."""
    table, held = values.table, values.held
    player = greedy_policy(table, values.q, held=held, tie="uniform")
    first = greedy_policy(table, values.q, held=held)
    saved = epsilon_soft_policy(table, values.q, Fraction(str(FLOOR)), held=held, tie="uniform")
    marks: dict[str, float] = {}
    for seat, letter in ((1, "x"), (2, "o")):
        marks[f"{letter} states"] = float(np.count_nonzero(held & (table.player == seat)))
        marks[f"{letter} agreement"] = agreement(first, seat).share
        for name in ("random", "minimax"):
            marks |= dict(
                zip((f"{letter} {one} v {name}" for one in RESULTS), _result(player, name, seat), strict=True)
            )
            marks[f"{letter} losses v {name} as saved"] = _result(saved, name, seat)[2]
        marks[f"{letter} never loses"] = float(never_loses(player, seat))
    marks["neither loses"] = marks["x never loses"] * marks["o never loses"]
    marks["exploitability"] = exploitability(player)
    marks["agreement"] = agreement(first).share
    marks["value of the empty board"] = float(table.row_max(values.q)[ROOT])
    return marks


def _result(player: Policy, opponent: str, seat: int) -> tuple[float, float, float]:
    other = agent(opponent)
    exact = exact_outcome(*((player, other) if seat == 1 else (other, player)))
    return (exact.x_wins, exact.draws, exact.o_wins) if seat == 1 else (exact.o_wins, exact.draws, exact.x_wins)
