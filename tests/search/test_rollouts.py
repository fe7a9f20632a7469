"""Playing out: Ultimate's own rollout against the one that serves every game, and both against exact chances."""

from math import sqrt

import numpy as np
import pytest

from ttt_fast import parse_game
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import api
from ttt_fast.search import rollouts
from ttt_fast.search.ultimate.playout import play_out
from ttt_fast.values import evaluators


def counts(play, state, policy, games, stream=1):
    """Results of games, by status."""
    evaluator, found, stream = rollouts.rollout_evaluator(policy), np.zeros(4, int), np.uint64(stream)
    for _ in range(games):
        result, after = play(state, stream, evaluator)
        stream = np.uint64(after)
        found[result] += 1
    return found


def random_states(spec, count, seed, least=0):
    """Ongoing states of random games, from `least` plies on."""
    generator, found = np.random.default_rng(seed), []
    while len(found) < count:
        state = parse_game(spec).initial_state
        for _ in range(int(generator.integers(least, 70))):
            if api.status(state) == api.ONGOING:
                state = api.play(state, int(api.random_action(state, np.uint64(generator.integers(0, 2**63)))))
        found += [state] * (api.status(state) == api.ONGOING)
    return found


@pytest.mark.parametrize("positions", [4, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("policy", [rollouts.RANDOM, rollouts.WIN_OR_BLOCK])
@pytest.mark.parametrize("spec", ["ultimate", "ultimate:tie=boards"])
def test_ultimate_is_played_out_as_any_game_is(spec, policy, positions):
    """Frequencies of results from many positions, by two kernels that share no code: Pearson's statistic each."""
    games, statistic, freedom = 4000, 0.0, 0
    for state in random_states(spec, positions, seed=policy):
        fast, plain = counts(play_out, state, policy, games), counts(rollouts.any_rollout, state, policy, games)
        total = fast + plain
        assert fast[0] == plain[0] == 0
        statistic += float((((fast - plain) ** 2)[total > 0] / total[total > 0]).sum())
        freedom += np.count_nonzero(total) - 1
    assert freedom >= positions
    assert abs(statistic - freedom) < 4 * sqrt(2 * freedom)


PLAYED_OUT = ["tic-tac-toe", "connect4", pytest.param("ultimate:closed=stay", marks=pytest.mark.slow)]


@pytest.mark.parametrize("spec", PLAYED_OUT)
def test_a_careful_rollout_is_its_moves(spec):
    """Win, else block, else the next random word."""
    careful = rollouts.rollout_evaluator(rollouts.WIN_OR_BLOCK)
    for state in random_states(spec, 20, seed=5):
        here, stream = state, 9
        while api.status(here) == api.ONGOING:
            action = api.winning_action(here)
            if action == api.NO_ACTION:
                action = api.threat_action(here)
            if action == api.NO_ACTION:
                stream = (stream + GOLDEN_GAMMA) % 2**64
                action = api.random_action(here, mix64(np.uint64(stream)))
            here = api.play(here, action)
        assert rollouts.rollout(state, np.uint64(9), careful) == (api.status(here), stream)


def test_careful_rollouts_of_ultimate_take_what_wins():
    """Wherever a line of boards can be completed at once it is, so the result is certain."""
    found = 0
    for state in random_states("ultimate", 300, seed=6, least=20):
        if api.winning_action(state) == api.NO_ACTION:
            continue
        assert counts(play_out, state, rollouts.WIN_OR_BLOCK, 50)[api.player(state)] == 50
        found += 1
    assert found > 10


def test_finished_games_stay_as_they_are():
    stream, won = np.uint64(3), "xxx......" * 2 + "xxX......" + "o.o.o...." * 3 + "." * 27
    for spec, text in (("ultimate", won), ("tic-tac-toe", "XOXXOOOXX")):
        state = parse_game(spec).parse_position(text)
        for policy in (rollouts.RANDOM, rollouts.WIN_OR_BLOCK):
            assert rollouts.rollout(state, stream, rollouts.rollout_evaluator(policy)) == (api.status(state), stream)


def test_work_space_does_not_leak_from_one_rollout_into_the_next():
    state, evaluator = parse_game("ultimate").initial_state, rollouts.rollout_evaluator(rollouts.RANDOM)
    first = play_out(state, np.uint64(1), evaluator)
    play_out(state, np.uint64(2), evaluator._replace(policy=rollouts.WIN_OR_BLOCK))
    assert play_out(state, np.uint64(1), evaluator) == first


def test_a_rollout_is_an_evaluator():
    game = parse_game("connect4")
    for state in (game.initial_state, game.state_after("4")):
        values = [
            evaluators.position_value(rollouts.rollout_evaluator(), 0, state, np.uint64(seed))[0] for seed in range(200)
        ]
        assert set(values) <= {-1.0, 0.0, 1.0} and (np.mean(values) > 0) == (api.player(state) == 1)
    with pytest.raises(TypeError, match="expected a state whose game supports position_value"):
        evaluators.position_value((1, 2), 0, game.initial_state, np.uint64(0))
