"""Adapters to Stable-Baselines3 (Raffin et al. 2021, JMLR 22): a batch as an environment, a model as a policy.

Needs the extra `ppo`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Game, Policy, table_of
from ttt_fast.adapters import extra

with extra("ppo"):
    from stable_baselines3.common.vec_env import VecEnv


from ttt_fast.adapters.gymnasium_games import spaces_of
from ttt_fast.external.environment import GameBatch
from ttt_fast.learners import setting_value


class GameVecEnv(VecEnv):  # type: ignore[misc, unused-ignore]
    """Games against one opponent as a Stable-Baselines3 environment: the step that ends a game starts the next one.

    `MaskablePPO` obtains the legal actions from `action_masks`.

    Parameters
    ----------
    num_envs
        Number of games, B.
    game, seat, opponent
        As for `GameBatch`.

    Examples
    --------
    >>> env = GameVecEnv(64, seat="both")
    >>> observations = env.reset()
    >>> observations, rewards, dones, infos = env.step(env.env_method("action_masks")[0].argmax().repeat(64))
    >>> observations.shape, rewards.shape, len(infos)
    ((64, 2, 3, 3), (64,), 64)
    """

    def __init__(
        self,
        num_envs: int = 64,
        game: str = "tic-tac-toe",
        seat: str | int = "x",
        opponent: str | Policy = "random",
    ) -> None:
        self.batch, self.render_mode = GameBatch(game, seat, opponent, num_envs), None
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, *spaces_of(game))
        self.seed(None)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of all games, (B, A) bool."""
        return self.batch.legal_action_mask.copy()

    def reset(self) -> NDArray[np.uint8]:
        """Restart all games, with the last seed that was set (default: a random one)."""
        self.batch.reset(self._seeds[0])
        self._reset_seeds()
        return self.batch.observation.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Store the actions, (B,), of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions; return observations, rewards, dones, and infos with the last observation of ended games."""
        batch = self.batch
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        batch.step(self._actions)
        rewards, dones = batch.reward.copy(), batch.is_over.copy()
        for game in np.flatnonzero(dones):
            infos[game] = {"terminal_observation": batch.observation[game].copy(), "TimeLimit.truncated": False}
        batch.begin()
        return batch.observation.copy(), rewards, dones, infos

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the batch; return its rows for the selected games."""
        rows = getattr(self, method_name)(*method_args, **method_kwargs)
        return [rows[index] for index in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the batch, repeated for each game."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the batch; the single games have no attributes."""
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each game: no game is wrapped."""
        return [False for _ in self._get_indices(indices)]


def policy_of_model(model: Any, game: Game | str = "tic-tac-toe", seat: str | int = "both") -> Policy:
    """Return the policy of a model, which is queried once for all states of a seat.

    Parameters
    ----------
    model
        A model whose `predict` takes observations of uint8 and `action_masks`, such as `MaskablePPO`.  The policy plays
        its most probable actions.
    game
        The game.
    seat
        The seat of the policy: `x`, `o` or `both`.

    Raises
    ------
    PolicyError
        If the model returns anything except legal actions.
    """
    table = table_of(game)
    states = np.flatnonzero(table.player & setting_value("seat", seat)).astype(np.int32)  # 3: both
    planes, masks = table.observe(states).astype(np.uint8), table.legal_action_mask[states]
    actions, _ = model.predict(planes, action_masks=masks, deterministic=True)
    return Policy.from_actions(table, actions, type(model).__name__, states=states)
