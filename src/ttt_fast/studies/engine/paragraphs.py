"""Wraps the paragraphs of a page to one width after its numbers are filled in; other Markdown stays unchanged."""

import re
from collections.abc import Sequence
from typing import Final

WIDTH: Final = 120
FILLED: Final = "\0"
"""Placed before a number at the start of a line in a paragraph, so that Markdown does not read `1.` as a list item."""
_KEPT: Final = re.compile(r"\s*(?:[|#<>]|!\[|```|~~~|\[[^]]*\]:|(?:[-*_=]\s*){3,}$|$)")
"""A line that is not paragraph text: a table row, a heading, HTML, a quotation, a picture, code, or an empty line."""
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_ITEM: Final = re.compile(r"(\s*)([-+*]|\d{1,9}[.)])\s+(?=\S)")
_WORD: Final = re.compile(r"(?:`[^`]*`|\S)+")
"""Text without a blank; inline code keeps its blanks."""
_NEVER_FIRST: Final = re.compile(r"(?:[-+*=_]+|\d{1,9}[.)])$|[|#<>]|!\[|```|~~~|\[[^]]*\]:")
"""A word that Markdown would read as markup at the start of a line."""


def reflowed(text: str, width: int = WIDTH) -> str:
    r"""Return a page with its paragraphs and list items wrapped to a width, as far as the words allow.

    Words keep their order.  No line begins with a word that Markdown reads as a list, a heading or other markup.

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
    """Return whether a list item begins here; inside a paragraph this needs a bullet, `1`, or the preceding item."""
    marker = item[2].rstrip(".)")
    before = _ITEM.match(f"{first}x") if words else None
    return not words or not marker.isdigit() or int(marker) == 1 or bool(before and before[2][:-1].isdigit())


def _wrapped(words: Sequence[str], first: str, width: int) -> list[str]:
    """Return wrapped lines: the first begins with the marker of its item, the others with equal indentation."""
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
