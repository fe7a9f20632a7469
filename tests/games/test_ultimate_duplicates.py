"""The duplicated moves of Bichot's program: its lists, its random moves, and the one search over them."""

from math import sqrt

import numpy as np

import mcts_reference
from games_reference import GAMES
from mcts_reference import assert_same_search
from ttt_fast.core.rng import mix64
from ttt_fast.games import api, ultimate, ultimate_duplicates
from ttt_fast.games.ultimate_duplicates import LONGEST_LIST, DuplicatesState
from ttt_fast.search.mcts import MctsConfig, MctsPlayer


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
    actions = np.zeros(LONGEST_LIST, np.uint8)
    return actions[: api.fill_legal_actions(state, actions)].tolist()


def test_the_lists_are_the_published_ones():
    longest = duplicated = 0
    for position, moves in games(80):
        state = DuplicatesState(position)
        assert listed(state) == published_list(moves)
        assert api.num_legal_actions(state) == len(listed(state))
        longest = max(longest, len(listed(state)))
        duplicated += len(listed(state)) > len(set(listed(state)))
    assert 400 < longest <= LONGEST_LIST and duplicated > 50


def test_random_moves_are_entries_of_the_list():
    checked = 0
    for position, _ in games(3):
        state = DuplicatesState(position)
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


def test_the_one_search_takes_the_lists():
    """Each copy is a child; the last of the most visited is played; bit for bit as the plain search."""
    config = MctsConfig(sims=500, formula="log-ratio")
    state, moves = next(
        (DuplicatesState(one), two) for one, two in games(20) if len(listed(DuplicatesState(one))) > 300
    )
    player, plain = MctsPlayer("mcts", config), mcts_reference.Search(state, len(moves), config.c, config.formula)
    player.begin(np.uint64(len(moves)))
    assert_same_search(player, plain, state)
    assert player.root_statistics().action.tolist() == sorted(listed(state))


def test_games_begin_without_duplicates():
    state = ultimate_duplicates.initial_state()
    assert listed(state) == list(range(81)) and api.num_actions(state) == LONGEST_LIST
    assert api.max_plies(state) == 81 and api.player(state) == 1
    assert api.winning_action(state) == api.threat_action(state) == api.NO_ACTION
