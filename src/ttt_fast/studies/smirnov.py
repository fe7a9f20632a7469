"""Seed 002, "Q-Learning and Tic-Tac-Toe": what it published about players that do not learn.

Shares of 100,000,000 games, rounded to three places.
"""

from ttt_fast.studies.cells import Cell, Setting, result_cells

GAMES = 100_000_000
MINIMAX = "minimax:tie=first,prefer=none"
HEURIBOT = "heuribot:as=coded"
EARLIER_HEURIBOT = "heuribot:as=lone-fork"

_ANOTHER_BOT = (
    "not the published heuribot: a version that also blocks an opponent's fork where there is a single one;"
    " the page's later table has 0.899"
)
_ANOTHER_OPENING = "the row was made with X's first move drawn uniformly, though the text says it was not"
_NO_BOT = "no version of the heuribot that was tried gives this row, with or without a drawn first move"


def _table_1() -> list[Cell]:
    tie = ("0.000", "1.000", "0.000")
    source = "002 first table"
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
        Cell("002 game lengths", label, f"plies_{plies}", printed, GAMES, setting, instead, reasons.get(printed, why))
        for label, setting, shares, instead, why in rows
        for plies, printed in shares.items()
    ]


BASE_CELLS: list[Cell] = [*_table_1(), *_lengths()]
