"""The scripted rule of Connect 4 held against its plain version, position by position."""

import numpy as np
import pytest

import induced_reference as plain
from ttt_fast import AgentError, as_player, as_policy, parse_game
from ttt_fast.games import api
from ttt_fast.games.connect_four_rule import centre_first_action


@pytest.mark.parametrize(("columns", "rows"), [(7, 6), (5, 4), (4, 5), (8, 7), (6, 4), (1, 4), (2, 4)])
def test_the_rule_is_the_plain_one_in_random_games(columns, rows):
    state = parse_game(f"connect4:columns={columns},rows={rows}").initial_state
    start, board = state, plain.connect_four(columns, rows).initial
    random, positions = np.random.default_rng(columns), 0
    for _ in range(60):
        state, board = start, ((),) * columns
        while api.status(state) == api.ONGOING:
            assert centre_first_action(state) == plain.rule(board, rows), board
            action = int(random.choice(api.legal_actions(state)))
            state, board = api.play(state, action), plain.dropped(board, action, plain.mover(board))
            positions += 1
    assert positions > 60


def test_as_an_agent_it_is_a_policy_and_a_player():
    policy = as_policy("centre-first", "connect4:columns=4,rows=3")
    player = as_player("centre-first", parse_game("connect4:columns=4,rows=3"))
    for index in np.flatnonzero(policy.table.decision_mask)[::50].tolist():
        state = policy.table.state(index)
        assert policy[state][centre_first_action(state)] == 1.0
        assert player.search(state).action == centre_first_action(state)
    with pytest.raises(AgentError, match="centre-first"):
        as_policy("centre-first", "tic-tac-toe")
