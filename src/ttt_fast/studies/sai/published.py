"""Sai, "Tic Tac Toe & Connect 4 using Minimax and Tabular Q-learning": the published counts."""

from dataclasses import dataclass
from typing import NamedTuple

EPISODES, CONNECT_FOUR_EPISODES = 5_000_000, 1_000_000
"""Games of self-play in tic-tac-toe and in Connect 4 (section 5)."""

HOURS, CONNECT_FOUR_HOURS = 7, 12
"""What they took (section 5)."""

DEPTH = 5
"""Plies that minimax looks ahead in Connect 4 (section 4.1.2)."""

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
        """The source and its table."""
        return f"sai table {self.number}"

    @property
    def label(self) -> str:
        """Who plays whom."""
        return f"{self.first.player} v {self.second.player}"

    @property
    def half(self) -> int:
        """Games that each of the two begins: int(rounds / 2)."""
        return self.rounds // 2

    @property
    def printed(self) -> int:
        """Games that the three counts add up to: the rounds, but for table 9."""
        return self.first.wins + self.second.wins + self.ties

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
"""Tables 1 to 3, 7 and 8: tic-tac-toe."""

CONNECT_FOUR_TABLES = (
    Published(4, Usage(DEFAULT, 0, 0.1274, 27438.40), Usage(PLAIN, 5, 157.1316, 85259.40), 0, 5),
    Published(5, Usage(DEFAULT, 1, 0.1258, 28984.80), Usage(ALPHA_BETA, 49, 12.7208, 83102.54), 0, 50),
    Published(6, Usage(DEFAULT, 548, 0.2369, 42695.86), Usage(TABLE, 449, 0.0068, 30747.40), 3, 1000),
    Published(9, Usage(ALPHA_BETA, 2, 17.3038, 137056.60), Usage(PLAIN, 2, 171.6612, 150768.20), 0, 5),
    Published(10, Usage(TABLE, 1, 0.0036, 18247.92), Usage(ALPHA_BETA, 49, 9.6850, 73299.02), 0, 50),
)
"""Tables 4 to 6, 9 and 10: Connect 4."""

FIXED_POINT = 0.081 / 0.19
"""Where a certain win of X ends up as coded: V = 0.9 (V + 0.1 (0.9 - V)) = 0.81 V + 0.081."""

EXTREMES = {
    ("X", "highest"): FIXED_POINT,
    ("X", "lowest"): -0.9,
    ("O", "highest"): 0.9,
    ("O", "lowest"): -FIXED_POINT,
}
"""Limits of the values in tic-tac-toe as coded, by seat; the published file of X ends at 0.42632, -0.9, of O at 0.9."""
