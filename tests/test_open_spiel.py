"""The tables and the evaluation against OpenSpiel's tic_tac_toe."""

import numpy as np
import pytest

from open_spiel_oracle import oracle_states
from ttt_fast import exact_outcome, exploitability
from ttt_fast.evaluate.strength import nash_conv
from ttt_fast.games import api

RETURNS = {(1, -1): api.X_WINS, (-1, 1): api.O_WINS, (0, 0): api.DRAW}
# pyspiel.nash_conv and pyspiel.exploitability of the uniform policy (2.0.2)
UNIFORM_NASH_CONV, UNIFORM_EXPLOITABILITY = 1.9196593915343914, 0.9598296957671957


@pytest.fixture(scope="module")
def oracle():
    return list(oracle_states())


def test_the_same_5478_boards(table, oracle):
    assert len(oracle) == 5478
    assert {one.board for one in oracle} == {table.board(state) for state in range(table.num_states)}


def test_players_legal_moves_and_returns(table, oracle):
    for one in oracle:
        state = table.state_index(one.board)
        assert tuple(table.legal_action_mask[state].nonzero()[0].tolist()) == one.legal
        assert table.player[state] == {0: api.X, 1: api.O, -4: 0}[one.player]
        status = RETURNS[one.returns] if one.is_terminal else api.ONGOING
        assert table.status[state] == status


def test_values_and_best_moves(table, solution, oracle):
    optimal = table.dense(solution.optimal)
    for one in oracle:
        state = table.state_index(one.board)
        assert solution.value[state] == one.value
        assert set(optimal[state].nonzero()[0].tolist()) == one.optimal


def test_children(table):
    """One game of every opening, in OpenSpiel's own steps."""
    import pyspiel

    from open_spiel_oracle import board_string

    for action in range(9):
        state, here = pyspiel.load_game("tic_tac_toe").new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(action)
            here = table.child[here, action]
            assert table.board(here) == board_string(state)
            action = max(state.legal_actions(), default=0)


def test_nash_conv_of_the_uniform_policy(agent):
    assert nash_conv(agent("random")) == pytest.approx(UNIFORM_NASH_CONV, rel=0, abs=1e-12)
    assert exploitability(agent("random")) == pytest.approx(UNIFORM_EXPLOITABILITY, rel=0, abs=1e-12)


@pytest.fixture(scope="module")
def tabular(table):
    """Return a function that gives one of our policies to OpenSpiel, by history."""
    import pyspiel

    game = pyspiel.load_game("tic_tac_toe")

    def convert(policy):
        """By our own walk over histories, which is faster than OpenSpiel's: it refuses a policy that misses one."""
        probabilities, rows, stack = policy.probabilities, {}, [(0, ())]
        while stack:
            state, history = stack.pop()
            if table.status[state] == api.ONGOING:
                legal = table.legal_action_mask[state].nonzero()[0].tolist()
                rows[", ".join(map(str, history))] = [(action, float(probabilities[state, action])) for action in legal]
                stack += [(table.child[state, action], (*history, action)) for action in legal]
        return pyspiel.TabularPolicy(rows)

    return game, convert


@pytest.mark.slow
def test_nash_conv_as_open_spiel_computes_it(agent, tabular):
    import pyspiel

    spec = "mix:0.5*buggy+0.5*random"
    game, convert = tabular
    theirs = convert(agent(spec))
    assert nash_conv(agent(spec)) == pytest.approx(pyspiel.nash_conv(game, theirs), rel=0, abs=1e-12)


@pytest.mark.slow
def test_expected_returns(agent, tabular):
    import pyspiel

    game, convert = tabular
    x, o = agent("buggy2"), agent("mix:0.3*default+0.7*random")
    theirs = pyspiel.expected_returns(game.new_initial_state(), [convert(x), convert(o)], -1, True, 0.0)
    np.testing.assert_allclose(exact_outcome(x, o).value, theirs[0], rtol=0, atol=1e-12)
