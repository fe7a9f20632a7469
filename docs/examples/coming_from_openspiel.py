"""The calls of OpenSpiel and those of ttt_fast beside each other; docs/COMING_FROM.md has them as a table."""

import ttt_fast


def theirs():
    """Run the calls of OpenSpiel."""
    import random

    import numpy as np
    import pyspiel
    from open_spiel.python import policy
    from open_spiel.python.algorithms import (
        best_response,
        evaluate_bots,
        expected_game_score,
        exploitability,
        mcts,
        minimax,
    )
    from open_spiel.python.bots import uniform_random

    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()
    assert state.legal_actions() == list(range(9)) and state.current_player() == 0
    state.apply_action(4)
    print(state)
    assert str(state).split() == ["...", ".x.", "..."] and state.current_player() == 1
    assert len(state.observation_tensor()) == 27
    assert state.action_to_string(0) == "o(0,0)" and state.string_to_action("o(0,0)") == 0
    assert str(state.child(0)) == str(game.new_initial_state().child(4).child(0))
    for action in (0, 1, 5, 2, 6, 7):
        assert not state.is_terminal()
        state.apply_action(action)
    assert state.is_terminal() and state.returns() == [1.0, -1.0] and state.current_player() < 0

    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))

    small = pyspiel.load_game("connect_four(rows=3,columns=3,x_in_row=3)")
    first, tabular = small.new_initial_state(), policy.TabularPolicy(small)
    assert minimax.alpha_beta_search(small)[0] == 0
    assert [round(chance, 6) for chance in tabular.action_probabilities(first).values()] == [0.333333] * 3
    assert round(exploitability.exploitability(small, tabular), 6) == 0.895062
    both = exploitability.nash_conv(small, tabular)
    gained = [best_response.BestResponsePolicy(small, 0, tabular), best_response.BestResponsePolicy(small, 1, tabular)]
    assert abs(sum(one.value(first) for one in gained) - both) < 1e-12

    rng, start = np.random.RandomState(1), game.new_initial_state()
    uniform = policy.UniformRandomPolicy(game)
    assert round(expected_game_score.policy_value(start, [uniform, uniform])[0], 6) == 0.296825
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(game, 2.0, 100, evaluator, random_state=rng)
    assert bot.step(start) in start.legal_actions()
    other = uniform_random.UniformRandomBot(1, rng)
    assert sum(evaluate_bots.evaluate_bots(start, [bot, other], rng)) == 0


def ours():
    """Run the calls of ttt_fast."""
    game = ttt_fast.parse_game("tic-tac-toe")
    state = game.initial_state
    assert game.legal_actions(state) == list(range(9)) and game.player(state) == ttt_fast.Seat.X == 1
    state = game.play(state, 4)
    print(state)
    assert str(state).split() == ["...", ".X.", "..."] and game.player(state) == ttt_fast.Seat.O
    assert game.observe(state).shape == (2, 3, 3) and game.observe(state)[1, 1, 1] == 1  # X is the other player now
    assert game.format_moves([0]) == "0" and game.parse_moves("0", state) == [0]
    assert game.play(state, 0) == game.state_after("40") == game.parse_position("O...X....")
    state = game.state_after("40152")
    is_over = game.status(state) != ttt_fast.Status.ONGOING
    assert not is_over
    state = game.play(state, 6)
    state = game.play(state, 7)
    assert (
        game.status(state) == ttt_fast.Status.X_WINS and game.player(state) is None and game.legal_actions(state) == []
    )

    played = ttt_fast.play_game("random", "random", game, seed=1)
    assert played.result in ("x", "draw", "o") and len(played) <= 9
    counted = ttt_fast.contest("random", "random", 100_000).rows[0]
    assert abs(counted["x_wins"] / 100_000 - 0.585) < 0.01
    assert round(ttt_fast.exact_outcome("random", "random").value, 6) == 0.296825

    small = ttt_fast.parse_game("connect4:columns=3,rows=3,length=3")
    table, first = ttt_fast.table_of(small), small.initial_state
    assert ttt_fast.solution_of(table).value[0] == 0
    uniform = ttt_fast.as_policy("random", small)
    assert uniform[first] == {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}
    assert round(ttt_fast.exploitability(uniform), 6) == 0.895062
    nash_conv = 2 * ttt_fast.exploitability(uniform)
    best = ttt_fast.best_response(uniform)
    gained = ttt_fast.exact_outcome(best, uniform).value - ttt_fast.exact_outcome(uniform, best).value
    assert abs(gained - nash_conv) < 1e-12

    bot, start = ttt_fast.as_player("mcts:sims=100", game), game.initial_state
    assert bot.search(start).action in game.legal_actions(start)
    assert ttt_fast.contest("mcts:sims=100", "random", 20).summary[0]["score"] > 0.5
    assert ttt_fast.perft(game, 5) == 15_120


if __name__ == "__main__":
    theirs()
    ours()
