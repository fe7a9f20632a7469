"""The agent `proven`: its file, its board and its seat, its moves and their time."""

import time

import numpy as np
import pytest
from proven_toys import WON_BY_X, random_weights, toy

from cli_runner import run
from proven_writing import save_proven
from ttt_fast import (
    AgentError,
    ContestConfig,
    FileFormatError,
    as_player,
    contest,
    induced_table,
    parse_game,
)
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.games import api
from ttt_fast.proven import player as proven
from ttt_fast.proven.weights import choose_columns


@pytest.fixture
def path(tmp_path):
    """The file of a toy."""
    save_proven(tmp_path / "toy.npz", toy())
    return str(tmp_path / "toy.npz")


def test_its_help_promises_nothing_of_other_files():
    text = run("agents", "proven", "-f", "json").text
    assert "the shipped one wins every game as X" in text and "`ttt-fast prove` can check" in text


@pytest.mark.parametrize("spelled", ["proven:file={}", "{}"])
def test_a_file_plays_by_both_spellings(path, spelled):
    game, name = parse_game(WON_BY_X), spelled.format(path)
    player = as_player(name, game, seats=[1])
    random = np.random.default_rng(0)
    for _ in range(30):
        state = game.initial_state
        player.begin(np.uint64(1))
        while api.status(state) == api.ONGOING:
            if api.player(state) == 1:
                result = player.search(state)
                assert result.action == choose_columns(toy(), np.array([api.state_key(state)], np.uint64))[0]
                state = api.play(state, result.action)
            else:
                state = api.play(state, int(random.choice(api.legal_actions(state))))
        assert api.status(state) == api.X_WINS
    assert player.name == name and player.memory_bytes > 1000


def test_matches_and_exact_results(path):
    spec = f"proven:file={path}"
    with pytest.raises(AgentError, match="since a match that is played game by game swaps the seats"):
        contest(spec, "random", ContestConfig(games=50, game=WON_BY_X))
    induced = induced_table(spec, "x", WON_BY_X)
    assert induced.outcome("random").fractions.x_wins == 1 and induced.never_loses


def test_the_other_seat_is_refused(path):
    game = parse_game(WON_BY_X)
    with pytest.raises(AgentError, match=r"expected 'proven:.*' as X, the only seat that it plays, got O$"):
        as_player(f"proven:file={path}", game, seats=[1, 2])
    player = as_player(path, game)
    with pytest.raises(AgentError, match="the only seat that it plays, got O"):
        player.search(api.play(game.initial_state, 0))
    view = AgentAnalysis(player)
    assert not view.moves(api.play(game.initial_state, 0)).known and view.moves(game.initial_state).known


def test_other_boards_and_files_are_refused_in_one_line(path, tmp_path, monkeypatch):
    for game in ("connect4", "connect4:columns=4,rows=4"):
        for spec in (path, f"proven:file={path}"):
            with pytest.raises(AgentError, match=r"expected a player of connect4.*, which plays connect4:columns=4"):
                as_player(spec, game)
    with pytest.raises(AgentError, match="expected no eps= for the player of one seat"):
        as_player(f"{path}:eps=0.1", WON_BY_X)
    with pytest.raises(FileFormatError, match=r"missing\.npz"):
        as_player(f"proven:file={tmp_path / 'missing.npz'}", WON_BY_X)
    with pytest.raises(AgentError, match=r"which plays tic-tac-toe|an agent that plays tic-tac-toe"):
        as_player("proven", "tic-tac-toe")
    (tmp_path / "damaged.npz").write_bytes(b"damaged")
    with pytest.raises(FileFormatError, match=r"damaged\.npz"):
        as_player(f"proven:file={tmp_path / 'damaged.npz'}", WON_BY_X)
    monkeypatch.setattr(proven, "SHIPPED", tmp_path / "none.npz")
    with pytest.raises(AgentError, match=r"expected 'proven' with file=FILE\.npz, since no proven player ships"):
        as_player("proven", "connect4")
    with pytest.raises(AgentError, match=r"shipped or a \.npz file"):
        as_player("proven:file=toy.txt", "connect4")


def test_a_move_takes_at_most_50_microseconds(tmp_path):
    """The largest file that is allowed, in the player's own search."""
    save_proven(tmp_path / "large.npz", random_weights("connect4", 1, 15, 8))
    game = parse_game("connect4")
    player, state = as_player(str(tmp_path / "large.npz"), game), game.initial_state
    player.search(state)
    seconds = []
    for _ in range(7):
        started = time.perf_counter()
        for _ in range(100):
            player.search(state)
        seconds.append((time.perf_counter() - started) / 100)
    assert min(seconds) < 50e-6
