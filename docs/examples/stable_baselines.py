"""A DQN of Stable-Baselines3 on tic-tac-toe as X against random, metered: pip install stable-baselines3."""

import gymnasium
import numpy as np

from ttt_fast import Environment, Meter


class Game(gymnasium.Env):
    """An environment as Gymnasium has them; an illegal action is a legal one at random instead."""

    def __init__(self, seed=0):
        self.game = Environment("tic-tac-toe", seat="x", opponent="random", seed=seed)
        self.draw = np.random.default_rng(seed)
        self.observation_space = gymnasium.spaces.Box(0, 1, (18,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        """Begin an episode."""
        self.game.reset()
        return self.game.observation.ravel(), {}

    def step(self, action):
        """Play an action, and the opponent's reply."""
        legal = self.game.legal_actions
        action = int(action) if action in legal else int(self.draw.choice(legal))
        _, reward, is_over = self.game.step(action)
        return self.game.observation.ravel(), reward, is_over, False, {}


def record(meter, step, model):
    """Measure what `model.predict` plays; where it is no legal action, the first legal one."""
    actions, _ = model.predict(meter.observations.reshape(meter.states.size, -1), deterministic=True)
    is_legal = meter.legal_action_mask[np.arange(actions.size), actions]
    return meter.record(step, np.where(is_legal, actions, meter.legal_action_mask.argmax(axis=1)))


if __name__ == "__main__":
    from stable_baselines3 import DQN

    env, meter = Game(), Meter("tic-tac-toe", seat="x", opponent="random", labels={"learner": "SB3 DQN"})
    model = DQN(
        "MlpPolicy", env, seed=0, learning_rate=1e-3, exploration_fraction=0.5, learning_starts=1_000,
        target_update_interval=500, gamma=1.0, device="cpu",
    )  # fmt: skip
    for _ in range(5):
        model.learn(10_000, reset_num_timesteps=False)
        row = record(meter, env.game.episodes_begun, model)
        print({name: row[name] for name in ("episodes", "value", "best_value", "agreement", "never_loses")})
    meter.save("stable-baselines.csv")  # ttt-fast plot stable-baselines.csv --y value
