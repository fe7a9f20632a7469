"""How well it plays Ultimate: its best options against plain UCT, and against Bichot's agents."""

import pytest

from ttt_fast.play.duel import DuelConfig, play_duel
from ttt_fast.running.executors import ThreadExecutor

THREADS = 2


def rating(first, second, games, openings="none"):
    """What a duel of games in pairs with the seats swapped says of the first player."""
    executor = ThreadExecutor(THREADS)
    try:
        return play_duel(DuelConfig("ultimate", first, second, games // 2, 1, openings), executor).rating()
    finally:
        executor.close()


def test_the_best_options_beat_plain_search_with_few_simulations():
    assert rating("mcts-best:sims=100", "mcts:sims=100", 100, "random:2").score_low > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("sims", [200, 1000, 2000])
def test_the_best_options_beat_plain_search(sims):
    assert rating(f"mcts-best:sims={sims}", f"mcts:sims={sims}", 400, "random:2").score_low > 0.6


@pytest.mark.slow
@pytest.mark.parametrize(
    "rival", ["random", "minimax-1", "minimax-3", "minimax-5", "improved", "mcts:sims=2000,formula=log-ratio"]
)
def test_the_best_options_beat_each_agent_of_bichot(rival):
    assert rating("mcts-best:sims=2000", rival, 400).score_low > 0.65
