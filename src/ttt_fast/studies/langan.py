"""Seed 000, "Reinforcement Learning and Minimax in a Simple Game": what it published.

The rows here are those that need no learning; every match is of 200,000 games.
"""

from ttt_fast.studies.cells import Cell, Setting, result_cells

GAMES = 200_000
MINIMAX = "minimax:tie=uniform,prefer=none"

_MINIMAX_V_RANDOM = ("193622", "6378", "0")

BASE_CELLS: list[Cell] = [
    *result_cells("000 table 2", "Minimax v Random", GAMES, Setting(MINIMAX, "random"), _MINIMAX_V_RANDOM),
    *result_cells("000 table 2", "Random v Random", GAMES, Setting("random", "random"), ("116857", "25442", "57701")),
    *result_cells("000 table 5", "Minimax v Random", GAMES, Setting(MINIMAX, "random"), _MINIMAX_V_RANDOM),
    *result_cells("000 table 5", "Minimax v Minimax", GAMES, Setting(MINIMAX, MINIMAX), ("0", "200000", "0")),
    *result_cells(
        "000 table 6", "Minimax v Buggy", GAMES, Setting(MINIMAX, "buggy:as=coded"), ("26666", "173334", "0")
    ),
    *result_cells(
        "000 table 6", "Minimax v Buggy2", GAMES, Setting(MINIMAX, "buggy2:as=coded"), ("21923", "178077", "0")
    ),
    *result_cells("000 table 6", "Minimax v Random", GAMES, Setting(MINIMAX, "random"), _MINIMAX_V_RANDOM),
    Cell(
        "000 section 6.3.2",
        "minimax v buggy2, in the text",
        "x_wins",
        "0.1006",
        GAMES,
        Setting(MINIMAX, "buggy2:as=coded"),
        why="a slip for 0.1096: the report's own table 6 has 21,923 of 200,000",
    ),
    Cell(
        "000 section 6.3.2",
        "minimax v buggy, in the text",
        "x_wins",
        "0.1333",
        GAMES,
        Setting(MINIMAX, "buggy:as=coded"),
    ),
    Cell("000 section 6.3.1", "minimax v random, in the text", "x_wins", "0.9681", GAMES, Setting(MINIMAX, "random")),
    Cell("000 section 6.2", "random v random, P1, in the text", "x_wins", "0.585", GAMES, Setting("random", "random")),
]

Z_TEST = {"wins": 197_932, "other_wins": 193_622, "games": GAMES, "published_z": 47.40}
"""Section 6.3.1: Q_random's wins against minimax's, both against random."""

PUBLISHED_STATES = 26_830
"""Section 1.1: "26,830 distinct states"."""
