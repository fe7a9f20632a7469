"""Values that a shell completes: agents, games, formats, seats, by the name that help gives to a value."""

from collections.abc import Callable, Iterable

_TYPED = ("python", "engine")
"""External agents, which are code of the user and are not offered."""


def _agents() -> Iterable[str]:
    from ttt_fast.agents.registry import list_agents

    begun = (row["agent"].partition(":")[:2] for row in list_agents())
    return [f"{name}{colon}" for name, colon in begun if " " not in name and name not in _TYPED]


def _games() -> Iterable[str]:
    from ttt_fast.cli.options import GAMES

    return GAMES


def _formats() -> Iterable[str]:
    from ttt_fast.report.rows import FORMATS

    return FORMATS


_SOURCES: dict[str, Callable[[], Iterable[str]]] = {
    "AGENT": _agents,
    "AGENT...": _agents,
    "X": _agents,
    "O": _agents,
    "POLICY": _agents,
    "NAME": _agents,
    "GAME": _games,
    "FORMAT": _formats,
}


def completer(value: str, words: Iterable[str] = ()) -> Callable[[str], list[str]] | None:
    """Return what completes a value: of some words, or by its name in the help, where bars are between the values.

    Examples
    --------
    >>> completer("x|o")("")
    ['x', 'o']
    >>> completer("GAME")("con"), completer("N")
    (['connect4'], None)
    """
    known = tuple(words) or (value.split("|") if "|" in value else ())
    source = _SOURCES.get(value, lambda: known)
    if not known and value not in _SOURCES:
        return None

    def complete(incomplete: str) -> list[str]:
        return [word for word in source() if word.startswith(incomplete)]

    return complete
