"""Safe display of text from callers, files and programs: control characters escaped, long values truncated."""

import re
from typing import Any

JsonObject = dict[str, Any]
"""A JSON object, such as a description in a file or a manifest; readers must check its content."""
Cell = bool | int | float | str | None
Row = dict[str, Cell]
"""A row of a table of results, by column name."""

_LONGEST = 200  # characters of a value; the path of a temporary folder is shorter
_VALUES = re.compile(rf"""(?<!\w)(['"])(?:(?!\1)[^\\]|\\.)*\1|[^\s'"]{{{_LONGEST},}}""")
"""Quoted values, and words that are too long."""


def printable(text: str, kept: str = "") -> str:
    r"""Return a text with all characters escaped that `repr` escapes, except those in `kept`.

    This covers every character that a terminal would interpret or that XML forbids.

    Examples
    --------
    >>> print(printable("a\x1b[2J\tb\u202e"), printable("a\tb", kept="\t"))
    a\x1b[2J\tb\u202e a	b
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in kept else ascii(one)[1:-1] for one in text)


def cut(text: str, longest: int = _LONGEST) -> str:
    """Return a text of at most `longest` characters, without the middle of a longer text.

    Examples
    --------
    >>> cut("abcdefghijkl", 9), cut("abcdefghi", 9)
    ('abc...jkl', 'abcdefghi')
    """
    if len(text) <= longest:
        return text
    end = (longest - 3) // 2
    return f"{text[: longest - 3 - end]}...{text[-end:]}"


def message(text: str) -> str:
    r"""Return the text of an error as one printable line, with long values truncated in the middle.

    Examples
    --------
    >>> print(message("expected a game, got '" + "x" * 5000 + "'\nand more")[:30], len(message(repr("x" * 5000))))
    expected a game, got 'xxxxxxxx 200
    """
    return printable(_VALUES.sub(lambda found: cut(found[0]), text))
