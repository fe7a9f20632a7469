"""Sai's learner: as coded, and with its defects mended one after the other, over many seeds."""

import hashlib
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.scorecard import ROUNDING
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.games import api
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.learners import GeneralLearner
from ttt_fast.learn.settings import AFTERSTATE, SELF_PLAY, Passes
from ttt_fast.learn.stores import DenseStore, nothing_learned
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import epsilon_soft_policy, greedy_policy
from ttt_fast.running.chunks import run_chunks
from ttt_fast.studies.cells import agent, ordinary_table
from ttt_fast.studies.page import Progress, runs_told
from ttt_fast.studies.sai.odds import Halves, play_halves
from ttt_fast.studies.sai.published import EPISODES, EPSILON_IN_PLAY

AS_CODED, REWARDS_MENDED, DECAY_MENDED, EXPLORATION_ENDS = (
    "as coded",
    "rewards mended",
    "rewards and decay mended",
    "and exploration ends",
)
VALUES = {"x": "policy-1 (X)", "o": "policy-2 (O)", "xo": "both"}
"""Whose values a player loads: the program writes one file a seat and plays with one of them in both seats."""

EPSILONS = (EPSILON_IN_PLAY, "0")
SKILLS = {"1": "default:skill=1", "0.01": "default:skill=0.01"}
MINIMAX = "minimax:tie=first,prefer=none"


REWARDS_AS_CODED: Passes = (((1.0, -1.0), (0.0, 0.0)), ((0.0, 0.0),), ((-1.0, 1.0),))
"""A win of X is followed by a second update, with the rewards of a draw (an `if` without its `el`)."""


def variant_config(variant: str, seed: int, episodes: int) -> TrainingConfig:
    """Return the settings of a variant of the learner, but for its rewards.

    Epsilon falls by 1e-6 a game from 0.9 to 0.3 where the decay is mended (over the first 600,000 of 5,000,000
    games, as section 4.2.1 has it; shorter runs use the same share), and to 0 at the last game where exploration
    ends.
    """
    coded = TrainingConfig(
        SELF_PLAY,
        episodes=episodes,
        seed=seed,
        algorithm=AFTERSTATE,
        step_size="0.1",
        discount=0.9,
        epsilon="cumulative:0.9,1e-6,0.3",
        tie="last",
        chunk_episodes=100_000,
    )
    epsilons = {DECAY_MENDED: f"linear:0.9,0.3,{600_000 / EPISODES}", EXPLORATION_ENDS: "linear:0.9,0"}
    return replace(coded, epsilon=epsilons.get(variant, coded.epsilon))


class AfterstateRun(NamedTuple):
    """A finished run of a variant.

    Attributes
    ----------
    config
        Its settings, but for the rewards.
    values : (S,) float64
        Value of each board for the player who has just moved; 0 for the empty board.
    visited : (S,) bool
        Boards that have been updated.
    counts : (3,) int64
        X's wins, draws and O's wins while both explored.
    seconds
        Wall time.
    """

    config: TrainingConfig
    values: NDArray[np.float64]
    visited: NDArray[np.bool_]
    counts: NDArray[np.int64]
    seconds: float

    def sha256(self) -> str:
        """Return the hash of the values: equal bits, equal hash."""
        return hashlib.sha256(self.values.tobytes()).hexdigest()

    def policy(self, name: str = "afterstates", *, seats: str = "xo", epsilon: Fraction = Fraction(0)) -> Policy:
        """Return how the values play: greedily, or at random with probability `epsilon` a move.

        `seats` says whose values it has: `xo`, or `x` or `o` as the two files of the program, which know nothing
        of the other seat's boards and play them by the tie rule.  The weights are exact.
        """
        table = ordinary_table()
        known = self.visited & np.isin(np.where(table.ply % 2 == 1, "x", "o"), list(seats))
        values = np.where(known, self.values, 0.0)[table.edge_child]
        held = np.asarray(table.row_sums(known[table.edge_child]) > 0)
        if epsilon == 0:
            return greedy_policy(table, values, name, held=held, tie=self.config.tie)
        return epsilon_soft_policy(table, values, epsilon, name, held=held, tie=self.config.tie)


def train_variant(variant: str, seed: int, episodes: int) -> AfterstateRun:
    """Train a variant to its end."""
    config = variant_config(variant, seed, episodes)
    passes = REWARDS_AS_CODED if variant == AS_CODED else None
    learner = GeneralLearner(config, [], nothing_learned(config), np.zeros(3, np.int64), passes)
    started = time.perf_counter()
    learner.run_chunks(0, config.num_chunks)
    assert isinstance(learner.store, DenseStore)
    boards = learner.store.rows
    return AfterstateRun(config, boards.first, boards.updates > 0, learner.counts, time.perf_counter() - started)


VARIANTS = (AS_CODED, REWARDS_MENDED, DECAY_MENDED, EXPLORATION_ENDS)
Key = tuple[str, str, str]
"""Values loaded, epsilon in play, opponent (a key of SKILLS, or `minimax`)."""


class Trained(NamedTuple):
    """What is kept of one run.

    Attributes
    ----------
    variant, seed, sha256, seconds, games
        Which run, the hash of its values, its wall time, and X's wins, draws and O's wins while it learned.
    matches
        Exact results of the opponent against the learner, by values loaded, epsilon and opponent.
    strength
        Exact marks of the greedy player with both seats' values.
    extremes : (2, 2) float64
        Highest and lowest value of X's boards, and of O's.
    """

    variant: str
    seed: int
    sha256: str
    seconds: float
    games: list[int]
    matches: dict[Key, Halves]
    strength: dict[str, float]
    extremes: NDArray[np.float64]


def train_variants(seeds: int, episodes: int, threads: int, on_progress: Progress | None = None) -> list[Trained]:
    """Train every variant with every seed, threads over runs; the same bits for any number of threads."""
    runs = [(variant, seed) for variant in VARIANTS for seed in range(seeds)]

    def work(index: int) -> Trained:
        variant, seed = runs[index]
        return examine(variant, train_variant(variant, seed, episodes))

    found: list[Trained] = []
    tell = runs_told(on_progress, len(runs))
    for one in run_chunks(work, 0, len(runs), threads):
        found.append(one)
        tell(len(found))
    return found


def examine(variant: str, run: AfterstateRun) -> Trained:
    """Return what is kept of a run: every match of the published tables, exactly, and how strong it is."""
    table = ordinary_table()
    opponents = {key: agent(spec) for key, spec in {**SKILLS, "minimax": MINIMAX}.items()}
    matches = {}
    for seats in VALUES:
        for epsilon in EPSILONS:
            player = run.policy(seats=seats, epsilon=Fraction(epsilon))
            for name, opponent in opponents.items():
                matches[seats, epsilon, name] = play_halves(opponent, player)
    greedy = run.policy()
    random = play_halves(greedy, agent("random"))
    strength = {
        "wins v random as X": float(random.first_begins[0]),
        "wins v random as O": float(random.second_begins[0]),
        "draws v minimax": float(matches["xo", "0", "minimax"].mean[2]),
        "never loses as X": float(never_loses(greedy, api.X)),
        "never loses as O": float(never_loses(greedy, api.O)),
        "unbeatable": float(exploitability(greedy) < ROUNDING),
        "exploitability": exploitability(greedy),
        "agreement": agreement(greedy).share,
    }
    own = [run.values[table.ply % 2 == turn] for turn in (1, 0)]
    extremes = np.array([[values.max(), values.min()] for values in own])
    return Trained(
        variant, run.config.seed, run.sha256(), run.seconds, run.counts.tolist(), matches, strength, extremes
    )


def matches_of(runs: list[Trained], variant: str, seats: str, epsilon: str, opponent: str) -> list[Halves]:
    """Return the exact results of a reading, one a seed; the opponent is the first player."""
    return [run.matches[seats, epsilon, opponent] for run in runs if run.variant == variant]


def strength_rows(runs: list[Trained]) -> list[dict[str, Any]]:
    """Return each variant's marks: mean over the seeds, and the spread of the two that matter most."""
    rows = []
    for variant in VARIANTS:
        own = [run for run in runs if run.variant == variant]
        marks = {name: np.array([run.strength[name] for run in own]) for name in own[0].strength}
        row: dict[str, Any] = {"learner": variant, "runs": len(own)}
        row |= {name: float(values.mean()) for name, values in marks.items()}
        row["sd of exploitability"] = float(marks["exploitability"].std())
        row["lowest agreement"] = float(marks["agreement"].min())
        for key in SKILLS:
            halves = np.array([run.matches["xo", "0", key].mean for run in own])
            row[f"wins v default (skill {key})"] = float(halves[:, 1].mean())
            row[f"losses v default (skill {key})"] = float(halves[:, 0].mean())
        rows.append(row)
    return rows
