"""Tables of other games against a walk with dictionaries: every state, every edge, the solution, the symmetries."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import reference
from small_games import graph_of, images_of, solution_of, text_of
from ttt_fast import BoardError, parse_game, symmetry_of, table_of, tables
from ttt_fast.games import api
from ttt_fast.tables import loaded
from ttt_fast.tables.enumeration import enumerate_game
from ttt_fast.tables.state_table import NO_STATE

SIZES = {
    "tic-tac-toe": (5478, 16167),
    "tic-tac-toe:misere=yes": (5478, 16167),
    "connect4:columns=3,rows=3,length=3": (694, 966),
    "connect4:columns=4,rows=4,length=3": (41750, 65756),
    "tic-tac-toe:rows=2,columns=4,length=2,misere=yes": (605, 1064),
}
VALUES = {  # misère is a draw; who begins wins Connect 3 on four columns of four, and draws it on three of three
    "tic-tac-toe": 0,
    "tic-tac-toe:misere=yes": 0,
    "connect4:columns=3,rows=3,length=3": 0,
    "connect4:columns=4,rows=4,length=3": 1,
    "tic-tac-toe:rows=2,columns=4,length=2,misere=yes": -1,
}


GAMES = [spec for spec in SIZES if SIZES[spec][0] < 10_000]


@pytest.mark.parametrize("spec", SIZES)
def test_sizes_and_values(spec):
    """Of every game, the largest too."""
    table = table_of(spec)
    assert (table.num_states, table.num_edges) == SIZES[spec]
    assert tables.solution_of(table).value[0] == VALUES[spec]


@pytest.mark.parametrize("spec", GAMES)
def test_states_and_edges_in_the_order_of_discovery(spec):
    table, graph = table_of(spec), graph_of(spec)
    assert (table.num_states, table.num_edges) == (len(graph.lines), sum(map(len, graph.children))) == SIZES[spec]
    assert table.edge_start.tolist() == [0, *np.cumsum([len(actions) for actions in graph.children]).tolist()]
    assert table.edge_action.tolist() == [action for actions in graph.children for action in sorted(actions)]
    assert table.edge_child.tolist() == [actions[action] for actions in graph.children for action in sorted(actions)]
    child, legal = table.child, table.legal_action_mask
    assert child[legal].tolist() == table.edge_child.tolist() and (child[~legal] == NO_STATE).all()
    assert np.argwhere(legal).tolist() == np.stack([table.edge_state, table.edge_action], axis=1).tolist()
    assert table.status.tolist() == graph.status
    movers = [0 if status else graph.mover(state) for state, status in enumerate(graph.status)]
    assert table.player.tolist() == movers
    plies = [len(moves) for moves in graph.lines]
    assert table.ply.tolist() == plies and table.num_plies == max(plies)
    assert table.ply_start.tolist() == [plies.index(ply) for ply in range(max(plies) + 1)] + [len(plies)]


@pytest.mark.parametrize("spec", GAMES)
def test_states_indices_and_texts_lead_to_one_another(spec):
    table, graph, game = table_of(spec), graph_of(spec), parse_game(spec)
    every = max(1, table.num_states // 3000)
    for index in range(0, table.num_states, every):
        moves = graph.lines[index]
        state = game.initial_state
        for action in moves:
            state = api.play(state, action)
        assert table.state(index) == state and table.index_of(state) == index
        assert table.board(index) == text_of(spec, moves)
        assert table.state_index(table.board(index)) == index
    keys = np.array([int(key) for key in table.key], np.uint64)
    np.testing.assert_array_equal(table.indices_of(keys, table.ply), np.arange(table.num_states))
    assert (table.indices_of(keys, table.ply + 1)[table.ply == table.num_plies] == NO_STATE).all()


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("connect4:columns=3,rows=3,length=3", ".../XX./OO."),  # X has moved first, and stands on O everywhere
        ("connect4:columns=4,rows=4,length=3", "..../..../X.../OXXX"),
        ("tic-tac-toe:misere=yes", "XXXOOO..."),
    ],
)
def test_a_position_that_play_does_not_reach(spec, text):
    with pytest.raises(BoardError, match=r"expected ") as caught:
        table_of(spec).state_index(text)
    assert repr(text) in str(caught.value) and "\n" not in str(caught.value)


def test_a_state_that_play_does_not_reach_has_no_index():
    table = table_of("tic-tac-toe")
    start = table.game.initial_state
    assert table.index_of(start._replace(own=0b111, other=0b111000)) == NO_STATE
    assert table.index_of(start._replace(own=0b111111111)) == NO_STATE
    assert table.index_of(start._replace(own=1)) == NO_STATE


@pytest.mark.parametrize("spec", GAMES)
def test_values_distances_and_the_edges_that_keep_them(spec):
    table, graph, solved = table_of(spec), graph_of(spec), solution_of(spec)
    solution = tables.solution_of(table)
    assert solution.value[0] == VALUES[spec]
    assert list(zip(solution.value.tolist(), solution.distance.tolist(), strict=True)) == solved
    optimal, fastest = [], []
    for state, actions in enumerate(graph.children):
        keeping = [solved[child][0] == solved[state][0] for _, child in sorted(actions.items())]
        optimal += keeping
        lengths = [solved[child][1] == solved[state][1] - 1 for _, child in sorted(actions.items())]
        fastest += [keeps and length for keeps, length in zip(keeping, lengths, strict=True)]
    assert solution.optimal.tolist() == optimal
    assert solution.fastest.tolist() == fastest
    assert [array.dtype for array in solution] == [np.int8, np.int16, np.bool_, np.bool_]
    assert all(array.flags.c_contiguous and not array.flags.writeable for array in solution)
    assert all(tables.solution_of(one) is solution for one in (table.game, spec))


@pytest.mark.parametrize(
    "spec", [one if "=2" not in one else pytest.param(one, marks=pytest.mark.slow) for one in GAMES]
)
def test_classes_by_brute_force(spec):
    symmetry, graph, table = symmetry_of(spec), graph_of(spec), table_of(spec)
    marks_of = list(graph.index)
    assert symmetry.num_classes == reference.num_classes(graph, lambda marks: images_of(spec, marks))
    assert symmetry.num_classes == 765 or spec not in ("tic-tac-toe", "tic-tac-toe:misere=yes")
    images = np.array([[graph.index[image] for image in images_of(spec, marks)] for marks in marks_of]).T
    assert sorted(map(tuple, images.tolist())) == sorted(map(tuple, symmetry.state_map.tolist()))
    np.testing.assert_array_equal(symmetry.representative, images.min(axis=0))
    for states, actions in zip(symmetry.state_map, symmetry.action_map, strict=True):
        np.testing.assert_array_equal(
            table.child[states[table.edge_state], actions[table.edge_action]], states[table.edge_child]
        )
    numbers = np.unique(symmetry.representative, return_inverse=True)[1]
    np.testing.assert_array_equal(symmetry.class_index, numbers)
    solution = tables.solution_of(table)
    np.testing.assert_array_equal(solution.value[symmetry.state_map[-1]], solution.value)
    assert [array.dtype for array in symmetry] == [np.uint8, np.int32, np.int32, np.int32]
    assert not any(array.flags.writeable for array in symmetry)
    assert all(symmetry_of(one) is symmetry for one in (table, table.game))


@pytest.mark.parametrize("spec", GAMES)
def test_paths_are_lines_of_play(spec):
    graph = graph_of(spec)
    paths = [1] + [0] * (len(graph.lines) - 1)
    for state, actions in enumerate(graph.children):
        for child in actions.values():
            paths[child] += paths[state]
    assert table_of(spec).path_counts().tolist() == paths


def test_threads_that_ask_at_once_get_the_same_table(monkeypatch):
    """A policy over one of two equal tables could not meet one over the other."""
    game = parse_game("connect4:columns=3,rows=3,length=3")
    both, made = threading.Barrier(2), []

    def slow(asked, limit):
        made.append(asked)
        time.sleep(0.2)
        return enumerate_game(asked, limit)

    monkeypatch.setattr(loaded, "_tables", {})
    monkeypatch.setattr(loaded, "_from_disk", lambda asked, limit: None)
    monkeypatch.setattr(loaded, "_enumerated", slow)

    def ask(_):
        both.wait()
        return tables.table_of(game)

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(ask, range(2))
    assert first is second and len(made) == 1
