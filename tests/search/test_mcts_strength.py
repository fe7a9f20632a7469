"""How well it plays Ultimate: its best options against plain UCT, and against Bichot's agents."""

import pytest

from ttt_fast import ContestConfig, contest

THREADS = 2


def rating(first, second, games, openings="none"):
    """What games in pairs with the seats swapped say of the first player."""
    config = ContestConfig(games, seed=1, game="ultimate", openings=openings)
    return contest(first, second, config, threads=THREADS).tally.rating()


def test_the_best_options_beat_plain_search_with_few_simulations():
    config = ContestConfig(60, seed=1, game="connect4", openings="random:2")
    assert contest("mcts-best:sims=50", "mcts:sims=50", config).tally.rating().score_low > 0.55


@pytest.mark.slow
@pytest.mark.parametrize("sims", [200, 2000])
def test_the_best_options_beat_plain_search(sims):
    assert rating(f"mcts-best:sims={sims}", f"mcts:sims={sims}", 100, "random:2").score_low > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("rival", ["minimax-3", "minimax-5", "improved", "mcts:sims=2000,formula=log-ratio"])
def test_the_best_options_beat_the_strong_agents_of_bichot(rival):
    assert rating("mcts-best:sims=2000", rival, 120).score_low > 0.65
