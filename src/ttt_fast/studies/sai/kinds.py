"""The content of a learned table of Connect 4: values of boards that are won, and of those that are not."""

from typing import Final

import numpy as np

from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.tables.statuses import statuses_of
from ttt_fast.values.hashed import SortedRows

X_WON, X_OPEN, O_WON, O_OPEN = KINDS = "X has won", "X has moved", "O has won", "O has moved"
MARKS: Final = ("boards", "above 0", "sum", "highest", "lowest")
"""Marks of a kind of board: how many there are, how many have a value above 0, and the values."""


def kinds_of(content: SortedRows, game: Game) -> list[list[float]]:
    """Return the MARKS of each of the KINDS of boards in a table of afterstates."""
    status, player = statuses_of(game, content.keys)
    won, by_x, found = np.isin(status, (api.X_WINS, api.O_WINS)), player == api.O, []
    for mask in (by_x & won, by_x & ~won, ~by_x & won, ~by_x & ~won):
        own = content.values[:, 0][mask]
        values = (own.sum(), own.max(), own.min()) if own.size else (0.0, 0.0, 0.0)
        found.append([float(one) for one in (own.size, (own > 0).sum(), *values)])
    return found
