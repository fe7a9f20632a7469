"""Stable-Baselines3 over a batch of games, and a model's exact scorecard; skipped without the extra `ppo`."""

import doctest
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra ppo")

from stable_baselines3.common.vec_env import VecMonitor

from ttt_fast import Policy, PolicyError, as_policy, scorecard, table_of
from ttt_fast.adapters import stable_baselines
from ttt_fast.external.environment import GameBatch

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


def test_the_examples():
    result = doctest.testmod(stable_baselines, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 3 and result.failed == 0


@pytest.mark.parametrize("seat", ["x", "both"])
def test_a_new_game_begins_with_the_step_that_ends_the_last(seat):
    env, batch = stable_baselines.GameVecEnv(50, seat=seat), GameBatch("tic-tac-toe", seat, "random", 50)
    generator = np.random.default_rng(1)
    env.seed(4)
    batch.reset(4)
    assert np.array_equal(env.reset(), batch.observation)
    ended = 0
    for _ in range(30):
        masks = np.stack(env.env_method("action_masks"))
        assert masks.any(axis=1).all()
        actions = (generator.random(masks.shape) * masks).argmax(axis=1)
        observations, rewards, dones, infos = env.step(actions)
        batch.step(actions)
        assert np.array_equal(rewards, batch.reward) and np.array_equal(dones, batch.is_over)
        for game in np.flatnonzero(dones):
            assert np.array_equal(infos[game]["terminal_observation"], batch.observation[game])
        assert all(not infos[game] for game in np.flatnonzero(~dones))
        batch.begin()
        assert np.array_equal(observations, batch.observation)
        assert observations[dones].sum(axis=(1, 2, 3)).max(initial=0) <= 1
        ended += dones.sum()
    assert ended > 50


def test_its_own_wrappers_take_it():
    env = VecMonitor(stable_baselines.GameVecEnv(8))
    env.seed(1)
    env.reset()
    returns = []
    for _ in range(20):
        actions = np.stack(env.env_method("action_masks")).argmax(axis=1)
        _, rewards, dones, infos = env.step(actions)
        returns += [(infos[game]["episode"]["r"], rewards[game]) for game in np.flatnonzero(dones)]
    assert returns and all(one == other for one, other in returns)
    assert env.get_attr("num_envs", [0, 1]) == [8, 8] and env.env_is_wrapped(VecMonitor) == [False] * 8


class Model:
    """Plays as a policy of ours does, asked as models of Stable-Baselines3 are."""

    def __init__(self, spec, off=0):
        self.policy, self.off = as_policy(spec), off
        table = table_of("tic-tac-toe")
        states = np.flatnonzero(table.decision_mask).astype(np.int32)
        seen = table.observe(states).astype(np.uint8)
        greedy = self.policy.greedy_actions()
        self.action = {one.tobytes(): int(greedy[state]) for one, state in zip(seen, states, strict=True)}

    def predict(self, observations, action_masks, deterministic):
        assert deterministic and action_masks.shape == (len(observations), 9)
        return np.array([self.action[one.tobytes()] + self.off for one in observations]), None


@pytest.mark.parametrize("seat", ["x", "o", "both"])
def test_a_model_has_the_scorecard_of_the_policy_that_it_plays(seat):
    model = Model("heuribot")
    found = scorecard(stable_baselines.policy_of_model(model, seat=seat), ["random"])
    greedy = Policy.from_actions(model.policy.table, model.policy.greedy_actions(), "greedy")
    expected = {(row.seat, row.value) for row in scorecard(greedy, ["random"]) if row.opponent == "random"}
    rows = [row for row in found if row.opponent == "random"]
    assert {(row.seat, row.value) for row in rows} == {one for one in expected if seat in (one[0], "both")}


def test_an_illegal_action_of_a_model_is_refused():
    with pytest.raises(PolicyError):
        stable_baselines.policy_of_model(Model("minimax", off=1))


@pytest.mark.slow
def test_masked_ppo_learns_on_the_batch(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import masked_ppo

    try:
        learned = stable_baselines.policy_of_model(masked_ppo.learn(steps=60_000))
    finally:
        sys.modules.pop("masked_ppo", None)
    regrets = {row.seat: row.regret for row in scorecard(learned, ["random"]) if row.opponent == "random"}
    untrained = {row.seat: row.regret for row in scorecard("random", ["random"]) if row.opponent == "random"}
    assert regrets["x"] < 0.2 < untrained["x"] and regrets["o"] < 0.5 < untrained["o"]
