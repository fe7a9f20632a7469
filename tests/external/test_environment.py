"""Episodes for learners of others: rules, replies, rewards, the budget, and the same bits for the same seed."""

import random
import subprocess
import sys
from itertools import pairwise

import pytest

from ttt_fast import Environment, Meter, UsageError, as_policy, exact_outcome
from ttt_fast.evaluate.statistics import z_score
from ttt_fast.games import api

SMALL = "connect4:columns=4,rows=4,length=3"


def played(environment, choose=lambda environment: environment.legal_actions[0]):
    """The states of an episode and its last reward."""
    states, reward, is_over = [environment.reset()], 0.0, False
    while not is_over:
        state, reward, is_over = environment.step(choose(environment))
        states.append(state)
    return states, reward


@pytest.mark.parametrize(("game", "seat"), [("tic-tac-toe", "x"), ("tic-tac-toe:misere=yes", "o"), (SMALL, "o")])
def test_episodes_follow_the_rules_and_end_as_the_exact_result_says(game, seat):
    environment, number = Environment(game, seat, "default", seed=4), 1 + (seat == "o")
    generator, games = random.Random(1), 4000
    rewards = []
    for _ in range(games):
        states, reward = played(environment, lambda one: generator.choice(one.legal_actions))
        assert all(api.player(state) == number for state in states[:-1])
        assert all(api.ply(later) - api.ply(earlier) in (1, 2) for earlier, later in pairwise(states))
        status = api.status(states[-1])
        assert status != 0 and reward == {number: 1.0, 3: 0.0}.get(status, -1.0)
        rewards.append(reward)
    uniform, default = as_policy("random", game), as_policy("default", game)
    exact = exact_outcome(*((uniform, default) if number == 1 else (default, uniform)))
    for reward, share in ((1.0, exact.x_wins if number == 1 else exact.o_wins), (0.0, exact.draws)):
        assert abs(z_score(rewards.count(reward), games, share)) < 4


def test_in_self_play_the_learner_moves_for_both_seats():
    environment = Environment(opponent="self")
    states, reward = played(environment)  # 0, 1, 2, ... : X has the first line, in 7 plies
    assert [api.player(state) for state in states[:-1]] == [1, 2, 1, 2, 1, 2, 1]
    assert reward == 1.0 and environment.player == 1 and environment.legal_actions == []
    environment.reset()
    assert environment.player == 1
    environment.step(0)
    assert environment.player == 2 and environment.legal_actions == list(range(1, 9))


def test_both_seats_come_in_turn():
    environment, seats = Environment(seat="both", seed=2), []
    for _ in environment.games():
        seats.append(environment.player)
        assert environment.legal_action_mask.sum() == len(environment.legal_actions) == 10 - environment.player
        assert environment.observation.shape == (2, 3, 3)
        if len(seats) == 4:
            break
    assert seats == [1, 2, 1, 2]


def test_the_same_seed_gives_the_same_replies():
    def run(seed):
        environment = Environment(SMALL, "o", "random", seed)
        return [played(environment) for _ in range(20)]

    assert run(7) == run(7) != run(8)


def test_the_budget_ends():
    environment = Environment(episodes=3)
    assert sum(1 for _ in environment.games()) == 3
    with pytest.raises(Environment.BudgetSpentError, match="expected at most 3 episodes, the budget, got one more"):
        environment.reset()
    assert environment.episodes_left == 0 and Environment().episodes_left == float("inf")


def test_mistakes_are_one_line():
    environment = Environment()
    with pytest.raises(UsageError, match="expected a call of reset before step"):
        environment.step(0)
    environment.reset()
    for action in (9, -1, 10**30):
        with pytest.raises(UsageError, match=r"expected one of the actions 0, 1, .*, 8 at '\.{9}', got "):
            environment.step(action)
    for action in ("a", None, 3.7, "3", -0.5, True):
        with pytest.raises(UsageError, match="expected the action to be a whole number, got "):
            environment.step(action)
    environment.step(4)
    played(environment)
    with pytest.raises(UsageError, match="expected a call of reset before step"):
        environment.step(0)
    with pytest.raises(UsageError, match="the seed to be a whole number"):
        Environment(seed=0.5)
    with pytest.raises(UsageError, match="expected the seed to be at least 0, got -1"):
        Environment(seed=-1)
    with pytest.raises(UsageError, match="expected episodes to be at least 0, got -3"):
        Environment(episodes=-3)
    with pytest.raises(UsageError, match="expected a game"):
        Environment("ultimate")


def test_an_environment_and_a_meter_show_themselves():
    environment = Environment("tic-tac-toe", "o", "default")
    environment.reset()
    assert repr(environment) == "<Environment of tic-tac-toe: seat o v default, 1 episodes begun>"
    assert repr(Environment(opponent="self")) == "<Environment of tic-tac-toe: v self, 0 episodes begun>"
    assert repr(Meter(seat="both")) == "<Meter of tic-tac-toe: seat both v random, 0 rows>"
    assert repr(Meter(opponent="self")) == "<Meter of tic-tac-toe: v self, 0 rows>"


def test_a_mask_is_never_empty():
    environment = Environment(seed=1)
    environment.reset()
    while not environment.step(environment.legal_actions[0])[2]:
        assert environment.legal_action_mask.sum() == len(environment.legal_actions)
    assert environment.legal_actions == [] and environment.legal_action_mask.all()


def test_the_first_use_of_the_package_may_be_an_environment():
    made = "ttt_fast.Environment(), ttt_fast.Meter(), GameBatch()"
    subprocess.run(
        [sys.executable, "-c", f"import ttt_fast; from ttt_fast.external.environment import GameBatch; {made}"],
        check=True,
    )
