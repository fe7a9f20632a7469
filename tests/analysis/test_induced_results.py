"""Tables with a fixed seat, and results over them, beside full tables, plain recursions and other sizes of blocks."""

from fractions import Fraction
from itertools import pairwise
from weakref import WeakValueDictionary

import numpy as np
import pytest
from hypothesis import Phase, given, settings, strategies

import induced_reference as plain
from conftest import examples
from custom_games import AGAIN, MATCHES
from ttt_fast import (
    BoardError,
    Policy,
    Status,
    TableSizeError,
    TrainingConfig,
    as_policy,
    best_response,
    exact_fractions,
    exact_outcome,
    induced_table,
    never_loses,
    parse_game,
    save_policy,
    solution_of,
    table_from_functions,
    table_of,
    train,
)
from ttt_fast.agents import resolve
from ttt_fast.agents.learned import load_player
from ttt_fast.games import api
from ttt_fast.learners import start_training
from ttt_fast.tables import enumeration, loaded, store
from ttt_fast.tables.state_table import ARRAY_NAMES

SMALL = "connect4:columns=4,rows=3,length=3"
GAMES = ["tic-tac-toe", "tic-tac-toe:misere=yes", SMALL, "connect4:columns=3,rows=3,length=2"]
OTHERS = ["tic-tac-toe:rows=2,columns=5,length=3", "tic-tac-toe:rows=2,columns=2,length=2", "again", "matches"]
"""Games of other types of states."""
TEXTS = [
    "random",
    "minimax",
    "minimax:tie=first",
    "default",
    "default:skill=1/3",
    "alphabeta:depth=2",
    "mix:0.25*random+0.75*minimax:tie=first",
    "best-response:default",
]


COUNTS = {(4, 4, 1): 998, (5, 4, 1): 5_804, (5, 4, 2): 11_574, (5, 5, 1): 29_824, (6, 4, 1): 28_829}
"""Positions of the scripted rule, by columns, rows and seat."""


@pytest.fixture(autouse=True, scope="module")
def _new_store(tmp_path_factory):
    """No table of an earlier run: it might have been made by other sources."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("tables")
        patch.setattr(store, "folder", lambda: folder)
        yield


@pytest.fixture(autouse=True)
def _custom():
    table_from_functions(*MATCHES[:4], name="matches")
    table_from_functions(*AGAIN[:4], player=AGAIN.player, name="again")


def middle(state):
    """A function of a state: the middle one of the legal actions."""
    legal = api.legal_actions(state)
    return legal[len(legal) // 2]


class Network:
    """An object that is asked for the values of many states at once."""

    def __init__(self, game):
        random = np.random.default_rng(3)
        size = api.observe(game.initial_state).size
        self.weights = random.integers(-1000, 1000, (size, game.num_actions))
        self.batches = []

    def action_values(self, observations):
        assert observations.dtype == np.float32 and observations.ndim == 4
        self.batches.append(len(observations))
        return observations.reshape(len(observations), -1).astype(np.int64) @ self.weights

    def __call__(self, state):
        values = self.action_values(api.observe(state)[None]).reshape(-1)
        legal = api.legal_actions(state)
        return max(legal, key=lambda action: values[action])


def response_value(policy, seat):
    """The value of the best response in the full table, for the seat that responds."""
    response = best_response(policy)
    if not policy.is_exact:
        return exact_outcome(*((policy, response) if seat == 1 else (response, policy))).value_of(3 - seat)
    found = exact_fractions(*((policy, response) if seat == 1 else (response, policy)))
    return (found.x_wins - found.o_wins) * (1 if seat == 2 else -1)


def full_reach(policy, seat):
    """The ongoing states that a policy leaves in a full table, by ply."""
    table = policy.table
    reached = np.zeros(table.num_states, bool)
    reached[0] = True
    edges = (policy.edge_probabilities > 0) | (table.player != seat)[table.edge_state]
    for first, end in pairwise(table.ply_start.tolist()):
        part = slice(table.edge_start[first], table.edge_start[end])
        used = edges[part] & reached[table.edge_state[part]]
        reached[table.edge_child[part][used]] = True
    return reached


def check_equal(induced, policy: Policy, opponents, seat: int) -> None:
    """An induced table beside the full table."""
    table, spec = policy.table, policy.table.game
    reached = full_reach(policy, seat)
    ongoing = reached & (table.status == 0)
    by_ply = np.add.reduceat(ongoing.astype(int), table.ply_start[:-1])
    assert induced.positions_by_ply == [count for count in by_ply.tolist() if count]
    own = induced.table
    assert own.num_states == reached.sum() and set(own.key.tolist()) == set(table.key[reached].tolist())
    assert induced.never_loses == never_loses(policy, seat) == never_loses(induced.policy, seat)
    expected = response_value(policy, seat)
    assert induced.best_value == pytest.approx(float(expected), abs=1e-12)
    assert response_value(induced.policy, seat) == expected or not policy.is_exact
    for opponent in opponents:
        pair = (policy, as_policy(opponent, spec)) if seat == 1 else (as_policy(opponent, spec), policy)
        mine = (induced.policy, as_policy(opponent, own)) if seat == 1 else (as_policy(opponent, own), induced.policy)
        found, outcome = induced.outcome(opponent), exact_outcome(*pair)
        assert found[:3] == pytest.approx(outcome[:3], abs=1e-12)
        assert exact_outcome(*mine)[:3] == pytest.approx(outcome[:3], abs=1e-12)
        lengths = found.lengths.sum(axis=1)
        assert lengths == pytest.approx(outcome[:3], abs=1e-12)
        if all(policy.is_exact for policy in pair):
            assert found.fractions == exact_fractions(*pair) == exact_fractions(*mine)
        else:
            assert found.fractions is None


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("game", ["tic-tac-toe", SMALL, pytest.param("again", marks=pytest.mark.slow)])
def test_results_are_those_of_the_full_table(game, seat):
    opponents = ["random", "default", "minimax", "mix:0.2*random+0.8*minimax:tie=first"]
    for text in TEXTS:
        check_equal(induced_table(text, seat, game), as_policy(text, game), opponents, seat)
    check_equal(induced_table(middle, seat, game), as_policy(middle, game), opponents, seat)


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize(
    ("game", "agent"), [("tic-tac-toe", "heuribot"), (SMALL, "centre-first"), ("tic-tac-toe", "buggy2")]
)
def test_scripted_agents_of_one_game(game, agent, seat):
    check_equal(induced_table(agent, seat, game), as_policy(agent, game), ["random", "minimax", agent], seat)


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("game", ["tic-tac-toe", SMALL])
def test_an_object_that_evaluates_batches(game, seat):
    network = Network(parse_game(game))
    induced = induced_table(network, seat, game)
    assert max(network.batches) > 10 or sum(network.batches) < 100
    check_equal(induced, as_policy(network.__call__, game), ["random", "default"], seat)


@pytest.mark.parametrize("seat", [1, 2])
def test_a_policy_file(tmp_path, seat):
    path = tmp_path / "mixed.npz"
    save_policy(path, as_policy("mix:0.25*default+0.75*minimax", SMALL))
    check_equal(induced_table(str(path), seat, SMALL), as_policy(path, SMALL), ["random", "minimax"], seat)


@pytest.mark.parametrize("seat", [1, 2])
def test_learned_ntuples(tmp_path, seat):
    path, game = str(tmp_path / "td.npz"), parse_game(SMALL)
    config = TrainingConfig(
        episodes=300, algorithm="td", judges="default", game=SMALL, tuples=3, tuple_cells=4, tie="first"
    )
    train(start_training(config), checkpoint=path)
    induced = induced_table(path, seat, SMALL)
    player, table = load_player(path, path, game), table_of(SMALL)
    weights = np.ones(table.num_edges, np.int64)
    for state in np.flatnonzero(table.decision_mask).tolist():
        edges = range(*table.edge_start[state : state + 2])
        values = player.action_values(table.state(state))
        weights[edges.start : edges.stop] = 0
        weights[max(edges, key=lambda edge: values[int(table.edge_action[edge])])] = 1
    check_equal(induced, Policy.from_weights(table, weights, "plain"), ["random", "default"], seat)
    check_equal(induced, as_policy(path, SMALL), ["random"], seat)


def test_probabilities_known_as_floats_have_no_fractions():
    table = table_of(SMALL)
    random = np.random.default_rng(5).random(table.num_edges) + 0.01
    policy = Policy.from_probabilities(table, random / table.to_edges(table.row_sums(random)), "floats")
    for seat in (1, 2):
        induced = induced_table(policy, seat, SMALL)
        check_equal(induced, policy, ["random", policy], seat)
        assert induced.outcome().fractions is None
        assert induced_table("minimax", seat, SMALL).outcome(policy).fractions is None
    row = induced.outcome().row()
    assert row["x_wins_fraction"] is None and row["x_wins"] > 0


def plain_policy(table, seed, kind):
    """A random policy: an action, or small weights, some of which are zero, in each state."""
    random = np.random.default_rng(seed)
    starts, counts = table.edge_start[:-1], np.diff(table.edge_start)
    chosen = starts + random.integers(0, np.maximum(counts, 1))
    if kind == "choice":
        decided = np.minimum(chosen, table.num_edges - 1)
        return Policy.from_actions(table, np.where(counts > 0, table.edge_action[decided], 0), "choice")
    weights = random.integers(0, 4, table.num_edges)
    weights[chosen[counts > 0]] += 1
    return Policy.from_weights(table, weights, "weights")


def test_two_objects_of_one_name_have_their_own_tables():
    table = table_of(SMALL)
    policies = [plain_policy(table, seed, "weights") for seed in (1, 2)]
    tables = [induced_table(policy, 1, SMALL).table for policy in policies]
    assert tables[0] is not tables[1] and tables[0].fixed != tables[1].fixed
    assert induced_table(policies[0], 1, SMALL).table is tables[0]
    for policy in policies:
        check_equal(induced_table(policy, 1, SMALL), policy, [], 1)


@pytest.mark.parametrize("games", [GAMES, pytest.param(OTHERS, marks=pytest.mark.slow)], ids=["usual", "others"])
@settings(max_examples=examples(50), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    data=strategies.data(),
    seeds=strategies.tuples(strategies.integers(0, 2**30), strategies.integers(0, 2**30)),
    kinds=strategies.tuples(*2 * [strategies.sampled_from(["choice", "weights"])]),
    seat=strategies.sampled_from([1, 2]),
)
def test_random_policies(games, data, seeds, kinds, seat):
    game = data.draw(strategies.sampled_from(games))
    table = table_of(game)
    policy, opponent = (plain_policy(table, seed, kind) for seed, kind in zip(seeds, kinds, strict=True))
    check_equal(induced_table(policy, seat, game), policy, ["random", opponent], seat)


@pytest.mark.parametrize(
    ("columns", "rows", "seat"), [(4, 4, 1), (4, 4, 2), pytest.param(5, 4, 1, marks=pytest.mark.slow)]
)
def test_the_rule_is_as_strong_as_by_recursion(columns, rows, seat):
    game, rule = plain.connect_four(columns, rows), plain.rule_rows(rows)
    induced = induced_table("centre-first", seat, f"connect4:columns={columns},rows={rows}")
    pair = (rule, plain.random_rows(game)) if seat == 1 else (plain.random_rows(game), rule)
    assert tuple(induced.outcome().fractions) == plain.outcome(game, *pair)
    assert induced.best_value == plain.best_value(game, seat, rule)
    if (columns, seat) == (4, 1):
        assert induced.outcome().fractions.x_wins == Fraction(515, 864)
    wanted = {Status.X_WINS: 1, Status.DRAW: 0, Status.O_WINS: -1}[induced.refutation.status]
    assert len(induced.refutation.actions) == plain.shortest(game, seat, rule, wanted)


def boards_of(table):
    """The ongoing positions of each ply as the plain version has them."""
    found = [set() for _ in range(table.num_plies + 1)]
    for state in np.flatnonzero(table.status == 0).tolist():
        lines = table.board(state).split("/")[::-1]
        columns = zip(*lines, strict=True)
        found[table.ply[state]].add(tuple(tuple(" XO".index(mark) for mark in one if mark != ".") for one in columns))
    return [boards for boards in found if boards]


@pytest.mark.parametrize(
    ("columns", "rows", "seat"),
    [one if one[:2] == (4, 4) else pytest.param(*one, marks=pytest.mark.slow) for one in COUNTS],
)
def test_the_positions_are_those_of_the_plain_enumeration(columns, rows, seat):
    expected = plain.levels(plain.connect_four(columns, rows), seat, plain.rule_rows(rows))
    induced = induced_table("centre-first", seat, f"connect4:columns={columns},rows={rows}")
    assert induced.positions == COUNTS[columns, rows, seat] and induced.deterministic
    assert induced.positions_by_ply == [len(level) for level in expected]
    if induced.positions < 20_000:
        assert boards_of(induced.table) == expected


def test_the_columns_are_those_of_the_full_table():
    game = "connect4:columns=4,rows=4"
    full, own = table_of(game), induced_table("centre-first", 2, game).table
    places = full.indices_of(own.key, own.ply)
    np.testing.assert_array_equal(full.status[places], own.status)
    np.testing.assert_array_equal(full.player[places], own.player)
    np.testing.assert_array_equal(full.child[places][own.edge_state, own.edge_action], places[own.edge_child])
    counts = np.diff(full.edge_start)[places]
    np.testing.assert_array_equal(np.diff(own.edge_start), np.where(own.player == 2, 1, counts))
    np.testing.assert_array_equal(own.indices_of(own.key, own.ply), np.arange(own.num_states))
    assert (own.edge_child > own.edge_state).all()
    assert solution_of(own).value[0] == 1 and repr(own).startswith(f"<StateTable of {game} with centre-first as O: ")
    assert own.state_index(own.board(5)) == 5
    with pytest.raises(BoardError, match="expected a board that 'centre-first' as O reaches"):
        own.state_index(full.board(int(np.setdiff1d(np.arange(full.num_states), places)[0])))


@pytest.mark.parametrize(
    ("chunk", "slots", "query"), [pytest.param(1, 1, 1, marks=pytest.mark.slow), (7, 3, 5), (100, 64, 30)]
)
@pytest.mark.parametrize(
    "agent", ["default", "weights", middle, Network], ids=["default", "weights", "middle", "Network"]
)
def test_sizes_of_chunks_change_nothing(monkeypatch, agent, chunk, slots, query):
    """Small chunks, small queries by threads, and hash tables that grow again and again."""
    table = table_of(SMALL)
    asked = Network(table.game) if agent is Network else middle
    if isinstance(agent, str):  # objects are asked again
        asked = as_policy(agent, SMALL) if agent == "default" else plain_policy(table, 1, agent)
    expected = induced_table(asked, 2, SMALL)
    sizes = (enumeration, "_CHUNK", chunk), (enumeration, "_MIN_SLOTS", slots), (resolve, "_PER_QUERY", query)
    for module, name, size in sizes:
        monkeypatch.setattr(module, name, size)
    monkeypatch.setattr(loaded, "_tables", WeakValueDictionary())
    found = induced_table(asked, 2, SMALL)
    assert found.table.key is not expected.table.key and found.table.fixed == expected.table.fixed
    for name in ARRAY_NAMES:
        np.testing.assert_array_equal(getattr(found.table, name), getattr(expected.table, name), name)
    np.testing.assert_array_equal(found.policy.edge_probabilities, expected.policy.edge_probabilities)
    assert found.policy.is_exact and found.outcome().fractions == expected.outcome().fractions


@pytest.mark.parametrize("game", ["connect4:columns=4,rows=4", "connect4:columns=5,rows=4"])
def test_a_partial_enumeration_bounds_the_result(game):
    induced = induced_table("centre-first", "x", game)
    whole, table, plies = induced.outcome(), induced.table, set()
    for most in np.cumsum(induced.positions_by_ply)[:-1].tolist():
        with pytest.raises(TableSizeError) as caught:
            induced_table("centre-first", "x", game, max_positions=most)
        found, part = caught.value.outcome, caught.value.table
        last, unfinished = part.num_plies, 1 - sum(found[:3])
        plies.add(last)
        np.testing.assert_array_equal(part.key, table.key[: table.ply_start[last + 1]])
        assert not part.player[part.ply == last].any() and 0 < unfinished < 1 + 1e-12
        for name in ("x_wins", "draws", "o_wins"):
            assert -1e-12 <= getattr(whole, name) - getattr(found, name) <= unfinished + 1e-12
    assert len(plies) > 4


@pytest.mark.slow
def test_the_rule_on_the_full_board():
    found = induced_table("centre-first", "x", "connect4")
    assert found.positions == 7_202_835 and sum(found.outcome().fractions) == 1
