"""Refutations replayed and explained by solvers; rows; the agents that are refused, with what is exact so far."""

import gc
import warnings
import weakref

import pytest

from conftest import random_policy
from ttt_fast import (
    AgentError,
    Policy,
    PolicyError,
    Status,
    TableSizeError,
    UnlearnedSeatWarning,
    as_policy,
    induced_table,
    solution_of,
    table_of,
)
from ttt_fast.core.errors import AnswerError
from ttt_fast.games import api

SMALL = "connect4:columns=4,rows=4"


def replayed(induced):
    """The states of a refutation, whose moves of the fixed seat are in the agent's support."""
    table, states = induced.table, [induced.game.initial_state]
    for action in induced.refutation.actions:
        state = states[-1]
        assert action in api.legal_actions(state)
        if api.player(state) == induced.seat:
            row = induced.policy.probabilities[table.state_index(induced.game.format_position(state))]
            assert row[action] > 0
        states.append(api.play(state, action))
    return states


@pytest.mark.parametrize("seat", ["x", "o"])
@pytest.mark.parametrize("agent", ["random", "centre-first", "default", "minimax", "alphabeta:depth=1"])
@pytest.mark.parametrize("game", [SMALL, "tic-tac-toe"])
def test_refutations_replay_and_are_explained_by_the_solution(game, agent, seat):
    if agent == "centre-first" and not game.startswith("connect4"):
        return
    induced = induced_table(agent, seat, game)
    found, table = induced.refutation, table_of(game)
    states = replayed(induced)
    assert [api.status(state) for state in states] == [0] * (len(states) - 1) + [found.status]
    assert induced.game.parse_moves(found.moves) == list(found.actions)
    assert (found.status == Status.DRAW) == induced.never_loses
    # The value for the agent never rises against best play: its last drop is the mistake that explains the result.
    sign = 1 if seat == "x" else -1
    values = [
        sign * int(solution_of(table).value[table.state_index(table.game.format_position(one))]) for one in states
    ]
    assert values[-1] == (0 if found.status == Status.DRAW else -1)
    drops = [k for k in range(len(states) - 1) if values[k + 1] < values[k]]
    assert all(api.player(states[k]) == induced.seat for k in drops)
    last = drops[-1] if drops else -1
    assert all(value >= values[-1] for value in values[last + 1 :])


def test_an_agent_that_wins_everything_has_no_refutation():
    game = "connect4:columns=3,rows=3,length=2"
    induced = induced_table("minimax", "x", game)
    assert induced.refutation is None and induced.never_loses and induced.best_value == -1
    assert induced.response_row()["x_wins"] == 1.0
    assert induced.proof()["refutation"] is None


class Fickle:
    """A function that alternates between its answers."""

    def __init__(self):
        self.asked = 0

    def __call__(self, state):
        self.asked += 1
        legal = api.legal_actions(state)
        return legal[self.asked % len(legal)]


def failing(state):
    raise ZeroDivisionError("no more moves")


class Failing:
    def action_values(self, observations):
        raise ZeroDivisionError("no more values")


@pytest.mark.parametrize("agent", [Fickle(), "mcts:sims=20"])
def test_an_agent_that_answers_differently_is_refused(agent):
    with pytest.raises(AgentError, match=r"expected an agent that always answers alike, but .* gave two answers at '"):
        induced_table(agent, "x", SMALL)
    with pytest.raises(AgentError, match="always answers alike"):  # also where a limit is met first
        induced_table(agent, "x", SMALL, max_positions=500)


def test_agents_that_fail():
    with pytest.raises(AnswerError, match="no more moves"):
        induced_table(failing, "x", SMALL)
    with pytest.raises(AnswerError, match=r"action_values failed: .*no more values"):
        induced_table(Failing(), "o", SMALL)
    with pytest.raises(AnswerError, match="expected"):
        induced_table(lambda state: 7, "x", SMALL)

    def interrupted(state):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        induced_table(interrupted, "x", SMALL)


@pytest.mark.parametrize(
    ("agent", "game", "error", "text"),
    [
        ("random", "ultimate", TableSizeError, "expected a game whose states can be enumerated, got 'ultimate'"),
        ("minimax", "connect4", AgentError, "depend on the position alone, since it has no state table, got 'minimax'"),
        ("mix:0.5*random+0.5*minimax", "connect4", AgentError, "depend on the position alone"),
        ("no-such-agent", "connect4", AgentError, "unknown agent"),
        ("heuribot", SMALL, AgentError, "heuribot"),
        (3.5, SMALL, PolicyError, "3.5"),
    ],
)
def test_agents_and_games_that_are_refused(agent, game, error, text):
    with pytest.raises(error, match=text) as told:
        induced_table(agent, "x", game)
    assert "\n" not in str(told.value)


def test_tables_of_many_agents_do_not_stay_in_memory():
    """Those in use stay the same object; of the others, a few do."""
    used = induced_table(random_policy(0), "x")
    others = [weakref.ref(induced_table(random_policy(seed), "x").table) for seed in range(1, 30)]
    gc.collect()
    assert sum(table() is not None for table in others) < 10 and others[-1]() is not None
    assert induced_table(random_policy(0), "x").table is used.table


def test_policies_of_another_game_are_refused():
    policy = as_policy("minimax", "tic-tac-toe")
    with pytest.raises(PolicyError, match="expected a policy for connect4"):
        induced_table(policy, "x", SMALL)
    with pytest.raises(PolicyError, match="expected a policy for connect4"):
        induced_table("centre-first", "x", SMALL).outcome(policy)


def test_a_seat_that_a_policy_has_not_learned():
    table = table_of(SMALL)
    policy = Policy("half", table, "uniform", None, held=table.player == 1)
    for unlearned in (
        lambda: induced_table(policy, "o", SMALL),
        lambda: induced_table("centre-first", "x", SMALL).outcome(policy),
        lambda: as_policy(policy, induced_table("centre-first", "x", SMALL).table),
    ):
        with pytest.warns(UnlearnedSeatWarning, match="policy 'half' has no moves for O"):
            unlearned()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert induced_table(policy, "x", SMALL).positions > 998
        induced_table("centre-first", "o", SMALL).outcome(policy)
