"""The player: options as strings, trees that are kept, many positions over threads, what is said of each action."""

import subprocess
import sys

import numpy as np
import pytest

from conftest import PATIENCE
from ttt_fast.agents.convert import as_player
from ttt_fast.core.errors import AgentError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.search.mcts import MctsConfig, MctsPlayer, search_positions
from ttt_fast.search.mcts.tree import ROOT_INDEX, ROW_BYTES, make_tree
from ttt_fast.search.player import Analyst, TreeAnalyst


def new_player(**options):
    player = MctsPlayer("mcts", MctsConfig(**options))
    player.begin(np.uint64(1))
    return player


def below(player, row, depth=0):
    """What stands in a tree below a node, as nested tuples."""
    tree = player._trees[0]
    first, tried = int(tree.first_child[row]), int(tree.num_visited[row])
    own = (int(tree.visits[row]), int(tree.points[row]), int(tree.result[row]), float(tree.mean[row]))
    rest = tuple(int(action) for action in tree.action[first + tried : first + int(tree.num_children[row])])
    return own, rest, tuple((int(tree.action[child]), below(player, child)) for child in range(first, first + tried))


def test_options_are_spelled_as_strings():
    game = parse_game("connect4")
    player = as_player("mcts:sims=50,c=0.7,formula=log-ratio,rollout=win-or-block,solver=yes,reuse=yes,memory=8", game)
    assert player.config == MctsConfig(50, 0, 0.7, "log-ratio", "win-or-block", "auto", True, True, 8)
    assert as_player("mcts", game).config == MctsConfig()
    best = as_player("mcts-best:sims=7,c=1", game).config
    assert best == MctsConfig(7, 0, 1.0, "ucb1", "win-or-block", "auto", True, True)


@pytest.mark.parametrize(
    "spec, line",
    [
        ("mcts:sims=0", "expected sims= an integer from 1 to 100000000 in 'mcts:sims=0', got '0'"),
        ("mcts:c=-1", "expected c= a number from 0 to 100 in 'mcts:c=-1', got '-1'"),
        ("mcts:c=nan", "expected c= a number from 0 to 100 in 'mcts:c=nan', got 'nan'"),
        ("mcts:solver=maybe", "expected solver= yes or no in 'mcts:solver=maybe', got 'maybe'"),
        ("mcts-best:depth=3", "unknown option 'depth=3' in 'mcts-best:depth=3'; expected sims="),
        ("mcst", "unknown agent 'mcst' for connect4; did you mean mcts"),
    ],
)
def test_bad_options_give_one_line(spec, line):
    with pytest.raises(AgentError) as error:
        as_player(spec, parse_game("connect4"))
    assert str(error.value).startswith(line) and "\n" not in str(error.value)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "ultimate"])
def test_a_game_depends_on_its_stream_alone(spec):
    """Whatever the object played before, and whatever stands in its memory."""

    def play(player, stream):
        state, moves = parse_game(spec).initial_state, []
        player.begin(np.uint64(stream))
        while api.status(state) == api.ONGOING:
            result = player.search(state)
            assert api.is_legal(state, result.action) and -1 <= result.value <= 1
            moves.append(result)
            state = api.play(state, result.action)
        return moves

    for options in ({}, {"solver": True, "reuse": True, "c": 0.5}):
        player = new_player(sims=150, **options)
        games = [play(player, stream) for stream in (1, 2)]
        for tree in player._trees:
            for field in tree[:-1]:
                field[:] = 99
        assert play(player, 1) == games[0] == play(new_player(sims=150, **options), 1)
        assert games[0] != games[1]


@pytest.mark.parametrize("spec", ["connect4", "ultimate"])
def test_a_kept_tree_is_the_part_below_the_position(spec):
    player = new_player(sims=20_000, reuse=True)
    state = parse_game(spec).initial_state
    first = player.search(state)
    tree = player._trees[0]
    children = player._children(ROOT_INDEX)
    mine = next(row for row in children if tree.action[row] == first.action)
    reply = max(player._children(mine), key=lambda row: tree.visits[row])
    answered = api.play(api.play(state, first.action), int(tree.action[reply]))
    kept, visits = below(player, reply), int(tree.visits[reply])
    player._take_root(answered)
    assert below(player, ROOT_INDEX) == kept and visits > 20
    assert int(player._trees[0].used[0]) < int(player._trees[1].used[0])
    player.search(answered)
    assert int(player._trees[0].visits[ROOT_INDEX]) == visits + 20_000
    player.begin(np.uint64(1))
    assert player.search(state) == first  # a new game starts from nothing


def test_a_position_that_is_not_in_the_tree_starts_from_nothing():
    player = new_player(sims=100, reuse=True)
    game = parse_game("connect4")
    player.search(game.initial_state)
    elsewhere = game.state_after("112233")
    player.search(elsewhere)
    assert int(player._trees[0].visits[ROOT_INDEX]) == 100
    player.search(elsewhere)  # the same again goes on
    assert int(player._trees[0].visits[ROOT_INDEX]) == 200


def test_kept_trees_of_the_solver_play_whole_games():
    """Proved nodes may have no children: they are searched anew."""
    game = parse_game("tic-tac-toe")
    player = new_player(sims=400, reuse=True, solver=True, c=0.5)
    generator = np.random.default_rng(1)
    for number in range(60):
        player.begin(np.uint64(number))
        state = game.initial_state
        while api.status(state) == api.ONGOING:
            if api.player(state) == 1 + number % 2:
                action = player.search(state).action
            else:
                action = api.random_action(state, np.uint64(generator.integers(0, 2**63)))
            state = api.play(state, action)
        assert api.status(state) in (api.DRAW, 1 + number % 2)


def test_memory_is_bounded_and_told():
    player = new_player(sims=100_000, memory=1)
    result = player.search(parse_game("ultimate").initial_state)
    assert result.nodes == 100_000
    assert 2**20 - 100 * ROW_BYTES < player.memory_bytes < 2**20 + 20_000
    small = new_player(sims=100)
    small.search(parse_game("ultimate").initial_state)
    assert small.memory_bytes < 60_000
    tree = make_tree(10)
    assert sum(field.itemsize for field in tree[:-1]) == ROW_BYTES


def test_a_time_limit_ends_the_search():
    player = new_player(ms=30)
    state = parse_game("connect4").initial_state
    player.search(state)  # compiled
    result = player.search(state)
    assert result.nodes % 256 == 0 and 256 <= result.nodes < 2_000_000


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "ultimate"])
def test_threads_never_change_a_result(spec):
    state, states = parse_game(spec).initial_state, []
    for number in range(12):
        states.append(state)
        state = api.play(state, int(api.random_action(state, np.uint64(number * 0x9E3779B97F4A7C15 % 2**64))))
        if api.status(state) != api.ONGOING:
            break
    found = [search_positions(states, MctsConfig(sims=300), seed=5, threads=threads) for threads in (1, 2, 5)]
    for other in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(found[0], other, strict=True))
    assert (found[0].nodes == 300).all()
    again = search_positions(states, MctsConfig(sims=300), seed=6)
    assert not np.array_equal(again.value, found[0].value)


def test_statistics_tell_of_every_legal_action():
    game = parse_game("ultimate")
    player = new_player(sims=60)
    player.search(game.initial_state)
    found = player.root_statistics()
    assert list(found.action) == list(range(81))
    assert sorted(found.visits) == [0] * 21 + [1] * 60
    assert (np.isnan(found.value) == (found.visits == 0)).all()
    assert sorted(found.order[found.visits > 0]) == list(range(60)) and (found.result == api.ONGOING).all()
    player = new_player(sims=5000, solver=True)
    player.search(parse_game("tic-tac-toe").state_after("041"))
    proved = player.root_statistics()
    by_action = dict(zip(proved.action.tolist(), proved.result.tolist(), strict=True))
    assert by_action[2] != api.X_WINS and proved.visits.sum() <= 5000
    assert all(result in (api.ONGOING, api.X_WINS) for action, result in by_action.items() if action != 2)
    for result, value in zip(proved.result, proved.value, strict=True):
        assert value == -1.0 or result != api.X_WINS


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "ultimate"])
def test_an_analysis_holds_values_of_tried_actions_and_their_visits(spec):
    game = parse_game(spec)
    player = new_player(sims=60)
    assert isinstance(player, Analyst) and isinstance(player, TreeAnalyst)
    values, visits = player.action_values(game.initial_state), player.visit_counts()
    found = player.root_statistics()
    assert list(visits) == api.legal_actions(game.initial_state) and sum(visits.values()) == 60
    assert set(values) == {action for action, count in visits.items() if count}
    for action, value in values.items():
        assert value == found.value[found.action == action][0] and -1 <= value <= 1
    player.begin(np.uint64(1))
    result = player.search(game.initial_state)
    assert result.value == values[result.action] and visits[result.action] == max(visits.values())


WARM = """
import sys
import numpy as np
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.search.mcts import MctsConfig, search_positions
from ttt_fast.search.mcts.simulate import simulate
from ttt_fast.search.mcts.tree import copy_subtree
from ttt_fast.agents.convert import as_player
for spec in sys.argv[1:]:
    game = parse_game(spec)
    for options in ("mcts:sims=50,formula=log-ratio", "mcts-best:sims=50"):
        player, state = as_player(options, game), game.initial_state
        player.begin(np.uint64(1))
        for _ in range(2):
            result = player.search(state)
            print(result)
            state = api.play(state, result.action)
            state = api.play(state, max(api.legal_actions(state)))
    print(search_positions([state] * 3, MctsConfig(sims=20), threads=2))
kernels = simulate, copy_subtree
print(sum(len(one.signatures) for one in kernels), sum(sum(one.stats.cache_misses.values()) for one in kernels))
"""


@pytest.mark.slow
def test_a_second_process_runs_every_search_from_the_cache():
    """Loading a search from a warm cache must neither crash nor compile."""
    games = ["tic-tac-toe", "connect4", "ultimate"]

    def run():
        done = subprocess.run(
            [sys.executable, "-c", WARM, *games],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        *answers, counts = done.stdout.splitlines()
        return answers, counts

    first, second = run(), run()
    assert second[0] == first[0] and len(second[0]) >= 5 * len(games)
    assert second[1] == f"{len(games) + 1} 0"  # `simulate` of each game, and `copy_subtree` once
