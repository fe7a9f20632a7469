"""A policy as a user of Python meets it: rows, draws, functions, dictionaries, frames, equality, copies."""

import copy
import pickle

import numpy as np
import pytest

import ttt_fast
from ttt_fast import BoardError, Policy, PolicyError, UsageError, as_policy
from ttt_fast.games import api

SMALL = "connect4:columns=3,rows=3,length=3"
GAMES = ["tic-tac-toe", SMALL]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("agent", ["random", "minimax", "minimax:tie=first", "mix:0.5*random+0.5*minimax"])
def test_the_row_of_a_board(game, agent):
    policy = as_policy(agent, game)
    table = policy.table
    for state in range(0, table.num_states, 37):
        dense = policy.probabilities[state]
        expected = {action: dense[action] for action in np.flatnonzero(table.legal_action_mask[state])}
        assert policy[state] == policy[table.board(state)] == policy[table.state(state)] == expected


def test_boards_that_are_none():
    policy = as_policy("random")
    for wrong, error in (("XXXXXXXXX", BoardError), ("ha", BoardError), (5478, UsageError), (None, UsageError)):
        with pytest.raises(error):
            policy[wrong]
    with pytest.raises(BoardError, match="on which the game is not over"):
        policy.sample("XXXOO....")


def test_draws_follow_the_probabilities():
    policy = Policy.from_dict("tic-tac-toe", {".........": {0: 0.75, 8: 0.25}})
    generator = np.random.default_rng(1)
    drawn = [policy.sample(".........", generator) for _ in range(2000)]
    assert set(drawn) == {0, 8}
    assert abs(drawn.count(8) - 500) < 4 * (2000 * 0.75 * 0.25) ** 0.5
    assert policy.sample(0, seed=5) == policy.sample(0, seed=5)


def test_a_dictionary_says_some_boards():
    policy = Policy.from_dict("tic-tac-toe", {".........": 4, "X...O....": {8: 0.5, 2: 0.5}}, "mine")
    assert int(policy.held.sum()) == 2 and policy.name == "mine"
    assert policy["........."] == {action: float(action == 4) for action in range(9)}
    assert policy["X...O...."][2] == policy["X...O...."][8] == 0.5
    assert policy["X........"] == dict.fromkeys(range(1, 9), 1 / 8)
    for wrong in ({".........": 9}, {"X........": 0}, {"XXXOO....": 8}, {".........": {0: 0.5}}, {".........": "4"}):
        with pytest.raises(PolicyError):
            Policy.from_dict("tic-tac-toe", wrong)
    with pytest.raises(BoardError):
        Policy.from_dict("tic-tac-toe", {"XX.......": 2})


def test_equal_is_who_holds_and_does_the_same():
    minimax = as_policy("minimax")
    assert minimax == as_policy("minimax").renamed("another") and len({minimax, as_policy("minimax")}) == 1
    floats = Policy.from_probabilities(minimax.table, minimax.edge_probabilities)
    assert floats == minimax and hash(floats) == hash(minimax)
    held = Policy.from_probabilities(minimax.table, minimax.edge_probabilities, held=minimax.table.player == 1)
    for other in (held, as_policy("random"), as_policy("minimax", SMALL), "minimax", None):
        assert minimax != other


@pytest.mark.parametrize("game", GAMES)
def test_copies_are_equal(game):
    policy = as_policy("minimax", game)
    for twin in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert twin == policy and twin.table is policy.table and twin.name == policy.name
        assert ttt_fast.exact_outcome(twin, policy).draws == ttt_fast.exact_outcome(policy, policy).draws
    assert len(pickle.dumps(policy)) < 40_000  # the table is not in it


def test_a_frame_has_a_row_for_each_legal_action():
    policy = as_policy("minimax", SMALL)
    frame = policy.to_frame()
    assert frame.columns == ["state_index", "board", "player", "action", "probability"]
    assert frame["probability"].to_list() == policy.edge_probabilities.tolist()
    assert frame["action"].to_list() == policy.table.edge_action.tolist()
    assert frame.row(0)[:3] == (0, ".../.../...", "x")


def test_a_file_tells_its_game(tmp_path):
    policy = as_policy("minimax", SMALL)
    ttt_fast.save_policy(tmp_path / "p.npz", policy)
    assert ttt_fast.load_policy(tmp_path / "p.npz") == ttt_fast.load_policy(tmp_path / "p.npz", SMALL) == policy


def test_a_notebook_shows_boards():
    page = as_policy("minimax:tie=first")._repr_html_()
    assert page.count("</text>") == 9 and page.count(">1.000<") == 1
    assert Policy.uniform(SMALL)._repr_html_().count('y="141" text-anchor="middle" font-size="14"') == 3  # lowest cells
    ultimate = ttt_fast.play_game("random", "random", "ultimate", seed=1)
    assert ultimate._repr_html_().count("<svg") == len(ultimate) + 1
    game = ttt_fast.play_game("minimax:tie=first", "minimax:tie=first")
    shown = game._repr_html_()
    assert shown.count("<svg") == len(game.boards) == 10
    marks = "".join(game.boards)
    assert (shown.count('<path d="M'), shown.count("<circle")) == (40 + marks.count("X"), marks.count("O"))
    assert "&lt;" in Policy.uniform("tic-tac-toe").renamed("<b>")._repr_html_()


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect4", "ultimate"])
def test_a_game_is_borne_out_by_its_moves(game):
    played = ttt_fast.play_game("random", "default", game, seed=3)
    rules = ttt_fast.parse_game(game)
    actions, state = rules.follow(played.moves)
    assert tuple(actions) == played.actions and rules.format_position(state) == played.boards[-1]
    assert played.result == {1: "x", 2: "o", 3: "draw"}[api.status(state)]
    assert len(played.boards) == len(played) + 1
    assert played == ttt_fast.play_game("random", "default", game, seed=3)
    assert played.moves != ttt_fast.play_game("random", "default", game, seed=4).moves


@pytest.mark.parametrize("game", ["tic-tac-toe:misere=yes", "connect4:columns=5,rows=4", "connect4", "ultimate"])
def test_playable_agents_make_a_player_without_options(game):
    def plays(name):
        try:
            return ttt_fast.as_player(name, game) is not None
        except ttt_fast.TttFastError:
            return False

    named = [row["agent"] for row in ttt_fast.list_agents(game)]
    assert [row["agent"] for row in ttt_fast.list_agents(game, playable=True)] == [one for one in named if plays(one)]


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect4", "ultimate"])
def test_states_draw_themselves(game):
    played = ttt_fast.parse_game(game)
    state = played.play(played.play(played.initial_state, 2), 18 if "ultimate" in game else 1)
    empty, picture = played.initial_state._repr_svg_(), state._repr_svg_()
    assert picture.startswith("<svg ") and empty != picture
    assert ("#c0392b" in picture, "#2166ac" in picture) == (True, True) and "#c0392b" not in empty  # an X and an O
    assert type(state)(*["text"] * len(state))._repr_svg_() is None


def test_policies_and_solutions_draw_themselves():
    picture = Policy.from_dict("tic-tac-toe", {"X........": 4})._repr_svg_()  # the first state that it holds
    assert picture.count(">1.000<") == 1 and picture.count(">0.000<") == 7 and picture.count('fill-opacity="0.36"') == 1
    solution = ttt_fast.solution_of("tic-tac-toe")
    assert solution._repr_svg_().count(">draw<") == 9 and ">a draw in 9 plies<" in solution._repr_svg_()
    assert ttt_fast.solution_of(SMALL)._repr_svg_().count(">draw<") == 3
    assert type(solution)(*solution)._repr_svg_() is None  # of no known table


def test_a_game_without_cells_has_no_picture():
    nim = ttt_fast.table_from_functions(
        (1, 1), lambda state: [1], lambda state, _: (0, -state[1]), lambda state: None if state[0] else 1, name="one"
    )
    assert ttt_fast.as_policy("random", nim)._repr_svg_() is None
    assert ttt_fast.solution_of(nim)._repr_svg_() is None and "X wins in 1 ply," in repr(ttt_fast.solution_of(nim))


@pytest.mark.parametrize("action", [3.7, "3", -0.5, True, None, np.array([3])])
def test_an_action_is_a_whole_number(action):
    game = ttt_fast.parse_game("tic-tac-toe")
    for call in (game.play, lambda state, one: game.svg(state, [one])):
        with pytest.raises(UsageError, match="expected the action to be a whole number, got"):
            call(game.initial_state, action)
    with pytest.raises(UsageError, match="expected an action of 0, 1, 2, 3, 5, 6, 7, 8 at"):
        game.svg(game.state_after("4"), [4])
    with pytest.raises(PolicyError, match="as the order of ties"):
        Policy.from_values(game, np.zeros((5478, 9)), tie=[0.5, 1.5, *range(2, 9)])


def test_seeds_are_not_negative():
    for call in (
        lambda: ttt_fast.play_game("random", "random", seed=-1),
        lambda: Policy.uniform("tic-tac-toe").sample(0, seed=-1),
    ):
        with pytest.raises(UsageError, match="expected the seed to be at least 0, got -1"):
            call()
