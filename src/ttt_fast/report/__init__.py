"""Rows as tables and files, and readable reports."""

from collections.abc import Callable

live_lines: list[Callable[[], None]] = []
"""Functions that erase lines of progress, from modules that show some: those import rich, which takes time."""


def erase_live_lines() -> None:
    """Erase the progress of long work, so that the output does not follow it on its line."""
    for erase in live_lines:
        erase()
