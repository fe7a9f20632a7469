"""Games by name, with options."""

import pickle
from math import comb, inf

import pytest

from ttt_fast import UsageError, parse_game
from ttt_fast.games.registry import GAMES


def start(spec):
    """The type and the fields of an initial state."""
    state = parse_game(spec).initial_state
    return type(state), state._asdict()


def test_options_reach_the_state():
    assert parse_game("connect4") == parse_game("connect4")
    assert start("connect4") == start("connect4:columns=7,rows=6,length=4")
    kind, fields = start(" connect4:length=5, rows=7 ,columns=6")
    assert kind is start("connect4")[0] and (fields["bottom"].bit_count(), fields["rows"], fields["length"]) == (
        6,
        7,
        5,
    )
    assert start("ultimate:tie=draw") == start("ultimate") != start("ultimate:tie=boards")
    assert start("ultimate")[0] is start("ultimate:tie=boards")[0]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("conect4", "'conect4'; did you mean connect4"),
        ("connect4:", "unknown option ''"),
        ("connect4:cols=7", "'cols=7' in 'connect4:cols=7'; did you mean columns=N or rows=N"),
        ("connect4:rows=x", "an integer from 1 to 63 in 'connect4:rows=x', got 'x'"),
        ("connect4:rows=6,rows=6", "'rows' twice"),
        ("connect4:columns=30", "expected columns * (rows + 1) to be at most 64, got 30 columns and 6 rows"),
        ("connect4:length=8", "expected a length of a line from 2 to 7, got 8"),
        ("ultimate:tie=first", "expected tie= draw or boards"),
        ("tic-tac-toe:rows=6,columns=5", "expected rows * columns to be at most 25, got 6 rows and 5 columns"),
        ("tic-tac-toe:length=4", "expected a length of a line from 2 to 3, got 4"),
        ("tic-tac-toe:rows=2,columns=2", "expected a length of a line from 2 to 2, got 3"),
        ("tic-tac-toe:misere=1", "expected misere= no or yes"),
    ],
)
def test_wrong_words_are_shown(spec, words):
    with pytest.raises(UsageError) as caught:
        parse_game(spec)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_three_in_a_row_on_nine_cells_is_tic_tac_toe_and_no_other_board_is():
    assert parse_game("tic-tac-toe:rows=3,columns=3,length=3") == parse_game("tic-tac-toe")
    assert parse_game("tic-tac-toe:length=3,misere=yes") == parse_game("tic-tac-toe:misere=yes")
    kind, fields = start("tic-tac-toe:rows=3,columns=4,misere=yes")
    assert kind is start("tic-tac-toe:length=2")[0] is not start("tic-tac-toe")[0]
    assert (fields["board"], fields["columns"], fields["length"], fields["misere"]) == (2**12 - 1, 4, 3, 1)
    assert parse_game("tic-tac-toe:rows=3,columns=4,misere=yes").name == "tic-tac-toe"


def test_every_game_has_a_version_and_a_bound_of_its_size():
    assert {name: parse_game(name).version for name in GAMES} == dict.fromkeys(GAMES, 1)
    assert parse_game("tic-tac-toe:misere=yes").state_bound == 6046
    assert parse_game("connect4:columns=1,rows=9,length=9").state_bound == sum(comb(n, n // 2) for n in range(10))
    assert 4.5e12 < parse_game("connect4").state_bound < 1e14  # 4,531,985,219,092 are reached
    assert parse_game("ultimate").state_bound == inf


def test_games_show_themselves_compare_by_their_options_and_travel():
    game, same = parse_game(" connect4:columns=4,rows=4"), parse_game("connect4:length=4, rows=4,columns=4")
    assert repr(game) == "Game('connect4:columns=4,rows=4')" and game == same and hash(game) == hash(same)
    others = [parse_game(spec) for spec in ("connect4", "tic-tac-toe", "tic-tac-toe:misere=yes", "ultimate")]
    assert game != "connect4:columns=4,rows=4" and len({game, same, *others}) == 5
    for one in (game, *others):
        again = pickle.loads(pickle.dumps(one))
        assert again == one and again.spec == one.spec and again.kind is one.kind


def test_games_of_libraries_may_be_refused():
    for spec in ("openspiel:chess", " openspiel:nosuch(a=1)"):
        with pytest.raises(UsageError, match="expected a game of an external library only on the command line, got '"):
            parse_game(spec, libraries=False)
    assert parse_game("connect4:rows=5", libraries=False) == parse_game("connect4:rows=5")
