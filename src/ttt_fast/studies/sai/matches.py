"""Matches in two halves, begun by one player each: exact in tic-tac-toe, played in Connect 4."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import AnswerError, Player, Policy, as_player, exact_outcome, parse_game
from ttt_fast.agents.api import SearchResult, WrappedPlayer
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.games import PlayedGames, StudyKey, play_games
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.statistics.samples import RunSample

TIC_TAC_TOE, CONNECT_FOUR = "tic-tac-toe", "connect4"
CODED: Final = {TIC_TAC_TOE: TIC_TAC_TOE, CONNECT_FOUR: "connect4:columns=6,rows=7"}
"""The boards of the program, which are indexed by column and row: its 6 x 7 means six columns of seven cells."""
GAMES, FOUR = (TIC_TAC_TOE, CONNECT_FOUR), CODED[CONNECT_FOUR]
BOARDS: Final = {TIC_TAC_TOE: "tic-tac-toe", FOUR: "6 columns of 7", CONNECT_FOUR: "7 columns of 6"}
"""The boards by their names on the page; the board of the text has the name of its game."""

SKILLS: Final = {"default 1": "default:skill=1", "default 0.01": "default:skill=0.01"}
"""The default opponent: as described, with skill 1 for every win and every block, and as coded, with skill 0.01."""
MINIMAX, RANDOM = "minimax", "random"
SEARCH: Final = "alphabeta:depth=5,tie=first,order=no"
"""Minimax of Connect 4 with alpha-beta, which plays the first of the best columns."""
AS_CODED: Final = ",full=loss"
"""As coded, a full board counts as a loss for X, the player to move."""
UNPRUNED: Final = ",prune=no"

Counts = NDArray[np.float64]
Side = Policy | Player


class StoppingPlayer(WrappedPlayer):
    """Minimax as coded: if all of X's moves lead to a full board, worth minus infinity, no move is the best."""

    def search(self, state: Any) -> SearchResult:
        """Return the move, or raise AnswerError where the published program ends with an error."""
        result = self.player.search(state)
        if result.value < -1:  # less than a loss
            raise AnswerError(f"{self.name!r}: a KeyError, since the search has no move")
        return result


def minimax_of(board: str, *, as_coded: bool) -> str:
    """Return the agent string of minimax on a board."""
    if board == TIC_TAC_TOE:
        return "minimax:tie=first,prefer=none"
    return SEARCH + AS_CODED * as_coded


def side_of(board: str, spec: str) -> Side:
    """Return an agent as a policy if its game has a table, and as a player otherwise."""
    if board == TIC_TAC_TOE:
        return agent(spec)
    player = as_player(spec, parse_game(board))
    return StoppingPlayer(player) if AS_CODED in spec else player


def in_both_seats(policy: Policy) -> Policy:
    """Return a policy that plays both seats with the same values, as the program does with either of its files."""
    return replace(policy, held=policy.table.decision_mask)


def exact_match(first: Policy, second: Policy) -> Counts:
    """Return the probabilities of a match as counts, (2, 3): wins of the first player, wins of the second, and ties.

    Examples
    --------
    >>> exact_match(agent("random"), agent("random")).mean(axis=0).round(4)
    array([0.4365, 0.4365, 0.127 ])
    """
    first, second = in_both_seats(first), in_both_seats(second)
    one, two = exact_outcome(first, second), exact_outcome(second, first)
    return np.array([[one.x_wins, one.o_wins, one.draws], [two.o_wins, two.x_wins, two.draws]])


def match_of(board: str, first: Side, second: Side, pairs: int, seed: int, key: Sequence[int] = ()) -> PlayedGames:
    """Return a match, with its counts in the order: wins of the first player, wins of the second, ties.

    Parameters
    ----------
    board, first, second
        The board and the two sides: two policies, whose probabilities are exact, or two players.
    pairs
        Pairs of games with the seats swapped; a single pair is for a match without randomness.
    seed, key
        Seed, and numbers that separate the random streams of this match from those of other matches.
    """
    if isinstance(first, Policy) and isinstance(second, Policy):
        return PlayedGames(exact_match(first, second), np.zeros((2, 3)), [], [], 0)
    assert not isinstance(first, Policy) and not isinstance(second, Policy)
    keys = [((StudyKey.SAI_MATCHES, *key, pair, number), number) for pair in range(pairs) for number in (0, 1)]
    found = play_games(parse_game(board), (first, second), keys, seed)
    return found._replace(counts=found.counts[:, [0, 2, 1]])


def played(board: str, first: str, second: str, pairs: int, seed: int, key: Sequence[int] = ()) -> dict[str, Any]:
    """Return a match of two agents: a piece of work."""
    return match_of(board, side_of(board, first), side_of(board, second), pairs, seed, key)._asdict()


def shares_of(counts: Counts) -> Counts:
    """Return the shares per game of each half, (..., 3), from counts (..., 2, 3), ignoring a half without games."""
    games = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, games, out=np.zeros_like(counts), where=games > 0)
    mean: Counts = shares.sum(axis=-2) / (games > 0).sum(axis=-2)
    return mean


def summaries(counts: Counts) -> Rows:
    """Return the three results of a match over R runs, counts (R, 2, 3), as columns of `matches.csv`.

    `runs` is the number of training runs (1 without a learner), and `games` the number of games of all runs (0 if
    exact).  `share` is the mean over the runs, `low` and `high` its 95 % interval.  `begun` and `followed` are the
    shares of games that the first player begins, and of games that the second begins.  `sd_of_runs` is the standard
    deviation between the runs themselves: the variance of their shares, minus the sampling variance of the games.

    Examples
    --------
    >>> one = summaries(np.array([[[60.0, 30, 10], [40, 50, 10]]]))[0]
    >>> one["games"], one["share"], one["begun"], one["sd_of_runs"]
    (200, 0.5, 0.6, 0.0)
    """
    runs, shares, games, found = len(counts), shares_of(counts), counts.sum(axis=2), list[Row]()
    is_exact = bool(np.allclose(games[games > 0], 1.0))
    total, halves = (0, (0, 0)) if is_exact else (int(games.sum()), tuple(map(int, games.sum(axis=0))))
    pooled = counts.sum(axis=0)
    for of_run, chance in zip(
        shares.T, (pooled / np.maximum(pooled.sum(axis=1, keepdims=True), 1e-300)).T, strict=True
    ):
        own = RunSample(of_run)
        noise = 0.0 if is_exact else float((chance * (1 - chance) / np.maximum(games, 1.0)).sum(axis=1).mean() / 4)
        low, high = own.mean_interval() if runs > 1 else (own.mean, own.mean)
        if total:
            least, most = wilson_interval(round(own.mean * total), total)
            low, high = min(low, least), max(high, most)
        found.append({
            "runs": runs, "games": total, "share": own.mean, "low": max(0.0, low), "high": min(1.0, high),
            "begun": float(chance[0]), "followed": float(chance[1]), "games_begun": halves[0],
            "games_followed": halves[1], "sd_of_runs": sqrt(max(0.0, own.sd**2 - noise)) if runs > 1 else 0.0,
        })  # fmt: skip
    return found
