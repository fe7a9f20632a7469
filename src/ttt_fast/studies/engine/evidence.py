"""The evidence for a published number, by kind: an exact value, or emulated runs.

Each kind is a function of the cell, of the words after the kind, and of the measured tables.  It returns a value, and
the probability of a published number that deviates at least as much.  The probability assumes that the program and
setting of the source match those of the evidence.  A study may add its own kinds.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import sqrt
from typing import Final, NamedTuple

from ttt_fast import Policy, UsageError, as_policy, exact_outcome
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.statistics.distributions import binomial, normal_p, student_p, two_sided
from ttt_fast.studies.statistics.samples import RunSample, prediction

DRAWN: Final = ", first move drawn"
"""Suffix of a match: X's first move is drawn uniformly."""
_CERTAIN: Final = 1e-9
_MANY: Final = 5000
"""Number of games from which the normal distribution approximates the binomial distribution."""


class Evidence(NamedTuple):
    """The evidence that a published number is compared with.

    Attributes
    ----------
    kind
        `exact`, `runs` or `games`.
    value
        The exact value, the mean of the runs, or the share of the games.
    low, high
        The 95 % interval for a number printed by the source; equal if nothing is random.
    p
        The probability of a published number that deviates at least as much as the actual one.
    size
        Number of runs or games; 0 for an exact value.
    is_repeated
        Whether an earlier number has the same evidence, seen from the other side of a match.
    rows
        The rows that it is computed from, if the words of its kind do not identify them.
    """

    kind: str
    value: float
    low: float
    high: float
    p: float
    size: int = 0
    is_repeated: bool = False
    rows: str = ""

    @property
    def is_certain(self) -> bool:
        """Whether no other published number is possible: no losses of perfect play, or equal results of all runs."""
        is_sharp = self.kind in ("exact", "runs") and self.high - self.low < _CERTAIN
        return is_sharp and min(abs(self.value), abs(1 - self.value)) < _CERTAIN


Kind = Callable[[Cell, str, Tables], Evidence]


@lru_cache(maxsize=256)
def agent(spec: str) -> Policy:
    """Return the policy of an agent string in ordinary tic-tac-toe; the result is cached."""
    return as_policy(spec)


@lru_cache(maxsize=4096)
def match_share(words: str, quantity: str) -> float:
    """Return the exact quantity of a match `X v O` or `X v O, first move drawn` (see `share_of`).

    Examples
    --------
    >>> round(match_share("random v random, first move drawn", "draws"), 6), match_share("minimax v random", "o_wins")
    (0.126984, 0.0)
    """
    pair, is_drawn = words.removesuffix(DRAWN), words.endswith(DRAWN)
    x, separator, o = pair.partition(" v ")
    if not separator:
        raise UsageError(f"expected a match 'X v O', got {words!r}")
    return share_of((agent(x.strip()), agent(o.strip())), quantity, random_opening=is_drawn)


def share_of(pair: Sequence[Policy], quantity: str, *, random_opening: bool = False) -> float:
    """Return an exact quantity of a match: the share of a result, the share of games with N plies, or the score of X.

    Examples
    --------
    >>> round(share_of([agent("random")] * 2, "plies_5") * 1260, 6)
    120.0
    """
    x, o = pair
    outcome = exact_outcome(x, o, random_opening=random_opening)
    if quantity == "score":
        return float(outcome.x_wins + outcome.draws / 2)
    if quantity.startswith("plies_"):
        return float(outcome.lengths[:, int(quantity.removeprefix("plies_"))].sum())
    return float(getattr(outcome, quantity))


def of_exact(cell: Cell, value: float) -> Evidence:
    """Return an exact value as evidence.

    The printed count has a binomial distribution.  A printed share represents all counts that round to it.
    """
    excess = max(0.0, abs(cell.value - value) - cell.half_unit - _CERTAIN)
    error = cell.sampling_error(value)
    if excess == 0.0:
        p = 1.0
    elif error < _CERTAIN:
        p = 0.0
    elif cell.games > _MANY:
        p = normal_p(excess / error)
    else:
        nearest = cell.value - cell.half_unit if cell.value > value else cell.value + cell.half_unit
        printed = round(nearest * cell.games)
        p = two_sided(binomial(cell.games, value), printed)
    return Evidence("exact", value, max(0.0, value - 1.96 * error), value + 1.96 * error, p)


def exact(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `exact X v O`: the exact result of a match in ordinary tic-tac-toe."""
    return of_exact(cell, match_share(words, cell.quantity))


def value(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `value NAME`: `value` in the row of `values.csv` with this name and quantity."""
    return of_exact(cell, float(tables.one("values", name=words, quantity=cell.quantity)["value"]))


def runs(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `runs NAME`: the rows of `runs.csv` with this name and quantity, one per run."""
    return of_runs(cell, tables.array("runs", "value", name=words, quantity=cell.quantity).tolist())


def of_runs(cell: Cell, values: list[float]) -> Evidence:
    """Return runs as evidence, with the published number as one further run that has a sampling error.

    The probability comes from Student's distribution.  The rank among the runs also counts, because runs are often not
    normally distributed.
    """
    sample, count = RunSample(values), len(values)
    found = of_sample(cell, sample.mean, sample.sd, count)
    if sample.low - cell.half_unit <= cell.value <= sample.high + cell.half_unit:
        rank = min(sum(one <= cell.value + cell.half_unit for one in values),
                   sum(one >= cell.value - cell.half_unit for one in values))  # fmt: skip
        found = found._replace(p=max(found.p, min(1.0, 2 * (rank + 1) / (count + 1))))
    return found


def of_sample(cell: Cell, mean: float, sd: float, count: int) -> Evidence:
    """Return runs as evidence, from their mean, standard deviation and number alone."""
    games = cell.sampling_error(mean)
    low, high = prediction(mean, sd, count, games)
    excess = max(0.0, abs(cell.value - mean) - cell.half_unit - _CERTAIN)
    error = sqrt(sd**2 * (1 + 1 / count) + games**2)
    if excess == 0.0:
        p = 1.0
    elif error < _CERTAIN:
        p = 0.0 if count > 1 else 1.0
    else:
        p = student_p(excess / error, count - 1) if sd else normal_p(excess / error)
    if cell.is_share:
        low, high = max(low, 0.0), min(high, 1.0)
    return Evidence("runs", mean, low, high, p, count)


KINDS: Final[dict[str, Kind]] = {"exact": exact, "value": value, "runs": runs}
"""The kinds of evidence that every study has."""
