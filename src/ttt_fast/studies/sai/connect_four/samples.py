"""The matches of Connect 4 that need no learner: minimax against the default opponent and against itself."""

from collections.abc import Callable
from typing import NamedTuple

from ttt_fast.games.registry import parse_game
from ttt_fast.running.chunks import run_chunks
from ttt_fast.studies.sai.connect_four.match import (
    BOARD_AS_CODED,
    BOARD_AS_DESCRIBED,
    MINIMAX_AS_CODED,
    MINIMAX_AS_DESCRIBED,
    Played,
    play_pairs,
    player_of,
    unpruned,
)
from ttt_fast.studies.sai.learning import SKILLS

MINIMAX = {BOARD_AS_CODED: MINIMAX_AS_CODED, BOARD_AS_DESCRIBED: MINIMAX_AS_DESCRIBED}
"""The searching player with alpha-beta that belongs to each board."""

_SEED = 1


class Samples(NamedTuple):
    """Matches as they were played.

    Attributes
    ----------
    default
        The default opponent against minimax with alpha-beta, by board and skill.
    unpruned
        The same as coded, without pruning: fewer games, from the same streams.
    searchers
        Minimax with alpha-beta against minimax without, by board: a pair of games, always the same.
    defaults
        The default opponent against itself as coded, by skill.
    """

    default: dict[tuple[str, str], Played]
    unpruned: Played
    searchers: dict[str, Played]
    defaults: dict[str, Played]

    @property
    def same_moves(self) -> tuple[int, int]:
        """Games without pruning that are, move for move, those with pruning, and games without pruning."""
        pruned = self.default[BOARD_AS_CODED, "0.01"].records
        same = [one.moves == other.moves for one, other in zip(self.unpruned.records, pruned, strict=False)]
        return sum(same), len(self.unpruned.records)


def play_samples(pairs: int, pairs_unpruned: int, threads: int) -> Samples:
    """Play them; the same results for any number of threads."""
    boards = list(MINIMAX)
    settings = [(board, skill) for board in boards for skill in SKILLS]
    jobs: list[Callable[[], Played]] = []

    def job(board: str, first: str, second: str, number: int) -> None:
        def play() -> Played:
            game = parse_game(board)
            return play_pairs(game, player_of(first, game), player_of(second, game), number, _SEED)

        jobs.append(play)

    for board, skill in settings:
        job(board, SKILLS[skill], MINIMAX[board], pairs)
    job(BOARD_AS_CODED, SKILLS["0.01"], unpruned(MINIMAX_AS_CODED), pairs_unpruned)
    for board in boards:
        job(board, MINIMAX[board], unpruned(MINIMAX[board]), 1)
    for skill in SKILLS:
        job(BOARD_AS_CODED, SKILLS[skill], SKILLS[skill], pairs)
    played = list(run_chunks(lambda number: jobs[number](), 0, len(jobs), threads))
    four, one, two = len(settings), len(settings) + 1, len(settings) + 1 + len(boards)
    return Samples(
        dict(zip(settings, played[:four], strict=True)),
        played[four],
        dict(zip(boards, played[one:two], strict=True)),
        dict(zip(SKILLS, played[two:], strict=True)),
    )
