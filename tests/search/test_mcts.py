"""The kernel against the plain search from the same random words; what it proves, what it plays."""

import numpy as np
import pytest

import mcts_reference
from ttt_fast.games import api, connect_four
from ttt_fast.games.registry import parse_game
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.mcts.backup import MctsSettings
from ttt_fast.search.mcts.player import _most_visited
from ttt_fast.search.mcts.simulate import simulate
from ttt_fast.search.mcts.tree import ROOT_INDEX, make_tree, plant
from ttt_fast.search.rollouts import rollout_evaluator
from ttt_fast.search.ultimate_playout import play_out


def searched(state, config, stream, rows=None, evaluator=None):
    """The tree of a search, how many simulations it took, and the stream after it."""
    settings = config.settings(evaluator is None)
    evaluator = evaluator or rollout_evaluator(int(config.rollout == "win-or-block"))
    tree = make_tree(rows or 1 + (config.sims + 1) * 30)
    plant(tree)
    path = np.zeros(api.max_plies(state) + 2, np.int32)
    done, after = simulate(state, tree, settings, config.sims, np.uint64(stream), path, evaluator)
    return tree, done, after


def root_visits(tree):
    first, tried = int(tree.first_child[ROOT_INDEX]), int(tree.num_visited[ROOT_INDEX])
    return {
        int(tree.action[row]): (int(tree.visits[row]), float(tree.points[row]), row - first)
        for row in range(first, first + tried)
    }


def some_states(spec, count, seed):
    """Ongoing states of random games, by ply."""
    generator, found = np.random.default_rng(seed), []
    while len(found) < count:
        state = parse_game(spec).initial_state
        for _ in range(int(generator.integers(0, api.max_plies(state)))):
            following = api.play(state, int(api.random_action(state, np.uint64(generator.integers(0, 2**63)))))
            if api.status(following) != api.ONGOING:
                break
            state = following
        found.append(state)
    return found


CONFIGS = [
    MctsConfig(sims=700),
    MctsConfig(sims=700, c=0.5, solver=True),
    MctsConfig(sims=500, formula="log-ratio"),
    MctsConfig(sims=300, c=0.25, rollout="win-or-block", solver=True),
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda one: f"{one.formula}-{one.rollout}-{one.solver}")
@pytest.mark.parametrize(
    "spec", ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4", "connect4:columns=4,rows=4,length=3"]
)
def test_the_kernel_is_the_plain_search_bit_for_bit(spec, config):
    for seed, state in enumerate(some_states(spec, 4, seed=1)):
        plain = mcts_reference.Search(
            state, seed, config.c, config.formula, config.rollout == "win-or-block", config.solver
        )
        simulations = plain.run(config.sims)
        tree, done, after = searched(state, config, seed)
        assert (done, after) == (simulations, plain.words.stream)
        assert root_visits(tree) == plain.visits()
        assert tree.result[ROOT_INDEX] == plain.root.result and tree.visits[ROOT_INDEX] == simulations


def test_ultimate_is_searched_as_the_plain_search_would(monkeypatch):
    """Its own rollout is called by both; everything else is plain."""
    leaves = [rollout_evaluator(policy) for policy in (0, 1)]

    def play_out_from_words(self, state):
        result, stream = play_out(state, np.uint64(self.words.stream), leaves[int(self.careful)])
        self.words.stream = int(stream)
        return result

    monkeypatch.setattr(mcts_reference.Search, "play_out", play_out_from_words)
    for config in CONFIGS[:2]:
        for seed, state in enumerate(some_states("ultimate", 3, seed=2)):
            plain = mcts_reference.Search(state, seed, config.c, config.formula, False, config.solver)
            simulations = plain.run(config.sims)
            tree, done, after = searched(state, config, seed, rows=100_000)
            assert (done, after) == (simulations, plain.words.stream)
            assert root_visits(tree) == plain.visits()


def test_proved_values_are_the_minimax_values(table, solution):
    """Every decision state of tic-tac-toe with at most six free cells, and a sample of the rest."""
    values = {api.DRAW: 0, api.X_WINS: 1, api.O_WINS: -1}
    player = MctsPlayer("mcts", MctsConfig(sims=100_000, c=0.5, solver=True))
    decisions = np.flatnonzero(table.status == 0)
    proved = 0
    for index in decisions[table.ply[decisions] >= 4][::2]:
        board, state = table.board(index), table.state(index)
        player.begin(np.uint64(index))
        result = player.search(state)
        tree = player._trees[0]
        assert values[int(tree.result[ROOT_INDEX])] == solution.value[index], board
        seat_value = solution.value[index] * (1 if table.player[index] == 1 else -1)
        assert result.value == seat_value
        assert solution.value[table.child[index, result.action]] == solution.value[index]
        proved += 1
    assert proved > 1500


def test_plain_search_plays_optimally(table, solution):
    """Without proofs, by visits alone: enough simulations find a move that keeps the value."""
    player = MctsPlayer("mcts", MctsConfig(sims=5000))
    decisions = np.flatnonzero(table.status == 0)
    for index in decisions[::100]:
        board = table.board(index)
        player.begin(np.uint64(7))
        action = player.search(table.state(index)).action
        assert solution.value[table.child[index, action]] == solution.value[index], board


@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "connect4:columns=4,rows=5,length=3", "ultimate"])
def test_a_win_in_one_is_always_played(spec, solver):
    player = MctsPlayer("mcts", MctsConfig(sims=1000, solver=solver))
    found = 0
    for seed, state in enumerate(some_states(spec, 60, seed=3)):
        if api.winning_action(state) == api.NO_ACTION:
            continue
        player.begin(np.uint64(seed))
        result = player.search(state)
        assert api.status(api.play(state, result.action)) == api.player(state)
        assert result.value == 1.0
        found += 1
    assert found > 3


def test_connect_four_threes_are_proved():
    """Three open stones on the bottom row win in two; the solver proves it long before the last simulation."""
    state = connect_four.initial_state()
    for column in (3, 3, 2, 2):
        state = api.play(state, column)
    player = MctsPlayer("mcts", MctsConfig(sims=100_000, solver=True))
    player.begin(np.uint64(1))
    result = player.search(state)
    assert result.action in (1, 4) and result.value == 1.0 and result.nodes < 20_000


def test_a_full_tree_grows_no_more_and_is_still_searched():
    state = parse_game("ultimate").initial_state
    config = MctsConfig(sims=5000)
    for rows in (82, 90, 500):
        tree, done, _ = searched(state, config, 1, rows=rows)
        assert done == 5000 and int(tree.used[0]) <= rows
        assert sum(visits for visits, _, _ in root_visits(tree).values()) == 5000
        assert len(root_visits(tree)) == 81


def test_the_choice_of_the_move():
    tree = make_tree(5)
    plant(tree)
    tree.first_child[0], tree.num_children[0], tree.num_visited[0] = 1, 4, 4
    tree.visits[1:], tree.points[1:], tree.result[1:] = [7, 9, 9, 2], [5, 6, 7, 4], 0
    assert _most_visited(tree, 1, latest=False) == 3  # most visits, then points
    tree.points[3] = 6
    assert (
        _most_visited(tree, 1, latest=False) == 2 and _most_visited(tree, 1, latest=True) == 3
    )  # the first, or the last
    tree.result[2:4] = api.O_WINS
    assert _most_visited(tree, 1, latest=False) == 1  # never a proved loss
    tree.result[1], tree.result[4] = api.DRAW, api.ONGOING
    assert _most_visited(tree, 1, latest=False) == 1
    tree.result[4] = api.X_WINS
    assert _most_visited(tree, 1, latest=False) == 4  # a proved win, however few visits
    tree.result[4], tree.result[0], tree.visits[4] = api.DRAW, api.DRAW, 8
    tree.result[1] = api.O_WINS
    assert _most_visited(tree, 1, latest=False) == 4
    tree.result[4] = api.O_WINS
    assert _most_visited(tree, 1, latest=False) == 2  # all lost: what takes longest to refute


def test_settings_are_plain_numbers():
    settings = MctsConfig(c=1, solver=True).settings()
    assert settings == MctsSettings(c=1.0, log_ratio=False, solver=True, expand_all=False)
    assert [type(one) for one in settings] == [float, bool, bool, bool]
