"""Q-learning against random, and what exact scores, progress and checkpoints cost it."""

import tempfile
from pathlib import Path

import numpy as np

from baselines.chunks import one_chunk
from baselines.one_ply import one_ply_game
from baselines.q_learning import learn_plain
from groups.timing import Effort, Group, Rows, compile_row, one_core, take_turns, value_row
from ttt_fast.agents.convert import as_policy
from ttt_fast.algorithms.learner import chunks_of, make_learner
from ttt_fast.algorithms.tabular.q_learning import fold_replies, learn_chunks, make_workspace
from ttt_fast.report.progress import progress
from ttt_fast.running.timing import Candidate
from ttt_fast.tables import table_of
from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.curve import make_measures
from ttt_fast.training.loop import start_training, train

STRAIGHTFORWARD = "straightforward kernel: Q row scanned at every step"
BARE = "100M episodes: chunks of the kernel and nothing else"
THOUSAND = 1000


def training(effort: Effort) -> Rows:
    """Measure who learns against random as X, epsilon 0.2."""
    table, random = table_of("tic-tac-toe"), as_policy("random")
    rewards, episodes = np.array([1.0, 0.0, -1.0]), 2_000_000
    game, plain = fold_replies(random, 1), one_ply_game(random)
    workspace, q = make_workspace(game, np.zeros(game.link.size), rewards), np.zeros(table.child.shape)
    counts, stream = np.zeros(3, np.int64), np.uint64(1)
    config, short = TrainingConfig(episodes=20_000_000), TrainingConfig(episodes=1_000_000)
    numbers = (episodes, 0.1, 0.2, 1.0, stream, counts)
    chunk = one_chunk(episodes, 0.1, 0.2, stream)
    found = [
        Candidate(STRAIGHTFORWARD, "episodes", episodes, lambda: learn_plain(q, plain, 1, rewards, *numbers)),
        Candidate(
            "ttt_fast: the kernel alone",
            "episodes",
            episodes,
            lambda: learn_chunks(game, workspace, chunk, counts),
        ),
        Candidate(
            "ttt_fast: a whole run of 20M, with schedule and exact scores",
            "episodes",
            config.episodes,
            lambda: train(start_training(config), random),
        ),
        Candidate(
            "ttt_fast: a whole run of 1M, with the same",
            "episodes",
            short.episodes,
            lambda: train(start_training(short), random),
        ),
    ]
    if "open_spiel" in effort.peers:
        from groups.peers import open_spiel_q_learner

        found.append(open_spiel_q_learner())
    with one_core():
        rows = take_turns(found, effort, STRAIGHTFORWARD)
    return [*rows, compile_row("train(start_training(TrainingConfig(episodes=1000)))")]


def checkpoints(effort: Effort) -> Rows:
    """Measure a run of 100M episodes bare, with everything that goes with it, and with a thousand exact scores."""
    random, config = as_policy("random"), TrainingConfig()
    game, counts = fold_replies(random, 1), np.zeros(3, np.int64)
    often = config.replace(evaluations=THOUSAND)

    def bare() -> None:
        workspace = make_workspace(game, np.zeros(game.link.size), config.settings.rewards)
        for chunk in range(config.num_chunks):
            learn_chunks(game, workspace, chunks_of(config, chunk, chunk + 1), counts)

    def whole(wanted: TrainingConfig) -> None:
        with tempfile.TemporaryDirectory() as folder, progress(config.episodes, "episodes", "bench") as update:
            path = Path(folder) / "q.npz"
            train(start_training(wanted), random, checkpoint=path, on_chunk=lambda done, row: update(done))

    run = start_training(config)
    learner, measures = make_learner(config, [random], run.values), make_measures(config, [random])
    with one_core():
        rows = take_turns(
            [
                Candidate(BARE, "episodes", config.episodes, bare),
                Candidate(
                    "100M episodes: progress, checkpoint, 100 exact scores", "episodes", 10**8, lambda: whole(config)
                ),
                Candidate("100M episodes: the same with 1,000 exact scores", "episodes", 10**8, lambda: whole(often)),
            ],
            effort,
            BARE,
        )
        learner.run_chunks(0, 1)
        (alone,) = take_turns(
            [Candidate("one exact score, all measures", "calls", 1, lambda: measures(learner.edge_values()))], effort
        )
    share = THOUSAND / alone["per_second"] / (10**8 / rows[2]["per_second"])
    note = "a thousand times the row above, over the time of the run with them"
    return [*rows, alone, value_row("share of 1,000 exact scores in a run of 100M, percent", 100 * share, note)]


TRAINING = Group(
    "training",
    "Q-learning against random as X, one thread",
    training,
    peers=("open_spiel",),
)
CHECKPOINTS = Group("checkpoints", "What progress, checkpoints and exact scores cost", checkpoints)
