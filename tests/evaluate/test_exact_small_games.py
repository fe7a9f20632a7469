"""Exact evaluation on other games against sums with fractions over a walk with dictionaries."""

import numpy as np
import pytest

import reference
from conftest import mean_regret
from small_games import SEATS, SMALL_GAMES, graph_of, rows_of, solution_of
from ttt_fast import (
    agreement,
    as_policy,
    exact_fractions,
    exact_outcome,
    exploitability,
    never_loses,
    regret,
    table_of,
)
from ttt_fast.policies.best_response import OBJECTIVES, best_response, best_response_policy

PAIRS = [("random", "random"), ("random", "default"), ("minimax", "random"), ("default", "minimax")]
PLAYERS = ["random", "minimax", "default"]
GAMES = [*SMALL_GAMES[:2], *(pytest.param(spec, marks=pytest.mark.slow) for spec in SMALL_GAMES[2:])]
"""Walking through a larger one takes the reference seconds, and an m-n-k board is a further type of states."""


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("pair", PAIRS, ids=" v ".join)
def test_exact_results_lengths_and_reach(spec, pair):
    graph, policies = graph_of(spec), [as_policy(player, spec) for player in pair]
    chances, results = reference.match_of_rows(graph, *(rows_of(spec, player) for player in pair))
    assert sum(results) == 1
    assert tuple(exact_fractions(*policies)) == results
    outcome = exact_outcome(*policies)
    assert outcome[:3] == pytest.approx(tuple(map(float, results)), rel=0, abs=1e-12)
    np.testing.assert_allclose(outcome.reach, np.array(chances, np.float64), rtol=0, atol=1e-12)
    table = table_of(spec)
    lengths = np.zeros((3, table.num_plies + 1))
    for status, moves, chance in zip(graph.status, graph.lines, chances, strict=True):
        if status:
            lengths[{1: 0, 3: 1, 2: 2}[status], len(moves)] += float(chance)
    np.testing.assert_allclose(outcome.lengths, lengths, rtol=0, atol=1e-12)


def test_known_results():
    """Of random misère the wins of tic-tac-toe go to the other seat; perfect play draws it, and wins Connect 3."""
    misere, connect = SMALL_GAMES[0], SMALL_GAMES[2]
    ordinary = exact_fractions(*[as_policy("random")] * 2)
    turned = exact_fractions(*[as_policy("random", misere)] * 2)
    assert (turned.o_wins, turned.draws, turned.x_wins) == tuple(ordinary)
    assert exact_fractions(*[as_policy("minimax", misere)] * 2).draws == 1
    assert exact_fractions(*[as_policy("minimax", connect)] * 2).x_wins == 1


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("opponent", ["random", "default"])
@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_best_response_from_every_state(spec, opponent, seat, objective):
    expected = reference.best_of_rows(graph_of(spec), rows_of(spec, opponent), seat, objective)
    policy = as_policy(opponent, spec)
    response = best_response(policy, seat, objective)
    np.testing.assert_allclose(response.value, np.array(expected, np.float64), rtol=0, atol=1e-12)
    best = best_response_policy(policy, objective)
    outcome = exact_outcome(best, policy) if seat == 1 else exact_outcome(policy, best)
    achieved = outcome.value_of(seat) if objective == "value" else outcome[2 * (seat - 1)]
    assert achieved == pytest.approx(float(expected[0]), rel=0, abs=1e-12)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("player", PLAYERS)
def test_strength(spec, player):
    graph, rows, policy = graph_of(spec), rows_of(spec, player), as_policy(player, spec)
    gains = sum(reference.best_of_rows(graph, rows, seat)[0] for seat in SEATS)
    assert exploitability(policy) == pytest.approx(float(gains) / 2, rel=0, abs=1e-12)
    assert agreement(policy) == (reference.agreeing(graph, rows, solution_of(spec)), sum(map(bool, rows)))
    for seat in SEATS:
        assert never_loses(policy, seat) == (not reference.can_lose(graph, rows, seat))
        other = rows_of(spec, "random")
        chances, _ = reference.match_of_rows(graph, *((rows, other) if seat == 1 else (other, rows)))
        own = [state for state, row in enumerate(rows) if row and graph.mover(state) == seat]
        assert agreement(policy, seat, reached=True).states == sum(chances[state] > 0 for state in own)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("player", PLAYERS)
def test_regret(spec, player):
    graph, rows, solved = graph_of(spec), rows_of(spec, player), solution_of(spec)
    policy, expected = as_policy(player, spec), []
    for state, row in enumerate(rows):
        sign = 1 if graph.mover(state) == 1 else -1
        kept = sum(chance * solved[graph.children[state][action]][0] for action, chance in row.items())
        expected.append(float(sign * (solved[state][0] - kept)) if row else 0.0)
    np.testing.assert_allclose(regret(policy), expected, rtol=0, atol=1e-12)
    random = as_policy("random", spec)
    lost = mean_regret(random, policy, 2) - mean_regret(policy, random, 1)
    value = exact_outcome(policy, random).value
    assert lost + solved[0][0] == pytest.approx(value, rel=0, abs=1e-12)
