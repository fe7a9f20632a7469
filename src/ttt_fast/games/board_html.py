"""A board as a small HTML table, for notebooks: marks, and a note in each empty cell that an action names."""

from collections.abc import Mapping
from html import escape
from math import isqrt

from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game

_MARKS = "XO"
_CELL = "border:1px solid #999;width:2.6em;height:2.2em;text-align:center"


def board_html(game: Game, state: GameState, notes: Mapping[int, str] | None = None) -> str:
    """Return a board as HTML.

    Parameters
    ----------
    game
        The game.
    state
        Any state of it.
    notes
        A short text for each action: in its cell where a board has a cell for each action, else below the board.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> page = board_html(game, game.parse_position("XO..X...."), {8: "wins"})
    >>> page.count("<td"), page.count(">X<"), page.count(">wins<")
    (9, 2, 1)
    """
    text, notes = game.format_position(state), dict(notes or {})
    rows = _rows(text)
    if rows is None:
        return f"<pre>{escape(text)}</pre>" + _list(game, notes)
    in_cells = game.num_actions == sum(map(len, rows))
    cells, place = [], 0
    for row in rows:
        told = []
        for mark in row:
            note = notes.get(place, "") if in_cells else ""
            told.append(f'<td style="{_CELL}">{mark if mark in _MARKS else escape(note)}</td>')
            place += 1
        cells.append(f"<tr>{''.join(told)}</tr>")
    board = f'<table style="border-collapse:collapse">{"".join(cells)}</table>'
    return board if in_cells else board + _list(game, notes)


def _rows(text: str) -> list[str] | None:
    """Return the rows of a board of marks; None if the text is no such board."""
    rows = text.split("/")
    if len(rows) == 1 and isqrt(len(text)) ** 2 == len(text):
        size = isqrt(len(text))
        rows = [text[first : first + size] for first in range(0, len(text), size)]
    is_board = len({len(row) for row in rows}) == 1 and set(text) <= set(_MARKS + "./")
    return rows if is_board and len(rows) > 1 else None


def _list(game: Game, notes: Mapping[int, str]) -> str:
    """Return notes as a line of text."""
    told = ", ".join(f"{game.format_moves([action])}: {note}" for action, note in notes.items())
    return f"<p>{escape(told)}</p>" if told else ""
