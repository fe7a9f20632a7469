"""The bot of Crowley and Siegler, with its rule "Block Fork" taken literally.

K. Crowley and R. S. Siegler, "Flexible Strategy Use in Young Children's Tic-Tac-Toe" (Cognitive Science 17, 1993).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ttt_fast import Policy, StateTable
from ttt_fast.policies.heuribot import Rule
from ttt_fast.studies.engine.games import lines_of

LINES: Final = tuple(sum(1 << cell for cell in line) for line in lines_of(3, 3, 3))
"""The lines as bit masks."""


def make_or_take(own: int, opp: int) -> Sequence[int]:
    """Return the cells of "Block Fork", taken literally: cells that make two in a row, else the opponent's fork."""
    forks = Rule.FORK.cells(opp, own)
    lines = [line for line in LINES if (own & line).bit_count() == 1 and not opp & line]
    twos = {cell for line in lines for cell in range(9) if line & ~own & 1 << cell}
    return sorted(twos) or forks if forks else ()


RULES: Final = (
    Rule.WIN.cells, Rule.BLOCK.cells, Rule.FORK.cells, make_or_take, Rule.CENTER.cells, Rule.OPPOSITE_CORNER.cells,
    Rule.CORNER.cells, Rule.SIDE.cells,
)  # fmt: skip


def crowley_siegler(table: StateTable) -> Policy:
    """Return the bot as a tic-tac-toe policy: the first rule that approves a cell, and the lowest approved cell.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> bot = crowley_siegler(table_of("tic-tac-toe"))
    >>> bot.greedy_actions()[[0, 5]].tolist()  # an empty board, and one with X in the centre
    [4, 0]
    """
    actions = np.zeros(table.num_states, np.int64)
    for state in np.flatnonzero(table.decision_mask).tolist():
        own, opp, _ = table.state(state)
        actions[state] = next(cells[0] for rule in RULES if (cells := rule(own, opp)))
    return Policy.from_actions(table, actions, "crowley-siegler")
