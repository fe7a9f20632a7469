"""Best responses against maximisation by recursion."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from conftest import as_strategy, random_policy
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.policies.best_response import OBJECTIVES, best_response, best_response_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import enumerate_states

SCRIPTED = ["random", "buggy", "buggy2:as=coded", "default:skill=0.5", "heuribot", "random:frozen=3"]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("spec", SCRIPTED)
def test_value_against_scripted_players(agent, spec, seat, objective):
    expected = reference.best_score(as_strategy(agent(spec)), seat, objective)
    assert best_response(agent(spec), seat, objective).value[0] == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("seed", [1, 2])
def test_value_against_stochastic_rows_from_every_eleventh_state(seed, seat, objective, reference_states):
    policy = random_policy(seed)
    strategy, value = as_strategy(policy), best_response(policy, seat, objective).value
    for state in range(0, 5478, 1095):
        expected = reference.best_score(strategy, seat, objective, reference_states[state])
        assert value[state] == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seat", [1, 2])
def test_the_policy_achieves_the_value_from_every_state_of_a_few_plies(table, seat, objective):
    policy = random_policy(5)
    response = best_response_policy(policy, objective)
    pair = (response, policy) if seat == 1 else (policy, response)
    value = best_response(policy, seat, objective).value
    for start in (table.ply <= 2).nonzero()[0].tolist():
        result = exact_outcome(*pair, start=start)
        wins, losses = (result.x_wins, result.o_wins) if seat == 1 else (result.o_wins, result.x_wins)
        achieved = wins - losses if objective == "score" else wins
        assert achieved == pytest.approx(value[start], abs=1e-12)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_no_other_policy_does_better(seed, other_seed):
    policy, other = random_policy(seed), random_policy(other_seed)
    best = best_response(policy, 1).value[0]
    assert exact_outcome(other, policy).score <= best + 1e-12


@pytest.mark.parametrize(("objective", "seat"), [*product(OBJECTIVES, (1, 2))])
def test_actions_are_the_lowest_of_the_best(agent, table, objective, seat):
    policy = agent("buggy2")
    response = best_response(policy, seat, objective)
    turn = table.player == seat
    assert (response.actions[~turn] == -1).all() and response.actions.dtype == np.int8
    after = np.where(table.legal_action_mask, response.value[table.child], -np.inf)[turn]
    best = after >= after.max(axis=1, keepdims=True) - 1e-12
    np.testing.assert_array_equal(response.actions[turn], best.argmax(axis=1))


def test_terminal_values_are_the_payoffs(agent, table):
    score = best_response(agent("random"), 2, "score").value
    wins = best_response(agent("random"), 2, "wins").value
    by_status = [[-1, 1, 0], [0, 1, 0]]  # X has won, O has won, draw
    for value, payoffs in zip((score, wins), by_status, strict=True):
        assert [set(value[table.status == status].tolist()) for status in (1, 2, 3)] == [{p} for p in payoffs]


def test_more_wins_may_cost_score(agent):
    """Against `random` as O the two objectives differ: some of the additional wins are paid for by losses."""
    random = agent("random")
    score, wins = (agent(f"best-response:random,objective={o}") for o in OBJECTIVES)
    by_score, by_wins = exact_outcome(random, score), exact_outcome(random, wins)
    assert by_wins.o_wins > by_score.o_wins and by_wins.score > by_score.score


def test_the_name_says_what_it_exploits(agent):
    assert best_response_policy(agent("random")).name == "best-response:random"
    assert best_response_policy(agent("random"), "wins").name == "best-response:random,objective=wins"
    assert best_response_policy(agent("random"), name="mine").name == "mine"


def test_an_unknown_objective_is_refused(agent):
    with pytest.raises(UsageError, match="objective of 'score' or 'wins', got 'draws'"):
        best_response(agent("random"), 1, "draws")


@pytest.mark.parametrize("seat", [0, 3, -1])
def test_an_unknown_seat_is_refused(agent, seat):
    with pytest.raises(UsageError, match="seat"):
        best_response(agent("random"), seat)


def test_in_a_game_without_lines_every_response_draws():
    table = enumerate_states(np.array([], np.int64))
    policy = Policy.from_weights(table.legal_action_mask, "random", table=table)
    assert not best_response(policy, 1, table=table).value.any()
