"""Self-play by search with a network: simulations a second on tables, beside mctx with pgx and a loop in Python."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from groups.peers import one_thread_jax
from groups.timing import Effort, Group, Rows, one_core, seconds_row, take_turns
from ttt_fast import TrainingConfig, as_policy, table_of, train
from ttt_fast.algorithms.alphazero.learner import AlphaZeroLearner, init_network
from ttt_fast.running.timing import Candidate, timed
from ttt_fast.studies.alphazero.measures import arms
from ttt_fast.studies.engine.work import Runner

GAMES, SIMULATIONS, ITERATIONS = 100, 50, 20
"""Games of an iteration and simulations before a move, the defaults on tic-tac-toe; iterations beforehand."""
SIZES = (18, 64, 64, 10)
LARGE = "connect4:columns=4,rows=4"


def learner_of(game: str) -> AlphaZeroLearner:
    """Return a learner by default after some iterations, whose games are no longer random."""
    config = TrainingConfig(algorithm="alphazero", game=game)
    learner = AlphaZeroLearner(config, [], init_network(config), np.zeros(3, np.int64))
    learner.run_chunks(0, ITERATIONS)
    return learner


def plain_self_play() -> Candidate:
    """Return some games of the plain program, docs/examples/alphazero.py, without its network."""
    spec: dict[str, Any] = {"__name__": "alphazero"}
    exec((Path(__file__).parents[2] / "docs" / "examples" / "alphazero.py").read_text(), spec)
    table = table_of("tic-tac-toe")
    generator = np.random.default_rng(0)
    priors, values = table.dense(as_policy("random").edge_probabilities), generator.uniform(-1, 1, table.num_states)
    moves = len(spec["play"](table, priors, values, SIMULATIONS, np.random.default_rng(1)))

    def run() -> None:
        spec["play"](table, priors, values, SIMULATIONS, np.random.default_rng(1))

    name = "straightforward: a game by a loop in Python, without the network"
    return Candidate(name, "simulations", moves * SIMULATIONS, run)


def self_play(game: str) -> list[Candidate]:
    """Return the games of an iteration, with the pass of the network over all states, and without it."""
    learner = learner_of(game)
    before = int(learner.state["progress"][0])
    learner.play(ITERATIONS)
    count = int(learner.state["progress"][0]) - before

    def run() -> None:
        learner.evaluate()
        learner.play(ITERATIONS)

    return [
        Candidate(f"ttt_fast: self-play on {game}, the network included", "simulations", count, run),
        Candidate(f"ttt_fast: {game}, the search alone", "simulations", count, partial(learner.play, ITERATIONS)),
    ]


def mctx_self_play() -> Candidate:
    """Return the same number of games side by side by mctx, with pgx's tic-tac-toe and a network of equal size."""
    one_thread_jax()
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    env: Any = pgx.make("tic_tac_toe")
    keys = jax.random.split(jax.random.PRNGKey(0), len(SIZES))
    params = [
        (jax.random.uniform(key, (given, made), minval=-1, maxval=1) / given**0.5, jnp.zeros(made))
        for key, given, made in zip(keys, SIZES[:-1], SIZES[1:], strict=False)
    ]

    def network(state: Any) -> tuple[Any, Any]:
        x = state.observation.reshape(state.observation.shape[0], -1).astype(jnp.float32)
        for weights, biases in params[:-1]:
            x = jax.nn.relu(x @ weights + biases)
        outputs = x @ params[-1][0] + params[-1][1]
        return jnp.where(state.legal_action_mask, outputs[:, :-1], -1e9), outputs[:, -1]

    step = jax.vmap(env.step)

    def recurrent(_: Any, key: Any, action: Any, state: Any) -> tuple[Any, Any]:
        mover = state.current_player
        after = step(state, action)
        logits, value = network(after)
        reward = after.rewards[jnp.arange(after.rewards.shape[0]), mover]
        value, discount = jnp.where(after.terminated, 0.0, value), jnp.where(after.terminated, 0.0, -1.0)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), after

    def move(state: Any, key: Any) -> tuple[Any, Any]:
        logits, value = network(state)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        found = mctx.muzero_policy(
            params=None, rng_key=key, root=root, recurrent_fn=recurrent, num_simulations=SIMULATIONS,
            invalid_actions=~state.legal_action_mask, dirichlet_fraction=0.25, dirichlet_alpha=1.0,
        )  # fmt: skip
        return step(state, found.action), ~state.terminated

    def games(key: Any) -> Any:
        start = jax.vmap(env.init)(jax.random.split(key, GAMES))
        _, ongoing = jax.lax.scan(move, start, jax.random.split(key, 9))
        return ongoing.sum()

    program = jax.jit(games)
    moves = int(program(jax.random.PRNGKey(1)))

    def run() -> None:
        jax.block_until_ready(program(jax.random.PRNGKey(1)))

    return Candidate("mctx with pgx, jitted, batch of 100 games", "simulations", moves * SIMULATIONS, run)


def alphazero(effort: Effort) -> Rows:
    """Measure self-play on one core."""
    with one_core():
        candidates = [
            plain_self_play(),
            *self_play("tic-tac-toe"),
            *self_play(LARGE),
            *([mctx_self_play()] if "mctx" in effort.peers else []),
        ]
        rows = take_turns(candidates, effort, candidates[0].name)
        for arm in arms(Runner(Path("runs"), quick=False, threads=1), "beside"):
            config, short = arm.config(0), {**arm.settings, "episodes": 1000, "evaluations": 1}
            train(arm._replace(settings=short).config(0))  # loads the kernels
            seconds = timed(partial(train, config))
            what = f"a run of the study: {arm.algorithm}, {arm.game}"
            rows.append(seconds_row(what, seconds, f"{config.episodes:,} games, with their exact curve"))
        return rows


ALPHAZERO = Group("alphazero", "Self-play by search with a network, one core", alphazero, peers=("mctx",))
