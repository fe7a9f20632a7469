"""Agents as opponents and as fixed seats: over any states, an agent answers as its policy over the whole table does."""

import threading

import numpy as np
import pytest

from ttt_fast import PolicyError, TrainingConfig, as_player, as_policy, induced_table, parse_game, train
from ttt_fast.agents import resolve
from ttt_fast.agents.convert import as_spec
from ttt_fast.games import api

SPEC, LARGER = "connect4:columns=4,rows=3,length=3", "connect4:columns=4,rows=4"


def middle(state):
    legal = api.legal_actions(state)
    return legal[len(legal) // 2]


@pytest.mark.parametrize("thread_safe", [False, True])
def test_a_function_is_asked_by_one_thread_unless_it_is_thread_safe(thread_safe, monkeypatch):
    """A function that may be shared waits until two threads have met in it."""
    monkeypatch.setattr(resolve, "_PER_QUERY", 1)
    monkeypatch.setattr(resolve, "available_cores", lambda: 2)
    counting, met, inside, most = threading.Lock(), threading.Event(), [0], [0]

    def choose(state):
        with counting:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            if inside[0] == 2:
                met.set()
        met.wait(30 if thread_safe else 0.001)
        with counting:
            inside[0] -= 1
        return middle(state)

    choose.thread_safe = thread_safe
    induced = induced_table(choose, "o", "connect4:columns=3,rows=3,length=3")
    assert induced.positions > 10 and most[0] == 1 + thread_safe


@pytest.mark.slow
def test_a_file_whose_player_searches_is_asked_by_one_thread(tmp_path):
    """A network has memory for one state; threads that share it mix up their answers."""
    game, path = parse_game("connect4:columns=6,rows=5"), tmp_path / "dqn.npz"
    config = TrainingConfig(episodes=20, algorithm="dqn", judges="default", game=game.spec, hidden="16", warm_up=9)
    train(config, checkpoint=path)
    assert not resolve.resolve(as_spec(path), game).shares_threads


@pytest.mark.slow
@pytest.mark.parametrize("seat", ["x", "o"])
def test_the_solver_plays_as_its_player_does_and_never_loses_a_drawn_board(seat):
    game = "connect4:columns=4,rows=3"
    player, solver = as_player("solver", game), induced_table("solver", seat, game)
    asked = induced_table(lambda state: player.search(state).action, seat, game)
    assert solver.positions_by_ply == asked.positions_by_ply and solver.never_loses and solver.best_value == 0
    assert solver.outcome("random").fractions == asked.outcome("random").fractions


@pytest.mark.parametrize(
    "agent", ["random", "minimax", "default:skill=1/3", "alphabeta:depth=2", "centre-first", middle]
)
def test_a_policy_over_the_free_seat(agent):
    own, policy = induced_table("centre-first", "o", SPEC).table, as_policy(agent, SPEC)
    found = as_policy(agent, own)
    np.testing.assert_array_equal(found.held, own.player == 1)
    places = policy.table.indices_of(own.key, own.ply)
    np.testing.assert_array_equal(found.probabilities[found.held], policy.probabilities[places][found.held])


def test_a_policy_over_an_induced_table_is_refused_where_it_has_no_state():
    """The agent opens in one column, and its policy has no state after another opening."""
    policy = induced_table("centre-first", "x", LARGER).policy
    with pytest.raises(PolicyError, match=r"expected a policy over '.*', got one without it"):
        as_policy(policy, induced_table("random", "o", LARGER).table)


@pytest.mark.parametrize("agent", ["centre-first", "default", "mix:1/2*minimax+1/2*random"])
def test_a_policy_over_an_induced_table_plays_as_its_agent(agent):
    induced, fixed = induced_table(agent, "o", LARGER), induced_table("default", "x", LARGER)
    assert fixed.outcome(induced.policy).fractions == fixed.outcome(agent).fractions
    again = induced_table(induced.policy, "o", LARGER)
    assert (again.positions, again.best_value) == (induced.positions, induced.best_value)
