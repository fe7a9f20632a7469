"""Alpha-beta against plain recursion, Bichot's rules as coded, and itself without each of its shortcuts."""

import math
import time

import minimax_reference as plain
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from conftest import PATIENCE, examples
from games_reference import GAMES, ConnectFour
from ttt_fast.core.errors import UsageError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.games.tic_tac_toe import TicTacToeState
from ttt_fast.search.alphabeta import searcher
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions

ULTIMATE = parse_game("ultimate").initial_state
EMPTY = TicTacToeState(0, 0, 0)


def state_after(spec, moves):
    state = parse_game(spec).initial_state
    for action in moves:
        state = api.play(state, action)
    return state


def searched(state, **options):
    return AlphaBeta(state, SearchOptions(**options))


def as_coded(depth, evaluation="complex", tie="published"):
    options = SearchOptions(depth, evaluation, tie, "published", order=tie != "published")
    return AlphaBeta(ULTIMATE, options)


def test_every_state_of_tic_tac_toe_has_the_solved_value(table, solution):
    search, first = searched(EMPTY, depth=9), searched(EMPTY, depth=9, tie="first")
    last = searched(EMPTY, depth=9, tie="last", order=False)
    for index in np.flatnonzero(table.status == 0):
        seat, state = int(table.player[index]), table.state(index)
        sign = 1 if seat == 1 else -1
        children = {a: sign * solution.value[child] for a, child in enumerate(table.child[index]) if child >= 0}
        best = [a for a, value in children.items() if value == max(children.values())]
        assert search.search(state, 5).value == sign * solution.value[index]
        assert search.action_values(state) == children
        assert search.best_actions(state) == best
        assert first.best_actions(state) == [best[0]] and last.best_actions(state) == [best[-1]]
        assert first.search(state).action == best[0] and last.search(state).action == best[-1]


def test_the_known_numbers_of_nodes_of_tic_tac_toe():
    """549,946 positions with repetitions; 18,297 for alpha-beta in the order of the cells, ties to the first."""
    assert searched(EMPTY, depth=9, prune=False, order=False).search(EMPTY).nodes == 549_946
    assert searched(EMPTY, depth=9, order=False, tie="first").search(EMPTY).nodes == 18_297


def test_shortcuts_save_nodes():
    state = parse_game("connect4").initial_state
    every = searched(state, depth=5, prune=False, order=False).search(state).nodes
    assert every == sum(7**ply for ply in range(6))  # nobody wins in fewer than seven plies
    pruned = searched(state, depth=5, order=False).search(state).nodes
    middle = state_after("connect4", [3, 3, 2])
    unordered, ordered, table = (
        searched(middle, depth=9, order=ordering, tt=mb).search(middle).nodes
        for ordering, mb in ((False, 0), (True, 0), (True, 1))
    )
    assert pruned < every / 10 and table < ordered < unordered


@pytest.mark.parametrize(
    "shape", [(3, 3, 3), (3, 4, 3), *(pytest.param((4, rows, 3), marks=pytest.mark.slow) for rows in (3, 4))]
)
def test_small_boards_of_connect_4_have_the_value_of_full_minimax(shape):
    game, known = ConnectFour(*shape), {}
    spec = "connect4:columns={},rows={},length={}".format(*shape)
    search = searched(parse_game(spec).initial_state, depth=16, tt=1)
    for moves in [(), *plain.random_positions(game, 40, seed=1)]:
        assert search.search(state_after(spec, moves)).value == plain.solve(game, moves, known)


def test_misere_has_the_value_of_full_minimax():
    """The first player, who loses if he must complete a line, still draws."""
    spec, known = "tic-tac-toe:misere=yes", {}
    start = parse_game(spec).initial_state
    search = searched(start, depth=9, tt=1)
    assert search.search(start).value == 0
    for moves in plain.random_positions(GAMES[spec], 60, seed=14):
        state = state_after(spec, moves)
        values = {a: -plain.solve(GAMES[spec], (*moves, a), known) for a in GAMES[spec].legal(moves)}
        assert search.search(state).value == max(values.values())
        assert search.best_actions(state) == [a for a, value in values.items() if value == max(values.values())]


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        "tic-tac-toe",
        "tic-tac-toe:misere=yes",
        "tic-tac-toe:rows=4,columns=3",
        "tic-tac-toe:rows=5,columns=5,length=4,misere=yes",
        "connect4:columns=4,rows=4,length=3",
        "connect4",
        "ultimate",
        "ultimate:closed=stay",
        "ultimate:closed=stay,tie=boards",
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_action_values_are_those_of_plain_minimax(spec, depth):
    game = GAMES[spec]
    late = [moves for moves in plain.random_positions(game, 60, seed=depth) if len(game.legal(moves)) < 12][:12]
    search = searched(parse_game(spec).initial_state, depth=depth)
    for moves in late:
        values = plain.action_values(game, moves, depth)
        assert search.action_values(state_after(spec, moves)) == values
        assert search.best_actions(state_after(spec, moves)) == [
            action for action, value in values.items() if value == max(values.values())
        ]


def test_full_boards_lost_for_the_player_to_move():
    """Sai's program: a full board above the horizon has no action, so that its maximum stays at minus infinity."""
    spec = "connect4:columns=4,rows=4,length=3"
    game, drawn = GAMES[spec]._replace(length=4), 0
    spec = spec.replace("length=3", "length=4")
    search = searched(parse_game(spec).initial_state, depth=5, tie="first", full="loss")
    for moves in plain.random_positions(game, 300, seed=2):
        if len(moves) >= 12:
            values = plain.action_values(game, moves, 5, lost_draws=True)
            state, best = state_after(spec, moves), max(values.values())
            assert search.action_values(state) == values
            assert search.search(state).action == next(a for a, value in values.items() if value == best)
            drawn += abs(best) > 1
    assert drawn > 20


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["simple", "simple-written", "complex", "complex-written"])
@pytest.mark.parametrize("spec", ["ultimate", "ultimate:closed=stay"])
def test_rewards_of_ultimate(spec, kind):
    search = AlphaBeta(parse_game(spec).initial_state, SearchOptions(1, kind))
    seen = set()
    for moves in plain.random_positions(GAMES[spec], 400, seed=3):
        board = plain.PublishedBoard(moves, stay="stay" in spec)
        values = plain.unpruned_values(board, 1, kind.removesuffix("-written") if "complex" in kind else kind, False,
                                       as_coded="written" not in kind)  # fmt: skip
        assert search.action_values(state_after(spec, moves)) == {a: float(v) for a, v in values.items()}
        seen |= set(values.values())
    assert len(seen) > (2 if "simple" in kind else 20)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["simple", "complex"])
@pytest.mark.parametrize("rule", ["plain", "published"])
@pytest.mark.parametrize("spec", ["ultimate", "ultimate:closed=stay"])
def test_values_of_ultimate_without_pruning(spec, kind, rule):
    search = AlphaBeta(parse_game(spec).initial_state, SearchOptions(3, kind, rule=rule))
    for moves in plain.random_positions(GAMES[spec], 40, seed=4):
        board = plain.PublishedBoard(moves, stay="stay" in spec)
        if len(board.actions()) < 30:
            values = plain.unpruned_values(board, 3, kind, rule == "published")
            assert search.action_values(state_after(spec, moves)) == {a: float(v) for a, v in values.items()}


def check_published(positions, depth, kind="complex"):
    """Compare value and candidates with the plain program; return how often a bound was taken for a tie."""
    search, exact, false_ties = as_coded(depth, kind), as_coded(depth, kind, "uniform"), 0
    for moves in positions:
        state = state_after("ultimate", moves)
        value, actions = plain.published_search(plain.PublishedBoard(moves), depth, kind)
        assert search.search(state).value == float(value), moves
        assert search.best_actions(state) == sorted(actions), moves
        true_ties = exact.best_actions(state)
        assert set(true_ties) <= set(actions)
        false_ties += set(true_ties) != set(actions)
    return false_ties


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_the_published_program(depth):
    false_ties = check_published(plain.random_positions(GAMES["ultimate"], 48 // depth, seed=5), depth)
    assert (false_ties > 0) == (depth > 1)


@pytest.mark.slow
def test_the_published_program_with_five_plies_and_with_the_simple_reward():
    positions = plain.random_positions(GAMES["ultimate"], 12, seed=6)
    assert check_published(positions, 5) > 0
    check_published(positions, 4, "simple")


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "count"), [(1, 200), (2, 50), (3, 200), (4, 25), (5, 40)])
def test_the_published_program_over_many_positions(depth, count):
    check_published(plain.random_positions(GAMES["ultimate"], count, seed=7), depth)


POSITIONS = [
    (spec, moves, evaluation)
    for spec, evaluations in (
        ("tic-tac-toe", ["none"]),
        ("connect4", ["none"]),
        ("connect4:columns=4,rows=4,length=3", ["none"]),
        ("ultimate", ["none", "simple", "simple-written", "complex", "complex-written"]),
        ("ultimate:tie=boards", ["complex", "simple-written"]),
        ("ultimate:closed=stay,tie=boards", ["none", "complex", "simple-written"]),
    )
    for moves in plain.random_positions(GAMES[spec], 12, seed=8)
    for evaluation in evaluations
]


@settings(max_examples=examples(80))
@given(
    st.sampled_from(POSITIONS),
    st.integers(1, 5),
    st.sampled_from(["plain", "published"]),
    st.sampled_from(["none", "fast"]),
    st.booleans(),
    st.integers(0, 1),
    st.booleans(),
)
def test_no_shortcut_changes_a_value_or_a_tie(position, depth, rule, prefer, ordering, table_mb, deepening):
    spec, moves, evaluation = position
    state = state_after(spec, moves)
    if api.num_legal_actions(state) > 15 and rule == "plain":
        depth = min(depth, 3)
    options = SearchOptions(depth, evaluation, rule=rule, prefer=prefer, prune=False, order=False)
    full = AlphaBeta(state, options)
    quick = searched(state, depth=depth, eval=evaluation, rule=rule, prefer=prefer, order=ordering,
                     tt=table_mb, deepen=deepening)  # fmt: skip
    wanted, best = full.search(state, 9), full.best_actions(state)
    found = quick.search(state, 9)
    assert found.value == wanted.value and found.action in best
    assert quick.best_actions(state) == best
    assert quick.action_values(state) == full.action_values(state)
    for tie, index in (("first", 0), ("last", -1)):
        one = searched(state, depth=depth, eval=evaluation, rule=rule, prefer=prefer, tie=tie,
                       order=ordering, tt=table_mb, deepen=deepening)  # fmt: skip
        assert one.search(state).action == best[index] and one.best_actions(state) == [best[index]]


def test_ties_are_drawn_uniformly():
    search, generator = searched(EMPTY, depth=9), np.random.default_rng(0)
    state = api.play(EMPTY, 4)
    drawn = [search.search(state, word).action for word in generator.integers(0, 2**64, 400, np.uint64)]
    counts = np.bincount(drawn, minlength=9)
    assert set(np.flatnonzero(counts)) == {0, 2, 6, 8}
    assert all(abs(count - 100) < 4 * math.sqrt(400 * 3 / 16) for count in counts[[0, 2, 6, 8]])


def test_fast_wins_are_preferred():
    """X wins at once with 2, and with a fork instead a little later; O can only delay."""
    state = state_after("tic-tac-toe", [0, 3, 1, 8])
    slow, fast = searched(state, depth=9), searched(state, depth=9, prefer="fast")
    assert 2 in slow.best_actions(state) and len(slow.best_actions(state)) > 1
    assert fast.best_actions(state) == [2]
    assert fast.search(state).value == slow.search(state).value == 1
    lost = state_after("tic-tac-toe", [0, 1, 4])  # O can block 8, and then loses to a fork
    delaying = searched(lost, depth=9, prefer="fast")
    assert delaying.search(lost).value == -1 and delaying.best_actions(lost) == [8]
    assert searched(lost, depth=9).best_actions(lost) == [2, 3, 5, 6, 7, 8]


def test_the_same_search_gives_the_same_result():
    state = state_after("ultimate", [40, 36, 4])
    search = AlphaBeta(state, SearchOptions(5, "complex", tt=1))
    first = search.search(state, 7)
    again = search.search(state, 7)
    assert again.value == first.value and again.nodes < first.nodes  # it remembers,
    search.forget()
    assert search.search(state, 7) == first == AlphaBeta(state, search.options).search(state, 7)  # until told not to


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_a_search_in_pieces_is_the_same_search(chunk, monkeypatch):
    state = state_after("connect4", [3, 3])
    options = SearchOptions(6, nodes=10**9, tt=1)
    whole = AlphaBeta(state, options).search(state, 3)
    monkeypatch.setattr(searcher, "_CHUNK_NODES", chunk)
    assert AlphaBeta(state, options).search(state, 3) == whole and whole.depth == 6


def test_limits_of_nodes_and_time():
    state = parse_game("connect4").initial_state
    limited = searched(state, depth=42, nodes=50_000, tt=1)
    result = limited.search(state)
    assert 50_000 <= result.nodes < 50_100 and 5 < result.depth < 42
    limited.forget()
    assert limited.search(state) == result
    timed = searched(state, depth=42, ms=50, tt=1)
    before = time.perf_counter()
    result = timed.search(state)
    assert result.depth > 1 and 0.05 <= time.perf_counter() - before < PATIENCE
    values = timed.action_values(state)
    assert set(values) == set(range(7)) and len(timed.best_actions(state)) >= 1
    shallow = searched(state, depth=42, nodes=1)
    assert shallow.search(state).depth == 1


def test_a_limit_ends_when_everything_is_searched():
    state = state_after("tic-tac-toe", [0, 1, 2, 4, 3, 6])
    result = searched(state, depth=81, ms=3_600_000).search(state)
    assert result.depth == 3 and result.value == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "expected a depth of 1 to 81, got 0"),
        ({"eval": "best"}, "expected eval to be none or simple"),
        ({"tie": "any"}, "expected tie to be first or last"),
        ({"tie": "published"}, "expected tie 'published' without ordering"),
        ({"ms": -1.0}, "expected tt, ms and nodes to be at least 0"),
    ],
)
def test_impossible_options(options, message):
    with pytest.raises(UsageError, match=message):
        SearchOptions(**options)


def test_evaluations_of_other_games():
    with pytest.raises(UsageError, match="expected eval 'none' in a game other than Ultimate, got 'simple'"):
        searched(EMPTY, eval="simple")
