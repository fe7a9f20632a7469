"""Alpha-beta against plain recursion, Bichot's rules as coded, and itself without each of its shortcuts."""

import math
import time
from functools import reduce
from itertools import product

import minimax_reference as plain
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from conftest import PATIENCE, examples
from games_reference import GAMES
from small_evaluators import tuple_values
from ttt_fast import UsageError, parse_game, solution_of, table_of
from ttt_fast.evaluators import AlphaBeta, SearchOptions
from ttt_fast.games import api
from ttt_fast.search.alphabeta import searcher

ULTIMATE = parse_game("ultimate").initial_state
EMPTY = parse_game("tic-tac-toe").initial_state
CONNECT_THREE = "connect4:columns=4,rows=4,length=3"


def state_after(spec, moves):
    return reduce(api.play, moves, parse_game(spec).initial_state)


def searched(state, **options):
    return AlphaBeta(state, SearchOptions(**options))


def as_coded(depth, kind, tie="published"):
    return searched(ULTIMATE, depth=depth, eval=kind, tie=tie, rule="published", order=tie != "published")


@pytest.mark.parametrize(
    ("spec", "step"),
    [
        ("tic-tac-toe", 5),
        ("tic-tac-toe:misere=yes", 15),
        ("connect4:columns=3,rows=3,length=3", 5),
        pytest.param("connect4:columns=4,rows=4,length=3", 150, marks=pytest.mark.slow),
    ],
)
def test_states_have_their_solved_values(spec, step):
    table, solution = table_of(spec), solution_of(spec)
    start = table.state(0)
    search, first = searched(start, depth=16, tt=1), searched(start, depth=16, tie="first")
    last = searched(start, depth=16, tie="last", order=False)
    for index in [0, *np.flatnonzero(table.decision_mask)[step::step].tolist()]:
        state, sign = table.state(index), 1 if table.player[index] == 1 else -1
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


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["tic-tac-toe:rows=4,columns=3", "ultimate:closed=stay,tie=boards"])
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


@pytest.mark.parametrize("kind", ["simple", "simple-written", "complex", "complex-written"])
@pytest.mark.parametrize("spec", ["ultimate", pytest.param("ultimate:closed=stay", marks=pytest.mark.slow)])
def test_values_of_ultimate_without_pruning(spec, kind):
    """Of many positions the rewards of a ply, and of some the values of three plies by both rules of depth."""
    start, seen = parse_game(spec).initial_state, set()
    name, as_coded = kind.replace("complex-written", "complex"), "written" not in kind
    for depth, rule, count in ((1, "plain", 80), (3, "plain", 12), (3, "published", 12)):
        search = searched(start, depth=depth, eval=kind, rule=rule)
        for moves in plain.random_positions(GAMES[spec], count, seed=3):
            board = plain.PublishedBoard(moves, stay="stay" in spec)
            if depth == 1 or len(board.actions()) < 9:
                values = plain.unpruned_values(board, depth, name, rule == "published", as_coded)
                assert search.action_values(state_after(spec, moves)) == {a: float(v) for a, v in values.items()}
                seen |= set(values.values())
    assert len(seen) > (2 if "simple" in kind else 20)


@pytest.mark.parametrize(
    ("depth", "count"),
    [(1, 48), (2, 24), (3, 16), (4, 12), pytest.param(5, 6, marks=pytest.mark.slow)],
)
def test_the_published_program(depth, count):
    """Value and candidates of the plain program, which takes a bound for a tie."""
    search, exact, false_ties = as_coded(depth, "complex"), as_coded(depth, "complex", "uniform"), 0
    for moves in plain.random_positions(GAMES["ultimate"], count, seed=5):
        state = state_after("ultimate", moves)
        value, actions = plain.published_search(plain.PublishedBoard(moves), depth)
        assert search.search(state).value == float(value), moves
        assert search.best_actions(state) == sorted(actions), moves
        true_ties = exact.best_actions(state)
        assert set(true_ties) <= set(actions)
        false_ties += set(true_ties) != set(actions)
    assert (false_ties > 0) == (depth > 1)


DEPTHS = (1, 3, 5)
LATE = {
    "oxoooxxx.xooxxo..o.x.xx..x.oooxx..o..oo..o..o.xx.x.x.oo.ox.ox..x..ox.oxxooxxO..ox": ((10, 0, 0), (60, 30, 30)),
    "o..xxxoxxxx..oo.oxx.ox..o..ooo..o.o.o.xxo.o.oxx..xoxo..oxxxx..ooo.xxoxxXo..xo.ox.": (
        (10, 10, 10), (80, 66.75, 6.75)),
    "..o.xo.xo.xoxxxxooxx..x...xooxxx.Oxo.oo..o.xoo.o.x.xox.oo.o.xooooo.x....xx.oxxxxo": ((10, 0, 100), (60, 3, 400)),
    "o.oxox..oxxxoox...xxo.xxx.xxxo.o.o..x.o..xxxxoo..oxoo.xoo.oxxxo.ooxoo..oxoxoxxoXo": ((0, 0, 0), (9, 9, 9)),
    "o.xx..xxx.x...xooooo.oo.xx..x.o.oxxxooxx..xxx...ooo..xx..ooo..xooxOxxo.ooxooxxxoo": ((10, 10, 10), (30, 30, 30)),
    "..xx.oxxo..oXoxxoxoxxox.xo...o.o.oox...xxxo.oo.o.oxo..xooxxooxoo.x..x.oxxoo.xxxxo": ((10, 0, 0), (60, -50, -50)),
    "...xxx...oo.xxoxOoo..xoo.xo.xooxoooxoxxxoo.oxxxx.o.x.oooo......xxxxxoooxooxo.xx.x": ((10, 0, 0), (20, 12, 12)),
    "xxx.o.oo.oXxxxoox..o.oo..ooxoxoxxoo.oo.o..o.xooxxxoxoox..x.xx.oo.x.xx.xxoxoxxoxox": ((10, 10, 10), (90, 90, 90)),
    ".ox.oo.oo.oxoxxxx.xooxoo.xox.x.xoo.oxoxO.xo..oxoooxxoxxxox.oo.o.oxo.xxoxx..x.xxxo": ((10, 10, 10), (90, 81, 75)),
}  # fmt: skip
"""Positions at plies 52 to 62 in which a move that draws decides a value or ties: it earns what its board earns.

Beside each, the values of Bichot's program itself by the simple and by the complex reward, at each depth.
"""


@pytest.mark.parametrize("prune", [True, False])
def test_late_positions_in_which_a_drawing_move_decides(prune):
    for (place, kind), (number, depth) in product(enumerate(("simple", "complex")), enumerate(DEPTHS)):
        search = as_coded(depth, kind) if prune else searched(ULTIMATE, depth=depth, eval=kind, rule="published")
        for text, values in LATE.items():
            board, state = plain.PublishedBoard.parse(text), parse_game("ultimate").parse_position(text)
            if prune:
                value, ties = plain.published_search(board, depth, kind)
            else:
                after = plain.unpruned_values(board, depth, kind, published_depth=True)
                value = max(after.values())
                ties = [action for action, one in after.items() if one == value]
            assert search.search(state).value == value == values[place][number], (text, kind, depth)
            assert search.best_actions(state) == sorted(ties), (text, kind, depth)


@pytest.mark.parametrize(("kind", "reward"), [("simple", 100), ("complex", 400)])
def test_with_the_rule_of_boards_only_equal_numbers_draw(kind, reward):
    """A move that ends the game with more or fewer boards than the other player's wins or loses it."""
    game, leads = parse_game("ultimate:tie=boards"), set()
    search = searched(game.initial_state, depth=1, eval=kind)
    for text in LATE:
        board = plain.PublishedBoard.parse(text)
        expected, who = plain.unpruned_values(board, 1, kind, published_depth=False), board.player
        for action in expected:
            undo, has_won = board.play(action)
            lead = board.large.count(who) - board.large.count(3 - who)
            if board.over and not has_won:
                leads.add(lead)
                expected[action] = reward * np.sign(lead) if lead else expected[action]
            board.undo(undo)
        assert search.action_values(game.parse_position(text)) == expected
    assert leads == {-2, 0, 1}


EVALUATIONS = {
    "tic-tac-toe": ["none"],
    "connect4": ["none"],
    CONNECT_THREE: ["none"],
    "ultimate": ["none", "simple", "simple-written", "complex", "complex-written"],
    "ultimate:tie=boards": ["complex", "simple-written"],
}
STAY = {"ultimate:closed=stay,tie=boards": ["none", "complex", "simple-written"]}


def positions(evaluations):
    """A strategy of positions of games, each with one of the evaluations of its game."""
    return st.sampled_from([
        (spec, moves, evaluation)
        for spec, kinds in evaluations.items()
        for moves in plain.random_positions(GAMES[spec], 12, seed=8)
        for evaluation in kinds
    ])  # fmt: skip


@pytest.mark.parametrize("evaluations", [EVALUATIONS, pytest.param(STAY, marks=pytest.mark.slow)], ids=["free", "stay"])
@settings(max_examples=examples(40))
@given(
    st.data(),
    st.integers(1, 5),
    st.sampled_from(["plain", "published"]),
    st.sampled_from(["none", "fast"]),
    st.booleans(),
    st.integers(0, 1),
    st.booleans(),
)
def test_no_shortcut_changes_a_value_or_a_tie(evaluations, data, depth, rule, prefer, ordering, table_mb, deepening):
    spec, moves, evaluation = data.draw(positions(evaluations))
    state = state_after(spec, moves)
    if api.num_legal_actions(state) > 15 and rule == "plain":
        depth = min(depth, 3)
    full = searched(state, depth=depth, eval=evaluation, rule=rule, prefer=prefer, prune=False, order=False)
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


@pytest.mark.parametrize(
    ("spec", "kind"), [("tic-tac-toe", "none"), ("connect4:columns=4,rows=4,length=3", "none"), ("ultimate", "complex")]
)
def test_what_a_table_remembers_of_other_positions_changes_no_value(spec, kind):
    """Along games from their ends, so that positions come up again with fewer plies left."""
    search = searched(parse_game(spec).initial_state, depth=5, eval=kind, tt=1)
    for moves in plain.random_positions(GAMES[spec], 20 if kind == "none" else 6, seed=5, deepest=12):
        for ply in reversed(range(len(moves) + 1)):
            state = state_after(spec, moves[:ply])
            fresh = searched(state, depth=5, eval=kind)
            assert search.action_values(state) == fresh.action_values(state)
            assert search.search(state, 3).value == fresh.search(state, 3).value


@pytest.mark.parametrize("options", [
    {"prune": False, "order": False}, {}, {"tt": 1, "deepen": True}, {"order": False, "tie": "last"},
    {"nodes": 10**9, "tt": 1},
])  # fmt: skip
def test_shortcuts_and_stops_change_no_value_of_an_evaluator(options, monkeypatch):
    monkeypatch.setattr(searcher, "_CHUNK_EVALUATIONS", 7)  # the kernel stops everywhere and goes on
    values_of_boards, unit, start = tuple_values(CONNECT_THREE), 2**14, state_after(CONNECT_THREE, [])

    def units(moves):
        """The value of a position as alpha-beta takes it."""
        return int(np.rint(unit * values_of_boards.value(state_after(CONNECT_THREE, moves))))

    for depth in (1, 2, 3, 4):
        search = AlphaBeta(start, SearchOptions(depth=depth, **options), values_of_boards.evaluator())
        for moves in plain.random_positions(GAMES[CONNECT_THREE], 6, seed=depth):
            values = plain.action_values(GAMES[CONNECT_THREE], moves, depth, units, win=2**16)
            told = {action: max(-1.0, min(value / unit, 1.0)) for action, value in values.items()}
            state = state_after(CONNECT_THREE, moves)
            assert search.action_values(state) == told
            found = search.search(state, 5)
            assert found.value == max(told.values()) and values[found.action] == max(values.values())


def test_an_unfinished_depth_counts_as_far_as_it_went(monkeypatch):
    """Its best action so far has the value of a search to that depth, and is no worse there than the one before."""
    monkeypatch.setattr(searcher, "_CHUNK_EVALUATIONS", 5)
    start, evaluator, deeper = state_after(CONNECT_THREE, []), tuple_values(CONNECT_THREE).evaluator(), 0
    for nodes in range(20, 400, 20):
        found = AlphaBeta(start, SearchOptions(depth=6, nodes=nodes), evaluator).search(start)
        values = [AlphaBeta(start, SearchOptions(depth=depth), evaluator).action_values(start)
                  for depth in (found.depth, found.depth + 1)]  # fmt: skip
        best = max(values[0], key=values[0].get)
        assert found.value in (values[0][found.action], values[1][found.action])
        if found.value == values[1][found.action] != values[0][found.action]:
            deeper += values[1][found.action] >= values[1][best]
    assert deeper > 3


def test_a_win_comes_before_every_evaluation_and_sooner_if_preferred():
    """X wins now, or in three plies whatever O does: both are worth 1; `fast` takes the win."""
    state = state_after(CONNECT_THREE, [0, 0, 1, 3])  # 2 completes a row, and 1 threatens two
    for prefer in ("none", "fast"):
        search = AlphaBeta(state, SearchOptions(depth=5, prefer=prefer), tuple_values(CONNECT_THREE).evaluator())
        found = search.search(state)
        assert found.value == 1.0 and (found.action == 2 or prefer == "none")
    values = search.action_values(state)
    assert values[2] == 1.0 and all(-1 <= value <= 1 for value in values.values())


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


def test_impossible_options():
    for options, message in (
        ({"depth": 0}, "expected a depth of 1 to 81, got 0"),
        ({"eval": "best"}, "expected eval to be none or simple"),
        ({"tie": "published"}, "expected tie 'published' without ordering"),
        ({"ms": -1.0}, "expected tt, ms and nodes to be at least 0"),
        ({"eval": "simple"}, "expected eval 'none' in a game other than Ultimate, got 'simple'"),
    ):
        with pytest.raises(UsageError, match=message):
            searched(EMPTY, **options)
