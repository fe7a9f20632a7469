"""Seed 001's learner: as coded, and with its defects mended one after the other, over many seeds."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.scorecard import ROUNDING
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.learn.afterstate import REWARDS_AS_PUBLISHED, AfterstateConfig, AfterstateRun, train_afterstates
from ttt_fast.matchup.chunks import run_chunks
from ttt_fast.studies.cells import agent
from ttt_fast.studies.page import Progress, runs_told
from ttt_fast.studies.sai.odds import Halves, play_halves
from ttt_fast.studies.sai.published import EPISODES, EPSILON_IN_PLAY
from ttt_fast.tables import standard_table

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


def variant_config(variant: str, seed: int, episodes: int) -> AfterstateConfig:
    """Return the settings of a variant of the learner.

    Epsilon falls by 1e-6 a game from 0.9 to 0.3 where the decay is mended (over the first 600,000 of 5,000,000
    games, as section 4.2.1 has it; shorter runs use the same share), and to 0 at the last game where exploration
    ends.
    """
    share = 600_000 / EPISODES
    mended = replace(AfterstateConfig(episodes=episodes, seed=seed), epsilon=f"linear:0.9,0.3,{share}")
    return {
        AS_CODED: AfterstateConfig(episodes=episodes, seed=seed, rewards=REWARDS_AS_PUBLISHED),
        REWARDS_MENDED: AfterstateConfig(episodes=episodes, seed=seed),
        DECAY_MENDED: mended,
        EXPLORATION_ENDS: replace(mended, epsilon="linear:0.9,0"),
    }[variant]


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
        return examine(variant, train_afterstates(variant_config(variant, seed, episodes)))

    found: list[Trained] = []
    tell = runs_told(on_progress, len(runs))
    for one in run_chunks(work, 0, len(runs), threads):
        found.append(one)
        tell(len(found))
    return found


def examine(variant: str, run: AfterstateRun) -> Trained:
    """Return what is kept of a run: every match of the published tables, exactly, and how strong it is."""
    table = standard_table()
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
        "never loses as X": float(never_loses(greedy, rules.X)),
        "never loses as O": float(never_loses(greedy, rules.O)),
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
