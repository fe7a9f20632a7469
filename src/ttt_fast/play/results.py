"""The results of a contest as rows: one for each seating, and the summary of both."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.bradley_terry import bradley_terry
from ttt_fast.evaluate.outcome import Outcome
from ttt_fast.evaluate.rating import Rating, pair_counts, rate
from ttt_fast.evaluate.sprt import Decision, Sprt
from ttt_fast.evaluate.statistics import wilson_interval, z_score
from ttt_fast.evaluate.strength_row import RESULTS
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.results import Status, outcome_of
from ttt_fast.play.record import RESULTS as ENDS, Effort, GameRecord
from ttt_fast.play.session import Counts

_ROWS_OF_ENDS = {end: row for row, end in enumerate(ENDS.values())}
_NO_EXACT = dict.fromkeys(f"exact_{name}" for name in RESULTS)
_NO_FRACTIONS = dict.fromkeys(f"exact_{name}_fraction" for name in RESULTS)
_NO_PAIRS = dict.fromkeys(("pentanomial", "distinct_games", "distinct_pairs", "llr", "llr_low", "llr_high", "sprt"))


def costs_of(games: Sequence[GameRecord]) -> JsonObject:
    """Return the cost of the moves of each seat, in columns that begin with its name.

    Nodes are None if the player does not count them.
    """
    row: JsonObject = {}
    for side in ("x", "o"):
        efforts: list[Effort] = [getattr(one, f"{side}_effort") for one in games]
        moves, nodes = sum(effort.moves for effort in efforts) or 1, sum(effort.nodes for effort in efforts)
        row |= {
            f"{side}_seconds_per_move": sum(effort.seconds for effort in efforts) / moves,
            f"{side}_slowest_move": max((effort.slowest for effort in efforts), default=0.0),
            f"{side}_nodes_per_move": nodes / moves if nodes else None,
            f"{side}_memory_bytes": max((effort.memory_bytes for effort in efforts), default=0),
        }
    return row


_NO_COSTS = dict.fromkeys(costs_of([]))


class Tally:
    """Counts pairs of games, in the order of their numbers.

    Parameters
    ----------
    first, second
        The players.
    sprt
        An optional test that ends the contest.
    wanted
        Requested number of pairs.
    seatings
        The games of each pair: 0 if the first player plays X, 1 if the seats are swapped, or both.

    Attributes
    ----------
    pairs
        The pairs included in the result, by number.  With a test, these are the pairs up to the decisive one.
    decision
        Verdict of the test: `H1`, `H0` or `continue`.
    """

    def __init__(
        self, first: str, second: str, sprt: Sprt | None, wanted: int, seatings: Sequence[int] = (0, 1)
    ) -> None:
        self.first, self.second, self.sprt, self.wanted = first, second, sprt, wanted
        self.seatings = seatings
        self.pairs: dict[int, Sequence[GameRecord]] = {}
        self.decision: Decision = "continue"
        self._in_order = 0
        self._counts = [0] * 5
        self._seen = set[tuple[tuple[str, str], ...]]()

    def __repr__(self) -> str:
        """Return a one-line description of the tally."""
        return f"<Tally of {self.first} v {self.second}: {len(self.pairs):,} of {self.wanted:,} pairs>"

    def add_all(self, pairs: Mapping[int, Sequence[GameRecord]]) -> None:
        """Add pairs of games, in any order of arrival."""
        if self.is_decided:
            return
        self.pairs |= pairs
        while self.sprt is not None and not self.is_decided and self._in_order in self.pairs:
            self._counts = [a + b for a, b in zip(self._counts, self._count([self._in_order]), strict=True)]
            self._seen.add(_moves_of(self.pairs[self._in_order]))
            self._in_order += 1
            self.decision = self.sprt.decide(self._counts, len(self._seen))
        if self.is_decided:
            self.pairs = {pair: games for pair, games in self.pairs.items() if pair < self._in_order}

    @property
    def is_decided(self) -> bool:
        """Whether the test has reached its decision."""
        return self.decision != "continue"

    @property
    def complete(self) -> bool:
        """Whether all pairs have been played, or the test has reached its decision."""
        return self.is_decided or len(self.pairs) >= self.wanted

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.seatings) * len(self.pairs)

    @property
    def distinct_games(self) -> int:
        """Number of games that differ in their moves or in their seats."""
        return len({(game.x, game.start, game.moves) for pair in self.pairs.values() for game in pair})

    @property
    def distinct_pairs(self) -> int:
        """Number of pairs that differ in the moves of a game; the intervals rest on it."""
        return len(set(map(_moves_of, self.pairs.values())))

    def _count(self, pairs: Sequence[int]) -> list[int]:
        scores = [[game.score_of_first() for game in self.pairs[pair]] for pair in pairs]
        if len(self.seatings) == 1:
            return [scores.count([score]) for score in (0.0, 0.5, 1.0)]
        return pair_counts([one for one, _ in scores], [other for _, other in scores])

    def pentanomial(self) -> list[int]:
        """Return the counts of the five results of a pair, from two losses to two wins; of three for one seating."""
        return self._count(sorted(self.pairs))

    def rating(self) -> Rating:
        """Return the first player's strength, estimated from the pairs."""
        return rate(self.pentanomial(), distinct=self.distinct_pairs)

    def status(self) -> str:
        """Return the running score with the Elo difference and its interval, and the log likelihood ratio of a test."""
        now = self.rating()
        said = f"score {now.score:.3f}, Elo {now.elo:+.0f} [{now.elo_low:+.0f}, {now.elo_high:+.0f}]"
        if self.sprt is not None:
            low, high = self.sprt.bounds
            said += f", LLR {self._ratio():.2f} of [{low:.2f}, {high:.2f}]"
        return said

    def _ratio(self) -> float:
        """Return the log likelihood ratio of the test."""
        assert self.sprt is not None
        return self.sprt.log_likelihood_ratio(self._counts, len(self._seen))

    def games_of_seating(self, number: int) -> list[GameRecord]:
        """Return game 0 or game 1 of all pairs, in order; in game 1 the seats are swapped."""
        place = self.seatings.index(number)
        return [pair[place] for _, pair in sorted(self.pairs.items())]

    def columns(self) -> JsonObject:
        """Return the columns about pairs besides their rating, and the state of a test."""
        row: JsonObject = {"pentanomial": "/".join(map(str, self.pentanomial()))}
        row |= {"distinct_games": self.distinct_games, "distinct_pairs": self.distinct_pairs}
        if self.sprt is None:
            return row
        low, high = self.sprt.bounds
        return row | {"llr": self._ratio(), "llr_low": low, "llr_high": high, "sprt": self.decision}


def _moves_of(pair: Sequence[GameRecord]) -> tuple[tuple[str, str], ...]:
    return tuple((game.start, game.moves) for game in pair)


class SeatResult(NamedTuple):
    """The games of one seating: the assignment of two agents to the seats X and O.

    Attributes
    ----------
    x, o
        Agent strings.
    lengths : (3, P + 1) int64
        Games by result (rows: X wins, draw, O wins) and length in plies.
    seconds
        Wall time of tabular games, or the total time of both players' moves.
    distinct_boards
        Number of different final boards seen.
    exact
        The exact result, if both agents are policies.
    costs
        The cost of the moves of each seat (columns of `costs_of`); None if moves are not timed.
    complete
        Whether all games have been played.
    distinct_games
        Number of games that differ in their moves; None for tabular games, which are independent draws.
    distinct_pairs
        The number on which the intervals rest: of pairs that differ in the moves of a game; None for tabular games.
    counts : (S,) int64
        Number of tabular games that ended in each state; None for games played one by one.
    """

    x: str
    o: str
    lengths: NDArray[np.int64]
    seconds: float
    distinct_boards: int
    exact: Outcome | None
    costs: JsonObject | None
    complete: bool
    distinct_games: int | None = None
    distinct_pairs: int | None = None
    counts: NDArray[np.int64] | None = None

    @property
    def ends(self) -> tuple[int, int, int]:
        """Numbers of games that X won, that were drawn, and that O won."""
        x_wins, draws, o_wins = self.lengths.sum(axis=1).tolist()
        return x_wins, draws, o_wins

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.ends)

    @property
    def reachable_boards(self) -> int | None:
        """Number of final boards with a positive probability; None if it is not known."""
        return None if self.exact is None else self.exact.reachable_boards

    @property
    def games_per_second(self) -> float:
        """Games a second."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    @property
    def plies_per_game(self) -> float | None:
        """Mean length of a game."""
        plies = int((self.lengths.sum(axis=0) * np.arange(self.lengths.shape[1])).sum())
        return plies / self.games if self.games else None

    def row(self) -> JsonObject:
        """Return the row: counts, exact values, Wilson intervals, z-scores, lengths, rate, costs of the moves."""
        truth = self.exact
        row: JsonObject = {"x": self.x, "o": self.o, "games": self.games}
        row |= dict(zip(RESULTS, self.ends, strict=True))
        row |= _NO_EXACT if truth is None else truth.columns("exact_")
        for name, count in zip(RESULTS, self.ends, strict=True):
            row[f"{name}_low"], row[f"{name}_high"] = wilson_interval(count, self.games, distinct=self.distinct_pairs)
            exact = row[f"exact_{name}"]
            row[f"{name}_z"] = None if exact is None else z_score(count, self.games, exact)
        row |= _NO_FRACTIONS if truth is None else truth.fraction_columns("exact_")
        return row | {
            "plies": {length: int(count) for length, count in enumerate(self.lengths.sum(axis=0)) if count},
            "plies_per_game": self.plies_per_game,
            "distinct_games": self.distinct_games,
            "distinct_boards": self.distinct_boards,
            "reachable_boards": self.reachable_boards,
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
            "complete": self.complete,
            **(_NO_COSTS if self.costs is None else self.costs),
        }


def counted_seat(counted: Counts, exact: Outcome, games: int) -> SeatResult:
    """Return the result of a seating with tabular games; `games` is the requested number."""
    table, counts, pair = exact.table, counted.counts, exact.pair
    lengths = np.zeros((3, table.num_plies + 1), np.int64)
    for status in Status.X_WINS, Status.O_WINS, Status.DRAW:
        chosen = table.status == status
        np.add.at(lengths[outcome_of(int(status))], table.ply[chosen], counts[chosen])
    boards, is_complete = int(np.count_nonzero(counts)), counted.games == games
    return SeatResult(
        pair.x.name, pair.o.name, lengths, counted.seconds, boards, exact, None, is_complete, counts=counts
    )


def played_seat(tally: Tally, number: int, game: Game, exact: Outcome | None) -> SeatResult:
    """Return the result of a seating with games played one by one: 0, or 1 with the seats swapped."""
    games = tally.games_of_seating(number)
    starts = {one.start: game.parse_position(one.start) if one.start else game.initial_state for one in games}
    plies = [one.plies + int(api.ply(starts[one.start])) for one in games]
    lengths = np.zeros((3, 1 + max([0, *plies])), np.int64)
    for one, length in zip(games, plies, strict=True):
        lengths[_ROWS_OF_ENDS[one.result], length] += 1
    seconds = sum(one.x_effort.seconds + one.o_effort.seconds for one in games)
    x, o = (tally.first, tally.second) if number == 0 else (tally.second, tally.first)
    distinct = {(one.start, one.moves) for one in games}
    boards = len({game.format_position(game.state_after(moves, starts[start])) for start, moves in distinct})
    return SeatResult(
        x, o, lengths, seconds, boards, exact, costs_of(games), tally.complete, len(distinct),
        tally.distinct_pairs,
    )  # fmt: skip


def summary_row(first: SeatResult, second: SeatResult, tally: Tally | None = None) -> JsonObject:
    """Return the row of the first seating's X over both seats: results, rating, and the state of a test.

    The rating is that of the pairs of games, if there are any, otherwise that of single games.
    """
    wins, draws, losses = (one + other for one, other in zip(first.ends, second.ends[::-1], strict=True))
    rating = rate([losses, draws, wins]) if tally is None else tally.rating()
    row: JsonObject = {"agent": first.x, "opponent": first.o, "games": wins + draws + losses}
    row |= {"wins": wins, "draws": draws, "losses": losses, **rating._asdict()}
    row |= _NO_PAIRS if tally is None else _NO_PAIRS | tally.columns()
    exact = None
    if first.exact is not None and second.exact is not None:
        exact = (_score(first.exact) + 1 - _score(second.exact)) / 2
    return row | {"exact_score": exact, "complete": first.complete and second.complete}


def _score(exact: Outcome) -> float:
    """Return X's expected score: 1 for a win, 1/2 for a draw."""
    return exact.x_wins + exact.draws / 2


def ratings_of(agents: Sequence[str], seats: Sequence[SeatResult]) -> list[JsonObject]:
    """Return a row for each agent, the best score first: rating, games, points, score, and that against each agent.

    An agent that plays in only one seat has neither rating nor score, and its row is among the last.  The ratings and
    scores of the others are those against one another.  Without games, the scores are the exact ones, and there are no
    ratings.
    """
    is_exact = not any(seat.games for seat in seats) and all(seat.exact for seat in seats)
    size = len(agents)
    place = {agent: index for index, agent in enumerate(agents)}
    points, games = np.zeros((size, size)), np.zeros((size, size), np.int64)
    evidence = np.zeros((2, size, size))  # points and games without copies
    for seat in seats:
        x, o = place[seat.x], place[seat.o]
        if x != o:
            exact = seat.exact if is_exact else None
            count = 1 if exact else seat.games
            won = exact.x_wins + exact.draws / 2 if exact else seat.ends[0] + seat.ends[1] / 2
            points[x, o] += won
            points[o, x] += count - won
            games[x, o] += count
            games[o, x] += count
            share = seat.distinct_pairs / seat.games if seat.distinct_pairs else 1.0
            evidence[:, x, o] += share * won, share * count
            evidence[:, o, x] += share * (count - won), share * count
    if not games.any():
        return []
    is_ranked = np.isin(agents, [*({seat.x for seat in seats} & {seat.o for seat in seats})])
    ranked = np.flatnonzero(is_ranked & (games[:, is_ranked].sum(axis=1) > 0))
    among = np.ix_(ranked, ranked)
    ratings, scores = np.full(size, np.nan), np.full(size, np.nan)
    scores[ranked] = points[among].sum(axis=1) / games[among].sum(axis=1)
    if not is_exact and ranked.size:
        ratings[ranked] = bradley_terry(evidence[0][among], evidence[1][among])
    rows = []
    for one in np.argsort(-scores, kind="stable").tolist():  # nan last
        others = ranked if one in ranked else np.arange(size)
        row: JsonObject = {"agent": agents[one], "rating": None if np.isnan(ratings[one]) else float(ratings[one])}
        if not is_exact:
            row |= {"games": int(games[one, others].sum()), "points": float(points[one, others].sum())}
        row["score"] = None if np.isnan(scores[one]) else float(scores[one])
        for other in range(size):
            played = int(games[one, other])
            row[f"v {agents[other]}"] = float(points[one, other]) / played if played else None
        rows.append(row)
    return rows
