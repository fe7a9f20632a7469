"""What every game must do, checked on all of them against the plain games."""

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from games_reference import GAMES, ONGOING, ConnectFour
from ttt_fast.core.errors import BoardError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.games.tic_tac_toe import TicTacToeState

SPECS = list(GAMES)
EXACT = [spec for spec in SPECS if not spec.startswith("ultimate")]
WORDS = st.integers(0, 2**64 - 1)


@cache
def random_game(spec, seed):
    """The states of a random game, each with the moves that led there."""
    return list(states_of_a_random_game(spec, seed))


def states_of_a_random_game(spec, seed):
    game, plain, generator = parse_game(spec), GAMES[spec], random.Random(seed)
    state, moves = game.initial_state, ()
    yield game, plain, state, moves
    while status_of(spec, moves) == ONGOING:
        action = generator.choice(legal_of(spec, moves))
        state, moves = api.play(state, action), (*moves, action)
        yield game, plain, state, moves


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
    for game, _, state, moves in games(spec):
        assert api.status(state) == status_of(spec, moves)
        assert api.ply(state) == len(moves)
        assert api.player(state) == 1 + len(moves) % 2
        legal = legal_of(spec, moves)
        assert game.legal_actions(state) == legal
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
def test_numbers_of_actions_and_plies(spec):
    game, plain = parse_game(spec), GAMES[spec]
    assert (game.num_actions, api.max_plies(game.initial_state)) == (plain.num_actions, plain.cells)


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=25)
@given(word=WORDS)
def test_random_actions_are_legal(spec, word):
    for _, _, state, moves in games(spec, 1):
        if status_of(spec, moves) == ONGOING:
            action = api.random_action(state, np.uint64(word))
            assert action in legal_of(spec, moves)
            assert api.play_random(state, np.uint64(word)) == api.play(state, action)


@kernel
def _draw(state: api.State, counts: np.ndarray, words: np.ndarray) -> None:
    for word in words:
        counts[api.random_action(state, word)] += 1


@pytest.mark.parametrize("spec", SPECS)
def test_random_actions_are_uniform(spec):
    words = np.random.default_rng(0).integers(0, 2**64, 20_000, np.uint64)
    for _, plain, state, moves in games(spec, 3):
        if status_of(spec, moves) == ONGOING:
            counts = np.zeros(plain.num_actions, np.int64)
            _draw(state, counts, words)
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
def test_masks_tell_the_legal_actions_of_any_state(spec):
    for game, _, state, _ in games(spec, 3):
        mask = api.legal_action_mask(state)
        assert mask.dtype == np.bool_ and mask.shape == (game.num_actions,)
        assert np.flatnonzero(mask).tolist() == game.legal_actions(state)


@kernel
def _observe_after(state: api.State, action: int, symmetry: int, planes: np.ndarray, mask: np.ndarray) -> None:
    after = api.transform(api.play(state, action), symmetry)
    api.fill_observation(after, planes)
    api.fill_legal_action_mask(after, mask)


@pytest.mark.parametrize("spec", SPECS)
def test_kernels_observe_and_transform(spec):
    state = parse_game(spec).initial_state
    symmetry = api.num_symmetries(state) - 1
    planes = np.full(api.observe(state).size, -1, np.float32)
    mask = np.zeros(api.num_actions(state), np.bool_)
    _observe_after(state, 0, symmetry, planes, mask)
    after = api.transform(api.play(state, 0), symmetry)
    assert (planes == api.observe(after).ravel()).all() and (mask == api.legal_action_mask(after)).all()


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


def test_the_symmetries_of_the_square_are_quarter_turns_of_it_and_of_its_mirror_image():
    square = np.arange(9).reshape(3, 3)
    turned = [np.rot90(grid, turns).ravel() for grid in (square, square.T) for turns in range(4)]
    assert (api.action_map(parse_game("tic-tac-toe").initial_state) == turned).all()


@pytest.mark.parametrize("spec", SPECS)
def test_states_survive_in_an_array(spec):
    for _, _, state, _ in games(spec, 2):
        states = np.full((3, len(state)), -7, np.int64)
        api.store_state(state, states, 1)
        assert states[1].tolist() == list(state)
        assert (states[[0, 2]] == -7).all()
        again = api.load_state(state, states, 1)
        assert again == state and type(again) is type(state)


@pytest.mark.parametrize("spec", SPECS)
def test_equal_states_have_equal_keys_and_others_have_others(spec):
    """Also where two orders of the same moves meet.  The ends of games of Ultimate may differ in closed boards only."""
    state_of, plies_of = {}, {}
    for _, _, state, _ in games(spec, 30):
        if spec not in EXACT and api.status(state) != ONGOING:
            continue
        key = int(api.state_key(state)), int(api.state_check(state))
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


@kernel
def _there_and_back(state: api.State, keys: np.ndarray, states: np.ndarray) -> None:
    for row in range(keys.size):
        api.store_state(api.state_of_key(state, keys[row]), states, row)


@pytest.mark.parametrize("spec", EXACT)
def test_kernels_find_the_states_of_keys(spec):
    states = [state for _, _, state, _ in games(spec)]
    found = np.empty((len(states), len(states[0])), np.int64)
    _there_and_back(states[0], np.array([api.state_key(state) for state in states]), found)
    assert found.tolist() == [list(state) for state in states]


def reachable(plain):
    """Positions that legal play reaches, by the marks of their cells."""
    found = {frozenset(): ()}
    for moves in (found_moves := [()]):
        for action in plain.legal(moves) if plain.status(moves) == ONGOING else []:
            after = (*moves, action)
            if found.setdefault(frozenset(plain.marks(after).items()), after) is after:
                found_moves.append(after)
    return found


@pytest.mark.parametrize(
    ("spec", "states"),
    [
        ("tic-tac-toe", 5478),
        ("tic-tac-toe:misere=yes", 5478),
        ("connect4:columns=3,rows=3,length=3", None),
        ("connect4:columns=2,rows=3,length=3", None),
        ("connect4:columns=3,rows=2,length=2", None),
    ],
)
def test_no_more_states_than_the_bound_are_reached(spec, states):
    """An enumeration over keys, as a table would do it, and one over dictionaries of marks."""
    game = parse_game(spec)
    keys = {api.state_key(game.initial_state)}
    level = list(keys)
    while level:
        parents = [api.state_of_key(game.initial_state, key) for key in level]
        children = {api.state_key(api.play(state, action)) for state in parents for action in api.legal_actions(state)}
        level = sorted(children - keys)
        keys |= children
    plain = GAMES.get(spec) or ConnectFour(int(spec[17]), int(spec[24]), int(spec[33]))
    assert len(keys) == len(reachable(plain)) <= game.state_bound
    assert states in (None, len(keys))


@pytest.mark.parametrize("spec", SPECS)
def test_positions_can_be_written_and_read(spec):
    for game, _, state, _ in games(spec, 10):
        text = game.format_position(state)
        assert game.parse_position(text) == state
        assert game.format_position(game.parse_position(text)) == text


@pytest.mark.parametrize("spec", SPECS)
def test_moves_can_be_written_and_read(spec):
    for game, _, state, moves in games(spec, 5):
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
