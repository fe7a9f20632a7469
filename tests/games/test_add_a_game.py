"""The game of docs/examples/misere_connect4.py: everything exact works on it, and learning, playing and searching."""

import importlib.util
import json
import sys

import pytest

import reference
from cli_runner import run
from conftest import REPOSITORY
from games_reference import ConnectFour
from ttt_fast import UsageError, as_player, as_policy, exact_fractions, parse_game, perft, solution_of, table_of
from ttt_fast.games import GameKind, add_game, api, connect_four_text, registry
from ttt_fast.games.peers import Peer
from ttt_fast.games.registry import GAMES


@pytest.fixture(scope="module", autouse=True)
def source(tmp_path_factory):
    """The source of the example, run once as a module of its own."""
    text = (REPOSITORY / "docs" / "examples" / "misere_connect4.py").read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("game") / "misere_connect_four.py"
    path.write_text(text, encoding="utf-8")
    known = dict(GAMES)
    spec = importlib.util.spec_from_file_location("misere_connect_four", path)
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield text
    del sys.modules[spec.name]
    registry.GAMES.clear()
    registry.GAMES.update(known)


class Misere(ConnectFour):
    """Whoever makes a line loses."""

    def status(self, moves):
        return {1: 2, 2: 1}.get(found := super().status(moves), found)


def test_its_table_is_that_of_plain_minimax():
    graph, table = reference.explore(Misere(4, 3, 3)), table_of("misere4")
    assert table.num_states == len(graph.lines) and table.is_narrow
    assert solution_of(table).value.tolist() == [value for value, _ in reference.solved(graph)]


def test_exact_results_are_fractions_that_samples_agree_with():
    random, minimax = as_policy("random", "misere4"), as_policy("minimax", "misere4")
    exact = exact_fractions(minimax, random)
    assert sum(exact) == 1 and exact.x_wins > exact.o_wins
    row = run("match", "minimax", "random", "--game", "misere4", "-n", "100k", "-f", "json").json()["rows"][0]
    assert row["exact_x_wins"] == pytest.approx(float(exact.x_wins), abs=1e-12)
    assert abs(row["x_wins_z"]) < 5


@pytest.mark.slow
def test_it_is_searched_and_played():
    game = parse_game("misere4")
    assert perft(game.initial_state, 3) == 64
    for spec in ("mcts:sims=50", "alphabeta:depth=4", "default", "random"):
        player = as_player(spec, game)
        assert api.is_legal(game.initial_state, player.search(game.initial_state).action)


@pytest.mark.slow
def test_it_is_trained_scored_and_shown(tmp_path):
    path = str(tmp_path / "q.npz")
    words = ["--game", "misere4", "-n", "200k", "--opponent", "random", "-o", path, "-f", "json"]
    row = run("train", *words).json()["rows"][0]
    assert row["episodes"] == 200_000 and row["regret"] < 0.2
    scored = run("score", path, "--game", "misere4", "-f", "json").json()["rows"]
    assert {one["opponent"] for one in scored} >= {"random", "minimax"}
    shown = run("show", "12", "--game", "misere4", "--agents", f"minimax,{path}", "-f", "json").json()["rows"]
    assert [one["move"] for one in shown] == ["1", "2", "3", "4"]
    assert all({"value_x", "distance", "minimax"} <= one.keys() for one in shown) and json.dumps(shown)


def test_a_kind_says_how_it_is_drawn_and_which_game_of_openspiel_is_the_same():
    usual = parse_game("connect4:columns=4,rows=3").initial_state
    peer = Peer("connect_four(columns=4,rows=3)", range(4))
    add_game(
        "low4",
        GameKind("a low board", {}, lambda: usual, text=connect_four_text, board="columns", open_spiel=lambda _: peer),
    )
    with pytest.raises(UsageError, match="expected a name that no registered game has yet, got 'low4'"):
        add_game("low4", parse_game("low4").kind)
    game, plain = parse_game("low4"), parse_game("misere4")
    assert game.open_spiel is peer and plain.open_spiel is None
    assert str(game.drawing(game.initial_state)).splitlines()[0] == "│ · · · · │" and "<circle" in game.svg(usual)
    assert plain.board(plain.initial_state).kind == "text" and str(plain.drawing(plain.initial_state)).startswith(
        "...."
    )
