"""Tic-tac-toe against random as a plain Gymnasium environment: a list of cells and loops (extra `rl`)."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
X, O = 1, 2  # noqa: E741


class PlainTicTacToe(gymnasium.Env[NDArray[np.uint8], int]):
    """X against a random O; observations, masks and rewards are those of `ttt_fast.adapters.gymnasium_games.GameEnv`.

    Examples
    --------
    >>> env = PlainTicTacToe()
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(4)
    >>> env.board[4], env.board.count(2), int(info["action_mask"].sum()), reward
    (1, 1, 7, 0.0)
    """

    def __init__(self) -> None:
        self.observation_space = spaces.Box(0, 1, (2, 3, 3), np.uint8)
        self.action_space = spaces.Discrete(9)
        self.board = [0] * 9

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game."""
        super().reset(seed=seed)
        self.board = [0] * 9
        return self._observation(), self._info(False)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action and a random reply; an illegal action loses."""
        if not 0 <= action < 9 or self.board[action]:
            return self._observation(), -1.0, True, False, self._info(False)
        self.board[action] = X
        reward, is_over = 1.0, self._has_won(X)
        if not is_over:
            reward, free = 0.0, [cell for cell in range(9) if not self.board[cell]]
            is_over = not free
            if free:
                self.board[free[self.np_random.integers(len(free))]] = O
                is_over = self._has_won(O)
                reward = -1.0 if is_over else 0.0
        return self._observation(), reward, is_over, False, self._info(is_over)

    def _has_won(self, player: int) -> bool:
        board = self.board
        return any(board[a] == board[b] == board[c] == player for a, b, c in LINES)

    def _observation(self) -> NDArray[np.uint8]:
        """Return the marks of the player to move and those of the other, (2, 3, 3)."""
        players = (X, O) if self.board.count(X) == self.board.count(O) else (O, X)
        planes = [[cell == player for cell in self.board] for player in players]
        return np.array(planes, np.uint8).reshape(2, 3, 3)

    def _info(self, is_over: bool) -> dict[str, Any]:
        return {"action_mask": np.array([not cell and not is_over for cell in self.board], np.int8)}
