"""The vector environments of the benchmark: the plain one against the rules, and all of them against exact chances."""

import sys

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs the extra rl")

from gymnasium.utils.env_checker import check_env

from ttt_fast.games import api
from ttt_fast.games.registry import parse_game

pytestmark = pytest.mark.extra


@pytest.fixture
def group():
    from groups import environments

    yield environments
    for name in [name for name in sys.modules if name.split(".")[0] == "groups"]:
        del sys.modules[name]


def test_the_plain_environment_has_the_rules():
    from baselines.environment import PlainTicTacToe

    game, env, generator = parse_game("tic-tac-toe"), PlainTicTacToe(), np.random.default_rng(1)
    check_env(PlainTicTacToe(), skip_render_check=True)
    observation, info = env.reset(seed=3)
    results = []
    for _ in range(2000):
        before, action = env.board.copy(), int(generator.integers(-1, 10))
        is_legal = 0 <= action < 9 and before[action] == 0
        observation, reward, over, truncated, info = env.step(action)
        state = game.parse_position("".join(".XO"[mark] for mark in env.board))
        assert np.array_equal(observation, api.observe(state))
        assert np.array_equal(info["action_mask"], api.legal_action_mask(state)) and not truncated
        if not is_legal:
            assert env.board == before and (reward, over) == (-1.0, True)
        else:
            changed = [cell for cell in range(9) if env.board[cell] != before[cell]]
            assert env.board[action] == 1 and {env.board[cell] for cell in changed if cell != action} <= {2}
            status = api.status(state)
            assert over == (status != api.ONGOING) and len(changed) == 1 + (env.board.count(1) == env.board.count(2))
            assert reward == {api.X_WINS: 1.0, api.O_WINS: -1.0}.get(status, 0.0)
            results.append(reward)
        if over:
            observation, info = env.reset()
            assert not observation.any() and info["action_mask"].all()
    assert {-1.0, 0.0, 1.0} == set(results)


def test_every_candidate_steps_legally_and_has_the_exact_mean(group, monkeypatch):
    """Each candidate checks its own mean result; a recorded game that is played again ends as it did."""
    found = [*group.ours("tic-tac-toe", with_choice=True), group.plain_gymnasium()]
    for one in found:
        one.run()
    assert [one.units for one in found] == [group.GAMES * group.STEPS] * 4 + [group.PLAIN_GAMES * group.STEPS]
    envs = group.GameBatch(num_games=20)
    from ttt_fast.adapters.gymnasium_games import GameVectorEnv

    actions = group.recorded(GameVectorEnv(20), 30)
    envs.reset(1)
    for chosen in actions:
        over = envs.is_over.copy()
        assert envs.legal_action_mask[np.arange(20), chosen][~over].all()
        envs.step(chosen)


def test_nothing_is_measured_without_gymnasium(group):
    from groups.timing import Effort

    assert group.environments(Effort(0.0, 1, frozenset({"pgx"}))) == []


@pytest.mark.slow
def test_pgx_plays_the_same_game():
    pytest.importorskip("pgx", reason="needs the peers of the benchmark")
    from groups.environment_peers import pgx_steps

    pgx_steps("tic-tac-toe", 2048, 64).run()  # holds its mean result against the exact one
