"""Random games, on one thread and on two, and sampled counts."""

import os
import subprocess
import sys
from statistics import median

import numpy as np
from numba.core.codegen import get_host_cpu_features

from baselines.random_games import play_uniform
from groups import peers
from groups.timing import CHILD_IMPORTS, Effort, Group, Rows, compile_row, one_core, take_turns, value_row
from ttt_fast.agents.convert import as_policy
from ttt_fast.api.speed import play_candidate
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.tabular import play_chunks
from ttt_fast.policies.policy import Policy
from ttt_fast.running.timing import Candidate
from ttt_fast.tables import table_of

STRAIGHTFORWARD = "straightforward kernel: random v random"


def random_rows(seed: int) -> Policy:
    """Return a policy whose every row is drawn at random."""
    table = table_of("tic-tac-toe")
    weights = np.random.default_rng(seed).integers(1, 1000, table.child.shape) * table.legal_action_mask
    return Policy.from_weights(table, weights, f"random rows {seed}")


def random_games(effort: Effort) -> Rows:
    """Measure who plays random games, one thread."""
    table, random = table_of("tic-tac-toe"), as_policy("random")
    games = 4_000_000
    with one_core():
        found = [
            Candidate(STRAIGHTFORWARD, "games", games, lambda: play_uniform(table, games, np.uint64(1))),
            play_candidate("ttt_fast: random v random", random, random, 1),
            play_candidate("ttt_fast: two stochastic policies", random_rows(1), random_rows(2), 1),
            play_candidate("ttt_fast: minimax v default", as_policy("minimax"), as_policy("default"), 1),
        ]
        if "pgx" in effort.peers:
            found.append(peers.pgx_random_games())
        if "open_spiel" in effort.peers:
            found.append(peers.open_spiel_rollouts())
        rows = take_turns(found, effort, STRAIGHTFORWARD)
    play = 'list(play_chunks(as_policy("random"), as_policy("random"), ContestConfig(1000)))'
    return [*rows, *both_forms(effort), compile_row(play)]


_CHILD = """
from ttt_fast.agents.convert import as_policy
from ttt_fast.play.contest import ContestConfig, contest
random = as_policy("random")
contest(random, random, ContestConfig(1_000_000), threads=1)
print(contest(random, random, ContestConfig(40_000_000), threads=1).seats[0].games_per_second)
"""


def both_forms(effort: Effort) -> Rows:
    """Measure the two forms of the kernel in turns, whichever of them this processor is given."""
    every: dict[str, list[float]] = {"": [], ",+prefer-no-gather": []}
    for _ in range(effort.repeats):
        for option, rates in every.items():
            settings = {**os.environ, "NUMBA_CPU_FEATURES": get_host_cpu_features() + option}
            words = [sys.executable, "-c", CHILD_IMPORTS + _CHILD]
            done = subprocess.run(words, capture_output=True, check=True, text=True, env=settings)
            rates.append(float(done.stdout) / 1e6)
    names = "with gathers", "with single reads"
    return [
        value_row(f"ttt_fast: random v random {name}, million games/s", median(rates), "a process for each measurement")
        for name, rates in zip(names, every.values(), strict=True)
    ]


def two_threads(effort: Effort) -> Rows:
    """Measure random games on two threads beside one."""
    random, games = as_policy("random"), 200_000_000
    one = play_candidate("ttt_fast: random v random, 1 thread", random, random, 1, games)
    two = play_candidate("ttt_fast: random v random, 2 threads", random, random, 2, games)
    return take_turns([one, two], effort, one.name)


def multinomial(effort: Effort) -> Rows:
    """Measure counts drawn along the tree."""
    random, config = as_policy("random"), ContestConfig(10**15, method="propagate")
    return take_turns(
        [Candidate("propagate 10^15 games", "calls", 1, lambda: sum(play_chunks(random, random, config)))], effort
    )


RANDOM_GAMES = Group(
    "random-games",
    "Random games, one thread",
    random_games,
    peers=("open_spiel", "pgx"),
)
TWO_THREADS = Group("two-threads", "Random games, two threads", two_threads)
MULTINOMIAL = Group("multinomial", "Multinomial counts", multinomial)
