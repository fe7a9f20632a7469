"""The sums over pairs of games: the pairs that count, the rating that they show, the state of a test."""

from collections.abc import Mapping, Sequence
from typing import Any

from ttt_fast.evaluate.rating import Rating, pair_counts, rate
from ttt_fast.evaluate.sprt import Decision, Sprt
from ttt_fast.play.record import Effort, GameRecord


class Tally:
    """Counts pairs of games in their order.

    Parameters
    ----------
    first, second
        The players.
    sprt
        A test that ends the contest, if there is one.
    wanted
        Number of pairs that are to be played.

    Attributes
    ----------
    pairs
        Pairs that count, by number.  With a test these are the pairs up to the one that decided it.
    decision
        Verdict of the test: `H1`, `H0` or `continue`.
    """

    def __init__(self, first: str, second: str, sprt: Sprt | None, wanted: int) -> None:
        self.first, self.second, self.sprt, self.wanted = first, second, sprt, wanted
        self.pairs: dict[int, Sequence[GameRecord]] = {}
        self.decision: Decision = "continue"
        self._in_order = 0
        self._counts = [0] * 5

    def add_all(self, pairs: Mapping[int, Sequence[GameRecord]]) -> None:
        """Add pairs of games, in any order of arrival."""
        if self.is_decided:
            return
        self.pairs |= pairs
        while self.sprt is not None and not self.is_decided and self._in_order in self.pairs:
            self._counts = [a + b for a, b in zip(self._counts, self._count([self._in_order]), strict=True)]
            self._in_order += 1
            self.decision = self.sprt.decide(self._counts)
        if self.is_decided:
            self.pairs = {pair: games for pair, games in self.pairs.items() if pair < self._in_order}

    @property
    def is_decided(self) -> bool:
        """Whether the test has come to its end."""
        return self.decision != "continue"

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing: all pairs have been played, or the test has come to its end."""
        return self.is_decided or len(self.pairs) >= self.wanted

    @property
    def games(self) -> int:
        """Number of games."""
        return 2 * len(self.pairs)

    @property
    def different_games(self) -> int:
        """Number of games that differ in their moves or in their seats."""
        return len({(game.x, game.moves) for pair in self.pairs.values() for game in pair})

    def _count(self, pairs: Sequence[int]) -> list[int]:
        scores = [[game.score_of_first() for game in self.pairs[pair]] for pair in pairs]
        return pair_counts([one for one, _ in scores], [other for _, other in scores])

    def pentanomial(self) -> list[int]:
        """Return the five counts of pairs, from two losses of the first player to two wins."""
        return self._count(sorted(self.pairs))

    def rating(self) -> Rating:
        """Return the first player's strength as the pairs show it."""
        return rate(self.pentanomial())

    def games_of_seating(self, number: int) -> list[GameRecord]:
        """Return the games 0 or 1 of all pairs, in their order; in games 1 the seats are swapped."""
        return [pair[number] for _, pair in sorted(self.pairs.items())]

    def columns(self) -> dict[str, Any]:
        """Return what pairs tell beside their rating, and the state of a test."""
        row = {"pentanomial": "/".join(map(str, self.pentanomial())), "different_games": self.different_games}
        if self.sprt is None:
            return row
        low, high = self.sprt.bounds
        ratio = self.sprt.log_likelihood_ratio(self._counts)
        return row | {"llr": ratio, "llr_low": low, "llr_high": high, "sprt": self.decision}


def costs_of(side: str, efforts: Sequence[Effort]) -> dict[str, Any]:
    """Return what the moves of a seat cost, in columns that begin with its name."""
    moves = sum(effort.moves for effort in efforts) or 1
    return {
        f"{side}_seconds_per_move": sum(effort.seconds for effort in efforts) / moves,
        f"{side}_slowest_move": max((effort.slowest for effort in efforts), default=0.0),
        f"{side}_nodes_per_move": sum(effort.nodes for effort in efforts) / moves,
        f"{side}_memory_bytes": max((effort.memory_bytes for effort in efforts), default=0),
    }
