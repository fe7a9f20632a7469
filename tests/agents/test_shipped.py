"""The agent `learned`: the files that ship, the search that each names, and what is said without one."""

from types import SimpleNamespace

import numpy as np
import pytest

from small_evaluators import tuple_values
from ttt_fast import AgentError, as_player, list_agents, parse_game
from ttt_fast.agents import shipped
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.core.archive import read_meta
from ttt_fast.files import save_archive
from ttt_fast.games import api
from ttt_fast.values.files import VALUES_KIND

MOST_BYTES = 1_500_000
WIDE, HIGH = "connect4:columns=5,rows=4", "connect4:columns=4,rows=5"


@pytest.fixture
def weights(monkeypatch, tmp_path):
    """A folder of weights of two boards of Connect 4."""
    monkeypatch.setattr(shipped, "WEIGHTS", tmp_path)
    files = {WIDE: {"search": "mcts:sims=30,c=0.4"}, HIGH: {"games": [HIGH], "search": "alphabeta:depth=2"}}
    for number, (game, meta) in enumerate(files.items()):
        arrays, described = tuple_values(game).to_arrays()
        save_archive(tmp_path / f"{number}.npz", VALUES_KIND, arrays, {"form": "n-tuples", **described, **meta})
    return tmp_path


@pytest.mark.parametrize(
    "game, values, nodes",
    [(WIDE, {}, 30), (WIDE, {"sims": 50}, 50), (HIGH, {}, None), (HIGH, {"depth": 1}, 5)],
)
def test_each_file_is_searched_as_it_says(weights, game, values, nodes):
    played = parse_game(game)
    player = shipped.build("learned", played, **dict.fromkeys(shipped.OPTIONS) | values)
    player.begin(np.uint64(1))
    result = player.search(played.initial_state)
    assert player.name == "learned" and api.is_legal(played.initial_state, result.action)
    assert result.nodes == nodes or (nodes is None and result.nodes > 5)


def test_an_option_of_another_search_is_refused(weights):
    nothing = dict.fromkeys(shipped.OPTIONS)
    with pytest.raises(
        AgentError, match="expected ms= or sims= in 'learned:depth=3', which is a search by mcts in con"
    ):
        shipped.build("learned:depth=3", parse_game(WIDE), **nothing | {"depth": 3})
    with pytest.raises(
        AgentError, match="expected ms= or nodes= or depth= in 'learned:sims=3', which is a search by alp"
    ):
        shipped.build("learned:sims=3", parse_game(HIGH), **nothing | {"sims": 3})


def test_a_count_switches_the_clock_of_the_file_off(monkeypatch):
    """What looks repeatable is: no time is left beside a count, but for one that is given, too."""
    monkeypatch.setattr(shipped.alphabeta, "build", lambda spec, game, **settings: SimpleNamespace(**settings))
    settings = {
        words: as_player(f"learned{words}", parse_game("connect4"))
        for words in ("", ":nodes=1000000", ":depth=7", ":nodes=0", ":nodes=50,ms=20", ":ms=5")
    }
    limits = {words: (one.ms, one.nodes, one.depth) for words, one in settings.items()}
    assert limits == {
        "": (100, 0, None), ":nodes=1000000": (0, 10**6, None), ":depth=7": (0, 0, 7), ":nodes=0": (100, 0, None),
        ":nodes=50,ms=20": (20, 50, None), ":ms=5": (5, 0, None),
    }  # fmt: skip


def test_clocks_are_off_by_default_in_every_other_search():
    for name, agent in AGENTS.items():
        if name != "learned" and "ms" in agent.options:
            assert agent.options["ms"].default == "0"


def test_the_list_of_options_tells_the_search_and_the_budget_of_each_game(weights):
    assert list_agents(name="learned")[0]["meaning"].endswith(
        f"in {WIDE} mcts with 30 simulations a move; in {HIGH} alphabeta with 2 plies a move"
    )


def test_a_game_with_two_files_is_named_once():
    with pytest.raises(AgentError, match=r"\(connect4, ultimate, ultimate:tie=boards\)"):
        as_player("learned", parse_game("ultimate:closed=stay"))


def test_a_game_without_a_file_gives_one_line(weights):
    for game in ("connect4:columns=6,rows=5", "ultimate"):
        with pytest.raises(AgentError) as error:
            as_player("learned:ms=5", parse_game(game))
        have = f"({WIDE}, {HIGH})"
        assert str(error.value) == f"expected a game with a learned evaluation {have} for 'learned:ms=5', got {game!r}"
    with pytest.raises(AgentError, match="which plays connect4, ultimate"):
        as_player("learned", parse_game("tic-tac-toe"))


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=one.path.name, marks=[pytest.mark.slow] * (one.games[0].spec != "connect4"))
        for one in shipped.shipped(shipped.WEIGHTS)
    ],
)
def test_what_ships_plays_and_says_where_it_comes_from(one):
    meta = read_meta(one.path)
    assert meta["sha256"] and meta["command"].startswith(("ttt-fast ", "python bench/"))
    assert one.path.stat().st_size <= MOST_BYTES
    for game in one.games:
        player = as_player("learned:ms=5", game)
        player.begin(np.uint64(1))
        assert api.is_legal(game.initial_state, player.search(game.initial_state).action)
