"""MaskablePPO on tic-tac-toe against random in both seats, and its exact scorecard: pip install -e '.[ppo]'."""

import time

import torch
from sb3_contrib import MaskablePPO

from ttt_fast import scorecard
from ttt_fast.adapters.stable_baselines import GameVecEnv, policy_of_model


def learn(steps=200_000, seed=0, games=64):
    """Return a model after some steps, taken in so many games at once."""
    torch.set_num_threads(1)  # of networks this small more threads make nothing faster
    env = GameVecEnv(games, "tic-tac-toe", seat="both", opponent="random")
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=64, batch_size=256, learning_rate=1e-3, ent_coef=0.01, gamma=1.0, seed=seed,
        device="cpu",
    )  # fmt: skip
    return model.learn(steps)


if __name__ == "__main__":
    started = time.process_time()
    model = learn()
    print(f"{model.num_timesteps:,} steps in {time.process_time() - started:.0f} CPU-seconds")
    rows = scorecard(policy_of_model(model), ["random"])
    names = ("value", "best_value", "regret", "agreement", "reached_agreement", "exploitability")
    for row in rows:
        print(row.seat, "v", row.opponent, *(f"{name} {getattr(row, name):.4f}" for name in names))
