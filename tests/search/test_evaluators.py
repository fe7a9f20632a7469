"""Minimax with evaluators, against plain minimax; strings and files that name none."""

from functools import reduce

import minimax_reference
import numpy as np
import pytest

from games_reference import GAMES
from small_evaluators import sum_evaluator, sum_value
from ttt_fast.agents.convert import as_player
from ttt_fast.core.errors import TttFastError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.games.tic_tac_toe import TicTacToeState
from ttt_fast.search import evaluators
from ttt_fast.search.alphabeta import searcher
from ttt_fast.search.alphabeta.horizon import UNIT
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions
from ttt_fast.search.rollouts import rollout_evaluator

EMPTY = TicTacToeState(0, 0, 0)


def test_a_rollout_is_an_evaluator():
    game = parse_game("connect4")
    for state in (game.initial_state, game.state_after("4")):
        values = [evaluators.position_value(rollout_evaluator(), 0, state, np.uint64(seed))[0] for seed in range(200)]
        assert set(values) <= {-1.0, 0.0, 1.0} and (np.mean(values) > 0) == (api.player(state) == 1)
    with pytest.raises(TypeError, match="expected a state whose game supports position_value"):
        evaluators.position_value((1, 2), 0, EMPTY, np.uint64(0))


@pytest.mark.parametrize("options", [
    {"prune": False, "order": False}, {}, {"tt": 1, "deepen": True}, {"order": False, "tie": "last"},
    {"nodes": 10**9, "tt": 1},
])  # fmt: skip
def test_shortcuts_and_stops_change_no_value_of_an_evaluator(options, monkeypatch):
    monkeypatch.setattr(searcher, "_CHUNK_EVALUATIONS", 7)  # the kernel stops everywhere and goes on
    plain, evaluator = GAMES["tic-tac-toe"], sum_evaluator()

    def units(moves):
        """The value of a position as alpha-beta takes it."""
        return int(np.rint(UNIT * sum_value(evaluator, reduce(api.play, moves, EMPTY))))

    for depth in (1, 2, 3, 4):
        search = AlphaBeta(EMPTY, SearchOptions(depth=depth, **options), evaluator)
        for moves in minimax_reference.random_positions(plain, 6, seed=depth):
            values = minimax_reference.action_values(plain, moves, depth, units, win=2**16)
            told = {action: max(-1.0, min(value / UNIT, 1.0)) for action, value in values.items()}
            state = reduce(api.play, moves, EMPTY)
            assert search.action_values(state) == told
            found = search.search(state, 5)
            assert found.value == max(told.values()) and values[found.action] == max(values.values())


def test_an_unfinished_depth_counts_as_far_as_it_went(monkeypatch):
    """Its best action so far has the value of a search to that depth, and is no worse there than the one before."""
    monkeypatch.setattr(searcher, "_CHUNK_EVALUATIONS", 5)
    evaluator, deeper = sum_evaluator(), 0
    for nodes in range(20, 400, 20):
        found = AlphaBeta(EMPTY, SearchOptions(depth=6, nodes=nodes), evaluator).search(EMPTY)
        values = [AlphaBeta(EMPTY, SearchOptions(depth=depth), evaluator).action_values(EMPTY)
                  for depth in (found.depth, found.depth + 1)]  # fmt: skip
        best = max(values[0], key=values[0].get)
        assert found.value in (values[0][found.action], values[1][found.action])
        if found.value == values[1][found.action] != values[0][found.action]:
            deeper += values[1][found.action] >= values[1][best]
    assert deeper > 3


def test_a_win_comes_before_every_evaluation_and_sooner_if_preferred():
    """X wins now, or in three plies whatever O does: both are worth 1; `fast` takes the win."""
    state = TicTacToeState(0b000000011, 0b000011000, 0)
    for prefer in ("none", "fast"):
        search = AlphaBeta(state, SearchOptions(depth=5, prefer=prefer), sum_evaluator())
        found = search.search(state)
        assert found.value == 1.0 and (found.action == 2 or prefer == "none")
    values = search.action_values(state)
    assert values[2] == 1.0 and all(-1 <= value <= 1 for value in values.values())


@pytest.mark.parametrize("content", [None, b"nothing"])
def test_missing_and_foreign_files_give_one_line(tmp_path, content):
    path = tmp_path / "evaluation.npz"
    if content is not None:
        path.write_bytes(content)
    for spec in (f"mcts:leaf={path}", f"alphabeta:eval={path}"):
        with pytest.raises(TttFastError) as error:
            as_player(spec, parse_game("connect4"))
        assert str(path) in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("spec", "game", "line"),
    [
        ("mcts:leaf=none", "tic-tac-toe", "expected leaf= rollout or a .npz file in 'mcts:leaf=none', got 'none'"),
        ("alphabeta:eval=complx", "ultimate", "expected eval= auto, none, simple"),
        ("mcts:expand=all", "tic-tac-toe", "expected expand=one or auto with leaf=rollout, got 'all'"),
    ],
)
def test_other_words_for_an_evaluator_give_one_line(spec, game, line):
    with pytest.raises(TttFastError) as error:
        as_player(spec, parse_game(game))
    assert str(error.value).startswith(line) and "\n" not in str(error.value)
