"""Games of OpenSpiel as games of ours: their tables and values beside OpenSpiel's own."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from cli_runner import run
from ttt_fast import (
    UsageError,
    as_policy,
    exact_outcome,
    exploitability,
    never_loses,
    parse_game,
    solution_of,
    table_of,
)
from ttt_fast.evaluate.strength import nash_conv
from ttt_fast.games import open_spiel
from ttt_fast.policies.best_response import best_response
from ttt_fast.tables.state_table import ARRAY_NAMES

pyspiel = pytest.importorskip("pyspiel")

TIC_TAC_TOE = "openspiel:tic_tac_toe"
GAMES = [
    "breakthrough(rows=4,columns=3)",
    "connect_four(rows=3,columns=3,x_in_row=3)",
    "nim(pile_sizes=1;2;3)",
    "clobber(rows=3,columns=2)",
    "dots_and_boxes(num_rows=1,num_cols=2)",  # who closes a box moves again
]
SMALL = ["nim(pile_sizes=1;2;2)", "connect_four(rows=2,columns=2,x_in_row=2)", "clobber(rows=2,columns=2)",
         "dots_and_boxes(num_rows=1,num_cols=1)"]  # fmt: skip


def test_tic_tac_toe_is_the_same_table():
    theirs, ours = table_of(TIC_TAC_TOE), table_of("tic-tac-toe")
    assert theirs.num_states == 5478
    for name in set(ARRAY_NAMES) - {"key"}:
        np.testing.assert_array_equal(getattr(theirs, name), getattr(ours, name), name)
    for mine, other in zip(solution_of(theirs), solution_of(ours), strict=True):
        np.testing.assert_array_equal(mine, other)
    boards = [theirs.board(state).replace("/", "").upper() for state in range(theirs.num_states)]
    assert boards == [ours.board(state) for state in range(ours.num_states)]


def plain_value(state, known):
    """Minimax over OpenSpiel's own states."""
    key = str(state).replace("\n", "/"), state.current_player(), state.move_number()
    if key not in known:
        if state.is_terminal():
            known[key] = int(state.returns()[0])
        else:
            values = [plain_value(state.child(action), known) for action in state.legal_actions()]
            known[key] = max(values) if state.current_player() == 0 else min(values)
    return known[key]


@pytest.mark.parametrize("name", ["tic_tac_toe", *GAMES])
def test_every_state_and_its_value_are_those_of_plain_minimax(name):
    table, known = table_of(f"openspiel:{name}"), {}
    value = plain_value(pyspiel.load_game(name).new_initial_state(), known)
    assert table.num_states == len(known) and solution_of(table).value[0] == value
    players = {key[1] + 1 for key in known if key[1] >= 0}
    assert players == set(np.unique(table.player)) - {0}
    assert sorted(solution_of(table).value.tolist()) == sorted(known.values())
    if name == "tic_tac_toe":
        by_board = {text.rstrip("/"): one for (text, *_), one in known.items()}
        boards = map(table.board, range(table.num_states))
        assert [by_board[board] for board in boards] == solution_of(table).value.tolist()


@pytest.mark.parametrize("name", SMALL)
def test_nash_conv_and_best_responses_as_open_spiel_computes_them(name):
    game, random = pyspiel.load_game(name), as_policy("random", f"openspiel:{name}")
    uniform = pyspiel.UniformRandomPolicy(game)
    assert nash_conv(random) == pytest.approx(pyspiel.nash_conv(game, uniform), rel=0, abs=1e-12)
    for seat in (1, 2):
        theirs = pyspiel.TabularBestResponse(game, seat - 1, uniform).value("")
        assert best_response(random, seat).value[0] == pytest.approx(theirs, rel=0, abs=1e-12)
    minimax = as_policy("minimax", f"openspiel:{name}")
    assert exploitability(minimax) == 0
    value = int(solution_of(minimax.table).value[0])
    assert never_loses(minimax, 1) == (value >= 0) and never_loses(minimax, 2) == (value <= 0)


def test_samples_agree_with_the_exact_result():
    random = as_policy("random", f"openspiel:{GAMES[0]}")
    row = run("match", "random", "random", "--game", f"openspiel:{GAMES[0]}", "-n", "100k", "-f", "json").json()[
        "rows"
    ][0]
    assert row["exact_x_wins"] == pytest.approx(exact_outcome(random, random).x_wins, abs=1e-12)
    assert abs(row["x_wins_z"]) < 5


def test_moves_and_positions_are_in_open_spiels_words():
    game = parse_game("openspiel:breakthrough(rows=4,columns=3)")
    state = game.state_after("a4a3 c1c2")
    assert game.format_position(state) == "4.bb/3b../2..w/1ww./ abc"
    assert game.parse_state(game.format_position(state)) == state
    assert parse_game(TIC_TAC_TOE).format_moves([4, 0]) == "4 0"  # an action that X and O write otherwise is a number


def test_spellings_of_one_game_are_equal():
    assert parse_game(TIC_TAC_TOE) == parse_game("openspiel:tic_tac_toe()") != parse_game(f"openspiel:{GAMES[2]}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("leduc_poker", "EXPLICIT_STOCHASTIC, IMPERFECT_INFORMATION"),
        ("matrix_pd", "SIMULTANEOUS, ONE_SHOT, GENERAL_SUM"),
        ("catch", "1 players"),
        ("chinese_checkers(players=3)", "3 players"),
        ("no_such_game", "Unknown game 'no_such_game'"),
        ("breakthrough(cells=3)", "Unknown parameter 'cells'"),
        ("", "No 'name' parameter"),
        ("nfg_game()", "map::at"),
        ("misere(game=nfg_game())", "map::at"),
        ("breakthrough(rows=0,columns=0)", "rows_ > 1"),
        ("hex(board_size=0)", "basic_string"),
        ("restricted_nash_response(game=tic_tac_toe())", "Unknown game"),
    ],
)
def test_a_game_that_does_not_fit_is_one_line(name, reason, capfd):
    with pytest.raises(UsageError, match=r"^expected a game of ") as error:
        parse_game(f"openspiel:{name}")
    assert reason in str(error.value) and "\n" not in str(error.value)
    assert capfd.readouterr().err == ""


def test_games_that_are_too_large_or_count_points():
    with pytest.raises(UsageError, match="at most 256 actions, got 'openspiel:chess"):
        parse_game("openspiel:chess")
    with pytest.raises(UsageError, match=r"won, drawn or lost, got 'openspiel:dots_and_boxes.* with a score of"):
        parse_game("openspiel:dots_and_boxes(num_rows=2,num_cols=2,utility_margin=true)")


def test_states_that_a_text_does_not_tell_apart_are_refused():
    class Alike:
        """States that print alike."""

        def __init__(self, state):
            self.state = state

        def __getattr__(self, name):
            return getattr(self.state, name)

        def __str__(self):
            return "always the same"

        def child(self, action):
            return Alike(self.state.child(action))

    game = pyspiel.load_game("tic_tac_toe")
    alike = SimpleNamespace(new_initial_state=lambda: Alike(game.new_initial_state()), max_utility=game.max_utility)
    rules = open_spiel.OpenSpielRules("openspiel:mine", alike)
    message = "whose states have different texts, got 'openspiel:mine', in which two states have the text"
    with pytest.raises(UsageError, match=message):
        for action in (0, 1):
            rules.as_functions().play(rules.initial, action)


def test_without_open_spiel_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(UsageError, match=r"pip install 'ttt-fast\[rl\]'"):
        parse_game("openspiel:tic_tac_toe(some=1)")
