"""Playing out Ultimate: its own rollout against the one that serves every game; `test_mcts.py` checks that one."""

from math import sqrt

import numpy as np
import pytest

from conftest import random_states
from ttt_fast import parse_game
from ttt_fast.games import api
from ttt_fast.search import rollouts
from ttt_fast.search.ultimate.playout import play_out


def counts(play, state, policy, games, stream=1):
    """Results of games, by status."""
    evaluator, found, stream = rollouts.rollout_evaluator(policy), np.zeros(4, int), np.uint64(stream)
    for _ in range(games):
        result, after = play(state, stream, evaluator)
        stream = np.uint64(after)
        found[result] += 1
    return found


def shares(state):
    """The probability of each status at the end of random play, by trying everything."""
    found, actions = np.zeros(4), api.legal_actions(state)
    for action in actions:
        after = api.play(state, action)
        status = api.status(after)
        found += (np.eye(4)[status] if status != api.ONGOING else shares(after)) / len(actions)
    return found


def test_late_games_end_as_often_as_probability_says():
    """Each frequency lies within five standard deviations of the exact probability."""
    late = random_states([parse_game("ultimate").initial_state], 3000, seed=2, most=75)
    late = [state for state in dict.fromkeys(late) if api.ply(state) > 62 and api.num_legal_actions(state) < 7][:12]
    assert len(late) == 12
    for state in late:
        expected, games = shares(state), 2000
        found = counts(play_out, state, rollouts.RANDOM, games) / games
        assert (abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / games) + 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("policy", [rollouts.RANDOM, rollouts.WIN_OR_BLOCK])
@pytest.mark.parametrize("spec", ["ultimate", "ultimate:tie=boards"])
def test_ultimate_is_played_out_as_any_game_is(spec, policy):
    """Frequencies of results from many positions, by two kernels that share no code: Pearson's statistic each."""
    positions, games, statistic, freedom = 30, 4000, 0.0, 0
    for state in random_states([parse_game(spec).initial_state], positions, seed=policy, most=70):
        fast, plain = counts(play_out, state, policy, games), counts(rollouts.any_rollout, state, policy, games)
        total = fast + plain
        assert fast[0] == plain[0] == 0
        statistic += float((((fast - plain) ** 2)[total > 0] / total[total > 0]).sum())
        freedom += np.count_nonzero(total) - 1
    assert freedom >= positions
    assert abs(statistic - freedom) < 4 * sqrt(2 * freedom)


def test_careful_rollouts_of_ultimate_take_what_wins():
    """Wherever a line of boards can be completed at once it is, so the result is certain."""
    found = 0
    for state in random_states([parse_game("ultimate").initial_state], 200, seed=6, most=81):
        if api.winning_action(state) == api.NO_ACTION:
            continue
        assert counts(play_out, state, rollouts.WIN_OR_BLOCK, 50)[api.player(state)] == 50
        found += 1
    assert found > 10


def test_finished_games_stay_as_they_are():
    stream, won = np.uint64(3), "xxx......" * 2 + "xxX......" + "o.o.o...." * 3 + "." * 27
    state = parse_game("ultimate").parse_position(won)
    for policy in (rollouts.RANDOM, rollouts.WIN_OR_BLOCK):
        assert rollouts.rollout(state, stream, rollouts.rollout_evaluator(policy)) == (api.status(state), stream)


def test_work_space_does_not_leak_from_one_rollout_into_the_next():
    state, evaluator = parse_game("ultimate").initial_state, rollouts.rollout_evaluator(rollouts.RANDOM)
    first = play_out(state, np.uint64(1), evaluator)
    play_out(state, np.uint64(2), evaluator._replace(policy=rollouts.WIN_OR_BLOCK))
    assert play_out(state, np.uint64(1), evaluator) == first
