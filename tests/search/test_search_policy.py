"""The policy of a search holds the moves that the search chooses from, in every state."""

from fractions import Fraction

import numpy as np
import pytest

from cli_runner import run
from ttt_fast import AgentError, as_player, as_policy, exact_fractions, parse_game, table_of
from ttt_fast.evaluators import AlphaBeta, SearchOptions
from ttt_fast.running.api import watched_by

GAMES = ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"]
WORDS = "depth=1 depth=2,tie=first depth=3,tt=1 depth=4,prefer=fast,tie=last depth=9 depth=3,deepen=yes".split()
WORDS += "depth=3,order=no,prune=no depth=3,full=loss".split()


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("words", WORDS)
def test_it_has_the_moves_that_the_search_chooses_from(spec, words):
    table, name = table_of(spec), f"alphabeta:{words}"
    policy = as_policy(name, spec)
    searcher = as_player(name, parse_game(spec))._search
    states = np.flatnonzero(table.decision_mask)
    for state in [0, *np.random.default_rng(5).choice(states, 300, replace=False).tolist()]:
        best = searcher.best_actions(table.state(state))
        edges = slice(table.edge_start[state], table.edge_start[state + 1])
        expected = np.isin(table.edge_action[edges], best) / len(best)
        np.testing.assert_array_equal(policy.edge_probabilities[edges], expected)
    assert policy.is_exact


def test_to_the_end_of_every_game_it_is_minimax():
    for spec in GAMES:
        deep, minimax = as_policy("alphabeta:depth=9", spec), as_policy("minimax", spec)
        np.testing.assert_array_equal(deep.edge_probabilities, minimax.edge_probabilities)
        assert exact_fractions(deep, deep) == exact_fractions(minimax, minimax)


def test_it_is_scored_exactly_on_the_command_line():
    game = "connect4:columns=4,rows=3,length=3"
    [row] = run("exact", "alphabeta:depth=2", "random", "--game", game, "-f", "json").json()["rows"]
    assert sum(Fraction(row[f"{name}_fraction"]) for name in ("x_wins", "draws", "o_wins")) == 1
    assert run("score", "alphabeta:depth=9,tie=first", "-f", "json").json()["rows"][0]["never_loses"]
    [row] = run("match", "alphabeta:depth=1", "random", "-n", "500", "--seats", "ab", "-f", "json").json()["rows"]
    exact = exact_fractions(as_policy("alphabeta:depth=1"), as_policy("random")).x_wins
    assert abs(row["x_wins"] / 500 - exact) < 4 * (exact * (1 - exact) / 500) ** 0.5


def test_a_search_that_stops_by_time_has_no_policy():
    for words in ("ms=5", "nodes=100"):
        with pytest.raises(AgentError, match="only by depth"):
            as_policy(f"alphabeta:{words}")
    with pytest.raises(AgentError, match="a search"):
        as_policy("mcts:sims=10")
    assert run("exact", "mcts", "random").code == 2


def test_it_tells_how_far_it_is():
    told = []
    with watched_by(lambda *words: told.append(words)):
        as_policy("alphabeta:depth=1")
    assert told[-1] == ("asking alphabeta:depth=1 about every state", 5478, 5478, "states")


def test_a_published_tie_counts_as_often_as_it_is_listed():
    searcher = AlphaBeta(parse_game("tic-tac-toe").initial_state, SearchOptions(2, tie="published", order=False))
    policy, table = as_policy("alphabeta:depth=2,tie=published"), table_of("tic-tac-toe")
    for state in range(0, 300, 7):
        best = searcher.best_actions(table.state(state))
        row = [best.count(action) / len(best) for action in range(9)]
        np.testing.assert_allclose(policy.probabilities[state], row, atol=1e-15)
