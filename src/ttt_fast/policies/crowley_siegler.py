"""The bot of Crowley and Siegler, with its rule "Block Fork" taken literally.

K. Crowley and R. S. Siegler, "Flexible Strategy Use in Young Children's Tic-Tac-Toe" (Cognitive Science 17, 1993).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ttt_fast.games.tic_tac_toe import NUM_CELLS
from ttt_fast.policies import heuribot
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable


def make_or_take(own: int, opp: int) -> Sequence[int]:
    """Return the cells of "Block Fork", taken literally: any that makes two in a row, else the opponent's fork."""
    forks = heuribot.fork(opp, own)
    lines = [line for line in heuribot.LINE_ORDER if (own & line).bit_count() == 1 and not opp & line]
    twos = {cell for line in lines for cell in range(NUM_CELLS) if line & ~own & 1 << cell}
    return sorted(twos) or forks if forks else ()


RULES: Final = (
    heuribot.win, heuribot.block, heuribot.fork, make_or_take, heuribot.center, heuribot.opposite_corner,
    heuribot.corner, heuribot.side,
)  # fmt: skip


def crowley_siegler(table: StateTable) -> Policy:
    """Return the bot over the table of tic-tac-toe: the first rule that approves a cell, the lowest of several cells.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> bot = crowley_siegler(table_of("tic-tac-toe"))
    >>> bot.greedy_actions()[[0, 5]].tolist()  # an empty board, and one with X in the centre
    [4, 0]
    """
    actions = np.zeros(table.num_states, np.int64)
    for state in np.flatnonzero(table.decision_mask).tolist():
        own, opp = heuribot.masks(table, state)
        actions[state] = next(cells[0] for rule in RULES if (cells := rule(own, opp)))
    return Policy.from_actions(table, actions, "crowley-siegler")
