"""Default text of moves and positions, for games without their own: numbers, and the key of a state."""

import os

from ttt_fast.core.archive import read_text
from ttt_fast.core.errors import BoardError, UsageError
from ttt_fast.games import api
from ttt_fast.games.api import GameState


def split_moves(text: str) -> list[str]:
    """Return the moves of a line of play, separated by blanks."""
    return text.split()


def parse_action(text: str, start: GameState) -> int:
    """Return the action given by its number, counted from 1."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= api.num_actions(start)):
        raise BoardError(f"expected a move from 1 to {api.num_actions(start)}, got {text!r}")
    return int(text) - 1


def format_action(action: int) -> str:
    """Return the number of an action, the inverse of `parse_action`."""
    return str(action + 1)


def parse_position(text: str, start: GameState) -> GameState:
    """Return the state of a key: '#' and hexadecimal digits.

    Raises
    ------
    BoardError
        If the text is not a key, or states of the game cannot be rebuilt from keys.
    """
    digits = text.removeprefix("#")
    try:
        key = int(digits, 16) if text.startswith("#") and len(digits) <= 16 else -1
    except ValueError:
        key = -1
    if key < 0 or not api.has_exact_key(start):
        raise BoardError(f"expected a position as '#' followed by the hexadecimal digits of a key, got {text!r}")
    return api.state_of_key(start, key)  # type: ignore[arg-type]


def format_position(state: GameState) -> str:
    """Return '#' and the key of a state, the inverse of `parse_position`."""
    return f"#{int(api.state_key(state)):x}"


def numbered_lines(path: str | os.PathLike[str]) -> list[tuple[int, str]]:
    """Return the lines of a file of positions, with their numbers from 1; `#` begins a comment.

    Raises
    ------
    UsageError
        If there are none.
    """
    lines = [(number, *line.partition("#")[:2]) for number, line in enumerate(read_text(path).splitlines(), 1)]
    found = [(number, text.rstrip() if mark else text) for number, text, mark in lines if text.strip()]
    if not found:
        raise UsageError(f"{str(path)!r}: expected at least one line with a position, got none")
    return found
