"""Boards for a browser: their shape, and pictures of positions with a policy's probabilities."""

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from ttt_fast import Game, Policy, solution_of
from ttt_fast.games import api


def board_shape(game: Game) -> dict[str, Any]:
    """Return the shape of a game's drawings: `kind`, and `rows` and `columns` of boards with cells.

    The kind is `cells` if an action is a cell, `columns` if it is a column, `boards` if it is a cell of one of nine
    boards, numbered board by board, and otherwise `text`.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> board_shape(parse_game("connect4"))
    {'kind': 'columns', 'rows': 6, 'columns': 7}
    """
    board = game.board(game.initial_state)
    return {"kind": board.kind, "rows": len(board.rows), "columns": len(board.rows[0]) if board.rows else 0}


@dataclass(frozen=True)
class Move:
    """An action in a picture: its name, the policy's probability of it, and its regret, 0 to 2."""

    name: str
    chance: float
    regret: int

    @property
    def heat(self) -> int:
        """The shade of its cell, 1 to 4, by the probability."""
        return max(1, ceil(4 * self.chance))


@dataclass(frozen=True)
class Picture:
    """A position in the form required by the templates.

    Attributes
    ----------
    rows
        The rows of cells from the top: 'X', 'O' or '.'; empty if the game has no cells.
    text
        The position in the notation of the game.
    moves
        The legal actions by their numbers.
    cells
        The legal actions by the number of the cell that they mark, row by row.
    """

    rows: tuple[str, ...]
    text: str
    moves: dict[int, Move]
    cells: dict[int, Move]

    @property
    def label(self) -> str:
        """The position in words, for screen readers."""
        played = ", ".join(f"{one.name} with {one.chance:.1%}" for one in self.moves.values() if one.chance > 0)
        return f"position {self.text}" + (f"; plays {played}" if played else "")


def picture_of(policy: Policy, state: int) -> Picture:
    """Return the picture of a state of a policy's table.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_policy
    >>> picture = picture_of(as_policy("heuribot"), 1)
    >>> picture.rows, picture.moves[4]
    (('X..', '...', '...'), Move(name='4', chance=1.0, regret=0))
    """
    table, value = policy.table, solution_of(policy.table).value
    game, board = table.game, table.game.board(table.state(state))
    sign = 1 if table.player[state] == api.X else -1
    moves, cells = dict[int, Move](), dict[int, Move]()
    for edge in np.arange(table.edge_start[state], table.edge_start[state + 1]).tolist():
        action, after = int(table.edge_action[edge]), int(table.edge_child[edge])
        regret = sign * (int(value[state]) - int(value[after]))
        moves[action] = Move(board.moves[action], float(policy.edge_probabilities[edge]), regret)
        marked = game.board(table.state(after), action).last
        if marked is not None:
            cells[board.number_of(marked)] = moves[action]
    return Picture(board.rows, board.text, moves, cells)
