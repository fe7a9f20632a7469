"""Exact values of moves by a table or a solver, and agents' views of them."""

import math

import numpy as np
import pytest

import ttt_fast
from ttt_fast import BoardError, Policy, PolicyError, as_player, parse_game, solution_of, table_of
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.analysis.moves import ExactAnalysis, exact_moves
from ttt_fast.games import api

LATE = "443336445554663"  # a middle game of Connect 4


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4:columns=4,rows=4"])
def test_the_rows_of_a_table_are_its_solution(spec):
    game, table = parse_game(spec), table_of(spec)
    exact, solution = ExactAnalysis(game), solution_of(spec)
    for index in range(0, table.num_states, 997):
        state = table.state(index)
        rows = exact.moves(state)
        assert rows == (exact_moves(table, index) if table.decision_mask[index] else [])
        if rows:
            sign = 1 if api.player(state) == api.X else -1
            best = max(sign * row.value_x for row in rows)
            assert sign * solution.value[index] == best
            assert [row.optimal for row in rows] == [sign * row.value_x == best for row in rows]
            assert solution.distance[index] == next(row.distance for row in rows if row.fastest)


def test_the_solver_and_a_table_agree_on_a_small_board():
    """4x4 has both: the solver's rows, made as for a board without a state table, are those of the table."""
    game, table = parse_game("connect4:columns=4,rows=4"), table_of("connect4:columns=4,rows=4")
    solved = ExactAnalysis(game, early=True)
    solved.table, solved._solves_from = None, 0
    for index in range(0, table.num_states, 4001):
        if table.decision_mask[index]:
            rows = sorted(solved.moves(table.state(index)), key=lambda row: row.action)
            assert rows == exact_moves(table, index)


def test_connect_four_is_solved_from_a_ply_on():
    game = parse_game("connect4")
    exact, state = ExactAnalysis(game), game.state_after(LATE)
    assert ExactAnalysis.has_solver(game)
    early = game.state_after("4444412")  # beyond the book of openings
    assert exact.knows(state) and not exact.knows(early) and exact.moves(early) == []
    opening = game.state_after("44444")  # each move leads to a position of the book
    assert not exact.knows(game.state_after("444441")) and [row.value_x for row in exact.moves(opening)].count(-1) == 0
    rows = exact.moves(state)
    assert {row.action for row in rows} == set(api.legal_actions(state))
    assert ExactAnalysis(game, early=True).knows(game.initial_state)
    exact.check(game.parse_position(game.format_position(state)))  # any position, without a state table
    for other in ("connect4:length=5", "ultimate"):
        large = parse_game(other)
        assert not ExactAnalysis.has_solver(large)
        assert not ExactAnalysis(large, early=True).knows(large.initial_state)


def test_states_that_play_does_not_reach_are_refused():
    game = parse_game("connect4:columns=4,rows=3")
    exact = ExactAnalysis(game)
    exact.check(game.state_after("1122"))
    with pytest.raises(BoardError, match="expected a board that legal play reaches"):
        exact.check(game.parse_position("..../X.../O..."))


def test_the_rule_of_a_state_is_that_of_ordinary_tic_tac_toe():
    told = {"XX.OO....": "win", ".........": "center", "X........": "center", "XOX......": "block fork"}
    for spec, rules in (("tic-tac-toe", told), ("tic-tac-toe:misere=yes", {"XX.OO....": ""}), ("connect4", {})):
        game = parse_game(spec)
        for position, rule in rules.items():
            assert ExactAnalysis(game).rule(game.parse_position(position)) == rule
        assert spec == "tic-tac-toe" or ExactAnalysis(game).rule(game.initial_state) == ""


def test_the_view_of_an_agent():
    game = parse_game("tic-tac-toe")
    state = game.parse_position("XX.OO....")
    drawn = AgentAnalysis(as_player("random")).moves(state)
    assert drawn.probabilities == dict.fromkeys(api.legal_actions(state), 1 / 5)
    searched = AgentAnalysis(as_player("mcts:sims=200")).moves(state, seed=1)
    assert searched.probabilities == {2: 1.0} and sum(searched.visits.values()) >= 200
    assert searched == AgentAnalysis(as_player("mcts:sims=200")).moves(state, seed=1)
    assert {AgentAnalysis(as_player("mcts:sims=200")).move(state, 1).action} == set(searched.probabilities)
    valued = AgentAnalysis(as_player("alphabeta:depth=3")).moves(state)
    assert set(valued.values) == set(api.legal_actions(state)) and not any(map(math.isnan, valued.values.values()))
    unlearned = as_player(Policy.from_dict("tic-tac-toe", {"X........": 4}, "o"))
    assert not AgentAnalysis(unlearned).moves(state).known


@pytest.mark.slow
def test_the_view_of_a_table_is_that_of_each_state():
    for name, spec in (
        ("random", "connect4:columns=4,rows=3,length=3"),
        ("alphabeta:depth=2", "connect4:columns=3,rows=3,length=3"),
        ("solver:tt=1", "connect4:columns=3,rows=4"),
    ):
        table = table_of(spec)
        agent = AgentAnalysis(as_player(name, table.game))
        whole = agent.over(table)
        assert (whole.held[table.decision_mask]).all()
        for index in range(0, table.num_states, 97):
            if table.decision_mask[index]:
                view, edges = agent.moves(table.state(index)), slice(*table.edge_start[index : index + 2])
                actions = table.edge_action[edges].tolist()
                assert whole.probabilities[edges].tolist() == [view.probabilities.get(one, 0.0) for one in actions]
                assert whole.values[edges].tolist() == pytest.approx(
                    [view.values.get(one, math.nan) for one in actions], abs=0, nan_ok=True
                )


def test_a_policy_is_not_asked_about_another_table():
    with pytest.raises(PolicyError, match=r"expected a policy for connect4:.*, got 'random' for tic-tac-toe"):
        AgentAnalysis(as_player("random", "tic-tac-toe")).over(table_of("connect4:columns=3,rows=3,length=3"))


def test_a_file_called_like_an_agent_gives_it_no_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ttt_fast.train(episodes=100, checkpoint="q.npz")
    (tmp_path / "q.npz").rename("random")
    table = table_of("tic-tac-toe")
    views = [AgentAnalysis(as_player(name)).over(table) for name in ("random", "./random")]
    assert [bool(np.isnan(view.values).all()) for view in views] == [True, False]
