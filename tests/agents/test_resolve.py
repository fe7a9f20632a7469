"""Agents in a game: over any states, in any order, an agent answers as its policy over the whole table does."""

import numpy as np
import pytest

from ttt_fast import (
    Policy,
    PolicyError,
    TrainingConfig,
    UnlearnedSeatWarning,
    as_player,
    as_policy,
    induced_table,
    parse_game,
    table_of,
    train,
)
from ttt_fast.agents.resolve import as_spec, named_spec, policy_on, resolve
from ttt_fast.games import api
from ttt_fast.learners import start_training
from ttt_fast.tables.block import Block

SPEC = "connect4:columns=4,rows=3,length=3"


def middle(state):
    legal = api.legal_actions(state)
    return legal[len(legal) // 2]


def ongoing_by_ply(table):
    """Some ongoing states of each ply, in a random order."""
    random = np.random.default_rng(0)
    for ply in range(table.num_plies):
        states = np.arange(*table.ply_start[ply : ply + 2])
        states = random.permutation(states[table.status[states] == 0])[:40]
        if states.size:
            yield states


AGENTS = [
    "random",
    "minimax",
    "default:skill=1/3",
    "alphabeta:depth=2",
    "best-response:default",
    "centre-first",
    middle,
]


@pytest.mark.parametrize("agent", [*AGENTS, "mix:0.25*random+0.75*minimax"])
def test_answers_are_those_of_the_whole_policy(agent):
    table, policy, found = table_of(SPEC), as_policy(agent, SPEC), resolve(as_spec(agent), parse_game(SPEC))
    for states in ongoing_by_ply(table):
        here = found.policy_in(Block.of_keys(table.game, table.key[states]))
        np.testing.assert_array_equal(here.probabilities, policy.probabilities[states])
    assert found.is_text == isinstance(agent, str)


@pytest.mark.parametrize("agent", ["random", middle])
def test_a_function_is_asked_by_one_thread_unless_it_is_thread_safe(agent, monkeypatch):
    game = parse_game(SPEC)
    assert resolve(as_spec(agent), game).shares_threads == (agent == "random")
    monkeypatch.setattr(middle, "thread_safe", True, raising=False)
    assert resolve(as_spec(agent), game).shares_threads


def test_a_file_whose_player_searches_is_asked_by_one_thread(tmp_path):
    """A network has memory for one state; threads that share it mix up their answers."""
    game, path = parse_game("connect4:columns=6,rows=5"), tmp_path / "dqn.npz"
    config = TrainingConfig(episodes=20, algorithm="dqn", judges="default", game=game.spec, hidden="16", warm_up=9)
    train(start_training(config), checkpoint=path)
    assert not resolve(as_spec(path), game).shares_threads


@pytest.mark.parametrize("seat", ["x", "o"])
def test_the_solver_plays_as_its_player_does_and_never_loses_a_drawn_board(seat):
    game = "connect4:columns=4,rows=4"
    player = as_player("solver", game)
    solver = induced_table("solver", seat, game)
    asked = induced_table(lambda state: player.search(state).action, seat, game)
    assert solver.positions_by_ply == asked.positions_by_ply and solver.never_loses and solver.best_value == 0
    assert solver.outcome("random").fractions == asked.outcome("random").fractions


def test_blocks_are_rows_of_the_table():
    table = table_of(SPEC)
    for states in ongoing_by_ply(table):
        block = Block.of_keys(table.game, table.key[states])
        np.testing.assert_array_equal(block.player, table.player[states])
        np.testing.assert_array_equal(block.legal_action_mask, table.legal_action_mask[states])
    assert Block.of_keys(table.game, np.empty(0, np.uint64)).num_states == 0


@pytest.mark.parametrize("agent", ["minimax", "default", middle])
def test_a_policy_over_the_free_seat(agent):
    own, policy = induced_table("centre-first", "o", SPEC).table, as_policy(agent, SPEC)
    found = policy_on(agent, own)
    np.testing.assert_array_equal(found.held, own.player == 1)
    ply = np.repeat(np.arange(own.ply_start.size - 1), np.diff(own.ply_start))
    places = policy.table.indices_of(own.key, ply)
    np.testing.assert_array_equal(found.probabilities[found.held], policy.probabilities[places][found.held])


def test_another_game_is_refused():
    table = table_of(SPEC)
    with pytest.raises(PolicyError, match=f"expected a policy for {SPEC}, got 'random' for tic-tac-toe"):
        resolve(as_spec(as_policy("random")), table.game).policy_in(Block.of_keys(table.game, table.key[:1]))


def test_only_policies_over_whole_tables_have_seats_to_check():
    table = table_of(SPEC)
    half = Policy("half", table, "uniform", None, held=table.player == 1)
    found, other = resolve(named_spec(half), table.game), resolve(as_spec("default"), table.game)
    assert found.whole == half and found.local is None and other.local is not None
    other.check_seat(2)
    with pytest.warns(UnlearnedSeatWarning, match="policy 'half' has no moves for O"):
        found.check_seat(2)


def test_a_policy_over_an_induced_table_is_refused_where_it_has_no_state():
    induced = induced_table(
        "centre-first", "x", "connect4:columns=4,rows=4"
    )  # which opens in another column than the first
    found, outside = resolve(as_spec(induced.policy), induced.game), induced.game.state_after("11")
    with pytest.raises(PolicyError, match=r"expected a policy over '.*', got one without it"):
        found.policy_in(Block.of_keys(induced.game, np.array([int(api.state_key(outside))], np.uint64)))
    start = np.array([int(api.state_key(induced.game.initial_state))], np.uint64)
    assert found.policy_in(Block.of_keys(induced.game, start)).greedy_actions().tolist() == [2]


@pytest.mark.parametrize("agent", ["centre-first", "default", "mix:1/2*minimax+1/2*random"])
def test_a_policy_over_an_induced_table_plays_as_its_agent(agent):
    game = "connect4:columns=4,rows=4"
    policy = induced_table(agent, "o", game).policy
    fixed = induced_table("default", "x", game)
    assert fixed.outcome(policy).fractions == fixed.outcome(agent).fractions
    again = induced_table(policy, "o", game)
    assert (again.positions, again.best_value) == (
        policy_table_positions(policy),
        induced_table(agent, "o", game).best_value,
    )


def policy_table_positions(policy):
    return int(policy.table.decision_mask.sum())
