"""The numbers that Bichot published: Table I, Fig. 5 as printed, and the counts of games behind Fig. 5.

The counts stand in the repository of the source (`results` of its statistics script): the agent of the row made the
first move in all 100 games, and only the cells on and above the diagonal were played; the others are their mirrors.
"""

from math import sqrt
from typing import Final, NamedTuple

from ttt_fast.core.errors import UsageError

GAMES: Final = 100
"""Games of each cell of both tables."""
DQN: Final = "dqn"
AGENTS: Final = (
    "random", DQN, "minimax-1", "minimax-3", "minimax-5", "mcts-100", "mcts-500", "mcts-1000", "mcts-2000",
)  # fmt: skip
"""The agents (1) to (9): the DQN trained for 15,000 games, N-step minimax with random ties, MCTS with N iterations."""

_COUNTS = (
    "36/32/32 48/14/38 8/0/92 0/0/100 0/1/99 0/2/98 0/0/100 0/0/100 0/0/100",
    "100/0/0 1/4/95 0/1/99 0/0/100 1/4/95 0/0/100 0/0/100 0/0/100",
    "36/4/60 4/9/87 4/5/91 60/10/30 29/5/66 11/4/85 8/0/92",
    "51/10/39 41/16/43 91/4/5 71/11/18 57/18/25 38/14/48",
    "45/22/33 97/1/2 72/9/19 61/8/31 54/11/35",
    "38/13/49 4/5/91 1/5/94 2/0/98",
    "52/9/39 18/10/72 16/7/77",
    "47/15/38 46/12/42",
    "51/10/39",
)
_PRINTED = (
    "52 55 8 0 1 1 0 0 0",
    "45 100 3 1 0 3 0 0 0",
    "92 97 38 8 6 65 31 13 8",
    "100 99 92 56 49 93 77 66 45",
    "99 100 94 51 56 97 77 65 59",
    "99 97 35 7 3 44 6 4 2",
    "100 100 69 23 23 94 57 22 20",
    "100 100 87 34 35 96 78 55 52",
    "100 100 92 55 41 98 80 48 56",
)


class Counts(NamedTuple):
    """Results of games, told from the first player named.

    Examples
    --------
    >>> Counts(52, 9, 39).games, Counts(52, 9, 39).score, Counts(52, 9, 39).mirrored()
    (100, 0.565, Counts(wins=39, draws=9, losses=52))
    """

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self)

    @property
    def score(self) -> float:
        """Mean result: 1 for a win, 1/2 for a draw."""
        return (self.wins + 0.5 * self.draws) / max(self.games, 1)

    def mirrored(self) -> "Counts":
        """Return the same games, told from the other player."""
        return Counts(self.losses, self.draws, self.wins)


FIG_5: Final[dict[tuple[str, str], Counts]] = {
    (first, AGENTS[row + place]): Counts(*map(int, text.split("/")))
    for row, first in enumerate(AGENTS)
    for place, text in enumerate(_COUNTS[row].split())
}
"""The counts of the 45 matches that were played, by the first mover and the other."""
PRINTED: Final[dict[tuple[str, str], int]] = {
    (row, column): int(text)
    for row, line in zip(AGENTS, _PRINTED, strict=True)
    for column, text in zip(AGENTS, line.split(), strict=True)
}
"""The 81 scores that Fig. 5 shows, in %: by row and column."""
TABLE_1: Final = {"0": 8, "0.5": 17, "sqrt(2)": 23, "3": 15, "5": 11}
"""Win rate of MCTS with 500 iterations against 5-step minimax, in %, by the exploration parameter c."""
SLOWER: Final = 4.5
"""How many times slower than 5-step minimax MCTS with 2000 iterations is said to be, at least."""
IMPROVED: Final = "the improved minimax"


def exploration(name: str) -> float:
    """Return the exploration parameter that a name of Table I stands for.

    Examples
    --------
    >>> exploration("0.5"), round(exploration("sqrt(2)"), 4)
    (0.5, 1.4142)
    """
    if name == "sqrt(2)":
        return sqrt(2)
    try:
        return float(name)
    except ValueError:
        raise UsageError(f"expected a number or 'sqrt(2)', got {name!r}") from None


def printed_error(row: str, column: str) -> float:
    """Return how far a printed score of Fig. 5 is from that of its counts, in %.

    Examples
    --------
    >>> printed_error("minimax-3", "minimax-5"), printed_error("minimax-5", "minimax-3")
    (0.0, 0.0)
    """
    counts = FIG_5[row, column] if (row, column) in FIG_5 else FIG_5[column, row].mirrored()
    return PRINTED[row, column] - 100 * counts.score
