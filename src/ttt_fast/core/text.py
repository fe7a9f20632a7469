"""Text of callers, files and programs as it is shown: control characters escaped, long values cut in the middle."""

import re
from typing import Any

JsonObject = dict[str, Any]
"""An object of JSON: a description in a file, a manifest; whoever reads it checks what it finds."""
Cell = bool | int | float | str | None
Row = dict[str, Cell]
"""A row of a table of results, by the names of its columns."""

_LONGEST = 200  # characters of a value; a path of a temporary folder is shorter
_VALUES = re.compile(rf"""(?<!\w)(['"])(?:(?!\1)[^\\]|\\.)*\1|[^\s'"]{{{_LONGEST},}}""")
"""Quoted values, and words that are too long."""


def printable(text: str, kept: str = "") -> str:
    r"""Return a text with all characters escaped that `repr` escapes, but for those to be kept.

    Whatever a terminal would obey becomes text, and so does whatever XML forbids.

    Examples
    --------
    >>> print(printable("a\x1b[2J\tb\u202e"), printable("a\tb", kept="\t"))
    a\x1b[2J\tb\u202e a	b
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in kept else ascii(one)[1:-1] for one in text)


def cut(text: str, longest: int = _LONGEST) -> str:
    """Return a text of at most so many characters, without the middle of a longer one.

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
    r"""Return the text of an error in one line that any terminal may show, long values cut in the middle.

    Examples
    --------
    >>> print(message("expected a game, got '" + "x" * 5000 + "'\nand more")[:30], len(message(repr("x" * 5000))))
    expected a game, got 'xxxxxxxx 200
    """
    return printable(_VALUES.sub(lambda found: cut(found[0]), text))
