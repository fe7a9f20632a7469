"""Names with options, as the command line spells them: `minimax:tie=first`, `connect4:columns=6,rows=7`."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ttt_fast.errors import UsageError


@dataclass(frozen=True)
class Option:
    """One option of an agent or a game: its default, the values that it takes, and what it does."""

    default: str
    values: str
    parse: Callable[[str], Any]
    summary: str


def choice(*choices: str) -> Callable[[str], str]:
    """Return the parser of an option that is one of some words.

    Examples
    --------
    >>> choice("first", "last")("last")
    'last'
    """

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(" or ".join(choices))
        return text

    return parse


def integer(low: int, high: int) -> Callable[[str], int]:
    """Return the parser of an option that is a whole number from `low` to `high`.

    Examples
    --------
    >>> integer(1, 9)("4")
    4
    """

    def parse(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= len(str(high)) and low <= int(text) <= high:
            return int(text)
        raise ValueError(f"an integer from {low} to {high}")

    return parse


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that look like `name`, all of them if none does.

    Examples
    --------
    >>> near_names("minmax", ["random", "minimax", "heuribot"])
    ['minimax']
    """
    names = list(known)
    return difflib.get_close_matches(name, names, n=3, cutoff=0.5) or names


def parse_options(
    spec: str, rest: str | None, known: Mapping[str, Option], error: type[UsageError] = UsageError
) -> dict[str, Any]:
    """Return the value of every known option.

    Parameters
    ----------
    spec
        The whole text, for messages.
    rest
        What stands behind the colon, `option=value,option=value`; None if there is no colon.
    known
        The options by name.
    error
        What is raised, with one line, for an unknown or repeated option or an impossible value.

    Examples
    --------
    >>> rows = Option("6", "N", integer(1, 63), "cells of a column")
    >>> parse_options("connect4:rows=7", "rows=7", {"rows": rows})
    {'rows': 7}
    """
    given: dict[str, str] = {}
    for item in [] if rest is None else rest.split(","):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or key not in known:
            usage = " or ".join(f"{name}={option.values}" for name, option in known.items()) or "none"
            raise error(f"unknown option {item!r} in {spec!r}; expected {usage}")
        if key in given:
            raise error(f"expected each option once, got {key!r} twice in {spec!r}")
        given[key] = value
    values = {}
    for key, option in known.items():
        try:
            values[key] = option.parse(given.get(key, option.default))
        except ValueError as wrong:
            raise error(f"expected {key}= {wrong} in {spec!r}, got {given[key]!r}") from wrong
    return values
