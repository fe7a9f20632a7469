"""The exact result of a pair of policies: floats, and fractions where both are exact."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ttt_fast.evaluate.exact_fractions import OutcomeFractions, denominator, exact_fractions
from ttt_fast.evaluate.outcome import Outcome, exact_outcome
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import ROOT, StateTable

RESULTS = ("x_wins", "draws", "o_wins")
"""The results of a game: columns of rows, and fields of outcomes."""
_MOST_BITS = 10**11
"""Edges times bits of the common denominator: fractions that would take longer than a minute are not computed."""


@dataclass(frozen=True, eq=False)
class ExactResult:
    """The exact result of a pair of policies.

    Attributes
    ----------
    x, o
        Agent strings.
    table
        The game.
    outcome
        Probabilities.
    make_fractions
        Returns the same as fractions, which are computed when they are asked for.
    """

    x: str
    o: str
    table: StateTable
    outcome: Outcome
    make_fractions: Callable[[], OutcomeFractions | None]

    @cached_property
    def fractions(self) -> OutcomeFractions | None:
        """The probabilities as fractions; None where they are known as floats only, or would take minutes."""
        return self.make_fractions()

    @property
    def score(self) -> float:
        """X's expected score: 1 for a win, 1/2 for a draw."""
        return self.outcome.x_wins + self.outcome.draws / 2

    def columns(self, prefix: str = "") -> dict[str, float]:
        """Return the probability of each result."""
        return {f"{prefix}{name}": getattr(self.outcome, name) for name in RESULTS}

    def fraction_columns(self, prefix: str = "") -> dict[str, str | None]:
        """Return each probability as text, None where no fraction is known."""
        texts = (None,) * 3 if self.fractions is None else map(str, self.fractions)
        return {f"{prefix}{name}_fraction": text for name, text in zip(RESULTS, texts, strict=True)}

    def length_shares(self) -> list[tuple[int, float]]:
        """Return the lengths in plies that have a positive probability, with it."""
        shares = self.outcome.lengths.sum(axis=0)
        return [(length, float(share)) for length, share in enumerate(shares) if share > 0]

    @property
    def reachable_boards(self) -> int:
        """Number of final boards that have a positive probability."""
        return int(((self.outcome.reach > 0) & ~self.table.decision_mask).sum())


def exact_result(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> ExactResult:
    """Return the exact result of a pair; parameters are those of `exact_outcome`.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_policy
    >>> result = exact_result(as_policy("random"), as_policy("random"))
    >>> str(result.fractions.draws), result.reachable_boards
    ('8/63', 958)
    """
    outcome = exact_outcome(x, o, start=start, random_opening=random_opening)

    def fractions() -> OutcomeFractions | None:
        if not (x.is_exact and o.is_exact):
            return None
        digits = denominator(x, o, start=start, random_opening=random_opening).bit_length()
        if x.table.num_edges * digits > _MOST_BITS:
            return None
        return exact_fractions(x, o, start=start, random_opening=random_opening)

    return ExactResult(x.name, o.name, x.table, outcome, fractions)


def exact_result_from(x: Policy, o: Policy, starts: Sequence[int]) -> ExactResult:
    """Return the exact result of a pair whose games begin in these states, each in as many games as it is there.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_policy
    >>> random = as_policy("random")
    >>> exact_result_from(random, random, [0, 0]).outcome.draws == exact_result(random, random).outcome.draws
    True
    """
    often = Counter(starts)
    if len(often) == 1:
        return exact_result(x, o, start=starts[0])
    outcomes = [(count / len(starts), exact_outcome(x, o, start=start)) for start, count in often.items()]
    lengths = np.sum([share * one.lengths for share, one in outcomes], axis=0)
    reach = np.sum([share * one.reach for share, one in outcomes], axis=0)
    x_wins, draws, o_wins = lengths.sum(axis=1).tolist()
    return ExactResult(x.name, o.name, x.table, Outcome(x_wins, draws, o_wins, lengths, reach), lambda: None)
