"""Other vector environments as candidates: pgx in jitted steps, and Gymnasium's over an environment in plain Python."""

from collections.abc import Callable
from typing import Any

from groups.peers import EXACT_SCORE, one_thread_jax, pgx_kth_legal
from ttt_fast.running.timing import Candidate

PGX_NAMES = {"tic-tac-toe": "tic_tac_toe", "connect4": "connect_four"}
TOLERANCE = 0.05
"""Of the mean result: the longest games of the last steps are not over."""


def check_mean(mean: float) -> None:
    """Hold the mean result of random tic-tac-toe against the exact one."""
    assert abs(mean - EXACT_SCORE) < TOLERANCE, mean


def pgx_steps(game: str, num_games: int, num_steps: int) -> Candidate:
    """Return pgx's steps: X's action, a random reply and next-step autoreset in one jitted program a step.

    The learner moves first.  Its actions are drawn once, before anything is timed; the replies' keys are the same in
    each repeat, so that the actions stay legal.
    """
    one_thread_jax()
    import jax

    begin, step = _pgx_program(game, num_games)
    draw = jax.jit(lambda state, key: pgx_kth_legal(jax.random.uniform(key, (num_games,)), state.legal_action_mask))
    keys = list(jax.random.split(jax.random.key(1), num_steps))
    state, start, actions = begin, begin, []
    total = ended = 0.0
    for key in jax.random.split(jax.random.key(2), num_steps):
        actions.append(draw(state, key))
        state, rewards = step(state, actions[-1], keys[len(actions) - 1])
        total, ended = total + float(rewards.sum()), ended + float(state.terminated.sum())
    if game == "tic-tac-toe":
        check_mean(total / ended)

    def run() -> None:
        state = start
        for action, key in zip(actions, keys, strict=True):
            state, _ = jax.block_until_ready(step(state, action, key))

    return Candidate(f"pgx (JAX), {num_games:,} games", "steps", num_games * num_steps, run)


def _pgx_program(game: str, num_games: int) -> tuple[Any, Callable[[Any, Any, Any], tuple[Any, Any]]]:
    """Return the first states, and a jitted step that returns the next ones with the rewards of the first mover."""
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make(PGX_NAMES[game])
    keys = jax.random.split(jax.random.key(0), num_games)
    start = jax.jit(jax.vmap(env.init))(keys)
    learner, every = start.current_player, jnp.arange(num_games)
    play = jax.vmap(env.step)

    def step(state: Any, actions: Any, key: Any) -> tuple[Any, Any]:
        moved = play(state, actions)
        uniform = jax.random.uniform(key, (num_games,))
        replied = play(moved, pgx_kth_legal(uniform, moved.legal_action_mask))
        rewards = (moved.rewards + replied.rewards)[every, learner]
        over = state.terminated

        def begun(first: Any, after: Any) -> Any:
            return jnp.where(over.reshape(-1, *[1] * (after.ndim - 1)), first, after)

        return jax.tree_util.tree_map(begun, start, replied), jnp.where(over, 0.0, rewards)

    return start, jax.jit(step)
