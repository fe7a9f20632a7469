"""Other programs that do what ttt_fast does, as candidates for the benchmark."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from importlib import metadata
from typing import Any

from ttt_fast.running.timing import Candidate

ROLLOUTS, EPISODES = 200_000, 200
PGX_GAMES, PGX_BATCH = 1 << 17, 2048
EXACT_SCORE = 0.296825  # X's wins minus losses, uniform v uniform: each peer is checked against it


PACKAGES = {
    "open_spiel": ("open_spiel",),
    "pgx": ("pgx", "jax"),
    "jax": ("jax",),
    "mctx": ("mctx", "pgx", "jax"),
    "torch": ("torch",),
    "bitbully": ("bitbully",),
}
"""The peers, and the packages that each of them needs."""


def installed() -> frozenset[str]:
    """Return the peers whose packages are all there."""
    return frozenset(peer for peer in PACKAGES if _has_packages(peer))


def versions(peers: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages of some peers, which are there."""
    return {package: metadata.version(package) for peer in peers for package in PACKAGES[peer]}


def _has_packages(peer: str) -> bool:
    try:
        versions([peer])
    except metadata.PackageNotFoundError:
        return False
    return True


def open_spiel_rollouts() -> Candidate:
    """Uniform random games in one C++ call: the fastest loop that OpenSpiel offers to Python.

    `MCTSBot.mcts_search` with a single simulation calls `RandomRolloutEvaluator` once, on the root itself.
    """
    import pyspiel

    game = pyspiel.load_game("tic_tac_toe")
    root = game.new_initial_state()

    def run() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1000, False, 7, False)
        mean = float(bot.mcts_search(root).total_reward)
        assert abs(mean - EXACT_SCORE) < 0.02, mean

    return Candidate("OpenSpiel C++ rollouts", "games", ROLLOUTS, run)


def open_spiel_expected_returns() -> Candidate:
    """Exact value of uniform v uniform in C++; it walks the tree of 549,946 histories."""
    import pyspiel

    root = pyspiel.load_game("tic_tac_toe").new_initial_state()
    uniform = pyspiel.UniformPolicy()
    run = partial(pyspiel.expected_returns, root, [uniform, uniform], -1, False)
    return Candidate("OpenSpiel C++ expected_returns", "calls", 1, run)


def open_spiel_best_response() -> Candidate:
    """Value of the best response to uniform in C++, its tree already built."""
    import pyspiel

    game = pyspiel.load_game("tic_tac_toe")
    table = pyspiel.UniformRandomPolicy(game)
    best = pyspiel.TabularBestResponse(game, 0, table)
    root = game.new_initial_state()

    def run() -> None:
        best.set_policy(table)
        best.value_from_state(root)

    return Candidate("OpenSpiel C++ TabularBestResponse", "calls", 1, run)


def open_spiel_solve() -> Candidate:
    """Minimax values of all states, by OpenSpiel's solver."""
    from open_spiel.python.algorithms.minimax_solver import MinimaxSolver

    return Candidate("OpenSpiel MinimaxSolver", "calls", 1, lambda: MinimaxSolver("tic_tac_toe").solve())


def open_spiel_q_learner() -> Candidate:
    """Train OpenSpiel's tabular QLearner as X against its random agent."""
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import random_agent, tabular_qlearner

    environment = rl_environment.Environment("tic_tac_toe")
    agents = [tabular_qlearner.QLearner(0, 9), random_agent.RandomAgent(1, 9)]

    def run() -> None:
        for _ in range(EPISODES):
            step = environment.reset()
            while not step.last():
                player = step.observations["current_player"]
                step = environment.step([agents[player].step(step).action])
            for agent in agents:
                agent.step(step)

    return Candidate("OpenSpiel Python QLearner", "episodes", EPISODES, run)


def one_thread_jax() -> None:
    """Keep JAX on one thread of the processor; before its first import."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")


def pgx_random_games() -> Candidate:
    """Uniform random games with pgx on the CPU: nine plies, a tally and a scan over batches in one jitted program.

    A batch's uniforms are drawn at once and the k-th legal cell taken, the fastest of seven ways to pick that
    were tried (`jax.random.categorical` has a third of its rate); 2,048 is the best batch on one core.
    """
    one_thread_jax()
    import jax
    import jax.numpy as jnp

    play = _pgx_program()
    key = jax.random.key(0)

    def run() -> None:
        nonlocal key
        key, part = jax.random.split(key)
        o, draws, x = jax.block_until_ready(play(part)).tolist()
        assert abs((x - o) / (o + draws + x) - EXACT_SCORE) < 0.02
        assert jnp.isfinite(x)

    return Candidate("pgx (JAX), best batch on the CPU", "games", PGX_GAMES, run)


def pgx_kth_legal(uniform: Any, mask: Any) -> Any:
    """Return a random legal action of each game of a batch: `uniform` (B,) in [0, 1), `mask` (B, A)."""
    import jax.numpy as jnp

    legal = mask.sum(-1)
    k = jnp.minimum((uniform * legal).astype(jnp.int32), legal - 1)
    seen = action = jnp.zeros_like(k)
    for cell in range(mask.shape[-1]):
        seen = seen + mask[:, cell]
        action = action + (seen <= k)
    return action


def _pgx_program() -> Callable[[Any], Any]:
    """Return a jitted `key -> [O wins, draws, X wins]` over PGX_GAMES games."""
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make("tic_tac_toe")
    step = jax.vmap(env.step)

    def play(start: Any, key: Any) -> Any:
        draws = jax.random.uniform(key, (9, PGX_BATCH))

        def ply(i: Any, carry: Any) -> Any:
            state, total = carry
            state = step(state, pgx_kth_legal(draws[i], state.legal_action_mask))
            return state, total + state.rewards

        _, total = jax.lax.fori_loop(0, 9, ply, (start, jnp.zeros((PGX_BATCH, 2))))
        x = jnp.take_along_axis(total, start.current_player[:, None], 1)[:, 0]
        return jnp.stack([(x < 0).sum(), (x == 0).sum(), (x > 0).sum()])

    def run(key: Any) -> Any:
        reset_key, key = jax.random.split(key)
        start = jax.vmap(env.init)(jax.random.split(reset_key, PGX_BATCH))
        keys = jax.random.split(key, PGX_GAMES // PGX_BATCH)
        return jax.lax.scan(lambda counts, k: (counts + play(start, k), None), jnp.zeros(3, int), keys)[0]

    return jax.jit(run)
