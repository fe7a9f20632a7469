"""What Gymnasium asks of environments; skipped without the extra `rl`."""

import doctest

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs the extra rl")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from ttt_fast import UsageError  # noqa: E402
from ttt_fast.adapters import gymnasium_games  # noqa: E402

pytestmark = pytest.mark.extra


@pytest.mark.parametrize("name", gymnasium_games.REGISTERED)
@pytest.mark.parametrize("seat", ["x", "o"])
def test_gymnasiums_own_check(name, seat):
    for mode in ("ansi", "rgb_array"):
        check_env(gymnasium.make(name, seat=seat, render_mode=mode).unwrapped)


def test_the_examples():
    result = doctest.testmod(gymnasium_games, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 5 and result.failed == 0


@pytest.mark.parametrize("opponent", ["minimax", "mcts:sims=20", "alphabeta:depth=2"])
def test_any_agent_replies_and_seeds_repeat(opponent):
    env, runs = gymnasium_games.GameEnv(opponent=opponent, seat="both"), []
    for _ in range(2):
        (_, info), seen = env.reset(seed=4), []
        for _ in range(3):
            over = False
            while not over:
                observation, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
                seen.append((observation.tobytes(), reward))
            _, info = env.reset()
        runs.append(seen)
    assert runs[0] == runs[1] and {reward for _, reward in runs[0]} <= {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect4", "ultimate"])
def test_the_learner_has_its_seat_in_every_game(game):
    begun = {seat: [] for seat in ("x", "o", "both")}
    for seat, marks in begun.items():
        env = gymnasium_games.GameEnv(game, seat=seat)
        for _ in range(4):
            marks.append(int(env.reset(seed=1 if not marks else None)[0][1].sum()))
    assert begun == {"x": [0, 0, 0, 0], "o": [1, 1, 1, 1], "both": [0, 1, 0, 1]}


def test_pictures_have_the_marks():
    env = gymnasium_games.GameEnv(render_mode="rgb_array", opponent="minimax:tie=first")
    env.reset(seed=1)
    assert (env.render()[12::24, 12::24] == 255).all()
    env.step(4)
    picture = env.render()[12::24, 12::24]
    assert picture.shape == (3, 3, 3) and picture[1, 1].tolist() == [192, 57, 43]
    assert sum(cell.tolist() == [33, 102, 172] for cell in picture.reshape(-1, 3)) == 1


def test_a_vector_of_games_fits_its_spaces_and_restarts_with_the_next_step():
    for copy in (True, False):
        envs = gymnasium_games.GameVectorEnv(64, seat="both", copy=copy)
        observations, infos = envs.reset(seed=2)
        assert observations in envs.observation_space
        over = np.zeros(64, bool)
        for _ in range(30):
            actions = infos["action_mask"].argmax(axis=1)
            before = over.copy()
            observations, rewards, over, truncated, infos = envs.step(actions)
            assert observations in envs.observation_space and not truncated.any()
            assert not over[before].any() and not rewards[before].any()
        assert np.shares_memory(observations, envs.batch.observation) != copy


@pytest.mark.parametrize("name", gymnasium_games.REGISTERED)
@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_a_masked_softmax_is_a_policy_in_every_step(name, mode):
    envs = gymnasium.make_vec(name, num_envs=8, vectorization_mode=mode, seat="both")
    _, infos = envs.reset(seed=1)
    generator, ended = np.random.default_rng(1), 0
    for _ in range(100):
        mask = np.stack(list(infos["action_mask"]))
        assert mask.any(axis=1).all()
        chances = np.where(mask, np.exp(0.0), 0.0) / np.where(mask, np.exp(0.0), 0.0).sum(axis=1, keepdims=True)
        actions = np.array([generator.choice(mask.shape[1], p=row) for row in chances])
        _, _, over, _, infos = envs.step(actions)
        assert np.stack(list(infos["action_mask"]))[over].all()
        ended += over.sum()
    assert ended > 8


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect4"])
def test_a_reset_restarts_the_games_of_its_mask_alone(game):
    envs, whole = (gymnasium_games.GameVectorEnv(64, game, seat="both") for _ in range(2))
    chosen, ended = np.arange(64) % 3 == 0, 0
    for one in (envs, whole):
        one.reset(seed=3)
    for _ in range(40):
        actions = envs.batch.legal_action_mask.argmax(axis=1)
        actions[::5] = -1  # lost at once
        for one in (envs, whole):
            before, _, over, _, infos = one.step(actions)
        ended += over.sum()
        observations, after = envs.reset(options={"reset_mask": chosen})
        assert (observations[chosen].sum(axis=(1, 2, 3)) == np.arange(64)[chosen] % 2).all()
        assert (observations[~chosen] == before[~chosen]).all()
        assert (after["action_mask"][~chosen] == infos["action_mask"][~chosen]).all()
        assert (envs.batch.is_over == over & ~chosen).all()
        whole.batch.reset(games=chosen)
    assert ended > 64


@pytest.mark.parametrize("action", [3.7, "3", -0.5, True, None, np.array([3])])
def test_an_action_is_a_whole_number_in_every_environment(action):
    env = gymnasium_games.GameEnv()
    env.reset(seed=1)
    with pytest.raises(UsageError, match="expected the action to be a whole number, got"):
        env.step(action)
    assert not env.step(np.int64(3))[2]  # the episode has gone on
    with pytest.raises(UsageError, match=r"expected \(1,\) whole numbers as actions"):
        gymnasium_games.GameVectorEnv(1).step([action])


def test_wrong_seeds_and_masks_are_refused():
    envs = gymnasium_games.GameVectorEnv(4)
    with pytest.raises(UsageError, match="expected the seed to be at least 0, got -1"):
        envs.reset(seed=-1)
    for mask in ([True, False], np.ones(4), True):
        with pytest.raises(UsageError, match=r"expected a mask of games, \(4,\) bool, got"):
            envs.reset(options={"reset_mask": mask})


def test_wrong_uses_are_one_line():
    with pytest.raises(UsageError, match="expected 'ansi' or 'rgb_array' as the render mode, got 'human'"):
        gymnasium_games.GameEnv(render_mode="human")
    env = gymnasium_games.GameEnv()
    env.reset(seed=1)
    assert env.step(9)[1:4] == (-1.0, True, False)
    with pytest.raises(UsageError, match="expected a call of reset before step"):
        env.step(0)
