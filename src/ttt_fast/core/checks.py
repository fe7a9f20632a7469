"""Validation of arguments from Python callers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from functools import wraps
from math import inf, isfinite
from numbers import Real
from operator import index
from typing import Any, TypeVar

from ttt_fast.core.errors import UsageError, cut, printable
from ttt_fast.core.specs import parse_count

Config = TypeVar("Config")
_LONGEST = 60  # characters of an object in an error message


def shown(value: object) -> str:
    """Return a value as one line for an error message, even if its `repr` fails.

    Examples
    --------
    >>> shown(2.5), len(shown("x" * 1000)), shown(list(range(100))), shown(10**5000)
    ('2.5', 200, 'a value of type list', 'a value of type int')
    """
    try:
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a user's class, or a number of too many digits
        text = ""
    if isinstance(value, str):
        return cut(text)
    return (
        printable(text) if 0 < len(text) <= _LONGEST and "\n" not in text else f"a value of type {type(value).__name__}"
    )


def whole_number(value: Any, name: str, least: float = -inf) -> int:
    """Return a whole number as a plain integer; integral floats such as 1e3 are accepted.

    Parameters
    ----------
    value
        The value, of arbitrary type.
    name
        The name of the quantity, for the message.
    least
        The smallest allowed value.

    Raises
    ------
    UsageError
        If the value is not a whole number (2.5, '3', True), or is too small.

    Examples
    --------
    >>> whole_number(1e3, "games")
    1000
    """
    number = _whole(value)
    if number is not None and number >= least:
        return number
    if number is not None:
        raise UsageError(f"expected {name} to be at least {least}, got {shown(value)}")
    raise UsageError(f"expected {name} to be a whole number, got {shown(value)}")


def _whole(value: Any) -> int | None:
    """Return a whole number as a plain integer, None for any other object."""
    if isinstance(value, bool):
        return None
    try:
        return index(value)
    except TypeError:
        is_real: bool = isinstance(value, Real)
        return int(value) if is_real and isfinite(value) and value == int(value) else None


def count_of(value: Any, name: str, least: int = 0) -> int:
    """Return a count as a plain integer: a whole number, or a text such as 1M; raise UsageError.

    Examples
    --------
    >>> count_of("1k", "games"), count_of(1e3, "games")
    (1000, 1000)
    """
    return parse_count(value, name, least) if isinstance(value, str) else whole_number(value, name, least)


def list_of(values: Any, name: str) -> list[Any]:
    """Return the elements of a list, tuple, array, Series or other iterable; raise UsageError, also for a text.

    Examples
    --------
    >>> list_of((1, 2), "seeds")
    [1, 2]
    >>> list_of("random", "agents")
    Traceback (most recent call last):
    ttt_fast.core.errors.UsageError: expected a list of agents, got 'random'
    """
    try:
        if isinstance(values, str | bytes | Mapping):
            raise TypeError
        return list(values.tolist() if hasattr(values, "tolist") else values)  # Python's numbers, not numpy's
    except TypeError:
        raise UsageError(f"expected a list of {name}, got {shown(values)}") from None


def check_keywords(names: Iterable[str], known: Sequence[str], owner: str) -> None:
    """Raise UsageError, with suggestions, unless the keywords in a call of `owner` are known."""
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else f"expected {', '.join(known)}"
            raise UsageError(f"unknown setting {name!r} of {owner}; {hint}")


def with_known_names(cls: type[Config]) -> type[Config]:
    """Return a dataclass whose constructor raises UsageError with suggestions for an unknown keyword.

    Examples
    --------
    >>> from dataclasses import make_dataclass
    >>> with_known_names(make_dataclass("Config", [("games", int, 10)]))(game=5)
    Traceback (most recent call last):
    ttt_fast.core.errors.UsageError: unknown setting 'game' of Config; did you mean games?
    """
    init: Callable[..., None] = cls.__init__
    known = [one.name for one in fields(cls)]  # type: ignore[arg-type]

    @wraps(init)
    def checked(self: Config, *arguments: object, **named: object) -> None:
        check_keywords(named, known, cls.__name__)
        init(self, *arguments, **named)

    type.__setattr__(cls, "__init__", checked)
    return cls
