"""Hensler's self-play, run by run, with the exact strength of both agents on the way and at the end."""

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.learn.general import Tables, learn_general
from ttt_fast.learn.learners import GeneralLearner, nothing_learned
from ttt_fast.learn.training import make_measures
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import epsilon_soft_policy, greedy_policy
from ttt_fast.studies.cells import agent, ordinary_table
from ttt_fast.studies.hensler.plan import CHUNK, EPISODES, FLOOR, PRINT_EVERY, PUBLISHED, Job, config_of
from ttt_fast.studies.hensler.published import RESULTS


class Run(NamedTuple):
    """What is kept of a run: X's states at each print, the curve by chunk, the marks at the published end."""

    job: Job
    sizes: list[int]
    curve: dict[str, NDArray[np.float64]]
    marks: dict[str, float]


def train_job(job: Job) -> Run:
    """Train, and measure on the way."""
    config = config_of(job)
    learner = GeneralLearner(config, [], nothing_learned(config))
    measures = make_measures(replace(config, seed=0), ())
    greedy = measures.first_greedy()
    measured, sizes, marks = [], [], {}
    for chunk in range(config.num_chunks):
        if job.variant == PUBLISHED and chunk * CHUNK < EPISODES and chunk * CHUNK % PRINT_EVERY == 0:
            sizes.append(_size_after_one_more(learner, chunk))
        learner.run_chunk(chunk)
        measured.append(measures(learner.edge_values(), greedy))
        if config.episodes_after(chunk + 1) == (EPISODES if job.variant == PUBLISHED else job.episodes):
            marks = marks_of(learner)
    curve = dict(zip(measures.columns, np.array(measured).T, strict=True))
    return Run(job, sizes, curve, marks)


def _size_after_one_more(learner: GeneralLearner, chunk: int) -> int:
    """Return X's states after one more episode: the program prints after episode i, which is the (i + 1)-th."""
    config, now = learner.config, learner.learned()
    tables = Tables(now.tables[0], np.zeros_like(now.tables[0]), now.updates)
    first = config.episodes_after(chunk)
    alpha, epsilon = (one.values(first, 1, config.episodes) for one in (config.step_sizes, config.epsilons))
    stream, counts = chunk_stream(config.seed, chunk), np.zeros(3, np.int64)
    learn_general(
        tables, learner.games[0], learner.switches, config.rewards, first, alpha, epsilon, stream, counts
    )  # fmt: skip
    return int(np.count_nonzero(tables.updates[ordinary_table().player == 1].any(axis=1)))


def marks_of(learner: GeneralLearner) -> dict[str, float]:
    """Return the exact strength of both agents: greedy, ties drawn as in the program; and as saved, exploring."""
    table, now = ordinary_table(), learner.learned()
    held: NDArray[np.bool_] = np.any(now.updates, axis=1)
    player = greedy_policy(table, now.tables[0], held=held, tie="uniform")
    first = greedy_policy(table, now.tables[0], held=held)
    saved = epsilon_soft_policy(table, now.tables[0], Fraction(str(FLOOR)), held=held, tie="uniform")
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
    marks["value of the empty board"] = float(now.tables[0][0].max())
    return marks


def _result(player: Policy, opponent: str, seat: int) -> tuple[float, float, float]:
    other = agent(opponent)
    exact = exact_outcome(*((player, other) if seat == 1 else (other, player)))
    return (exact.x_wins, exact.draws, exact.o_wins) if seat == 1 else (exact.o_wins, exact.draws, exact.x_wins)
