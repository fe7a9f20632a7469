"""The judged positions of Connect 4: what the file says is true, and the measure counts it."""

from collections import Counter

from ttt_fast import Solver
from ttt_fast.evaluate.kept_moves import RANDOM_MOVES, SOLVED_GAMES, judged_positions, kept_moves
from ttt_fast.games import api


def test_positions_are_distinct_and_some_move_loses_value():
    positions = judged_positions()
    assert Counter(one.source for one in positions) == {RANDOM_MOVES: 2500, SOLVED_GAMES: 2500}
    assert len({int(api.state_key(one.state)) for one in positions}) == 5000
    for one in positions[::5]:
        assert api.ply(one.state) == one.ply >= 8 and list(one.values) == api.legal_actions(one.state)
        assert 0 < len(one.keeping) < len(one.values)
    assert {one.ply for one in positions if one.source == RANDOM_MOVES} == set(range(8, 25))


def test_values_are_those_of_the_solver():
    solver = Solver(table_mb=8)
    for one in [position for position in judged_positions() if position.ply >= 20][::80]:
        solved = solver.action_scores((one.state.own, one.state.occupied), weak=True)
        assert {action.action: action.score for action in solved.actions} == one.values


def test_a_perfect_player_keeps_all_and_the_worst_none():
    of_state = {one.state: one.values for one in judged_positions()}
    assert kept_moves(lambda state: max(of_state[state], key=of_state[state].get)) == 1.0
    assert kept_moves(lambda state: min(of_state[state], key=of_state[state].get)) == 0.0
    first = {state: next(iter(values)) for state, values in of_state.items()}
    assert 0 < kept_moves(first.__getitem__) < 1
