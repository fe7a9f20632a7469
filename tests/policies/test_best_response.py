"""Best responses against maximisation by recursion."""

from fractions import Fraction

import numpy as np
import pytest

import reference
from conftest import as_strategy, random_policy
from pairwise import covering
from ttt_fast import Policy, UsageError, as_policy, exact_fractions, exact_outcome, exploitability, table_of
from ttt_fast.policies.best_response import OBJECTIVES, best_response, best_response_policy

SCRIPTED = ["random", "buggy", "buggy2:as=coded", "default:skill=0.5", "heuribot", "random:frozen=3"]


@pytest.mark.parametrize(("spec", "seat", "objective"), covering(SCRIPTED, [1, 2], OBJECTIVES))
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


FORMS = {
    "uniform": Policy.uniform,
    "choice": lambda table: Policy.from_actions(table, as_policy("heuribot").greedy_actions()),
    "weights": lambda table: weights_policy(1),
    "probabilities": lambda table: random_policy(5),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_value_against_a_large_table_is_computed_ply_by_ply(table, monkeypatch, form):
    monkeypatch.setattr("ttt_fast.policies.best_response._BY_PLIES", 0)
    policy = FORMS[form](table)
    values = [best_response(policy, seat).value[0] for seat in (1, 2)]
    assert policy.form == form and exploitability(policy) == pytest.approx(sum(values) / 2, rel=0, abs=1e-12)


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
        achieved = wins - losses if objective == "value" else wins
        assert achieved == pytest.approx(value[start], abs=1e-12)


# --- Ties.


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("spec", ["minimax", "heuribot", "heuribot:as=coded", "minimax:tie=first,prefer=fast"])
def test_where_nothing_can_be_won_a_response_for_wins_does_not_lose(agent, spec, seat):
    response = agent(f"best-response:({spec}),objective=wins")
    pair = (response, agent(spec)) if seat == 1 else (agent(spec), response)
    exact = exact_fractions(*pair)
    expected = reference.best_results(as_strategy(agent(spec)), seat, ["wins", "draws"])(reference.START)
    assert ((exact.x_wins, exact.o_wins)[seat - 1], exact.draws) == expected
    if spec.startswith("minimax"):
        assert exact.draws == 1


def weights_policy(seed: int) -> Policy:
    """Small integer weights, against which many actions are equally good, and not all of these in floats."""
    generator, table = np.random.default_rng(seed), table_of("tic-tac-toe")
    weights = generator.integers(0, 4, table.child.shape) * table.legal_action_mask
    weights[(weights.sum(axis=1) == 0) & table.decision_mask] = 1
    return Policy.from_weights(table, weights * table.legal_action_mask, f"weights-{seed}")


GOALS = {("value", None): ["value"], ("value", "wins"): ["value", "wins"], ("value", "draws"): ["value", "draws"],
         ("wins", None): ["wins", "draws"]}  # fmt: skip


@pytest.mark.parametrize("seat", [1, 2])
def test_every_action_is_the_lowest_of_the_best_in_fractions(table, reference_states, seat):
    """Lexicographically, and not of what floats make of it: some exact ties are no ties of the floats."""
    policy = weights_policy(1)
    for (objective, then), goals in GOALS.items():
        best = reference.best_results(as_strategy(policy), seat, goals)
        response = best_response(policy, seat, objective, then=then)
        assert (response.actions[table.player != seat] == -1).all() and response.actions.dtype == np.int16
        torn = 0
        for state in np.flatnonzero(table.player == seat).tolist():
            board = reference_states[state]
            results = {action: best(reference.after(board, action)) for action in reference.legal_actions(board)}
            most = max(results.values())
            assert response.actions[state] == min(a for a, result in results.items() if result == most)
            equal = [a for a, result in results.items() if result[0] == most[0]]
            torn += len(set(response.value[table.child[state, equal]].tolist())) > 1
        assert torn > 10


def test_a_true_difference_of_a_billionth_is_no_tie(agent):
    """Against `random` the four covering are equally good first moves; a grain of weight makes the last one better."""
    table = table_of("tic-tac-toe")
    weights = table.legal_action_mask * 10**6
    after_corner = table.child[0, 8]
    best = best_response(agent("random"), 1).value
    reply = max(np.flatnonzero(table.legal_action_mask[after_corner]), key=lambda a: best[table.child[after_corner, a]])
    weights[after_corner, reply] += 1
    grain = Policy.from_weights(table, weights, "a grain")
    assert best_response(agent("random"), 1).actions[0] == 0
    gained = best_response(grain, 1).value[0] - best[0]
    assert 1e-12 < gained < 1e-9
    for objective in OBJECTIVES:
        assert best_response(grain, 1, objective).actions[0] == 8


def test_players_with_the_best_score_differ_in_wins(agent):
    """As O against random (finding 16): 878 to 883 of 945, of all players with the best score."""
    random, found = agent("random"), {}
    for then in ("draws", None, "wins"):
        exact = exact_fractions(random, best_response_policy(random, then=then))
        found[then] = exact.o_wins
        assert exact.o_wins - exact.x_wins == Fraction(874, 945)
    score, draws = reference.best_results(reference.random_player, 2, ["value", "draws"])(reference.START)
    _, wins = reference.best_results(reference.random_player, 2, ["value", "wins"])(reference.START)
    assert (
        (found["draws"], found["wins"]) == ((score + 1 - draws) / 2, wins) == (Fraction(878, 945), Fraction(883, 945))
    )
    assert found["draws"] <= found[None] <= found["wins"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"then": "losses"}, "'wins', 'draws' or None as the second objective, got 'losses'"),
     ({"objective": "draws"}, "'value' or 'wins' as the objective, got 'draws'"), ({"seat": 3}, "seat"),
     ({"objective": np.array([1, 2])}, r"'value' or 'wins' as the objective, got array\(\[1, 2\]\)$"),
     ({"then": np.eye(2)}, "'wins', 'draws' or None as the second objective, got a value of type ndarray$")],
)  # fmt: skip
def test_unknown_goals_and_seats_are_refused(agent, arguments, words):
    with pytest.raises(UsageError, match=words):
        best_response(agent("random"), **{"seat": 1, **arguments})


@pytest.mark.parametrize("seat", [1, 2])
def test_in_a_game_that_nobody_can_win_every_response_draws(seat):
    policy = Policy.uniform(table_of("connect4:columns=3,rows=1,length=3"))
    assert not best_response(policy, seat).value.any()
