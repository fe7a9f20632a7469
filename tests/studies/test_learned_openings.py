"""The study of n-tuples: positions below the goal against a plain recursion, rounds, and games against perfect play."""

from functools import cache

import numpy as np
import pytest

from ttt_fast import Solver, as_player, parse_game, train
from ttt_fast.evaluate.kept_moves import judged_positions
from ttt_fast.games import api
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.ntuples.players import first_games, kept
from ttt_fast.studies.ntuples.proofs import Loop, below_goal, rounds

pytestmark = pytest.mark.slow

BOARD = "connect4:columns=4,rows=4"
SETTINGS = {"episodes": 60, "tuples": 10, "tuple_cells": 4}


def below_by_recursion(file, seat, goal):
    """The positions that can arise against a player, with it to move, in which some replies keep it below the goal."""
    game, side = parse_game(BOARD), "xo".index(seat) + 1
    player, met = as_player(file, game), {}

    @cache
    def value(state):
        """What the player gets at least."""
        status = api.status(state)
        if status != api.ONGOING:
            return 0 if status == api.DRAW else 1 if status == side else -1
        if api.player(state) != side:
            return min(value(api.play(state, action)) for action in api.legal_actions(state))
        met[state] = value(api.play(state, player.search(state).action))
        return met[state]

    value(game.initial_state)
    return {game.format_position(state) for state, least in met.items() if least < goal}


@pytest.mark.parametrize(("seat", "goal"), [("x", 0), ("o", 1)])
def test_positions_below_the_goal_are_those_of_a_plain_recursion(seat, goal, tmp_path):
    file = tmp_path / "learned.npz"
    train(Loop(BOARD, seat, goal, True, 3, SETTINGS).round(0, None, None)).save(file)
    wanted = below_by_recursion(str(file), seat, goal)
    found = below_goal(str(file), BOARD, seat, goal, 10**6, 0)
    assert set(found["starts"].tolist()) == wanted and found["below"] == len(wanted) > 20 and not found["is_reached"]
    few = below_goal(str(file), BOARD, seat, goal, 10, 0)
    assert few["below"] == found["below"] and 10 <= few["starts"].size < 20 and set(few["starts"].tolist()) <= wanted


def test_rounds_go_on_from_what_was_learned_until_the_proof(tmp_path):
    """Everybody reaches a goal of -1."""
    loops = [Loop(BOARD, "x", goal, refuted, 0, SETTINGS) for goal, refuted in ((0, True), (0, False), (-1, True))]
    found = rounds(Runner(tmp_path / "kept", False, 1), loops, 2, 50)
    assert [(row["refutations"], row["round"], row["reached"]) for row in found] == [
        (True, 0, False), (False, 0, False), (True, 0, True), (True, 1, False), (False, 1, False),
    ]  # fmt: skip
    assert [row["games"] for row in found] == [60, 60, 60, 120, 120]
    assert found[0]["positions"] == found[1]["positions"] and found[0]["below"] == found[1]["below"] > 0
    assert found[3]["below"] != found[4]["below"] and found[2]["below"] == 0
    assert rounds(Runner(tmp_path / "kept", False, 1), loops, 2, 50) == found


def test_first_movers_meet_perfect_play():
    agent, game, solver = "centre-first", parse_game("connect4"), Solver("connect4")
    found = first_games(agent, "44", 3)
    moves, statuses = found["moves"].tolist(), found["status"].tolist()
    assert 1 <= len(set(moves)) == len(moves) <= 3
    player = as_player(agent, game)
    for line, status in zip(moves, statuses, strict=True):
        state = game.state_after("44")
        for ply, action in enumerate(game.parse_moves(line)[2:], 2):
            if ply % 2 == 0:
                player.begin(np.uint64(0))
                assert action == player.search(state).action
            else:
                solved = solver.action_scores((int(state.own), int(state.occupied)))
                assert action in [one.action for one in solved.actions if one.is_best]
            state = api.play(state, action)
        assert api.status(state) == status != api.ONGOING


def test_random_moves_keep_values_by_chance():
    found, chances = kept("random"), [len(one.keeping) / len(one.values) for one in judged_positions()]
    assert found["source"].tolist() == [one.source for one in judged_positions()]
    spread = sum(chance * (1 - chance) for chance in chances) ** 0.5
    assert abs(found["keeps"].sum() - sum(chances)) < 4 * spread
