"""Paragraphs of a page in lines of one width, once its numbers are filled in; all else of Markdown stays as it is."""

import re
from collections.abc import Sequence
from typing import Final

WIDTH: Final = 120
FILLED: Final = "\0"
"""Stands before a number that a line of a paragraph begins with, so that `1.` there is no item of a list."""
_KEPT: Final = re.compile(r"\s*(?:[|#<>]|!\[|```|~~~|\[[^]]*\]:|(?:[-*_=]\s*){3,}$|$)")
"""A line that is no text of a paragraph: of a table, a heading, HTML, a quotation, a picture, code, or empty."""
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_ITEM: Final = re.compile(r"(\s*)([-+*]|\d{1,9}[.)])\s+(?=\S)")
_WORD: Final = re.compile(r"(?:`[^`]*`|\S)+")
"""Text without a blank; code keeps its own."""
_NEVER_FIRST: Final = re.compile(r"(?:[-+*=_]+|\d{1,9}[.)])$|[|#<>]|!\[|```|~~~|\[[^]]*\]:")
"""A word that would make something else of a line that it begins."""


def reflowed(text: str, width: int = WIDTH) -> str:
    r"""Return a page whose paragraphs and items of lists have lines of at most some width, where words allow it.

    Words keep their order, and no line begins with one that Markdown reads as a list, a heading or the like.

    Examples
    --------
    >>> print(reflowed("# One\n\nIt wins 97 of\nabout\n100. It loses.\n\n- a\n  b\n", 11))
    # One
    <BLANKLINE>
    It wins 97
    of
    about 100.
    It loses.
    <BLANKLINE>
    - a b
    <BLANKLINE>
    """
    lines: list[str] = []
    words: list[str] = []
    first = ""
    is_code = is_raw = False
    for line in [*text.split("\n"), ""]:
        fences = bool(_FENCE.match(line)) and not is_raw
        is_raw = (is_raw or line.startswith("<")) and bool(line.strip())
        item = _ITEM.match(line)
        if is_code or is_raw or _KEPT.match(line) or (not words and line.startswith("    ") and not item):
            lines += [*_wrapped(words, first, width), line]
            words = []
        elif item and _begins_item(item, words, first):
            lines += _wrapped(words, first, width)
            first, words = item[0], _WORD.findall(line[item.end() :])
        else:
            if not words:
                first = line[: len(line) - len(line.lstrip())]
            words += _WORD.findall(line.replace(FILLED, ""))
        is_code ^= fences
    return "\n".join(lines[:-1]).replace(FILLED, "")


def _begins_item(item: re.Match[str], words: Sequence[str], first: str) -> bool:
    """Return whether an item begins here: inside a paragraph only with a bullet, with 1, or after its predecessor."""
    marker = item[2].rstrip(".)")
    before = _ITEM.match(f"{first}x") if words else None
    return not words or not marker.isdigit() or int(marker) == 1 or bool(before and before[2][:-1].isdigit())


def _wrapped(words: Sequence[str], first: str, width: int) -> list[str]:
    """Return lines of words: the first begins with the marker of its item, the others with its blanks."""
    units: list[str] = []
    for word in words:
        if units and _NEVER_FIRST.match(word):
            units[-1] += f" {word}"
        else:
            units.append(word)
    lines: list[str] = []
    for unit in units:
        if lines and len(lines[-1]) + 1 + len(unit) <= width:
            lines[-1] += f" {unit}"
        else:
            lines.append((" " * len(first) if lines else first) + unit)
    return lines
