"""The problem of a training run: game, opponent, seat, length and measures, whatever the algorithm."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf
from typing import TYPE_CHECKING

from ttt_fast.learn import settings
from ttt_fast.learn.curricula import SELF_PLAY, Judges, Opponents
from ttt_fast.learn.seats import ALTERNATE, O, X
from ttt_fast.learn.settings import Computed, has_table

if TYPE_CHECKING:
    from ttt_fast.games.game import Game

CHUNK_EPISODES = Computed(
    "episodes / 250, but from 1k to 100k", lambda run: min(100_000, max(1000, ceil(run["episodes"] / 250)))
)


@dataclass(frozen=True)
class LearningProblem:
    """The part of a training configuration that does not depend on the algorithm.

    An episode is a game or, in planning, a pass over the table.  In self-play both seats learn.  A random opening is
    excluded from learning.  Each chunk of episodes has its own random stream.
    """

    game: "Game" = settings.setting(settings.game, "GAME", "the game with its options", "tic-tac-toe")
    exact: bool = settings.switch(
        "build the state table even if it has more than a million states, and learn with it", "false"
    )
    opponent: Opponents = settings.setting(
        settings.opponents, "AGENT",
        "the opponent: an agent, self, or A@0.5>B (A in the first half of the run, then B)", "random",
        {settings.NO_TABLE: SELF_PLAY},
    )  # fmt: skip
    seat: int = settings.setting(
        settings.seat, "x|o|both", "the learner's seat: x, o, or both in turn", "x", {settings.IN_SELF_PLAY: "both"}
    )
    episodes: int = settings.whole(
        0, 1e15, "number of episodes", "100M", {settings.NO_TABLE: "1M", settings.MANY_ACTIONS: "20k"},
        spellings=("--episodes", "-n"),
    )  # fmt: skip
    seed: int = settings.setting(settings.seed, "N", "seed of all randomness", "0")
    random_opening: bool = settings.switch(
        "choose the first move of each episode uniformly at random", "false", is_optional=True
    )
    chunk_episodes: int = settings.whole(
        1, inf,
        "episodes that share a random stream (a chunk); affects the result, also since fast kernels keep schedules"
        " constant in a chunk", CHUNK_EPISODES, spellings=("--chunk",),
    )  # fmt: skip
    evaluations: int = settings.whole(
        0, 1e6, "number of evaluations during training, which are exact if the game has a state table", "100",
        {settings.NO_TABLE: "10"},
    )  # fmt: skip
    judges: Judges = settings.setting(
        settings.judges, "A,B", "further agents against which the learner is evaluated for the curve", "",
        {settings.NO_TABLE: "random,default"},
    )  # fmt: skip

    @property
    def has_table(self) -> bool:
        """Whether the game has a state table: values then belong to its actions, and measures are exact."""
        return has_table(self.game, self.exact)

    @property
    def is_self_play(self) -> bool:
        """Whether both seats learn."""
        return not self.opponent.stages

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that learn."""
        return (X, O) if self.seat == ALTERNATE else (self.seat,)

    def stage_of(self, chunk: int) -> int:
        """Return the index of a chunk's opponent."""
        progress = chunk * self.chunk_episodes / max(self.episodes, 1)
        return next((number for number, (until, _) in enumerate(self.opponent.stages) if progress < until), 0)

    @property
    def num_chunks(self) -> int:
        """Number of chunks."""
        return ceil(self.episodes / self.chunk_episodes)

    def episodes_after(self, chunks: int) -> int:
        """Return the number of episodes in the first `chunks` chunks."""
        return min(chunks * self.chunk_episodes, self.episodes)

    def evaluations_due(self, first: int, end: int) -> list[int]:
        """Return the chunk counts above `first`, up to `end`, that complete another evaluation interval."""
        rows = [self.episodes_after(chunks) * self.evaluations // self.episodes for chunks in range(first, end + 1)]
        return [chunks for chunks, (before, after) in enumerate(pairwise(rows), first + 1) if before < after]
