"""What every game must do, checked on all of them against the plain games."""

import random
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import reference
from games_reference import GAMES, ONGOING, ConnectFour, TicTacToe
from ttt_fast import BoardError, parse_game
from ttt_fast.games import api
from ttt_fast.games.tic_tac_toe import TicTacToeState
from ttt_fast.tables import solve
from ttt_fast.tables.enumeration import enumerate_game

SPECS = [pytest.param(spec, marks=[pytest.mark.slow] * ("closed=stay" in spec)) for spec in GAMES]
EXACT = [spec for spec in GAMES if not spec.startswith("ultimate")]
WORDS = st.integers(0, 2**64 - 1)


@cache
def random_game(spec, seed):
    """The states of a random game, each with the moves that led there."""
    game, plain, generator = parse_game(spec), GAMES[spec], random.Random(seed)
    found = [(game, plain, game.initial_state, ())]
    while status_of(spec, found[-1][3]) == ONGOING:
        *_, state, moves = found[-1]
        action = generator.choice(legal_of(spec, moves))
        found.append((game, plain, api.play(state, action), (*moves, action)))
    return found


@cache
def status_of(spec, moves):
    """The status of the plain game, worked out once for all tests."""
    return GAMES[spec].status(moves)


@cache
def legal_of(spec, moves):
    """The legal actions of the plain game, worked out once for all tests; none after its end."""
    return GAMES[spec].legal(moves) if status_of(spec, moves) == ONGOING else []


@cache
def games(spec, count=8):
    return [one for seed in range(count) for one in random_game(spec, seed)]


@pytest.mark.parametrize("spec", SPECS)
def test_random_games_go_as_in_the_plain_game(spec):
    for game, plain, state, moves in games(spec):
        assert (game.num_actions, api.max_plies(state)) == (plain.num_actions, plain.cells)
        assert api.status(state) == status_of(spec, moves)
        assert api.ply(state) == len(moves)
        assert api.player(state) == 1 + len(moves) % 2
        legal = legal_of(spec, moves)
        assert game.legal_actions(state) == legal
        if spec in EXACT:  # one function of all games
            assert np.flatnonzero(mask := api.legal_action_mask(state)).tolist() == legal
            assert mask.dtype == np.bool_ and mask.shape == (game.num_actions,)
        if legal:
            assert api.num_legal_actions(state) == len(legal)
            tried = range(-3, game.num_actions + 3)
            assert [action for action in tried if api.is_legal(state, action)] == legal


@pytest.mark.parametrize("count", [5, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spec", SPECS)
def test_winning_and_threatening_actions_are_the_first_of_the_plain_game(spec, count):
    found = 0
    for _, plain, state, moves in games(spec, count):
        if status_of(spec, moves) == ONGOING:
            who = 1 + len(moves) % 2
            winning = plain.threats(moves, who)
            assert api.winning_action(state) == min(winning, default=api.NO_ACTION)
            assert api.threat_action(state) == min(plain.threats(moves, 3 - who), default=api.NO_ACTION)
            found += bool(winning)
    assert (found == 0) == (spec == "connect4:columns=1,rows=63,length=63" or "misere=yes" in spec)


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=25)
@given(word=WORDS)
def test_random_actions_are_legal(spec, word):
    for _, _, state, moves in games(spec, 1):
        if status_of(spec, moves) == ONGOING:
            assert api.random_action(state, np.uint64(word)) in legal_of(spec, moves)


@pytest.mark.parametrize("spec", SPECS)
def test_random_actions_are_uniform(spec):
    words = np.random.default_rng(0).integers(0, 2**64, 4_000, np.uint64)
    for _, plain, state, moves in games(spec, 3)[::12]:
        if status_of(spec, moves) == ONGOING:
            drawn = [api.random_action(state, word) for word in words]
            counts = np.bincount(drawn, minlength=plain.num_actions)
            legal = legal_of(spec, moves)
            assert counts.sum() == counts[legal].sum() == words.size
            expected = words.size / len(legal)
            chi_square = ((counts[legal] - expected) ** 2 / expected).sum()
            freedom = len(legal) - 1
            assert chi_square <= freedom + 6 * np.sqrt(2 * freedom) + 12


@pytest.mark.parametrize("spec", SPECS)
def test_observations_show_the_board_from_the_seat_of_the_player_to_move(spec):
    for _, plain, state, moves in games(spec, 2):
        planes = api.observe(state)
        assert planes.dtype == np.float32 and planes.shape == api.observation_shape(state)
        assert planes.tolist() == plain.planes(moves)


@pytest.mark.parametrize("spec", SPECS)
def test_symmetries_are_those_of_the_board(spec):
    state = parse_game(spec).initial_state
    maps = api.action_map(state)
    assert maps.dtype == np.uint8 and maps.tolist() == GAMES[spec].maps()
    assert len({tuple(row) for row in maps.tolist()}) == api.num_symmetries(state) == len(maps)
    assert (np.sort(maps, axis=1) == np.arange(api.num_actions(state))).all()
    assert (maps[0] == np.arange(api.num_actions(state))).all()


@pytest.mark.parametrize("spec", SPECS)
def test_play_commutes_with_every_symmetry(spec):
    for game, plain, state, moves in games(spec, 3):
        for symmetry, actions in enumerate(plain.maps()):
            image = api.transform(state, symmetry)
            played = game.initial_state
            for action in moves:
                played = api.play(played, actions[action])
            assert image == played and type(image) is type(state)
            assert all(type(field) is int for field in image)
            assert api.status(image) == api.status(state)
            assert api.state_key(image) == api.state_key(played)
            assert game.legal_actions(image) == sorted(actions[action] for action in game.legal_actions(state))
    assert api.transform(state, 0) == state


@pytest.mark.parametrize("spec", SPECS)
def test_equal_states_have_equal_keys_and_others_have_others(spec):
    """Also where two orders of the same moves meet.  The ends of games of Ultimate may differ in closed boards only."""
    state_of, plies_of = {}, {}
    for _, _, state, _ in games(spec, 30):
        if spec not in EXACT and api.status(state) != ONGOING:
            continue
        is_checked = spec not in EXACT or spec == "tic-tac-toe"  # exact keys share one check, which is 0
        key = int(api.state_key(state)), int(api.state_check(state)) if is_checked else 0
        state = state._replace(last=0) if spec.startswith("ultimate") else state
        assert state_of.setdefault(key, state) == state
        plies_of[state] = key
    assert len(plies_of) == len(state_of) > 20
    assert (spec in EXACT) == all(check == 0 for _, check in state_of)


@pytest.mark.parametrize("spec", SPECS)
def test_exact_keys_lead_back_to_their_states(spec):
    for game, _, state, _ in games(spec, 30):
        assert api.has_exact_key(state) == (spec in EXACT)
        if spec in EXACT:
            again = api.state_of_key(game.initial_state, api.state_key(state))
            assert again == state and type(again) is type(state)
            assert all(type(field) is int for field in again)


SMALL = [
    *(
        ConnectFour(columns, rows, length)
        for columns, rows in product(range(1, 7), repeat=2)
        for length in range(2, max(columns, rows) + 1)
        if columns * rows <= 6
    ),
    ConnectFour(3, 3, 3),
    *(TicTacToe(*shape, misere) for shape in ((2, 4, 2), (2, 4, 3), (1, 7, 3)) for misere in ("no", "yes")),
]


def test_tables_are_those_of_a_slow_enumeration():
    for plain in SMALL:
        options = ",".join(f"{name}={value}" for name, value in plain._asdict().items())
        game = parse_game(f"{'connect4' if isinstance(plain, ConnectFour) else 'tic-tac-toe'}:{options}")
        table, graph = enumerate_game(game, 10**6), reference.explore(plain)
        assert table.num_states == len(graph.lines) <= game.state_bound
        assert table.status.tolist() == graph.status
        assert table.edge_child.tolist() == [actions[a] for actions in graph.children for a in sorted(actions)]
        solution = solve(table)
        assert list(zip(solution.value.tolist(), solution.distance.tolist(), strict=True)) == reference.solved(graph)


@pytest.mark.parametrize("spec", SPECS)
def test_positions_and_moves_can_be_written_and_read(spec):
    for game, _, state, moves in games(spec, 5):
        text = game.format_position(state)
        assert game.parse_position(text) == state
        assert game.format_position(game.parse_position(text)) == text
        text = game.format_moves(moves)
        assert tuple(game.parse_moves(text)) == moves
        assert game.state_after(text) == state
        if status_of(spec, moves) != ONGOING:
            with pytest.raises(BoardError, match="after the end of the game"):
                game.parse_moves(game.format_moves([*moves, 0]))


@pytest.mark.parametrize("spec", SPECS)
@given(text=st.text(max_size=90) | st.text("xoXO. _-/", max_size=90) | st.text(".XO/", min_size=47, max_size=47))
def test_any_text_is_a_position_or_one_line_that_shows_it(spec, text):
    game = parse_game(spec)
    for read in (game.parse_position, game.parse_moves):
        try:
            read(text)
        except BoardError as error:
            assert str(error).startswith("expected ") and "\n" not in str(error)
            assert "got" in str(error)


def test_a_state_of_no_game_is_refused():
    for wrong in ((0, 0), 3, None):
        with pytest.raises(TypeError, match="expected a state whose game supports"):
            api.play(wrong, 0)


def test_python_gets_states_of_plain_integers():
    state = api.play(TicTacToeState(0, 0, 0), np.uint8(4))
    assert state == TicTacToeState(0, 16, 0)
    assert all(type(field) is int for field in state)
