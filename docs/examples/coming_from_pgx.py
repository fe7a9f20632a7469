"""The calls of pgx and those of ttt_fast beside each other; docs/COMING_FROM.md has them as a table."""

import ttt_fast


def theirs():
    """Run the calls of pgx."""
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make("tic_tac_toe")
    key = jax.random.PRNGKey(1)
    state = env.init(key)
    assert env.num_actions == 9 and state.legal_action_mask.all() and state.current_player in (0, 1)
    taken = env.step(state, 4)
    assert taken.current_player == 1 - state.current_player and state.observation.shape == (3, 3, 2)
    assert taken.observation[1, 1, 1]  # the mark of the other player, as in ours
    wrong = env.step(taken, 4)
    assert wrong.terminated and wrong.rewards[taken.current_player] == -1
    assert state.to_svg().startswith("<")

    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    states = init(jax.random.split(key, 1000))
    assert states.observation.shape == (1000, 3, 3, 2)
    for _ in range(9):
        key, subkey = jax.random.split(key)
        actions = jax.random.categorical(subkey, jnp.log(states.legal_action_mask.astype(jnp.float32)), axis=1)
        states = step(states, actions)
    assert states.terminated.all() and not state.terminated and (state.rewards == 0).all()


def ours():
    """Run the calls of ttt_fast."""
    game = ttt_fast.parse_game("tic-tac-toe")
    table = ttt_fast.table_of(game)
    state = game.initial_state
    assert game.num_actions == 9 and table.legal_action_mask.shape == (5478, 9)
    assert table.legal_action_mask[table.index_of(state)].all() and game.legal_actions(state) == list(range(9))
    taken = game.play(state, 4)
    assert game.player(state) == ttt_fast.Seat.X and game.player(taken) == ttt_fast.Seat.O
    assert game.observe(state).shape == (2, 3, 3) and game.observe(taken)[1, 1, 1]
    try:
        game.play(taken, 4)
    except ttt_fast.BoardError as error:
        print(error)
    else:
        raise AssertionError
    print(state)
    assert game.svg(state).startswith("<svg")

    uniform = ttt_fast.as_policy("random", game)
    while game.status(state) == ttt_fast.Status.ONGOING:
        state = game.play(state, uniform.sample(state, seed=1))
    assert game.status(state) != ttt_fast.Status.ONGOING and game.legal_actions(state) == []
    counted = ttt_fast.contest("random", "random", 100_000).rows[0]
    assert abs(counted["x_wins"] / 100_000 - 0.585) < 0.01

    meter = ttt_fast.Meter("tic-tac-toe", seat="x", opponent="random")
    assert meter.observations.shape == (2423, 2, 3, 3) and meter.legal_action_mask.shape == (2423, 9)
    environment = ttt_fast.Environment("tic-tac-toe", seat="x", opponent="random", seed=1)
    state, is_over = environment.reset(), False
    while not is_over:
        action = environment.legal_actions[0]
        state, reward, is_over = environment.step(action)
    assert reward in (-1, 0, 1)

    assert round(ttt_fast.exploitability(uniform), 6) == 0.95983
    assert ttt_fast.exact_outcome(ttt_fast.best_response(uniform), uniform).value > 0.99
    assert ttt_fast.as_player("mcts:sims=100", game).search(game.state_after("40")).action in range(9)
    assert ttt_fast.perft(game, 3) == 9 * 8 * 7


if __name__ == "__main__":
    theirs()
    ours()
