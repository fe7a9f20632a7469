"""Perft: published counts, the plain games, threads, and the command."""

import json
from pathlib import Path

import pytest

from games_reference import GAME_CASES, GAMES, ConnectFour, count_lines
from ttt_fast import UsageError, parse_game, perft
from ttt_fast.games import api
from ttt_fast.search import perft as counting

PUBLISHED = json.loads((Path(__file__).parent.parent / "data" / "perft.json").read_text(encoding="utf-8"))
QUICK = 5_000_000  # lines that are counted in a moment
CASES = [
    pytest.param(game, one["position"], depth, leaves, marks=[pytest.mark.slow] if leaves > QUICK else [])
    for game, positions in PUBLISHED.items()
    for one in positions
    for depth, leaves in enumerate(one["leaf_counts"], 1)
]


@pytest.mark.parametrize(("game", "position", "depth", "leaves"), CASES)
def test_published_counts(game, position, depth, leaves):
    played = parse_game(game)
    assert perft(played.parse_position(position), depth) == leaves


@pytest.mark.parametrize("spec", GAME_CASES)
def test_the_counts_of_the_plain_game(spec):
    state, plain = parse_game(spec).initial_state, GAMES[spec]
    for depth in range(4 if plain.num_actions < 32 else 3):
        assert perft(state, depth) == count_lines(plain, (), depth)


def test_every_depth_of_a_short_game():
    state, plain = parse_game("connect4:columns=3,rows=2,length=3").initial_state, ConnectFour(3, 2, 3)
    counts = [perft(state, depth) for depth in range(9)]
    assert counts == [count_lines(plain, (), depth) for depth in range(9)]
    assert counts[6] > 0 == counts[7] == perft(state, 10**12)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "ultimate"])
def test_threads_and_pieces_never_change_a_count(monkeypatch, spec):
    state = parse_game(spec).initial_state
    whole = counting.perft_by_action(state, 4, 1)
    monkeypatch.setattr(counting, "STEPS_AT_ONCE", 7)
    assert counting.perft_by_action(state, 4, threads=2) == whole == counting.perft_by_action(state, 4, threads=5)


def test_the_lines_by_first_move_are_those_after_it():
    state = parse_game("ultimate").state_after("55 51 19")
    counts = counting.perft_by_action(state, 4)
    assert counts == {action: perft(api.play(state, action), 3) for action in counts}
    assert len(counts) == 9


def test_progress_is_told():
    told = []
    counting.perft_by_action(parse_game("connect4").initial_state, 5, on_progress=lambda *state: told.append(state))
    assert told == [(done, 49) for done in range(1, 50)]


def test_wrong_depths_are_shown():
    with pytest.raises(UsageError, match=r"^expected depth to be at least 1, got -1$"):
        counting.perft_by_action(parse_game("connect4").initial_state, -1)


def test_a_finished_game_has_no_lines():
    state = parse_game("tic-tac-toe").parse_position("XXXOO....")
    assert [perft(state, depth) for depth in range(4)] == [1, 0, 0, 0]
    assert counting.perft_by_action(state, 3) == {}
