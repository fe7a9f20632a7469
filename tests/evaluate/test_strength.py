"""Exploitability, the proof of never losing, agreement and regret, against slow versions."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import reference
from cli_runner import run
from conftest import as_strategy, random_policy
from ttt_fast import Policy, agreement, as_policy, exploitability, never_loses, regret
from ttt_fast.evaluate.strength import strength

NEVER_LOSING = [
    "minimax",
    "minimax:tie=last",
    "minimax:tie=column-major,prefer=fast",
    "heuribot",
    "heuribot:as=coded",
    "heuribot:as=lone-fork",
]
LOSING = ["random", "random:frozen=1", "default", "buggy", "buggy2", "mix:0.999999*minimax+0.000001*random"]


def test_uniform_as_open_spiel_prints_it(agent):
    assert exploitability(agent("random")) == pytest.approx(0.9598296957671957, abs=1e-12)


@pytest.mark.parametrize("spec", [*NEVER_LOSING, *LOSING])
def test_exploitability_is_half_the_sum_of_both_best_scores(agent, spec):
    strategy = as_strategy(agent(spec))
    # What each seat gains over the value of the policy against itself; the values cancel.
    own = reference.match(strategy, strategy)
    own_score = own[0] - own[2]
    gains = reference.best_score(strategy, 1) - own_score + reference.best_score(strategy, 2) + own_score
    assert 2 * exploitability(agent(spec)) == pytest.approx(float(gains), abs=1e-12)
    safe = all(never_loses(agent(spec), seat) for seat in (1, 2))
    assert safe == (spec in NEVER_LOSING)
    assert (exploitability(agent(spec)) == 0) == safe


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("spec", [*NEVER_LOSING, *LOSING])
def test_the_proof_of_never_losing_by_brute_force(agent, spec, seat):
    lost = reference.START in reference.losing_boards(as_strategy(agent(spec)), seat)
    assert never_loses(agent(spec), seat) == (not lost)


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from([1, 2]), st.floats(0, 0.9))
def test_never_losing_of_sparse_random_rows(seed, seat, zeros):
    policy = random_policy(seed, zeros)
    lost = reference.START in reference.losing_boards(as_strategy(policy), seat)
    assert never_loses(policy, seat) == (not lost)


def test_an_exploitability_that_is_known_is_not_computed_again(agent):
    policy, opponent = agent("buggy2"), agent("random")
    assert strength(policy, opponent, "x").exploitability == exploitability(policy)
    assert strength(policy, opponent, "x", exploited=0.25).exploitability == 0.25
    assert strength(policy, None, "x", exploited=0.25).value == -0.25


@pytest.mark.parametrize("seat", [None, 1, 2])
@pytest.mark.parametrize("spec", ["random", "buggy", "default", "heuribot", "minimax"])
def test_agreement(agent, spec, seat, reference_states):
    decisions = [b for b in reference_states if not reference.is_over(b) and seat in (None, reference.mover(b))]
    strategy, agreeing = as_strategy(agent(spec)), 0
    for board in decisions:
        chances = strategy(board)
        favourite = min(a for a, p in chances.items() if p == max(chances.values()))
        agreeing += favourite in reference.optimal_actions(board)
    assert agreement(agent(spec), seat) == (agreeing, len(decisions))


@pytest.mark.parametrize("seat", [None, 1, 2])
@pytest.mark.parametrize("spec", ["heuribot", "buggy2", "random", "minimax:tie=first", "mix:0.5*default+0.5*heuribot"])
def test_agreement_where_its_own_play_leads(agent, spec, seat):
    strategy = as_strategy(agent(spec))
    pairs = {1: (strategy, reference.random_player), 2: (reference.random_player, strategy)}
    boards = [
        board
        for one in ((1, 2) if seat is None else (seat,))
        for board in reference.reach(*pairs[one])  # a random opponent leads to all that any other may lead to
        if not reference.is_over(board) and reference.mover(board) == one
    ]
    favourites = [max(sorted(row := strategy(board)), key=row.__getitem__) for board in boards]
    agreeing = sum(move in reference.optimal_actions(board) for move, board in zip(favourites, boards, strict=True))
    assert agreement(agent(spec), seat, reached=True) == (agreeing, len(boards))
    early = agent(spec).table.ply < 3  # the others count as they play
    partly = Policy.from_probabilities(agent(spec).table, agent(spec).probabilities, held=early)
    assert agreement(partly, seat, reached=True) == (agreeing, len(boards))


@pytest.mark.parametrize(("spec", "agreeing"), [("heuribot:as=coded", 4474), ("minimax", 4520)])
def test_agreement_as_counted_on_the_published_tables(agent, spec, agreeing):
    assert agreement(agent(spec)) == (agreeing, 4520)


def test_of_equally_probable_moves_the_lowest_counts_and_texts_say_so(table, solution):
    first = solution.optimal[table.edge_start[:-1][table.decision_mask]]
    assert agreement(as_policy("random")) == (int(first.sum()), 4520)
    for words in (["score", "--help"], ["info", "glossary", "-f", "csv"]):
        assert "of equally probable" in " ".join(run(*words).text.split())


def test_agreement_counts_held_states_only(agent, table):
    held = np.zeros(5478, np.bool_)
    held[[0, 1, 5, 5477]] = True
    policy = Policy.from_probabilities(table, agent("minimax").probabilities, held=held)
    assert agreement(policy) == (3, 3) and agreement(policy, 1) == (1, 1)
    assert agreement(policy, 1, reached=True) == agreement(agent("minimax"), 1, reached=True)
    assert agreement(policy, 2).share == 1
    nothing = Policy.from_probabilities(table, agent("minimax").probabilities, held=np.zeros(5478, np.bool_))
    assert agreement(nothing) == (0, 0) and isnan(agreement(nothing).share)


@pytest.mark.parametrize("spec", ["random", "buggy2", "heuribot:as=coded", "minimax", "random:frozen=9"])
def test_regret_per_state(agent, spec, reference_states):
    strategy = as_strategy(agent(spec))
    expected = [
        0.0 if reference.is_over(board) else float(reference.regret(strategy, board)) for board in reference_states
    ]
    np.testing.assert_allclose(regret(agent(spec)), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seat", [0, 3])
def test_an_unknown_seat_is_refused(agent, seat):
    with pytest.raises(ValueError, match="seat"):
        never_loses(agent("random"), seat)
