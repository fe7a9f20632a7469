"""The problem of a training run: game, opponent, seat, length and measures, whatever the algorithm."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil

from ttt_fast.agents.spec import AgentSpec, parse_agent
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.curricula import SELF_PLAY, parse_stages
from ttt_fast.learn.settings import ALTERNATE, O, X
from ttt_fast.tables import has_table as is_small, most_states, table_of


@dataclass(frozen=True)
class LearningProblem:
    """The part of a training configuration that does not depend on the algorithm.

    Attributes
    ----------
    opponent
        Agent string of the opponent; `self` for self-play; or a curriculum `AGENT@0.3>AGENT@0.6>AGENT`, where each
        opponent is met until that fraction of the run.
    seat
        The learner's seat: 1 (X), 2 (O) or 3 (alternating; the only choice in self-play).
    episodes
        Number of episodes.  An episode is a game or, in planning, a pass over the table.
    seed
        Seed of the streams, non-negative.
    random_opening
        Whether the first move of each episode is drawn uniformly and excluded from learning.
    chunk_episodes
        Episodes in a chunk, which has its own random stream; the fast kernels keep schedules constant within a chunk.
    evaluations
        Rows of the curve: exact measures, or samples if the game has no table.
    judges
        Agents, separated by commas, against which the greedy policy is measured during the run.
    game
        The game, as `parse_game` reads it.
    exact
        Whether to build the table of a game of more than a million states, so that values and measures are exact.
    """

    opponent: str
    seat: int
    episodes: int
    seed: int
    random_opening: bool
    chunk_episodes: int
    evaluations: int
    judges: str
    game: str
    exact: bool

    @property
    def played(self) -> Game:
        """The game."""
        return parse_game(self.game)

    @property
    def has_table(self) -> bool:
        """Whether the game has a state table: values then belong to its actions, and measures are exact."""
        return has_table(self.played, self.exact)

    @property
    def is_self_play(self) -> bool:
        """Whether both seats learn."""
        return self.opponent == SELF_PLAY

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that learn."""
        return (X, O) if self.seat == ALTERNATE else (self.seat,)

    def stages(self) -> list[tuple[float, AgentSpec]]:
        """Return the stages of the curriculum: the fraction of the run at which a stage ends, and its opponent."""
        return [] if self.is_self_play else list(parse_stages(self.opponent))

    def stage_of(self, chunk: int) -> int:
        """Return the index of a chunk's opponent."""
        progress = chunk * self.chunk_episodes / max(self.episodes, 1)
        return next((number for number, (until, _) in enumerate(self.stages()) if progress < until), 0)

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

    @property
    def judge_specs(self) -> list[AgentSpec]:
        """The judges, without repetitions."""
        return list(dict.fromkeys(parse_agent(text) for text in AgentSpec.split(self.judges) if text))


@lru_cache(maxsize=64)
def has_table(game: Game, exact: bool = False) -> bool:
    """Return whether a game has a table of states; cached, since a large one is enumerated up to the limit.

    With `exact`, a table of more than a million states is built if it fits into memory.
    """
    return table_of(game, most_states()) is not None if exact else is_small(game)
