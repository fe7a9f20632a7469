"""Heuribot: Smirnov's rule-based player, as a policy and as a classifier of positions.

The player tries the rules of a list in order and follows the first rule that approves a cell.  The rule that fires is
the class of the position.  There are three variants:

* as written (the default): the rules as worded on Smirnov's page.  The page requires a player that never loses from a
  position that allows at least a draw, and this settles two ambiguous rules.  "Block an Only Fork" approves the
  opponent's fork cells whose occupation leaves the opponent no other fork.  (To approve any cell that breaks all forks
  can lose.)  On a forced line ("Force the Opponent to Block") a player wins if possible and blocks otherwise (blocking
  first can lose).  A forced line that wins is approved like any other, not preferred.
* as coded: the rules of the published program, without "Block an Only Fork".  When it examines forced lines, it counts
  each fork cell of the opponent only once over all candidates.  The cause is a list of cells that is not cleared
  between candidates.  It loses from some drawn positions, but its own play reaches none of these.
* lone fork: as written, but "Block an Only Fork" acts only if the opponent has a single fork cell.  No published
  program does this; it reproduces the page's first table (0.883 and 0.117 as O against random).

Ties between approved cells are resolved in a fixed order.  A win or a block takes the first line in the order columns,
rows, main diagonal, anti-diagonal.  Every other rule takes the lowest cell.

In this module a player's marks are a bit mask of nine cells.  A rule is a function of the masks of the player to move
and of the opponent.  It returns the approved cells, beginning with the cell to be played.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.tables import StateTable, store
from ttt_fast.tables.state_table import cached_on_table, is_ordinary

Variant = Literal["written", "coded", "lone-fork"]
VARIANTS: tuple[Variant, ...] = ("written", "coded", "lone-fork")


class Rule(IntEnum):
    """The rules of the heuribot, in the order in which they are tried."""

    WIN = 0
    BLOCK = 1
    FORK = 2
    BLOCK_FORK = 3
    FORCE_BLOCK = 4
    CENTER = 5
    OPPOSITE_CORNER = 6
    CORNER = 7
    SIDE = 8

    def cells(self, own: int, opp: int, variant: str = "written") -> Sequence[int]:
        """Return the cells that the rule approves, beginning with the cell to play; arguments as in `heuribot_move`.

        Examples
        --------
        >>> Rule.BLOCK.cells(0b000_011_000, 0b000_000_011), Rule.CENTER.cells(0b000_010_000, 0)
        ([2], [])
        """
        return _RULES[variant][self](own, opp)

    @property
    def text(self) -> str:
        """The rule in words."""
        return self.name.lower().replace("_", " ")

    @staticmethod
    def states(table: StateTable) -> NDArray[np.int8] | None:
        """Return the rule, as written, for each state, (S,); None if the game is not ordinary tic-tac-toe.

        Examples
        --------
        >>> from ttt_fast import table_of
        >>> table = table_of("tic-tac-toe")
        >>> rules = Rule.states(table)
        >>> Rule(rules[table.state_index("XX.OO....")]).text, Rule(rules[table.state_index("XOX......")]).text
        ('win', 'block fork')
        """
        return classify_states(table).rules if is_ordinary(table.game) else None


class HeuribotMove(NamedTuple):
    """The heuribot's decision: the rule that fired, the cell to play, and all cells approved by the rule."""

    rule: Rule
    action: int
    approved: tuple[int, ...]


LINE_ORDER = (0o111, 0o222, 0o444, 0o007, 0o070, 0o700, 0o421, 0o124)  # columns, rows, diagonals
CENTER = 4
CORNERS = (0, 2, 6, 8)
SIDES = (1, 3, 5, 7)

# Tables over the 512 masks of one player's marks.
_CELLS = tuple(tuple(cell for cell in range(9) if mask >> cell & 1) for mask in range(512))
_TWO_IN_LINE = tuple(  # for each line with two of the marks: the line's third cell
    tuple(_CELLS[line & ~mask][0] for line in LINE_ORDER if (mask & line).bit_count() == 2) for mask in range(512)
)
_ONE_IN_LINE = tuple(  # the lines with exactly one of the marks
    tuple(line for line in LINE_ORDER if (mask & line).bit_count() == 1) for mask in range(512)
)


def _open_lines(marks: int, others: int) -> list[int]:
    """Return the lines with one of `marks` and two blanks."""
    return [line for line in _ONE_IN_LINE[marks] if not line & others]


def _fork_mask(marks: int, others: int) -> int:
    """Return the empty cells in which two open lines of `marks` cross, so that a mark there makes a fork."""
    once = twice = 0
    for line in _open_lines(marks, others):
        twice |= once & line
        once |= line
    return twice & ~marks


def win(own: int, opp: int) -> Sequence[int]:
    """Win: complete a line with two own marks and a blank; in line order, twice if a cell completes two lines."""
    return [cell for cell in _TWO_IN_LINE[own] if not opp >> cell & 1]


def block(own: int, opp: int) -> Sequence[int]:
    """Block the opponent's win: fill the blank of a line with two of the opponent's marks."""
    return win(opp, own)


def fork(own: int, opp: int) -> Sequence[int]:
    """Fork: make two lines at once, each with two own marks and a blank."""
    return _CELLS[_fork_mask(own, opp)]


def block_only_fork(own: int, opp: int) -> Sequence[int]:
    """Block an only fork: take a fork cell of the opponent if that leaves the opponent no other fork."""
    forks = _CELLS[_fork_mask(opp, own)]
    return [cell for cell in forks if not _fork_mask(opp, own | 1 << cell)]


def block_lone_fork(own: int, opp: int) -> Sequence[int]:
    """Block a lone fork: take the opponent's fork cell if there is exactly one."""
    forks = _CELLS[_fork_mask(opp, own)]
    return forks if len(forks) == 1 else ()


def _follow_forced_line(own: int, opp: int, cell: int) -> tuple[bool | None, bool, int]:
    """Place an own mark at `cell` and continue as long as the player to move must win or block.

    Returns three values: whether the own side wins (None if the next move is not forced), whether the own side is then
    to move, and the opponent's fork cells.
    """
    mover, waiting, own_to_move = opp, own | 1 << cell, False
    while not win(mover, waiting) and (threats := block(mover, waiting)):
        mover, waiting, own_to_move = waiting, mover | 1 << threats[0], not own_to_move
    own_win = own_to_move if win(mover, waiting) else None
    forks = _fork_mask(waiting, mover) if own_to_move else _fork_mask(mover, waiting)
    return own_win, own_to_move, forks


def force_block(own: int, opp: int, *, forks_once: bool = False) -> Sequence[int]:
    """Force a block: put a second mark in an open line, if the forced moves that follow have a good result.

    The result is good if the own side wins.  In a line without a winner it is good if the opponent has no fork
    (opponent to move) or at most one (own side to move).  With `forks_once`, as in the published program, fork cells
    found for an earlier candidate do not count.  This includes the fork cells of rejected and lost candidates; those of
    a decided line are taken just before the winning move.
    """
    candidates = 0
    for line in _open_lines(own, opp):
        candidates |= line & ~own
    approved = []
    counted = 0
    for cell in _CELLS[candidates]:
        own_win, own_to_move, forks = _follow_forced_line(own, opp, cell)
        new_forks = forks & ~counted
        if forks_once:
            counted |= forks
        tolerated = 1 if own_to_move else 0  # on its own turn the bot can still block one fork
        if new_forks.bit_count() <= tolerated if own_win is None else own_win:
            approved.append(cell)
    return approved


def center(own: int, opp: int) -> Sequence[int]:
    """Play the centre if it is blank."""
    return [] if (own | opp) >> CENTER & 1 else [CENTER]


def opposite_corner(own: int, opp: int) -> Sequence[int]:
    """Play a blank corner opposite a corner occupied by the opponent."""
    return [cell for cell in corner(own, opp) if opp >> (8 - cell) & 1]


def corner(own: int, opp: int) -> Sequence[int]:
    """Play a blank corner."""
    return [cell for cell in CORNERS if not (own | opp) >> cell & 1]


def side(own: int, opp: int) -> Sequence[int]:
    """Play a blank side."""
    return [cell for cell in SIDES if not (own | opp) >> cell & 1]


RuleFunction = Callable[[int, int], Sequence[int]]

_AS_WRITTEN: dict[Rule, RuleFunction] = dict(
    zip(Rule, (win, block, fork, block_only_fork, force_block, center, opposite_corner, corner, side), strict=True)
)
_RULES: dict[str, dict[Rule, RuleFunction]] = {
    "written": _AS_WRITTEN,
    "coded": {
        **_AS_WRITTEN,
        Rule.BLOCK_FORK: lambda own, opp: (),
        Rule.FORCE_BLOCK: partial(force_block, forks_once=True),
    },
    "lone-fork": {**_AS_WRITTEN, Rule.BLOCK_FORK: block_lone_fork},
}


def heuribot_move(own: int, opp: int, variant: Variant = "written") -> HeuribotMove:
    """Return the heuribot's move for the player to move.

    Parameters
    ----------
    own, opp
        The cells of the player to move and of the opponent, as bit masks.  The game must not be over.
    variant
        `written`, `coded` or `lone-fork`.

    Examples
    --------
    >>> heuribot_move(0b000_000_011, 0b000_011_000)
    HeuribotMove(rule=<Rule.WIN: 0>, action=2, approved=(2,))
    """
    fired = ((rule, cells) for rule in Rule if (cells := rule.cells(own, opp, variant)))
    rule, cells = next(fired)  # every free cell is a centre, corner or side
    return HeuribotMove(rule, cells[0], tuple(sorted(set(cells))))


class HeuribotTable(NamedTuple):
    """The heuribot's decision in every state.

    Attributes
    ----------
    actions : (S,) int64
        The move; 0 in terminal states.
    rules : (S,) int8
        The `Rule` that fires; -1 in terminal states.
    """

    actions: NDArray[np.int64]
    rules: NDArray[np.int8]


@cached_on_table(2)
def classify_states(table: StateTable, variant: Variant = "written") -> HeuribotTable:
    """Return the move and the class of every state.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> classes = classify_states(table_of("tic-tac-toe"), "coded").rules
    >>> {rule.name: int((classes == rule).sum()) for rule in Rule if (classes == rule).any()}
    {'WIN': 2358, 'BLOCK': 1484, 'FORK': 192, 'FORCE_BLOCK': 324, 'CENTER': 113, 'OPPOSITE_CORNER': 16,
     'CORNER': 13, 'SIDE': 20}
    """
    return HeuribotTable(
        **store.derived(table, f"heuribot-{variant}", __file__, lambda: _classify(table, variant)._asdict())
    )


def _classify(table: StateTable, variant: Variant) -> HeuribotTable:
    """Return the move and the class of every state, each evaluated once."""
    actions, fired = np.zeros(table.num_states, np.int64), np.full(table.num_states, -1, np.int8)
    for state in np.flatnonzero(table.decision_mask).tolist():
        marks = int(table.key[state])  # nine bits of the player to move, and nine of the opponent
        move = heuribot_move(marks & rules.ALL_CELLS, marks >> rules.NUM_CELLS & rules.ALL_CELLS, variant)
        actions[state], fired[state] = move.action, move.rule
    return HeuribotTable(actions, fired)
