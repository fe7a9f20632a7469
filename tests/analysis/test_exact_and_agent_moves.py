"""Exact values of moves by a table or a solver, and agents' views of them."""

import math

import pytest

from ttt_fast import Policy, as_player, solution_of, table_of
from ttt_fast.analysis.moves import QUICK_PLY, ExactAnalysis, agent_moves, exact_moves, has_solver
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game

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
            best = max(sign * row["value_x"] for row in rows)
            assert sign * solution.value[index] == best
            assert [row["optimal"] for row in rows] == [sign * row["value_x"] == best for row in rows]
            assert solution.distance[index] == next(row["distance"] for row in rows if row["fastest"])


def test_the_solver_and_a_table_agree_on_a_small_board():
    """4x4 has both: the solver's rows, made as for a board without a table, are those of the table."""
    game, table = parse_game("connect4:columns=4,rows=4"), table_of("connect4:columns=4,rows=4")
    solved = ExactAnalysis(game, 0)
    solved.table, solved._solves_from = None, 0
    for index in range(0, table.num_states, 4001):
        if table.decision_mask[index]:
            rows = sorted(solved.moves(table.state(index)), key=lambda row: row["action"])
            assert rows == exact_moves(table, index)


def test_connect_four_is_solved_from_a_ply_on():
    game = parse_game("connect4")
    exact, state = ExactAnalysis(game, QUICK_PLY), game.state_after(LATE)
    assert has_solver(game) and api.ply(state) >= QUICK_PLY
    assert exact.knows(state) and not exact.knows(game.initial_state) and exact.moves(game.initial_state) == []
    rows = exact.moves(state)
    assert {row["action"] for row in rows} == set(api.legal_actions(state))
    assert exact.move(state, rows[0]["action"]) == rows[0]
    assert not ExactAnalysis(game).knows(state)
    for other in ("connect4:length=5", "ultimate", "tic-tac-toe:rows=5,columns=5"):
        assert not has_solver(parse_game(other)) and ExactAnalysis(parse_game(other), 0)._solver is None


def test_the_view_of_an_agent():
    game = parse_game("tic-tac-toe")
    state = game.parse_position("XX.OO....")
    assert agent_moves(as_player("random"), state).probabilities == dict.fromkeys(api.legal_actions(state), 1 / 5)
    searched = agent_moves(as_player("mcts:sims=200"), state, seed=1)
    assert searched.probabilities == {2: 1.0} and sum(searched.visits.values()) >= 200
    assert searched == agent_moves(as_player("mcts:sims=200"), state, seed=1)
    valued = agent_moves(as_player("alphabeta:depth=3"), state)
    assert set(valued.values) == set(api.legal_actions(state)) and not any(map(math.isnan, valued.values.values()))
    unlearned = as_player(Policy.from_dict("tic-tac-toe", {"X........": 4}, "o"))
    assert not agent_moves(unlearned, state).known
