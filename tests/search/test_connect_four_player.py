"""The player `solver`: its moves and values are the solver's."""

import numpy as np
import pytest

import induced_reference as reference
from ttt_fast import Solver, UsageError, as_player, parse_game
from ttt_fast.games import api
from ttt_fast.running.api import interrupted_by
from ttt_fast.search.connect_four import workers
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import plies_to_end

GAME = parse_game("connect4:columns=5,rows=5")
SIZE = BoardSize(5, 5)


def middle_states(seed, count):
    words = reference.random_positions(seed, 5, 5, 10, count)
    return [GAME.initial_state._replace(own=int(me), occupied=int(stones)) for me, stones in words]


@pytest.mark.parametrize("aim", ["score", "result"])
def test_moves_and_values_are_those_of_the_solver(aim):
    first, drawn = (as_player(f"solver:tie={tie},aim={aim},tt=1", GAME) for tie in ("first", "random"))
    for state in middle_states(5, 20):
        solved = Solver(SIZE, table_mb=1).action_scores((state.own, state.occupied), weak=aim == "result")
        best = [one.action for one in solved.actions if one.is_best]
        for player in (first, drawn):
            player.begin(np.uint64(3))
            assert player.action_values(state) == {one.action: one.score for one in solved.actions}
        result = first.search(state)
        assert (result.action, result.value) == (best[0], max(one.score for one in solved.actions))
        assert {drawn.search(state).action for _ in range(60)} == set(best)


def test_a_game_of_two_solvers_ends_when_the_score_says():
    players = [as_player(f"solver:tie={tie},tt=1", GAME) for tie in ("first", "random")]
    for state in middle_states(9, 5):
        score, ply = players[0].search(state).value, 10
        expected = ply + plies_to_end(int(score), ply, SIZE)
        while api.status(state) == api.ONGOING:
            state = api.play(state, players[ply % 2].search(state).action)
            ply += 1
        assert ply == expected


@pytest.mark.parametrize("what", ["search", "action_values"])
def test_a_long_move_can_be_given_up_and_made_again(what, monkeypatch):
    """A watch ends the second chunk of nodes, as Ctrl-C does in a contest."""
    monkeypatch.setattr(workers, "CHUNK_NODES", 1000)
    game = parse_game("connect4")
    state, player = game.state_after("44444253261122"), as_player("solver:tt=16", game)
    player.begin(np.uint64(1))
    calls = []

    def watch():
        calls.append(len(calls))
        if len(calls) == 2:
            raise InterruptedError

    with interrupted_by(watch), pytest.raises(InterruptedError):
        getattr(player, what)(state)
    assert calls == [0, 1]
    other = as_player("solver:tt=16", game)
    other.begin(np.uint64(1))
    if what == "search":
        assert player.search(state)[:2] == other.search(state)[:2]


@pytest.mark.parametrize(
    ("agent", "game", "words"),
    [
        ("solver", "ultimate", "expected an agent that plays ultimate, got 'solver', which plays connect4"),
        ("solver", "connect4:columns=5,rows=4,length=3", "four in a row"),
        ("solver:tt=0", "connect4", "expected tt= "),
    ],
)
def test_mistakes(agent, game, words):
    with pytest.raises(UsageError, match=words):
        as_player(agent, parse_game(game))
