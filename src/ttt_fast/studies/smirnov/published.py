"""Every number that Smirnov printed about tic-tac-toe players that search or learn tables, transcribed."""

from dataclasses import dataclass

from ttt_fast.studies.cells import Cell, Setting, result_cells

GAMES = 100_000_000
MINIMAX = "minimax:tie=first,prefer=none"
HEURIBOT = "heuribot:as=coded"
EARLIER_HEURIBOT = "heuribot:as=lone-fork"

OPTIMUM_CHOSEN, OPTIMUM_DRAWN = 191 / 192, 107 / 108
"""The most that X can win against random: with its first move chosen, and drawn."""

SINGLE, DOUBLE = "single Q", "double Q"
BY_SELF_PLAY, AGAINST_RANDOM = "by self-play", "against random"
THEIRS, OURS = "published", "ours, nearest reading"
"""Names in the files and the figures: learners, how they were trained, whose table it is."""

_ANOTHER_BOT = (
    "not the published heuribot: a version that also blocks an opponent's fork where there is a single one;"
    " the page's later table has 0.899"
)
_ANOTHER_OPENING = "the row was made with X's first move drawn uniformly, though the text says it was not"
_NO_BOT = "no version of the heuribot that was tried gives this row, with or without a drawn first move"


def _table_1() -> list[Cell]:
    tie = ("0.000", "1.000", "0.000")
    source = "smirnov first table"
    quiet = [
        ("X Minimax, O Minimax", MINIMAX, MINIMAX),
        ("X Heuribot, O Minimax", HEURIBOT, MINIMAX),
        ("X Minimax, O Heuribot", MINIMAX, HEURIBOT),
        ("X Heuribot, O Heuribot", HEURIBOT, HEURIBOT),
    ]
    cells = [cell for label, x, o in quiet for cell in result_cells(source, label, GAMES, Setting(x, o), tie)]
    cells += result_cells(
        source,
        "X Random, O Minimax",
        GAMES,
        Setting("random", MINIMAX),
        ("0.000", "0.193", "0.806"),
        why="a slip for 0.194: the printed shares do not sum to 1, and the page's later table has 0.194",
    )
    cells += result_cells(
        source,
        "X Random, O Heuribot",
        GAMES,
        Setting("random", HEURIBOT),
        ("0.000", "0.117", "0.883"),
        instead=Setting("random", EARLIER_HEURIBOT),
        why=_ANOTHER_BOT,
    )
    against_random = [
        ("X Minimax, O Random", MINIMAX, ("0.995", "0.005", "0.000")),
        ("X Heuribot, O Random", HEURIBOT, ("0.990", "0.010", "0.000")),
        ("X Random, O Random", "random", ("0.585", "0.127", "0.288")),
    ]
    for label, x, printed in against_random:
        cells += result_cells(source, label, GAMES, Setting(x, "random"), printed)
    return cells


def _lengths() -> list[Cell]:
    rows = [
        (
            "Minimax as X, Random as O",
            Setting(MINIMAX, "random"),
            {5: "0.370", 7: "0.516", 9: "0.112"},
            Setting("minimax:tie=first,prefer=none", "random", random_opening=True),
            _ANOTHER_OPENING,
        ),
        (
            "Heuribot as X, Random as O",
            Setting(HEURIBOT, "random"),
            {5: "0.799", 7: "0.167", 9: "0.035"},
            Setting(EARLIER_HEURIBOT, "random", random_opening=True),
            _NO_BOT,
        ),
        (
            "Random as X, Minimax as O",
            Setting("random", MINIMAX),
            {6: "0.419", 8: "0.387", 9: "0.194"},
            None,
            "",
        ),
        (
            "Random as X, Heuribot as O",
            Setting("random", HEURIBOT),
            {6: "0.775", 8: "0.108", 9: "0.117"},
            Setting("random", EARLIER_HEURIBOT),
            _ANOTHER_BOT,
        ),
    ]
    slip = f"{_ANOTHER_OPENING}; moreover 0.516 is a slip for 0.517: the printed row sums to 0.998"
    reasons = {"0.516": slip}
    return [
        Cell(
            "smirnov game lengths", label, f"plies_{plies}", printed, GAMES, setting, instead, reasons.get(printed, why)
        )
        for label, setting, shares, instead, why in rows
        for plies, printed in shares.items()
    ]


BASE_CELLS: list[Cell] = [*_table_1(), *_lengths()]


TABULAR_Q, DQN = "Tabular Q", "DQN"
PAIRS_CHOSEN, PAIRS_DRAWN = "smirnov pairs, first move chosen", "smirnov pairs, first move drawn"

_SCRIPTED = {"Minimax": MINIMAX, "Heuribot": HEURIBOT, "Random": "random"}
_PLAYERS = (*_SCRIPTED, TABULAR_Q, DQN)
_TIE = ("0.000", "1.000", "0.000")
_SLIP = "a slip for 0.288: the printed shares do not sum to 1, and the page's first table has 0.288"


@dataclass(frozen=True)
class LearnedCell:
    """A printed share of the games of a learned player.

    Attributes
    ----------
    source, label, quantity, published
        As in `Cell`.
    x, o
        Names of the players; at least one of them is `TABULAR_Q` or `DQN`.
    random_opening
        Whether X's first move was drawn.
    """

    source: str
    label: str
    quantity: str
    published: str
    x: str
    o: str
    random_opening: bool

    @property
    def is_dqn(self) -> bool:
        """Whether a DQN plays, which is left for a later study."""
        return DQN in (self.x, self.o)


# Shares of X wins, ties and O wins that are not 0, 1, 0: (X, O) -> with the first move chosen, with it drawn.
_PRINTED = {
    ("Random", "Minimax"): (("0.000", "0.194", "0.806"),) * 2,
    ("Random", "Heuribot"): (("0.000", "0.101", "0.899"),) * 2,
    ("Random", TABULAR_Q): (("0.000", "0.084", "0.916"),) * 2,
    ("Random", DQN): (("0.000", "0.090", "0.910"),) * 2,
    ("Random", "Random"): (("0.585", "0.127", "0.228"),) * 2,
    ("Minimax", "Random"): (("0.995", "0.005", "0.000"), ("0.968", "0.032", "0.000")),
    ("Heuribot", "Random"): (("0.990", "0.010", "0.000"), ("0.986", "0.014", "0.000")),
    (TABULAR_Q, "Random"): (("0.995", "0.005", "0.000"), ("0.982", "0.018", "0.000")),
    (DQN, "Random"): (("0.995", "0.005", "0.000"), ("0.985", "0.015", "0.000")),
}


def _pair_cells() -> tuple[list[Cell], list[LearnedCell]]:
    """Return the cells of both pair tables: those of scripted players, and those of learned ones."""
    scripted: list[Cell] = []
    learned: list[LearnedCell] = []
    for drawn, source in ((False, PAIRS_CHOSEN), (True, PAIRS_DRAWN)):
        for o in _PLAYERS:
            for x in _PLAYERS:
                printed = _PRINTED.get((x, o), (_TIE, _TIE))[drawn]
                label = f"X {x}, O {o}"
                if x in _SCRIPTED and o in _SCRIPTED:
                    setting = Setting(_SCRIPTED[x], _SCRIPTED[o], random_opening=drawn)
                    scripted += result_cells(source, label, GAMES, setting, printed, why=_SLIP)
                    continue
                learned += [
                    LearnedCell(source, label, quantity, share, x, o, drawn)
                    for quantity, share in zip(("x_wins", "draws", "o_wins"), printed, strict=True)
                ]
    return scripted, learned


SCRIPTED_PAIR_CELLS, LEARNED_PAIR_CELLS = _pair_cells()

GAMMAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
GAMMA_TABLE: dict[str, tuple[str, ...]] = {
    "x_wins": ("0.888", "0.990", "0.991", "0.990", "0.990", "0.987", "0.990", "0.984", "0.984", "0.984", "0.984"),
    "wins_at_5": ("0.509", "0.833", "0.833", "0.822", "0.822", "0.787", "0.787", "0.729", "0.729", "0.694", "0.380"),
    "wins_at_7": ("0.300", "0.149", "0.153", "0.162", "0.161", "0.183", "0.191", "0.233", "0.232", "0.262", "0.512"),
    "wins_at_9": ("0.079", "0.007", "0.005", "0.006", "0.008", "0.017", "0.012", "0.022", "0.023", "0.028", "0.092"),
}
"""Overall wins of a Single Q-learner as X, and wins at each length, for each gamma."""
