"""Scripted players against players written from the documents with dictionaries, state by state."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import reference
from ttt_fast import Policy, exact_fractions, exact_outcome, table_of
from ttt_fast.policies import scripted, weights as exact_weights

TIES = ("uniform", "first", "last", "column-major")
PLAYERS = {
    "random": reference.random_player,
    "minimax": reference.minimax_player,
    **{f"minimax:tie={tie}": reference.minimax_with(tie) for tie in TIES},
    **{f"minimax:tie={tie},prefer=fast": reference.minimax_with(tie, "fast") for tie in TIES},
    "minimax:prefer=fast": reference.minimax_with(prefer="fast"),
    "default": reference.default_with(),
    **{
        f"default:skill={skill}": reference.default_with(Fraction(skill))
        for skill in ("1", "0", "0.01", "1/3", "0.999999")
    },
    "buggy": reference.buggy_with("written"),
    "buggy:as=coded": reference.buggy_with("coded"),
    "buggy2": reference.buggy2_with("written"),
    "buggy2:as=coded": reference.buggy2_with("coded"),
    "heuribot": reference.heuribot_with("written"),
    "heuribot:as=coded": reference.heuribot_with("coded"),
    "heuribot:as=lone-fork": reference.heuribot_with("lone-fork"),
    "mix:0.9*minimax+0.1*random": reference.mixture(
        (Fraction(9, 10), reference.minimax_player), (Fraction(1, 10), reference.random_player)
    ),
    "mix:1/3*buggy+1/6*default:skill=0.25+0.5*heuribot": reference.mixture(
        (Fraction(1, 3), reference.buggy_with()),
        (Fraction(1, 6), reference.default_with(Fraction(1, 4))),
        (Fraction(1, 2), reference.heuribot_with()),
    ),
}


@pytest.mark.parametrize("spec", PLAYERS)
def test_every_row_is_that_of_the_reference_exactly(agent, spec, reference_states):
    weights, probabilities = agent(spec).weights, agent(spec).probabilities
    for state, board in enumerate(reference_states):
        row = weights[state]
        if reference.is_over(board):
            assert not row.any() and not probabilities[state].any()
            continue
        chances = {a: Fraction(int(w), int(row.sum())) for a, w in enumerate(row) if w}
        assert chances == {a: chance for a, chance in PLAYERS[spec](board).items() if chance}


# Exact results of X's seat: (X wins, draws, O wins).  The six-digit ones were counted on the published programs; the
# fractions are this project's, and each is checked against the recursion of the reference.
RESULTS = {
    ("random", "random"): ("737/1260", "8/63", "121/420", ".584921/.126984/.288095"),
    ("minimax", "random"): ("75257/77760", "2503/77760", "0", ".967811/.032189/.000000"),
    ("random", "minimax"): ("0", "757/3402", "2645/3402", ".000000/.222516/.777484"),
    ("minimax", "buggy"): ("574853/4354560", "3779707/4354560", "0", ".132012/.867988/.000000"),
    ("minimax", "buggy:as=coded"): ("574853/4354560", "3779707/4354560", "0", ".132012/.867988/.000000"),
    ("minimax", "buggy2"): ("118903/1088640", "969737/1088640", "0", ".109222/.890778/.000000"),
    ("minimax", "buggy2:as=coded"): ("118903/1088640", "969737/1088640", "0", ".109222/.890778/.000000"),
    ("minimax", "minimax"): ("0", "1", "0", ".000000/1.000000/.000000"),
    ("minimax:tie=first", "random"): ("191/192", "1/192", "0", ".994792/.005208/.000000"),
    ("random", "minimax:tie=first"): ("0", "61/315", "254/315", ".000000/.193651/.806349"),
    ("heuribot:as=coded", "random"): ("95/96", "1/96", "0", ".989583/.010417/.000000"),
    ("random", "heuribot:as=coded"): ("0", "19/189", "170/189", ".000000/.100529/.899471"),
    ("heuribot", "random"): ("95/96", "1/96", "0", ".989583/.010417/.000000"),
    ("random", "heuribot"): ("0", "131/945", "814/945", ".000000/.138624/.861376"),
    ("heuribot:as=lone-fork", "random"): ("95/96", "1/96", "0", ".989583/.010417/.000000"),
    ("random", "heuribot:as=lone-fork"): ("0", "37/315", "278/315", ".000000/.117460/.882540"),
}


@pytest.mark.parametrize("pair", RESULTS, ids=" v ".join)
def test_exact_results_of_the_published_programs(agent, pair):
    *fractions, printed = RESULTS[pair]
    expected = tuple(Fraction(text) for text in fractions)
    assert tuple(exact_fractions(*map(agent, pair))) == expected
    assert reference.match(*(PLAYERS[spec] for spec in pair)) == expected
    outcome = exact_outcome(*map(agent, pair))
    digits = "/".join(f"{p:.6f}".removeprefix("0") for p in (outcome.x_wins, outcome.draws, outcome.o_wins))
    assert digits == printed


@pytest.mark.parametrize(
    ("x", "o", "random_opening", "lengths"),
    [
        # Published as the row of minimax v random; it is the row of the randomised first move.
        ("minimax:tie=first", "random", True, {5: 0.370, 7: 0.517, 9: 0.112}),
        ("minimax:tie=first", "random", False, {5: 0.6875, 7: 0.270833, 9: 0.041667}),
        ("random", "minimax:tie=first", False, {6: 0.419, 8: 0.387, 9: 0.194}),
        ("heuribot:as=coded", "random", False, {5: 0.833, 7: 0.146, 9: 0.021}),
    ],
)
def test_lengths_of_games(agent, x, o, random_opening, lengths):
    outcome = exact_outcome(agent(x), agent(o), random_opening=random_opening)
    by_length = outcome.lengths.sum(axis=0)
    assert {n: pytest.approx(p, abs=5.1e-4) for n, p in lengths.items()} == {
        n: by_length[n] for n in by_length.nonzero()[0]
    }


def test_frozen_random_players_of_different_seeds_differ_and_are_uniform_together(table):
    openings = [int(scripted.frozen_random(table, seed)[:9].argmax()) for seed in range(450)]
    counts = np.bincount(openings, minlength=9)
    assert ((counts - 50) ** 2 / 50).sum() < 26.1  # chi-squared with 8 degrees of freedom, 0.1 %
    one, other = (Policy.from_weights(table, scripted.frozen_random(table, seed)).greedy_actions() for seed in (0, 1))
    assert (one != other).sum() > 2000


def test_a_frozen_random_player_is_the_same_in_every_version(table):
    actions = table.dense(scripted.frozen_random(table, 7)).argmax(axis=1)
    assert actions[:12].tolist() == [5, 8, 7, 1, 2, 7, 0, 7, 6, 3, 4, 3]


def exact_rows(table, weights):
    return [[Fraction(w, sum(row)) for w in row] for row in row_lists(table, weights)]


def row_lists(table, weights):
    starts = table.edge_start.tolist()
    rows = [weights[start:end].tolist() for start, end in pairwise(starts)]
    return [row for row in rows if row]


# Rows large enough that common denominators do not fit into 64 bits: 2**34 + 3 and 2**34 - 1 have a product
# that leaves a small positive number modulo 2**64, which must not be taken for their least common multiple.
ROWS = st.lists(st.integers(0, 2**40) | st.integers(0, 9), min_size=3, max_size=3).filter(any)


def first_row(row):
    """A policy of a small game with these weights of its first state, and one action in every other."""
    table = table_of("connect4:columns=3,rows=2,length=2")
    weights = np.asarray(table.edge_action == table.edge_action[table.edge_start[table.edge_state]], np.int64)
    weights[:3] = row
    return Policy.from_weights(table, weights)


@given(ROWS, ROWS, st.fractions(0, 1, max_denominator=1000))
@example([2**34 + 2, 1, 0], [0, 1, 2**34 - 2], Fraction(1, 2))
@example([2**40 - 1, 1, 0], [1, 2**40, 0], Fraction(1, 2))
def test_a_mixture_is_exact_or_gives_up(first, second, share):
    one, other = first_row(first), first_row(second)
    mixed = exact_weights.mixture(one.table, [(share, one.edge_weights), (1 - share, other.edge_weights)])
    if mixed is not None:
        a, b = (exact_rows(one.table, policy.edge_weights) for policy in (one, other))
        assert exact_rows(one.table, mixed) == [
            [share * x + (1 - share) * y for x, y in zip(row, row_of_other, strict=True)]
            for row, row_of_other in zip(a, b, strict=True)
        ]
        assert exact_rows(one.table, exact_weights.reduced(one.table, mixed)) == exact_rows(one.table, mixed)
        assert {np.gcd.reduce(row) for row in row_lists(one.table, exact_weights.reduced(one.table, mixed))} == {1}


def test_a_mixture_of_unequal_large_denominators_falls_back_to_floats(agent):
    parts = [f"(mix:1/{q}*random+{q - 1}/{q}*minimax:tie=first)" for q in (2**34 + 3, 2**34 - 1)]
    mixed = agent(f"mix:1/2*{parts[0]}+1/2*{parts[1]}")
    assert not mixed.is_exact
    expected = (agent(parts[0]).probabilities + agent(parts[1]).probabilities) / 2
    np.testing.assert_allclose(mixed.probabilities, expected, rtol=0, atol=1e-15)
