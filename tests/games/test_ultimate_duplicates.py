"""The duplicated moves of Bichot's program: its lists and its random moves."""

from math import sqrt

import numpy as np
import pytest

from games_reference import GAMES
from ttt_fast.core.rng import mix64
from ttt_fast.games import api
from ttt_fast.games.ultimate import duplicates as ultimate_duplicates, rules as ultimate

pytestmark = pytest.mark.slow


def games(count):
    """Positions of random games with the moves that led there."""
    for seed in range(count):
        state, moves, number = ultimate.initial_state(), (), 0
        while api.status(state) == api.ONGOING:
            yield state, moves
            number += 1
            action = int(api.random_action(state, mix64(np.uint64(1000 * seed + number))))
            state, moves = api.play(state, action), (*moves, action)


def published_list(moves):
    """Every board of a free move as often as it has free cells, then all its cells."""
    legal = GAMES["ultimate"].legal(moves)
    boards = [action // 9 for action in legal]
    if not moves or (len(set(boards)) == 1 and GAMES["ultimate"].legal(moves)[0] // 9 == moves[-1] % 9):
        return legal
    return [9 * board + cell for board in boards for cell in range(9) if 9 * board + cell in legal]


def listed(state):
    actions = np.zeros(ultimate_duplicates.LONGEST_LIST, np.uint8)
    return actions[: api.fill_legal_actions(state, actions)].tolist()


def test_the_lists_are_the_published_ones():
    longest = duplicated = 0
    for position, moves in games(80):
        state = ultimate_duplicates.DuplicatesState(position)
        assert listed(state) == published_list(moves)
        assert api.num_legal_actions(state) == len(listed(state))
        longest = max(longest, len(listed(state)))
        duplicated += len(listed(state)) > len(set(listed(state)))
    assert 400 < longest <= ultimate_duplicates.LONGEST_LIST and duplicated > 50


def test_random_moves_are_entries_of_the_list():
    checked = 0
    for position, _ in games(3):
        state = ultimate_duplicates.DuplicatesState(position)
        entries = listed(state)
        if len(entries) == len(set(entries)) or len(entries) > 150:
            continue
        draws = 3000
        drawn = [int(api.random_action(state, mix64(np.uint64(number)))) for number in range(draws)]
        for action in set(entries):
            chance = entries.count(action) / len(entries)
            assert abs(drawn.count(action) - draws * chance) < 5 * sqrt(draws * chance * (1 - chance)) + 1e-9
        assert set(drawn) <= set(entries)
        checked += 1
    assert checked >= 3


def test_games_begin_without_duplicates():
    state = ultimate_duplicates.initial_state()
    assert listed(state) == list(range(81)) and api.num_actions(state) == ultimate_duplicates.LONGEST_LIST
    assert api.max_plies(state) == 81 and api.player(state) == 1
    assert api.winning_action(state) == api.threat_action(state) == api.NO_ACTION
