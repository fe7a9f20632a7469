"""Functions of higher rooms that a lower one calls: the package says where each is, and it is imported when called."""

from importlib import import_module

TYPE_CHECKING = False  # not the one of `typing`: the package imports next to nothing before Ctrl-C is caught
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_places: dict[str, str] = {}


def say_where(name: str, module: str) -> None:
    """Say in which module a function is."""
    _places[name] = module


def late(name: str) -> "Callable[..., Any]":
    """Return the function of a name that the package has said.

    Examples
    --------
    >>> say_where("gcd", "math")
    >>> late("gcd")(12, 18)
    6
    """
    function: Callable[..., Any] = getattr(import_module(_places[name]), name)
    return function
