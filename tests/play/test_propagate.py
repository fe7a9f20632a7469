"""Counts drawn from the exact law: the distribution of playing, at any number of games."""

from math import comb, sqrt

import numpy as np
import pytest
from match_checks import MAX_Z, PLAYERS, chi_square_z, largest_z, player

from ttt_fast import exact_outcome
from ttt_fast.core.errors import UsageError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.play.match import MAX_GAMES, MatchConfig, play_match
from ttt_fast.play.packed import play_games
from ttt_fast.play.sampler import compile_sampler
from ttt_fast.policies.joint import join
from ttt_fast.tables import table_of

TABLE = table_of("tic-tac-toe")
ENDS = ~TABLE.decision_mask
NEAR_THE_END = TABLE.state_index("XOXOX...."), TABLE.state_index("XO..X...O"), TABLE.state_index("X.O.X.O..")
STARTS = [NEAR_THE_END[0], *(pytest.param(start, marks=pytest.mark.slow) for start in NEAR_THE_END[1:])]


def propagate(x: str, o: str, games: int, seed: int = 0, start: int = 0):
    return play_match(player(x), player(o), MatchConfig(games, seed, "propagate", start=start)).counts


@pytest.mark.parametrize("games", [0, 1, 2, 1000, 10**15, MAX_GAMES])
@pytest.mark.parametrize("x", PLAYERS)
def test_no_game_is_lost_and_none_ends_where_it_cannot(x, games):
    counts = propagate(x, "rows-1", games, seed=2)
    reach = exact_outcome(player(x), player("rows-1")).reach
    assert int(counts.sum()) == games
    assert counts.min() >= 0
    assert not counts[TABLE.decision_mask | (reach == 0)].any()


@pytest.mark.parametrize("games", [10**6, 10**12])
@pytest.mark.parametrize(
    ("x", "o"),
    [("random", "random"), ("minimax", "random"), ("rows-1", "rows-2"), ("tiny", "mix:1/3*minimax+2/3*random")],
)
def test_results_are_within_the_noise_of_the_exact_ones(x, o, games):
    counts = propagate(x, o, games, seed=3)
    assert largest_z(counts, player(x), player(o)) < MAX_Z
    assert chi_square_z(counts[ENDS], exact_outcome(player(x), player(o)).reach[ENDS]) < MAX_Z


def test_a_quadrillion_games():
    counts = propagate("random", "random", 10**15, seed=4)
    assert np.count_nonzero(counts) == 958
    assert largest_z(counts, player("random"), player("random")) < MAX_Z
    assert chi_square_z(counts[ENDS], exact_outcome(player("random"), player("random")).reach[ENDS]) < MAX_Z


@pytest.mark.parametrize("start", STARTS)
def test_few_games_have_the_exact_binomial_distribution_over_many_seeds(start):
    """Not only the mean: how often 0, 1, ..., n of n games end in a win is binomial."""
    games, seeds = 6, 2000
    exact = exact_outcome(player("random"), player("rows-1"), start=start)
    samples = np.array([propagate("random", "rows-1", games, seed, start) for seed in range(seeds)])
    for board in np.flatnonzero(exact.reach * ENDS > 0.02).tolist():
        p = float(exact.reach[board])
        pmf = np.array([comb(games, k) * p**k * (1 - p) ** (games - k) for k in range(games + 1)])
        seen = np.bincount(samples[:, board], minlength=games + 1)
        assert chi_square_z(seen, pmf) < MAX_Z


@pytest.mark.parametrize("start", STARTS)
def test_final_boards_have_multinomial_covariances(start):
    games, seeds = 50, 1000
    probabilities = exact_outcome(player("random"), player("random"), start=start).reach * ENDS
    boards = np.flatnonzero(probabilities > 0.03)
    samples = np.array([propagate("random", "random", games, seed, start)[boards] for seed in range(seeds)])
    centred = samples - games * probabilities[boards]
    for i, p in enumerate(probabilities[boards]):
        for j, q in enumerate(probabilities[boards]):
            products = centred[:, i] * centred[:, j]
            expected = games * p * (1 - p) if i == j else -games * p * q
            assert abs(products.mean() - expected) < MAX_Z * products.std() / sqrt(seeds)


@pytest.mark.parametrize(("x", "o"), [("random", "random"), ("rows-1", "mix:0.9*minimax+0.1*random")])
def test_playing_and_propagating_are_the_same_distribution(x, o):
    """Chi-square of two samples of one size: sum of (a - b)^2 / (a + b)."""
    played = play_games(compile_sampler(join(player(x), player(o))), 10_000_000, chunk_stream(12))
    sent = propagate(x, o, 10_000_000, seed=5)
    both = played + sent
    often = both >= 20
    statistic = ((played - sent)[often] ** 2 / both[often]).sum()
    degrees = int(often.sum()) - 1
    assert (statistic - degrees) / sqrt(2 * degrees) < MAX_Z


def test_from_a_finished_board_every_game_stays():
    end = TABLE.state_index("XXXOO....")
    counts = propagate("random", "random", 77, start=end)
    assert counts[end] == counts.sum() == 77


@pytest.mark.parametrize("games", [-1, MAX_GAMES + 1])
def test_a_number_of_games_that_does_not_fit(games):
    with pytest.raises(UsageError, match=r"expected 0 to 1e\+18 games, got"):
        propagate("random", "random", games)
