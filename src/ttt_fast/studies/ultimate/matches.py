"""Games of this study: contests of two agents over threads, each game with streams of its own."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.rating import Rating, rate
from ttt_fast.play.pairs import play_game
from ttt_fast.play.record import Effort, GameRecord
from ttt_fast.running.chunks import run_chunks
from ttt_fast.search.player import Player
from ttt_fast.studies.ultimate.players import GAME, Agent
from ttt_fast.studies.ultimate.published import Counts

GAMES_A_PIECE: Final = 10
_SEED: Final = 0
_STREAM_KEY: Final = 0x003
_PLAYERS_KEPT: Final = 4
_own = threading.local()


class Contest(NamedTuple):
    """Two agents and the number of their games.

    Attributes
    ----------
    first, second
        The agents.
    games
        How many games.
    swapped
        Whether the seats change from game to game; else the first agent always begins.
    key
        Keeps the streams of this contest apart from those of others.
    """

    first: Agent
    second: Agent
    games: int
    swapped: bool
    key: tuple[int, ...]


class Result(NamedTuple):
    """What the games of a contest add up to, told from its first agent.

    Attributes
    ----------
    as_x, as_o
        Its results by seat.
    efforts
        What the moves of the first agent and of the second have cost.
    plies
        Moves of all games.
    """

    as_x: Counts
    as_o: Counts
    efforts: tuple[Effort, Effort]
    plies: int

    @property
    def counts(self) -> Counts:
        """Results in both seats."""
        return Counts(*(x + o for x, o in zip(self.as_x, self.as_o, strict=True)))

    @property
    def rating(self) -> Rating:
        """Score of the first agent with its 95 % interval."""
        return rate_counts(self.counts)


def rate_counts(counts: Counts) -> Rating:
    """Return the score of counts with its 95 % interval; the games are independent of each other.

    Examples
    --------
    >>> rating = rate_counts(Counts(54, 11, 35))
    >>> round(rating.score, 3), round(rating.score_low, 2), round(rating.score_high, 2)
    (0.595, 0.5, 0.68)
    """
    return rate([counts.losses, counts.draws, counts.wins])


def play_all(contests: Sequence[Contest], threads: int) -> Iterator[Result]:
    """Yield the result of each contest in turn; pieces of all of them share the threads, which change no result.

    Examples
    --------
    >>> random = Agent("random")
    >>> [result] = play_all([Contest(random, random, 30, False, (0,))], threads=2)
    >>> result.counts.games, result.as_o.games
    (30, 0)
    """
    pieces = [
        (number, first, min(first + GAMES_A_PIECE, contest.games))
        for number, contest in enumerate(contests)
        for first in range(0, contest.games, GAMES_A_PIECE)
    ]
    _compile(dict.fromkeys(agent for contest in contests for agent in (contest.first, contest.second)))
    records: list[GameRecord] = []
    played = run_chunks(lambda piece: _play_piece(contests, pieces[piece]), 0, len(pieces), threads)
    for (number, _, last), games in zip(pieces, played, strict=True):
        records += games
        if last == contests[number].games:
            yield _add_up(records)
            records = []


def _play_piece(contests: Sequence[Contest], piece: tuple[int, int, int]) -> list[GameRecord]:
    """Play some games of a contest; `game` of a record is 1 where the second agent began."""
    number, first, last = piece
    contest = contests[number]
    players = [_player(agent, side) for side, agent in enumerate((contest.first, contest.second))]
    records = []
    for game in range(first, last):
        for side, player in enumerate(players):
            player.begin(chunk_stream(_SEED, _STREAM_KEY, *contest.key, game, side))
        second_begins = contest.swapped and game % 2 == 1
        x, o = players[::-1] if second_begins else players
        records.append(play_game(GAME, x, o, [], game, int(second_begins)))
    return records


def _compile(agents: Iterable[Agent]) -> None:
    """Let every agent move once, and play one game, in this thread: compiling is not for several threads at once."""
    random = Agent("random").make()
    play_game(GAME, random, random, [])
    for agent in agents:
        player = agent.make()
        player.begin(chunk_stream(_SEED))
        player.think(GAME.initial_state)


def _player(agent: Agent, side: int) -> Player:
    """Return this thread's player; an agent against itself is two."""
    kept: dict[Any, Player] = _own.__dict__.setdefault("players", {})
    key = (agent, side)
    if key not in kept:
        while len(kept) >= _PLAYERS_KEPT:
            del kept[next(iter(kept))]
        kept[key] = agent.make()
    return kept[key]


def _add_up(records: Sequence[GameRecord]) -> Result:
    counts = [[0, 0, 0], [0, 0, 0]]
    efforts = []
    for record in records:
        counts[record.game][round(2 - 2 * record.score_of_first())] += 1
    for first in (True, False):
        spent = [record.effort_of(first) for record in records]
        efforts.append(
            Effort(
                sum(one.moves for one in spent), sum(one.seconds for one in spent), max(one.slowest for one in spent),
                sum(one.nodes for one in spent), max(one.memory_bytes for one in spent),
            )
        )  # fmt: skip
    return Result(
        Counts(*counts[0]), Counts(*counts[1]), (efforts[0], efforts[1]), sum(record.plies for record in records)
    )
