"""Matches of two halves, each begun by one of the two players: exact over tic-tac-toe, played in Connect 4."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.registry import make_player
from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.samples import Sample
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games.registry import parse_game
from ttt_fast.play.pairs import play_game
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import Player, Thought
from ttt_fast.search.rewards.api import LARGE
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.sai.plain import DEPTH

TIC_TAC_TOE, CONNECT_FOUR = "tic-tac-toe", "connect4"
CODED: Final = {TIC_TAC_TOE: TIC_TAC_TOE, CONNECT_FOUR: "connect4:columns=6,rows=7"}
"""The boards of the program, which are indexed by column and row: its 6 x 7 are six columns of seven cells."""
BOARDS: Final = {TIC_TAC_TOE: "tic-tac-toe", CODED[CONNECT_FOUR]: "6 columns of 7", CONNECT_FOUR: "7 columns of 6"}
"""The boards by their names on the page; that of the text has the name of its game."""

SKILLS: Final = {"default 1": "default:skill=1", "default 0.01": "default:skill=0.01"}
"""The default opponent as described, which notices every win and every block, and as coded: one in a hundred."""
MINIMAX, RANDOM = "minimax", "random"
SEARCH: Final = f"alphabeta:depth={DEPTH},tie=first,order=no"
"""Minimax of Connect 4, with alpha-beta; the first of the best columns."""
AS_CODED: Final = ",full=loss"
"""As coded a full board is lost for X, who would be to move."""
UNPRUNED: Final = ",prune=no"
_STREAM_KEY = 0x63346D63  # keeps these streams apart from those of learning

Side = Policy | Player


class ProgramStops(Exception):
    """The published program would end with a KeyError: its search as X returns no move."""


class StoppingPlayer:
    """Minimax as coded: where all of X's moves end at a full board, worth minus infinity, none is the best."""

    def __init__(self, player: Player) -> None:
        self._player, self.name = player, player.name

    def begin(self, stream: np.uint64) -> None:
        """Draw from `stream` from now on."""
        self._player.begin(stream)

    def think(self, state: Any) -> Thought:
        """Return the move, or raise ProgramStops."""
        thought = self._player.think(state)
        if thought.value <= -LARGE:
            raise ProgramStops
        return thought

    @property
    def memory_bytes(self) -> int:
        """Bytes of the search."""
        return self._player.memory_bytes


def minimax_of(board: str, *, as_coded: bool) -> str:
    """Return the agent string of minimax on a board."""
    if board == TIC_TAC_TOE:
        return "minimax:tie=first,prefer=none"
    return SEARCH + AS_CODED * as_coded


def side_of(board: str, spec: str) -> Side:
    """Return an agent as a policy where its game has a table, else as a player."""
    if board == TIC_TAC_TOE:
        return agent(spec)
    player = make_player(spec, parse_game(board))
    return StoppingPlayer(player) if AS_CODED in spec else player


class Match(NamedTuple):
    """A match.

    Attributes
    ----------
    counts : (2, 3) float64
        In row 0 the first player begins, in row 1 the second: wins of the first, of the second, ties.  They are games,
        or the chances themselves where these are known.
    spent : (2, 4) float64
        Games, moves, nodes and seconds of either player; nothing where no games were played.
    stopped
        Games in which the published program would have stopped, which are not counted.
    lines
        The moves of each game, after `+` where the first player began, and `-` where it did not.
    """

    counts: NDArray[np.float64]
    spent: NDArray[np.float64]
    stopped: int
    lines: list[str]


def match_of(board: str, first: Side, second: Side, pairs: int, seed: int, key: Sequence[int] = ()) -> Match:
    """Return a match: exact for two policies, else of pairs of games with the seats swapped.

    Parameters
    ----------
    board, first, second
        What is played, and by whom.
    pairs
        Pairs of games; a match of a single pair is one that always goes the same way.
    seed, key
        Seed, and what keeps the streams of this match apart from those of others.

    Examples
    --------
    >>> match_of("tic-tac-toe", agent("random"), agent("random"), 1, seed=0).counts.mean(axis=0).round(4)
    array([0.4365, 0.4365, 0.127 ])
    """
    counts, spent, stopped, lines = np.zeros((2, 3)), np.zeros((2, 4)), 0, list[str]()
    if isinstance(first, Policy) and isinstance(second, Policy):
        one, two = exact_outcome(first, second), exact_outcome(second, first)
        exact = [[one.x_wins, one.o_wins, one.draws], [two.o_wins, two.x_wins, two.draws]]
        return Match(np.array(exact), spent, stopped, lines)
    assert not isinstance(first, Policy) and not isinstance(second, Policy)
    game = parse_game(board)
    for pair, number in ((pair, number) for pair in range(pairs) for number in (0, 1)):
        for side, player in enumerate((first, second)):
            player.begin(chunk_stream(seed, _STREAM_KEY, *key, pair, number, side))
        try:
            record = play_game(game, *((first, second), (second, first))[number], [], pair, number)
        except ProgramStops:
            stopped += 1
            continue
        counts[number, {1.0: 0, 0.0: 1, 0.5: 2}[record.score_of_first()]] += 1
        lines.append("+-"[number] + record.moves)
        for which in (0, 1):
            effort = record.effort_of(which == 0)
            spent[which] += (1, effort.moves, effort.nodes, effort.seconds)
    return Match(counts, spent, stopped, lines)


def played(board: str, first: str, second: str, pairs: int, seed: int, key: Sequence[int] = ()) -> dict[str, Any]:
    """Return a match of two agents: a piece of work."""
    return match_of(board, side_of(board, first), side_of(board, second), pairs, seed, key)._asdict()


def shares_of(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shares in a game of either half, (..., 3), of counts (..., 2, 3); a half without games is left out."""
    games = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, games, out=np.zeros_like(counts), where=games > 0)
    mean: NDArray[np.float64] = shares.sum(axis=-2) / (games > 0).sum(axis=-2)
    return mean


class Summary(NamedTuple):
    """A match over some training runs, one of its three results: columns of `matches.csv`.

    Attributes
    ----------
    runs, games
        Training runs (1 without a learner), and games of all (0 where the chances are exact).
    share, low, high
        Mean over the runs, with its 95 % interval.
    begun, followed
        The share where the first player begins, and where the second does.
    games_begun, games_followed
        The games of these.
    sd_of_runs
        Standard deviation between the runs themselves, without that of their games.
    """

    runs: int
    games: int
    share: float
    low: float
    high: float
    begun: float
    followed: float
    games_begun: int
    games_followed: int
    sd_of_runs: float


def summaries(counts: NDArray[np.float64]) -> list[Summary]:
    """Return the three results of a match, counts (R, 2, 3) of R runs.

    The variance between runs is that of their shares, less the variance of the games that these were counted in.

    Examples
    --------
    >>> one = summaries(np.array([[[60.0, 30, 10], [40, 50, 10]]]))[0]
    >>> one.games, one.share, one.begun, one.sd_of_runs
    (200, 0.5, 0.6, 0.0)
    """
    runs, shares, games = len(counts), shares_of(counts), counts.sum(axis=2)
    is_exact = bool(np.allclose(games[games > 0], 1.0))
    pooled, found = counts.sum(axis=0), []
    of_halves = pooled / np.maximum(pooled.sum(axis=1, keepdims=True), 1e-300)
    for result in range(3):
        own, chance = Sample(shares[:, result]), of_halves[:, result]
        noise = 0.0 if is_exact else float((chance * (1 - chance) / np.maximum(games, 1.0)).sum(axis=1).mean() / 4)
        low, high = own.mean_interval() if runs > 1 else (own.mean, own.mean)
        total = 0 if is_exact else int(games.sum())
        if total:
            least, most = wilson_interval(round(own.mean * total), total)
            low, high = min(low, least), max(high, most)
        of_begun, of_followed = (0, 0) if is_exact else (int(one) for one in games.sum(axis=0))
        sd = float(np.sqrt(max(0.0, own.sd**2 - noise))) if runs > 1 else 0.0
        interval, begun, followed = (max(0.0, low), min(1.0, high)), float(chance[0]), float(chance[1])
        found.append(Summary(runs, total, own.mean, *interval, begun, followed, of_begun, of_followed, sd))
    return found
