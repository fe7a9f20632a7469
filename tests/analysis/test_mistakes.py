"""Mistakes labelled by the solver held against the solution of the full table."""

import numpy as np
import pytest

from ttt_fast import UsageError, as_policy, induced_table, solution_of, table_of
from ttt_fast.games import api

SMALL = "connect4:columns=4,rows=4"


SLOW = [pytest.param(agent, marks=pytest.mark.slow) for agent in ("default", "minimax")]


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("agent", ["centre-first", "random", *SLOW])
def test_all_mistakes_are_those_of_the_table(agent, seat):
    game = SMALL if agent != "random" else "connect4:columns=4,rows=3,length=4"
    induced, table = induced_table(agent, seat, game), table_of(game)
    policy, value, sign = as_policy(agent, game), solution_of(table).value, 1 if seat == 1 else -1
    found = induced.mistakes(10**6)
    assert sum(one.checked for one in found) == sum(one.positions for one in found)
    by_ply = {one.ply: one for one in found}
    own = induced.table
    for ply in range(len(induced.positions_by_ply)):
        if (ply % 2 == 0) != (seat == 1):
            assert ply not in by_ply
            continue
        expected = {}
        keys = own.key[(own.ply == ply) & (own.player == seat)]
        states = table.indices_of(keys, np.full(keys.size, ply))
        for state in states.tolist():
            edges = slice(table.edge_start[state], table.edge_start[state + 1])
            after = sign * value[table.edge_child[edges]]
            played = policy.edge_probabilities[edges] > 0
            best = sign * int(value[state])
            wrong = played & (after < best)
            if wrong.any():
                actions = tuple(table.edge_action[edges][wrong].tolist())
                expected[int(table.key[state])] = (actions, best, int(after[played].min()))
        mistakes = {int(api.state_key(one.state)): one[1:] for one in by_ply[ply].mistakes}
        assert mistakes == expected
        row = by_ply[ply].row()
        assert row["positions"] == states.size and row["share"] == row["share_low"] == len(expected) / states.size
    assert any(one.mistakes for one in found) == (agent != "minimax")


def test_samples():
    induced = induced_table("centre-first", "x", SMALL)
    found = induced.mistakes(7, seed=3)
    assert [one.checked for one in found] == [min(7, one.positions) for one in found]
    again = induced.mistakes(7, seed=3)
    assert [one.mistakes for one in again] == [one.mistakes for one in found]
    row = next(one for one in found if one.positions > 7).row()
    assert 0 <= row["share_low"] <= row["share"] <= row["share_high"] <= 1 and row["share_low"] < row["share_high"]


def test_captions():
    captions = [one.caption for of in induced_table("centre-first", "x", SMALL).mistakes(10**6) for one in of.mistakes]
    assert "ply 6: a draw becomes a loss" in captions


def test_other_games_have_no_solver():
    with pytest.raises(UsageError):
        induced_table("minimax", "x", "tic-tac-toe").mistakes()
