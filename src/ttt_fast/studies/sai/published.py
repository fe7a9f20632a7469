"""Seed 001, "Tic Tac Toe & Connect 4 using Minimax and Tabular Q-learning": what it published about tic-tac-toe."""

from dataclasses import dataclass
from typing import NamedTuple

EPISODES = 5_000_000
"""Games of self-play (section 5)."""

EPSILON_IN_PLAY = "0.9"
"""The program that plays loads the values and leaves the exploration of its constructor on (appendix 9.2)."""

DEFAULT, PLAIN, ALPHA_BETA, TABLE = "default", "minimax", "minimax with alpha-beta", "tabular Q-learning"


class Usage(NamedTuple):
    """A row of a table: who, its wins, and its mean seconds and bytes a game."""

    player: str
    wins: int
    seconds: float
    memory: float


@dataclass(frozen=True)
class Published:
    """A published table: a match of which each half of the games (rounded down) is begun by one of the two.

    Attributes
    ----------
    number
        Number of the table, and of the figure that shows the same counts.
    first, second
        The two players.
    ties
        Games that nobody won.
    rounds
        Games that the caption states.
    """

    number: int
    first: Usage
    second: Usage
    ties: int
    rounds: int

    @property
    def source(self) -> str:
        """Seed and table."""
        return f"001 table {self.number}"

    @property
    def label(self) -> str:
        """Who plays whom."""
        return f"{self.first.player} v {self.second.player}"

    @property
    def half(self) -> int:
        """Games that each of the two begins: int(rounds / 2)."""
        return self.rounds // 2

    @property
    def counts(self) -> dict[str, int]:
        """The three printed counts by name."""
        return {
            f"{self.first.player} wins": self.first.wins,
            f"{self.second.player} wins": self.second.wins,
            "ties": self.ties,
        }


TABLES = (
    Published(1, Usage(DEFAULT, 0, 0.0214, 10365.30), Usage(PLAIN, 9, 405.5520, 40818.10), 1, 10),
    Published(2, Usage(DEFAULT, 0, 0.0203, 9024.21), Usage(ALPHA_BETA, 138, 14.7227, 37001.52), 12, 150),
    Published(3, Usage(DEFAULT, 424, 0.0242, 10938.31), Usage(TABLE, 457, 0.0008, 6526.643), 119, 1000),
    Published(7, Usage(ALPHA_BETA, 0, 10.6443, 25565.60), Usage(PLAIN, 0, 313.3520, 34204.00), 5, 5),
    Published(8, Usage(TABLE, 0, 0.0008, 5370.10), Usage(ALPHA_BETA, 44, 14.2432, 37208.72), 6, 50),
)
"""Tables 1 to 3, 7 and 8; the others are of Connect 4."""

FIXED_POINT = 0.081 / 0.19
"""Where a certain win of X ends up as coded: V = 0.9 (V + 0.1 (0.9 - V)) = 0.81 V + 0.081."""

EXTREMES = {
    ("X", "highest"): FIXED_POINT,
    ("X", "lowest"): -0.9,
    ("O", "highest"): 0.9,
    ("O", "lowest"): -FIXED_POINT,
}
"""Limits of the values as coded, by seat; the published file of X ends at 0.42632 and -0.9, that of O at 0.9."""
