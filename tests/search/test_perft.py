"""Perft: published counts, the plain games, threads, and the command."""

import json
import os
import signal
import threading
from pathlib import Path

import pytest

from games_reference import GAMES, ONGOING, count_lines
from ttt_fast.core.errors import UsageError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.search import perft as perft_module
from ttt_fast.search.perft import perft, perft_by_action

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


@pytest.mark.parametrize("spec", GAMES)
def test_the_counts_of_the_plain_game(spec):
    state, plain = parse_game(spec).initial_state, GAMES[spec]
    for depth in range(4 if plain.num_actions < 32 else 3):
        assert perft(state, depth) == count_lines(plain, (), depth)


def test_every_depth_of_a_short_game():
    state, plain = parse_game("connect4:columns=3,rows=3,length=3").initial_state, GAMES["connect4"]._replace(
        columns=3, rows=3, length=3
    )  # fmt: skip
    counts = [perft(state, depth) for depth in range(12)]
    assert counts == [count_lines(plain, (), depth) for depth in range(12)]
    assert counts[9] > 0 == counts[10] and perft(state, 10**12) == 0


def test_every_depth_of_misere():
    """Lines of play by depth, from an enumeration of positions as dictionaries of marks."""
    spec = "tic-tac-toe:misere=yes"
    plain, level = GAMES[spec], {frozenset(): ((), 1)}
    for depth in range(11):
        assert perft(parse_game(spec).initial_state, depth) == sum(paths for _, paths in level.values())
        children = {}
        for moves, paths in level.values():
            for action in plain.legal(moves) if plain.status(moves) == ONGOING else []:
                marks = frozenset(plain.marks((*moves, action)).items())
                children[marks] = ((*moves, action), children.get(marks, ((), 0))[1] + paths)
        level = children
    assert level == {}


def test_threads_never_change_a_count():
    state = parse_game("connect4").state_after("4455")
    assert len({tuple(perft_by_action(state, 6, threads).items()) for threads in (1, 2, 5)}) == 1


def test_the_lines_by_first_move_are_those_after_it():
    state = parse_game("ultimate").state_after("55 51 19")
    counts = perft_by_action(state, 4)
    assert counts == {action: perft(api.play(state, action), 3) for action in counts}
    assert len(counts) == 9


def test_progress_is_told():
    told = []
    perft_by_action(parse_game("connect4").initial_state, 5, on_progress=lambda *state: told.append(state))
    assert told == [(done, 49) for done in range(1, 50)]


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "ultimate"])
@pytest.mark.parametrize("steps", [1, 7, 1000])
def test_counting_in_pieces_never_changes_a_count(monkeypatch, spec, steps):
    state = parse_game(spec).initial_state
    whole = perft_by_action(state, 4)
    monkeypatch.setattr(perft_module, "STEPS_AT_ONCE", steps)
    assert perft_by_action(state, 4, threads=2) == whole


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_count_between_two_pieces(monkeypatch, threads):
    """The first subtree of these alone has 7**14 lines or so."""
    stops, counted = [], perft_module._count_lines

    def pressed(*arguments):
        stops.append(signal.raise_signal(signal.SIGINT) if threading.current_thread() is main else None)
        return counted(*arguments)

    main = threading.main_thread()
    monkeypatch.setattr(perft_module, "_count_lines", pressed)
    if threads == 2:  # a signal reaches the main thread, which waits for the others
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        perft_by_action(parse_game("connect4").initial_state, 16, threads)
    assert stops


@pytest.mark.parametrize("depth", [0, -1])
def test_wrong_depths_are_shown(depth):
    with pytest.raises(UsageError, match=f"^expected a depth of at least 1, got {depth}$"):
        perft_by_action(parse_game("connect4").initial_state, depth)


def test_a_finished_game_has_no_lines():
    state = parse_game("tic-tac-toe").parse_position("XXXOO....")
    assert [perft(state, depth) for depth in range(4)] == [1, 0, 0, 0]
    assert perft_by_action(state, 3) == {}
