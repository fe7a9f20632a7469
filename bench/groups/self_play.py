"""Q-learning and double Q-learning in self-play beside straightforward kernels, and what their time goes to.

The profile is made by leaving things out: the walk alone (`walk`), the kernel with a step size of 0, which makes all
updates but changes no ranking of actions, and the kernel as it is.
"""

from collections.abc import Callable, Iterator

import numpy as np

from baselines.chunks import gap_slots, one_chunk
from baselines.self_play import learn_plain, learn_plain_double, plain_game
from groups.timing import Effort, Group, Rows, compile_row, one_core, take_turns, value_row
from groups.walk import walk
from ttt_fast.algorithms.tabular.self_play import (
    SelfPlayWorkspace,
    learn_self_play,
    self_play_game,
    self_play_workspace,
)
from ttt_fast.core.rng import chunk_stream
from ttt_fast.running.timing import Candidate
from ttt_fast.tables import table_of

EPSILONS = (0.05, 0.1, 0.2)
EPISODES, STEP_SIZE = 1_000_000, 0.1
REWARDS = np.array([[1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]])


def self_play(effort: Effort, tables: int) -> Rows:
    """Measure the fast kernel at each epsilon beside the straightforward one, and its parts."""
    rows: Rows = []
    with one_core():
        for epsilon in EPSILONS:
            straightforward = f"straightforward kernel, epsilon {epsilon}"
            found = [Candidate(straightforward, "episodes", EPISODES, _plain(tables, epsilon))]
            found += [
                Candidate(f"{name}, epsilon {epsilon}", "episodes", EPISODES, run)
                for name, run in _fast(tables, epsilon).items()
            ]
            rows += take_turns(found, effort, straightforward)
            rows += _profile(rows[-3:], epsilon)
    algorithm = "q" if tables == 1 else "double-q"
    return [
        *rows,
        compile_row(f'train(start_training(TrainingConfig("self", algorithm="{algorithm}", episodes=1000)))'),
    ]


def _plain(tables: int, epsilon: float) -> Callable[[], object]:
    table = table_of("tic-tac-toe")
    game, q = plain_game(table), np.zeros((tables, *table.child.shape))
    rewards, slots, counts = REWARDS[:, [0, 1, 2]].copy(), gap_slots(epsilon), np.zeros(3, np.int64)
    learn = learn_plain if tables == 1 else learn_plain_double
    streams = _streams()

    def run() -> None:
        learn(q, game, rewards, slots, False, EPISODES, STEP_SIZE, 1.0, next(streams), counts)

    return run


def _fast(tables: int, epsilon: float) -> dict[str, Callable[[], object]]:
    """Return the kernel, the kernel with nothing to rank again, and the walk, each with a trained table."""
    game = self_play_game(table_of("tic-tac-toe"))
    counts, slots = np.zeros(3, np.int64), gap_slots(epsilon)
    q, visited = np.zeros((tables, game.link.size)), np.zeros(game.link.size, np.bool_)
    live, still = (self_play_workspace(game, q, visited, REWARDS[0]) for _ in range(2))

    def learn(space: SelfPlayWorkspace, step_size: float, stream: np.uint64) -> None:
        learn_self_play(game, space, one_chunk(EPISODES, step_size, epsilon, stream), counts)

    learn(still, STEP_SIZE, chunk_stream(1, 1))
    first_result = np.uint64(game.first_result)
    streams, streams_of_still, streams_of_walk = _streams(), _streams(), _streams()
    return {
        "ttt_fast": lambda: learn(live, STEP_SIZE, next(streams)),
        "part: updates that change no ranking (step size 0)": lambda: learn(still, 0.0, next(streams_of_still)),
        "part: the walk alone, without updates": lambda: walk(
            still.head, game.link, first_result, slots, EPISODES, next(streams_of_walk), counts
        ),
    }


def _streams() -> Iterator[np.uint64]:
    """Yield new streams: the same draws again would be learned by the processor."""
    number = 0
    while True:
        yield chunk_stream(0, number)
        number += 1


def _profile(rows: Rows, epsilon: float) -> Rows:
    """Return nanoseconds an episode that the parts take, from the rates of all, updates and walk."""
    whole, updates, walked = (1e9 / row["per_second"] for row in rows)
    return [
        value_row(f"walking, ns an episode, epsilon {epsilon}", walked, "choose, explore, step"),
        value_row(f"updating, ns an episode, epsilon {epsilon}", updates - walked, "targets, values, bounds"),
        value_row(f"ranking again, ns an episode, epsilon {epsilon}", whole - updates, "what step size 0 leaves out"),
    ]


SINGLE = Group("self-play", "Self-play with Q-learning, one thread", lambda effort: self_play(effort, 1))
DOUBLE = Group(
    "self-play-double",
    "Self-play with double Q-learning, one thread",
    lambda effort: self_play(effort, 2),
)
