"""Langan, "Reinforcement Learning and Minimax in a Simple Game": every published figure.

`BASE_CELLS` need no learning and have an exact value; `LEARNED_CELLS` are about learned policies, so that they are
compared with what emulated runs of the same program give.  Every match is of 200,000 games.
"""

from dataclasses import dataclass
from math import sqrt

from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.studies.cells import Cell, Setting, result_cells

GAMES = 200_000
MINIMAX = "minimax:tie=uniform,prefer=none"
BUGGY, BUGGY2 = "buggy:as=coded", "buggy2:as=coded"

_MINIMAX_V_RANDOM = ("193622", "6378", "0")

BASE_CELLS: list[Cell] = [
    *result_cells("langan table 2", "Minimax v Random", GAMES, Setting(MINIMAX, "random"), _MINIMAX_V_RANDOM),
    *result_cells(
        "langan table 2", "Random v Random", GAMES, Setting("random", "random"), ("116857", "25442", "57701")
    ),
    *result_cells("langan table 5", "Minimax v Random", GAMES, Setting(MINIMAX, "random"), _MINIMAX_V_RANDOM),
    *result_cells("langan table 5", "Minimax v Minimax", GAMES, Setting(MINIMAX, MINIMAX), ("0", "200000", "0")),
    *result_cells("langan table 6", "Minimax v Buggy", GAMES, Setting(MINIMAX, BUGGY), ("26666", "173334", "0")),
    *result_cells("langan table 6", "Minimax v Buggy2", GAMES, Setting(MINIMAX, BUGGY2), ("21923", "178077", "0")),
    *result_cells("langan table 6", "Minimax v Random", GAMES, Setting(MINIMAX, "random"), _MINIMAX_V_RANDOM),
    Cell(
        "langan section 6.3.2",
        "minimax v buggy2, in the text",
        "x_wins",
        "0.1006",
        GAMES,
        Setting(MINIMAX, BUGGY2),
        why="a slip for 0.1096: the report's own table 6 has 21,923 of 200,000",
    ),
    Cell(
        "langan section 6.3.2",
        "minimax v buggy, in the text",
        "x_wins",
        "0.1333",
        GAMES,
        Setting(MINIMAX, BUGGY),
    ),
    Cell(
        "langan section 6.3.1", "minimax v random, in the text", "x_wins", "0.9681", GAMES, Setting(MINIMAX, "random")
    ),
    Cell(
        "langan section 6.2", "random v random, P1, in the text", "x_wins", "0.585", GAMES, Setting("random", "random")
    ),
]

Z_TEST = {"wins": 197_932, "other_wins": 193_622, "games": GAMES, "published_z": 47.40}
"""Section 6.3.1: Q_random's wins against minimax's, both against random."""

PUBLISHED_STATES = 26_830
"""Section 1.1: "26,830 distinct states"."""

MINUTES_WITH_MINIMAX, MINUTES_WITHOUT, PUBLISHED_RATIO = 660.0, 0.05, 10_000
"""Section 6.4: minutes for 200,000 games where one player is minimax, where none is, and "in the region of"."""

Q_MINIMAX, Q_RANDOM, Q_BUGGY, Q_BUGGY2 = "Q_minimax", "Q_random", "Q_buggy", "Q_buggy2"
Q_SELF_1, Q_SELF_2 = "Q_self-play as player 1", "Q_self-play as player 2"
MINIMAX_EPISODES = (2_000, 100_000, 2_000_000)
"""Training lengths of table 1; the last one is Q_minimax."""

POLICY_QUANTITIES = ("states", "agreeing", "agreement")


def q_minimax_after(episodes: int) -> str:
    """Return the name of the policy that has been trained against minimax for so long."""
    return Q_MINIMAX if episodes == MINIMAX_EPISODES[-1] else f"{Q_MINIMAX} after {episodes:,} episodes"


@dataclass(frozen=True)
class LearnedCell:
    """A published figure about a learned policy.

    Attributes
    ----------
    source, label
        Source and table; the row or cell in the source's words.
    quantity
        `states`, `agreeing`, `agreement` of the policy `x`; or `x_wins`, `draws`, `o_wins` of the match `x` v `o`.
    published
        As printed.
    x, o
        Names of learned policies, or agent strings; `o` is empty for the quantities of a policy.
    why
        What stands behind the figure.
    """

    source: str
    label: str
    quantity: str
    published: str
    x: str
    o: str
    why: str

    @property
    def is_match(self) -> bool:
        """Whether the figure is the result of a match."""
        return self.quantity not in POLICY_QUANTITIES

    @property
    def value(self) -> float:
        """The figure as a number: a count of states, or a share."""
        if "." in self.published:
            return float(self.published)
        return int(self.published) / GAMES if self.is_match else float(self.published)

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit."""
        decimals = len(self.published.partition(".")[2])
        return 0.5 * 10.0**-decimals if decimals else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the figure as a sample of 200,000 games, or the figure itself where it is a count."""
        if not self.is_match:
            return self.value, self.value
        return wilson_interval(round(self.value * GAMES), GAMES)

    def sampling_error(self, probability: float) -> float:
        """Return the standard error of the source's sample, 0 for a count of states."""
        return sqrt(max(0.0, probability * (1 - probability)) / GAMES) if self.is_match else 0.0


_B3 = (
    "B3: a maximum over nine actions, the illegal ones 0, so that a position lost two plies later looks drawn; the rows"
    " that disagree are all zero. Over legal actions it is 100 %"
)
_NARROW = (
    "trained against minimax only: most boards that random leads to have never been seen, and there it plays the first"
    " free cell from the bottom left, not an arbitrary one"
)
_SELF = (
    "B1 and B2: nothing but a win on the spot has a value, and elsewhere the table plays the first free cell from the"
    " bottom left"
)
_COUNT = (
    "counts rows of both players: those of the opponent's turn are all zero, and their 'move' is the first free cell"
)
_LENGTH = (
    "the training length is not stated; the emulation's is the one whose number of states is nearest, so that number"
    " is no test"
)
_STEP = "a constant step size of 0.1 against a random opponent: values keep swinging, and so does the last digit"
_TWO_WAYS = (
    "a constant step size of 0.1 leaves each run at 3/4 or at 5/6 by chance; the best possible is 5/6 = 0.833333"
)


def _policy(source: str, label: str, x: str, printed: tuple[str, str, str], why: str) -> list[LearnedCell]:
    return [
        LearnedCell(source, label, quantity, value, x, "", why)
        for quantity, value in zip(POLICY_QUANTITIES, printed, strict=True)
    ]


def _match(source: str, label: str, x: str, o: str, printed: tuple[int, int, int], why: str) -> list[LearnedCell]:
    return [
        LearnedCell(source, label, quantity, str(value), x, o, why)
        for quantity, value in zip(("x_wins", "draws", "o_wins"), printed, strict=True)
    ]


_ALL = GAMES
_T1, _T2, _T3, _T4, _T5, _T6 = (f"langan table {number}" for number in range(1, 7))

LEARNED_CELLS: list[LearnedCell] = [
    *_policy(_T1, "2,000 Episodes", q_minimax_after(2_000), ("219", "188", "0.8584"), "little has been visited yet"),
    *_policy(_T1, "100,000 Episodes", q_minimax_after(100_000), ("521", "498", "0.9558"), _B3),
    *_policy(_T1, "2,000,000 Episodes", Q_MINIMAX, ("569", "552", "0.9701"), _B3),
    *_match(_T2, "Q_minimax v Minimax", Q_MINIMAX, MINIMAX, (0, _ALL, 0), "the best possible"),
    *_match(_T2, "Q_minimax v Random", Q_MINIMAX, "random", (163249, 14547, 22204), _NARROW),
    *_match(_T2, "Q_self-play v Random", Q_SELF_1, "random", (174959, 3105, 21936), _SELF),
    *_match(_T2, "Q_self-play v Minimax", Q_SELF_1, MINIMAX, (0, 0, _ALL), _SELF),
    *_match(_T2, "Q_minimax v Q_self-play", Q_MINIMAX, Q_SELF_2, (_ALL, 0, 0), _SELF),
    *_match(
        _T2,
        "Q_self-play v Q_self-play",
        Q_SELF_1,
        Q_SELF_2,
        (_ALL, 0, 0),
        "one game, 200,000 times: both take the first free cell, which gives X a diagonal at ply 7",
    ),
    *_policy(_T3, "Self-Play (Player 1)", Q_SELF_1, ("4433", "3072", "0.6930"), _COUNT),
    *_policy(_T3, "Self-Play (Player 2)", Q_SELF_2, ("4432", "2947", "0.6649"), _COUNT),
    *_policy(
        _T4, "Q_random", Q_RANDOM, ("2423", "2422", "0.9996"), "every board of X's is seen, and nearly all end right"
    ),
    *_policy(_T4, "Q_buggy", Q_BUGGY, ("554", "517", "0.9332"), f"B3; {_LENGTH}"),
    *_policy(_T4, "Q_buggy2", Q_BUGGY2, ("596", "575", "0.9648"), f"B3; {_LENGTH}"),
    *_match(_T5, "Q_random v Random", Q_RANDOM, "random", (197932, 2068, 0), _STEP),
    *_match(_T5, "Q_random v Minimax", Q_RANDOM, MINIMAX, (0, _ALL, 0), "the best possible"),
    *_match(_T5, "Q_random v Q_self-play", Q_RANDOM, Q_SELF_2, (_ALL, 0, 0), _SELF),
    *_match(_T5, "Minimax v Q_self-play", MINIMAX, Q_SELF_2, (_ALL, 0, 0), _SELF),
    *_match(_T6, "Q_buggy v Buggy", Q_BUGGY, BUGGY, (_ALL, 0, 0), "the best possible"),
    *_match(_T6, "Q_buggy2 v Buggy2", Q_BUGGY2, BUGGY2, (149980, 50020, 0), _TWO_WAYS),
    *_match(_T6, "Q_buggy v Random", Q_BUGGY, "random", (156343, 20269, 23388), _LENGTH),
    *_match(_T6, "Q_buggy2 v Random", Q_BUGGY2, "random", (139178, 21802, 39020), _LENGTH),
    LearnedCell("langan section 6.3.1", "in the text", "x_wins", "0.9897", Q_RANDOM, "random", _STEP),
    LearnedCell("langan section 6.3.2", "in the text", "x_wins", "0.7499", Q_BUGGY2, BUGGY2, _TWO_WAYS),
]
