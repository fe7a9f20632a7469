"""Both searches with evaluators other than rollouts: against the plain searches, and by exact values."""

import subprocess
import sys
from pathlib import Path

import minimax_reference
import numpy as np
import pytest
from test_mcts import root_visits, searched, some_states

import mcts_reference
from conftest import PATIENCE
from games_reference import GAMES
from proven_toys import toy
from small_evaluators import exact_evaluator, stored_form, sum_evaluator, sum_value
from ttt_fast.agents.convert import as_player
from ttt_fast.core.archive import save_archive
from ttt_fast.core.errors import TttFastError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.games.tic_tac_toe import TicTacToeState
from ttt_fast.search.alphabeta import searcher
from ttt_fast.search.alphabeta.horizon import UNIT
from ttt_fast.search.alphabeta.player import AlphaBetaPlayer
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.mcts.player import BEST_C_OF_FILE, BEST_C_OF_ROLLOUTS
from ttt_fast.search.rollouts import rollout_evaluator
from ttt_fast.values import evaluators, files
from ttt_fast.values.proven_files import save_proven

EMPTY = TicTacToeState(0, 0, 0)


@pytest.fixture(scope="module")
def exact(table, solution):
    return exact_evaluator(table, solution)


def test_levels_are_followed():
    """The root is prepared, each level comes from the one above, and another move may come later."""
    evaluator = sum_evaluator()
    states = [EMPTY]
    evaluators.init(evaluator, EMPTY)
    for level, action in enumerate((4, 0, 8)):
        states.append(api.play(states[-1], action))
        evaluators.update(evaluator, level, states[-2], action, states[-1])
        value, stream = evaluators.position_value(evaluator, level + 1, states[-1], np.uint64(7))
        assert value == sum_value(evaluator, states[-1]) and stream == 7
    other = api.play(states[1], 5)
    evaluators.update(evaluator, 1, states[1], 5, other)
    assert evaluators.position_value(evaluator, 2, other, np.uint64(0))[0] == sum_value(evaluator, other)


def test_a_rollout_is_an_evaluator():
    game = parse_game("connect4")
    for state in (game.initial_state, game.state_after("4")):
        values = [evaluators.position_value(rollout_evaluator(), 0, state, np.uint64(seed))[0] for seed in range(200)]
        assert set(values) <= {-1.0, 0.0, 1.0} and (np.mean(values) > 0) == (api.player(state) == 1)
    with pytest.raises(TypeError, match="expected a state whose game supports position_value"):
        evaluators.position_value((1, 2), 0, EMPTY, np.uint64(0))


@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize("expand", ["one", "all"])
@pytest.mark.parametrize("formula", ["ucb1", "log-ratio"])
def test_the_kernel_is_the_plain_search_bit_for_bit(solver, expand, formula):
    evaluator, config = sum_evaluator(), MctsConfig(sims=300, c=0.5, formula=formula, solver=solver, expand=expand)
    for seed, state in enumerate(some_states("tic-tac-toe", 8, seed=1)):
        plain = mcts_reference.Search(state, seed, config.c, formula, solver=solver,
                                      leaf=lambda one: sum_value(evaluator, one),
                                      expand_all=expand == "all")  # fmt: skip
        simulations = plain.run(config.sims)
        tree, done, after = searched(state, config, seed, evaluator=evaluator)
        assert (done, after) == (simulations, plain.words.stream)
        assert root_visits(tree) == plain.visits()
        assert tree.result[0] == plain.root.result


@pytest.mark.parametrize("expand", ["one", "all"])
def test_a_full_tree_grows_no_more_and_is_still_searched(expand):
    for rows in (10, 20, 100):
        tree, done, _ = searched(EMPTY, MctsConfig(sims=500, expand=expand), 1, rows=rows, evaluator=sum_evaluator())
        assert done == int(tree.visits[0]) == 500 and int(tree.used[0]) <= rows
        assert sum(visits for visits, _, _ in root_visits(tree).values()) == 500 + (8 if expand == "all" else 0)


@pytest.mark.parametrize("expand", ["one", "all"])
def test_tree_search_with_exact_values_keeps_the_value(exact, table, solution, expand):
    """With every value exact few simulations find a move that keeps it; the mean of one child at a time lags behind."""
    player = MctsPlayer("mcts", MctsConfig(sims=200, c=0.3, expand=expand), exact)
    for index in np.flatnonzero(table.status == 0)[::40]:
        state, sign = table.state(index), 1 if table.player[index] == 1 else -1
        player.begin(np.uint64(index))
        result = player.search(state)
        assert solution.value[table.child[index, result.action]] == solution.value[index], table.board(index)
        assert abs(result.value - sign * solution.value[index]) < (0.35 if expand == "all" else 0.6)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_minimax_with_exact_values_is_exact_at_every_depth(exact, table, solution, depth):
    search = AlphaBeta(EMPTY, SearchOptions(depth=depth, tt=1, deepen=True), exact)
    for index in np.flatnonzero(table.status == 0)[::7]:
        sign = 1 if table.player[index] == 1 else -1
        found = search.search(table.state(index))
        assert found.value == sign * solution.value[index]
        assert solution.value[table.child[index, found.action]] == solution.value[index]


def evaluator_units(evaluator):
    """The value of an evaluator as alpha-beta takes it, by the moves of a position."""

    def value(moves):
        state = EMPTY
        for action in moves:
            state = api.play(state, action)
        return int(np.rint(UNIT * sum_value(evaluator, state)))

    return value


@pytest.mark.parametrize("options", [
    {"prune": False, "order": False}, {}, {"tt": 1, "deepen": True}, {"order": False, "tie": "last"},
    {"nodes": 10**9, "tt": 1},
])  # fmt: skip
def test_shortcuts_and_stops_change_no_value_of_an_evaluator(options, monkeypatch):
    monkeypatch.setattr(searcher, "_CHUNK_EVALUATIONS", 7)  # the kernel stops everywhere and goes on
    plain, evaluator = GAMES["tic-tac-toe"], sum_evaluator()
    units = evaluator_units(evaluator)
    for depth in (1, 2, 3, 4):
        search = AlphaBeta(EMPTY, SearchOptions(depth=depth, **options), evaluator)
        for moves in minimax_reference.random_positions(plain, 6, seed=depth):
            values = minimax_reference.leaf_values(plain, moves, depth, units)
            told = {action: max(-1.0, min(value / UNIT, 1.0)) for action, value in values.items()}
            state = EMPTY
            for action in moves:
                state = api.play(state, action)
            assert search.action_values(state) == told
            found = search.search(state, 5)
            assert found.value == max(told.values()) and values[found.action] == max(values.values())


def test_an_unfinished_depth_counts_as_far_as_it_went(monkeypatch):
    """Its best action so far has the value of a search to that depth, and is no worse there than the one before."""
    monkeypatch.setattr(searcher, "_CHUNK_EVALUATIONS", 5)
    evaluator, deeper = sum_evaluator(), 0
    for nodes in range(20, 400, 20):
        found = AlphaBeta(EMPTY, SearchOptions(depth=6, nodes=nodes), evaluator).search(EMPTY)
        values = [AlphaBeta(EMPTY, SearchOptions(depth=depth), evaluator).action_values(EMPTY)
                  for depth in (found.depth, found.depth + 1)]  # fmt: skip
        best = max(values[0], key=values[0].get)
        assert found.value in (values[0][found.action], values[1][found.action])
        if found.value == values[1][found.action] != values[0][found.action]:
            deeper += values[1][found.action] >= values[1][best]
    assert deeper > 3


def test_a_win_comes_before_every_evaluation_and_sooner_if_preferred(exact):
    """X wins now, or in three plies whatever O does: both are worth 1; `fast` takes the win."""
    state = TicTacToeState(0b000000011, 0b000011000, 0)
    for prefer in ("none", "fast"):
        search = AlphaBeta(state, SearchOptions(depth=5, prefer=prefer), sum_evaluator())
        found = search.search(state)
        assert found.value == 1.0 and (found.action == 2 or prefer == "none")
    values = search.action_values(state)
    assert values[2] == 1.0 and all(-1 <= value <= 1 for value in values.values())


@pytest.fixture
def learned(monkeypatch, exact, tmp_path):
    """A file of a form that makes the exact evaluator."""
    file = tmp_path / "exact.npz"
    monkeypatch.setitem(files.FORMS, "exact", stored_form("exact", lambda: exact))
    save_archive(file, files.VALUES_KIND, {}, {"form": "exact", "game": "tic-tac-toe"})
    return file


def test_agents_take_a_file(learned, table, solution):
    game = parse_game("tic-tac-toe")
    for spec in (f"mcts:sims=100,c=0.3,leaf={learned}", f"alphabeta:depth=2,eval={learned}",
                 f"mcts-best:sims=100,leaf={learned}"):  # fmt: skip
        player = as_player(spec, game)
        player.begin(np.uint64(1))
        for index in np.flatnonzero(table.status == 0)[::200]:
            action = player.search(table.state(index)).action
            assert solution.value[table.child[index, action]] == solution.value[index]
    assert player.memory_bytes > exact_bytes(learned) and player.config.c == BEST_C_OF_FILE
    assert as_player("mcts-best", game).config.c == BEST_C_OF_ROLLOUTS


def exact_bytes(file):
    return evaluators.memory_bytes(files.load_evaluator(file, parse_game("tic-tac-toe")))


def test_bad_files_give_one_line(learned, tmp_path):
    save_proven(tmp_path / "q.npz", toy())
    foreign = tmp_path / "foreign.npz"
    foreign.write_bytes(b"nothing")
    cases = [
        (f"mcts:leaf={learned}", "connect4", f"expected an evaluator for connect4, got {str(learned)!r}, which was"),
        (f"mcts:leaf={tmp_path / 'q.npz'}", "tic-tac-toe", "expected a learned evaluation of positions ("),
        ("mcts:leaf=none", "tic-tac-toe", "expected leaf= rollout or a .npz file in 'mcts:leaf=none', got 'none'"),
        ("alphabeta:eval=complx", "ultimate", "expected eval= auto, none, simple"),
        ("mcts:expand=all", "tic-tac-toe", "expected expand=one or auto with leaf=rollout, got 'all'"),
        (f"alphabeta:tie=published,eval={learned}", "tic-tac-toe", "expected tie=first, last or uniform with a file"),
    ]
    for spec, game, line in cases:
        with pytest.raises(TttFastError) as error:
            as_player(spec, parse_game(game))
        assert str(error.value).startswith(line) and "\n" not in str(error.value)


@pytest.mark.parametrize("content", [None, b"nothing"])
def test_missing_and_foreign_files_give_one_line(tmp_path, content):
    path = tmp_path / "evaluation.npz"
    if content is not None:
        path.write_bytes(content)
    for spec in (f"mcts:leaf={path}", f"alphabeta:eval={path}"):
        with pytest.raises(TttFastError) as error:
            as_player(spec, parse_game("connect4"))
        assert str(path) in str(error.value) and "\n" not in str(error.value)


def test_a_player_with_an_evaluator_keeps_it_for_itself():
    player = AlphaBetaPlayer("mine", EMPTY, SearchOptions(depth=3), evaluator=sum_evaluator())
    player.begin(np.uint64(1))
    assert -1 <= player.search(EMPTY).value <= 1 and player.memory_bytes > 160


WARM = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from proven_toys import toy
from ttt_fast.values.proven_files import save_proven
from small_evaluators import stored_form, sum_evaluator
from ttt_fast.games.registry import parse_game
from ttt_fast.search.alphabeta.kernel import search
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.mcts.simulate import simulate
state = parse_game("tic-tac-toe").initial_state
print(MctsPlayer("mcts", MctsConfig(sims=50), sum_evaluator()).search(state))
print(AlphaBeta(state, SearchOptions(depth=4, tt=1), sum_evaluator()).search(state))
print(sum(sum(one.stats.cache_misses.values()) for one in (simulate, search)))
"""


@pytest.mark.slow
def test_a_second_process_runs_leaves_from_the_cache():
    """Loading a search with an evaluator from a warm cache must neither crash nor compile."""

    def run():
        done = subprocess.run(
            [sys.executable, "-c", WARM, str(Path(__file__).parent.parent)],
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    first, second = run(), run()
    assert first[:2] == second[:2] and second[2] == "0"
