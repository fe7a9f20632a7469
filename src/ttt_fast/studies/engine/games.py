"""Games between two players with separate random streams, counted for the first named player."""

from collections.abc import Iterable, Sequence
from enum import IntEnum, unique
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import AnswerError, Game, Player
from ttt_fast.kernels import chunk_stream
from ttt_fast.play.pairs import play_game


@unique
class StudyKey(IntEnum):
    """First numbers of the keys of the studies' streams; no member of `StreamKey` has the same value."""

    SAI_MATCHES = 0x63346D63
    FIRST_MOVERS = 0x66697273
    ULTIMATE_MATCHES = 0x003
    ULTIMATE_MOVES = 0x6C676C
    ULTIMATE_NETWORKS = 0x696C6C
    ULTIMATE_POSITIONS = 0x717E5


class PlayedGames(NamedTuple):
    """The results of some games of a match.

    Attributes
    ----------
    counts : (2, 3) float64
        Wins, draws and losses of the first player: row 0 for games that it begins, row 1 for the others.
    spent : (2, 3) float64
        Games, moves and nodes of each player.
    plies
        The length of each game.
    lines
        The moves of each game, after `+` if the first player began and `-` otherwise.
    stopped
        Number of games that ended because a player had no move; the other attributes exclude them.
    """

    counts: NDArray[np.float64]
    spent: NDArray[np.float64]
    plies: list[int]
    lines: list[str]
    stopped: int


def play_games(
    game: Game, players: tuple[Player, Player], keys: Iterable[tuple[Sequence[int], int]], seed: int = 0
) -> PlayedGames:
    """Play some games.

    Parameters
    ----------
    game, players
        The game and its two players.
    keys
        For each game, numbers that separate its random streams from those of other games, and 1 if the second player
        begins.
    seed
        Seed of the streams.

    Examples
    --------
    >>> from ttt_fast import as_player
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> player = as_player("default:skill=1", game)
    >>> play_games(game, (player, player), [((number,), number % 2) for number in range(6)]).counts.sum(axis=1).tolist()
    [3.0, 3.0]
    """
    counts, spent, stopped = np.zeros((2, 3)), np.zeros((2, 3)), 0
    plies: list[int] = []
    lines: list[str] = []
    for key, turned in keys:
        for side, player in enumerate(players):
            player.begin(chunk_stream(seed, *key, side))
        x, o = players[::-1] if turned else players
        try:
            record = play_game(game, x, o, number=turned)
        except AnswerError:
            stopped += 1
            continue
        counts[turned, round(2 - 2 * record.score_of_first())] += 1
        for side, effort in enumerate((record.x_effort, record.o_effort)[:: -1 if turned else 1]):
            spent[side] += 1, effort.moves, effort.nodes
        plies.append(record.plies)
        lines.append("+-"[turned] + record.moves)
    return PlayedGames(counts, spent, plies, lines, stopped)
