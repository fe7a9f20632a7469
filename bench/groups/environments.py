"""Steps of thousands of games as a learner takes them: vector environments, ours and those of others, one thread.

A step is the learner's action as X, a random reply, and a new game where the last one has ended (next-step autoreset).
Actions are legal ones at random.  They are drawn before anything is timed, and each repeat plays them again from the
same seed, so that choosing costs no candidate anything; one row has it counted.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groups.environment_peers import check_mean, pgx_steps
from groups.timing import Effort, Group, Rows, compile_row, one_core, take_turns
from ttt_fast.learn.batch import GameBatch
from ttt_fast.running.timing import Candidate

GAMES, STEPS = 4096, 64
PLAIN_GAMES = 64
IMPORTS = "from ttt_fast.learn.batch import GameBatch"
GYMNASIUM = f"Gymnasium SyncVectorEnv over plain Python, {PLAIN_GAMES} games"


def random_legal(generator: np.random.Generator, mask: NDArray[Any]) -> NDArray[np.int64]:
    """Return a random legal action of each game, (B,), by a mask (B, A); 0 where none is legal."""
    return np.argmax(generator.random(mask.shape, np.float32) * mask, axis=1)


def _walked(envs: Any, steps: int, take: Callable[[Any], None]) -> float:
    """Step a vector environment at random from its seed, hand on the actions; return the mean result of a game."""
    generator, total, games = np.random.default_rng(2), 0.0, 0
    _, infos = envs.reset(seed=1)
    for _ in range(steps):
        actions = random_legal(generator, infos["action_mask"])
        take(actions)
        _, rewards, over, _, infos = envs.step(actions)
        total, games = total + float(rewards.sum()), games + int(over.sum())
    return total / games


def nobody(actions: NDArray[np.int64]) -> None:
    """Keep no actions."""


def recorded(envs: Any, steps: int) -> list[NDArray[np.int64]]:
    """Return the actions of some steps at random from the seed 1."""
    found: list[NDArray[np.int64]] = []
    _walked(envs, steps, found.append)
    return found


def replayed(name: str, envs: Any, actions: list[NDArray[np.int64]]) -> Candidate:
    """Return the candidate that takes recorded steps again."""

    def run() -> None:
        envs.reset(seed=1)
        for one in actions:
            envs.step(one)

    return Candidate(name, "steps", len(actions) * actions[0].size, run)


def ours(game: str, with_choice: bool) -> list[Candidate]:
    """Return our candidates: through Gymnasium's interface with arrays of its own and without, and the bare batch."""
    from ttt_fast.adapters.gymnasium_games import GameVectorEnv

    make = partial(GameVectorEnv, GAMES, game=game)
    if game == "tic-tac-toe":
        check_mean(_walked(make(), STEPS, nobody))
    actions, batch, name = recorded(make(), STEPS), GameBatch(game, num_games=GAMES), f"ttt_fast: {GAMES:,} games"
    found = [
        replayed(f"{name}, VectorEnv", make(), actions),
        replayed(f"{name}, VectorEnv with copy=False", make(copy=False), actions),
        replayed(f"{name}, the batch alone", batch, actions),
    ]
    if with_choice:
        walk = partial(_walked, make(copy=False), STEPS, nobody)
        chosen = f"{name}, copy=False, NumPy's choice of actions counted"
        found.append(Candidate(chosen, "steps", GAMES * STEPS, walk))
    return found


def plain_gymnasium() -> Candidate:
    """Return Gymnasium's vector environment over games in plain Python."""
    from gymnasium.vector import SyncVectorEnv

    from baselines.environment import PlainTicTacToe

    envs = SyncVectorEnv([PlainTicTacToe] * PLAIN_GAMES)
    check_mean(_walked(envs, 16 * STEPS, nobody))
    return replayed(GYMNASIUM, envs, recorded(envs, STEPS))


def _rows_of(game: str, name: str, effort: Effort) -> Rows:
    found = ours(game, with_choice=game == "tic-tac-toe")
    if "pgx" in effort.peers:
        found.append(pgx_steps(game, GAMES, STEPS))
    if game == "tic-tac-toe":
        found.append(plain_gymnasium())
    named = [one._replace(name=f"{one.name}: {name}") for one in found]
    return take_turns(named, effort, named[-1].name)


def environments(effort: Effort) -> Rows:
    """Measure steps of tic-tac-toe and Connect 4 beside pgx and Gymnasium; nothing without Gymnasium."""
    if "gymnasium" not in effort.peers:
        return []
    with one_core():
        rows = [*_rows_of("tic-tac-toe", "tic-tac-toe", effort), *_rows_of("connect4", "Connect 4", effort)]
    make = "GameBatch('{}', num_games=4).reset(1)"
    compiling = [
        compile_row(make.format(game), f"compiling the steps of {name}, once", imports=IMPORTS)
        for game, name in (("tic-tac-toe", "tic-tac-toe"), ("connect4", "Connect 4"))
    ]
    return [*rows, *compiling]


ENVIRONMENTS = Group(
    "environments",
    "Vector environments: the learner is X against random, one thread",
    environments,
    peers=("gymnasium", "pgx"),
)
