"""What decides the bits of a learned table."""

from dataclasses import asdict, dataclass
from math import ceil, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.errors import UsageError
from ttt_fast.games import tic_tac_toe as rules


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that decides the bits of a learned table, besides the opponent's policy.

    Attributes
    ----------
    opponent
        Agent string of the opponent.
    seat
        The learner's seat, 1 (X) or 2 (O).
    episodes
        Number of episodes (games).
    seed
        Seed of the streams, non-negative.
    step_size, final_step_size
        Alpha falls from the first to the last by the same factor each chunk.
    epsilon, final_epsilon
        The chance to explore falls from the first to the last in equal steps.
    discount
        Gamma, for each pair of plies.
    win_reward, draw_reward, loss_reward
        Rewards at the end of an episode.
    initial_q
        Value of every action before its first update.
    chunk_episodes
        Episodes a chunk: each has a stream, a step size and an epsilon of its own.  0 chooses a thousandth of
        the run, but 1,000 to 100,000.
    """

    opponent: str = "random"
    seat: int = rules.X
    episodes: int = 100_000_000
    seed: int = 0
    step_size: float = 0.5
    final_step_size: float = 0.001
    epsilon: float = 0.2
    final_epsilon: float = 0.2
    discount: float = 1.0
    win_reward: float = 1.0
    draw_reward: float = 0.0
    loss_reward: float = -1.0
    initial_q: float = 0.0
    chunk_episodes: int = 0

    def __post_init__(self) -> None:
        """Check every number, and choose the chunk."""
        if self.seat not in (rules.X, rules.O):
            raise UsageError(f"expected a seat of 1 (X) or 2 (O), got {self.seat!r}")
        if not 0 <= self.episodes <= 10**15:
            raise UsageError(f"expected 0 to 1e15 episodes, got {self.episodes}")
        if self.seed < 0:
            raise UsageError(f"expected a non-negative seed, got {self.seed}")
        for name in ("step_size", "final_step_size"):
            _check_number(name, getattr(self, name), 0.0, 1.0)
            if getattr(self, name) == 0.0:
                raise UsageError(f"expected a {name} above 0, got 0")
        for name in ("epsilon", "final_epsilon", "discount"):
            _check_number(name, getattr(self, name), 0.0, 1.0)
        for name in ("win_reward", "draw_reward", "loss_reward", "initial_q"):
            _check_number(name, getattr(self, name), -1e6, 1e6)
        if self.chunk_episodes < 0:
            raise UsageError(f"expected a non-negative number of episodes a chunk, got {self.chunk_episodes}")
        if self.chunk_episodes == 0:
            chosen = min(100_000, max(1_000, ceil(self.episodes / 1000)))
            object.__setattr__(self, "chunk_episodes", chosen)

    @property
    def num_chunks(self) -> int:
        """Number of chunks."""
        return ceil(self.episodes / self.chunk_episodes)

    def episodes_after(self, chunks: int) -> int:
        """Return the number of episodes in the first `chunks` chunks."""
        return min(chunks * self.chunk_episodes, self.episodes)

    def step_size_of(self, chunk: int) -> float:
        """Return alpha in a chunk."""
        ratio = self.final_step_size / self.step_size
        return float(self.step_size * ratio ** (chunk * self.chunk_episodes / self.episodes))

    def epsilon_of(self, chunk: int) -> float:
        """Return epsilon in a chunk."""
        progress = chunk * self.chunk_episodes / self.episodes
        return self.epsilon + (self.final_epsilon - self.epsilon) * progress

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Rewards of a win, a draw, a loss, (3,) float64."""
        return np.array([self.win_reward, self.draw_reward, self.loss_reward])

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary that JSON can hold."""
        return asdict(self)


def _check_number(name: str, value: float, low: float, high: float) -> None:
    if not (isfinite(value) and low <= value <= high):
        raise UsageError(f"expected a {name} from {low:g} to {high:g}, got {value!r}")
