"""The settings that decide the bits of a learned table."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from math import ceil, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import set_whole_numbers, shown
from ttt_fast.core.errors import UsageError
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.learn import general
from ttt_fast.learn.afterstate import AFTERSTATE
from ttt_fast.learn.general import ALTERNATE
from ttt_fast.learn.schedules import Schedule, check_range, parse_schedule

SELF_PLAY = "self"
"""The opponent of a learner that learns both seats."""

ALGORITHMS = (*general.ALGORITHMS, AFTERSTATE)
TIES = ("first", "last", "random")


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that decides the bits of a learned table, besides the opponents' policies.

    Attributes
    ----------
    opponent
        Agent string of the opponent; `self` for self-play; or a curriculum `AGENT@0.3>AGENT@0.6>AGENT`, in which
        each opponent is met until that fraction of the run.  A policy made in Python is named by its
        `Policy.signature`, and handed over to `train`.
    game
        The game, as `parse_game` reads it.
    seat
        The learner's seat, 1 (X) or 2 (O), or 3 for alternating ones; not used in self-play.
    episodes
        Number of episodes (games).
    seed
        Seed of the streams, non-negative.
    algorithm
        `q`, `double-q`, `sarsa`, `expected-sarsa` or `afterstate`.
    step_size, epsilon
        Schedules (`ttt_fast.learn.schedules`); a number is a constant.
    discount
        Gamma, for each pair of plies; with `afterstate` for the end of the game, too.
    win_reward, draw_reward, loss_reward
        Rewards at the end of an episode, for every learner.
    initial_q
        Value of every action (with `afterstate` of every board) before its first update.
    tie
        Choice among equally good actions: the `first`, the `last` or a `random` one.
    random_opening
        Whether the first move of each episode is drawn uniformly, and not learned from.
    chunk_episodes
        Episodes a chunk, which has a stream of its own; the fast kernels hold a schedule for a chunk.  0 means a
        250th of the run, within 1,000 to 100,000.
    evaluations
        Exact evaluations on the way.
    judges
        Agents, separated by commas: the further opponents of the greedy policy in the measures on the way.
    """

    opponent: str = "random"
    game: str = "tic-tac-toe"
    seat: int = rules.X
    episodes: int = 100_000_000
    seed: int = 0
    algorithm: str = "q"
    step_size: str = "geometric:0.5,0.001"
    epsilon: str = "0.2"
    discount: float = 1.0
    win_reward: float = 1.0
    draw_reward: float = 0.0
    loss_reward: float = -1.0
    initial_q: float = 0.0
    tie: str = "first"
    random_opening: bool = False
    chunk_episodes: int = 0
    evaluations: int = 100
    judges: str = ""

    def __post_init__(self) -> None:
        """Check every field, and choose the chunk."""
        if not isinstance(self.opponent, str):
            raise UsageError(
                f"expected opponent to be an agent string, got {shown(self.opponent)}; its `signature` names a policy"
            )
        set_whole_numbers(self, "seat", "episodes", "seed", "chunk_episodes", "evaluations")
        for name in ("step_size", "epsilon"):
            object.__setattr__(self, name, str(getattr(self, name)))
        if self.seat not in (rules.X, rules.O, ALTERNATE):
            raise UsageError(f"expected a seat of 1 (X), 2 (O) or 3 (alternating), got {self.seat!r}")
        if not 0 <= self.episodes <= 10**15:
            raise UsageError(f"expected 0 to 1e15 episodes, got {self.episodes}")
        if self.seed < 0:
            raise UsageError(f"expected a non-negative seed, got {self.seed}")
        if self.algorithm not in ALGORITHMS:
            raise UsageError(f"expected an algorithm of {', '.join(ALGORITHMS)}, got {self.algorithm!r}")
        if self.tie not in TIES:
            raise UsageError(f"expected a tie of {', '.join(TIES)}, got {self.tie!r}")
        if not 0 <= self.evaluations <= 10**6:
            raise UsageError(f"expected 0 to 1e6 evaluations, got {self.evaluations}")
        self._check_numbers()
        self.stages()
        if self.chunk_episodes < 0:
            raise UsageError(f"expected a non-negative number of episodes a chunk, got {self.chunk_episodes}")
        if self.chunk_episodes == 0:
            chosen = min(100_000, max(1_000, ceil(self.episodes / 250)))
            object.__setattr__(self, "chunk_episodes", chosen)

    def _check_numbers(self) -> None:
        """Raise UsageError unless schedules, rewards and discount are in their ranges."""
        for name, low in (("step_size", 1e-12), ("epsilon", 0.0)):
            try:
                schedule = parse_schedule(getattr(self, name))
            except UsageError as error:
                raise UsageError(f"{name}: {error}") from None
            check_range(name, schedule, self.episodes, low, 1.0)
        if self.epsilons.by_visits:
            raise UsageError(f"expected an epsilon by episode, got {self.epsilon!r}")
        _check_number("discount", self.discount, 0.0, 1.0)
        for name in ("win_reward", "draw_reward", "loss_reward", "initial_q"):
            _check_number(name, getattr(self, name), -1e6, 1e6)

    @property
    def step_sizes(self) -> Schedule:
        """The schedule of alpha."""
        return parse_schedule(self.step_size)

    @property
    def epsilons(self) -> Schedule:
        """The schedule of epsilon."""
        return parse_schedule(self.epsilon)

    @property
    def is_self_play(self) -> bool:
        """Whether both seats learn."""
        return self.opponent == SELF_PLAY

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that learn."""
        return (rules.X, rules.O) if self.is_self_play or self.seat == ALTERNATE else (self.seat,)

    def stages(self) -> list[tuple[float, str]]:
        """Return the opponents of the curriculum: (fraction of the run until which it is met, agent string)."""
        if self.is_self_play:
            return []
        parts = self.opponent.split(">")
        stages: list[tuple[float, str]] = []
        for number, part in enumerate(parts):
            agent, at, text = part.rpartition("@")
            if not at or (len(parts) == 1 and not _is_number(text)):  # a file may have an @ in its name
                agent, text = part, str((number + 1) / len(parts))
            elif len(parts) == 1 or not _is_number(text):
                raise UsageError(f"expected AGENT@FRACTION>AGENT, got {self.opponent!r}")
            until = float(text)
            if not agent.strip():
                raise UsageError(f"expected an opponent, or opponents AGENT@FRACTION>AGENT, got {self.opponent!r}")
            if agent.strip() == SELF_PLAY:
                raise UsageError(f"expected {SELF_PLAY} alone, not in a curriculum, got {self.opponent!r}")
            is_last = number == len(parts) - 1
            if not (stages[-1][0] if stages else 0.0) < until <= 1.0 or (is_last and until < 1.0):
                raise UsageError(f"expected growing fractions up to 1 in a curriculum, got {self.opponent!r}")
            stages.append((until, agent.strip()))
        return stages

    def stage_of(self, chunk: int) -> int:
        """Return the number of a chunk's opponent."""
        progress = chunk * self.chunk_episodes / max(self.episodes, 1)
        return next((number for number, (until, _) in enumerate(self.stages()) if progress < until), 0)

    @property
    def num_chunks(self) -> int:
        """Number of chunks."""
        return ceil(self.episodes / self.chunk_episodes)

    def episodes_after(self, chunks: int) -> int:
        """Return the number of episodes in the first `chunks` chunks."""
        return min(chunks * self.chunk_episodes, self.episodes)

    def step_size_of(self, chunk: int) -> float:
        """Return alpha at the start of a chunk."""
        return self.step_sizes.value(chunk * self.chunk_episodes, self.episodes)

    def epsilon_of(self, chunk: int) -> float:
        """Return epsilon at the start of a chunk."""
        return self.epsilons.value(chunk * self.chunk_episodes, self.episodes)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Rewards of a win, a draw, a loss, (3,) float64."""
        return np.array([self.win_reward, self.draw_reward, self.loss_reward])

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary that JSON can hold."""
        return asdict(self)


SETTINGS: Mapping[str, Any] = {field.name: field.type for field in fields(TrainingConfig)}
"""Names and types of the settings."""


def check_names(names: Iterable[str]) -> None:
    """Raise UsageError unless all names are settings; the message lists the near ones."""
    for name in names:
        if name not in SETTINGS:
            near = [known for known in SETTINGS if known.endswith("_reward")] if name == "rewards" else []
            near = near or get_close_matches(name, SETTINGS, n=3)
            raise UsageError(f"unknown setting {name!r}; expected {', '.join(near or SETTINGS)}")


def check_checkpoint_every(seconds: float) -> None:
    """Raise UsageError unless checkpoints can be so many seconds apart."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not (is_number and isfinite(seconds) and seconds > 0):
        raise UsageError(f"expected checkpoints every so many seconds, a number above 0, got {seconds!r}")


def config_from(values: Mapping[str, Any]) -> TrainingConfig:
    """Return a configuration from names and values, as in a TOML file.

    Raises
    ------
    UsageError
        If a name is unknown or a value has the wrong type.

    Examples
    --------
    >>> config_from({"opponent": "minimax", "episodes": 1000, "epsilon": 0.1}).epsilon
    '0.1'
    """
    check_names(values)
    for name, value in values.items():
        wanted = SETTINGS[name]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = {
            int: is_number,  # a whole one: see TrainingConfig
            float: is_number,
            str: isinstance(value, str) or (name in ("step_size", "epsilon") and is_number),
            bool: isinstance(value, bool),
        }
        if not fits.get(wanted if isinstance(wanted, type) else str, True):
            raise UsageError(f"expected {name} to be of type {getattr(wanted, '__name__', wanted)}, got {value!r}")
    return TrainingConfig(**values)


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _check_number(name: str, value: float, low: float, high: float) -> None:
    if not (isfinite(value) and low <= value <= high):
        raise UsageError(f"expected {name} from {low:g} to {high:g}, got {value!r}")
