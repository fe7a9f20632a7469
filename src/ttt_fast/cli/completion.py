"""Shell completion of values (agents, games, formats, seats), selected by the name of the value in the help."""

from collections.abc import Callable, Iterable

GAMES = {
    "tic-tac-toe": "[:rows=3,columns=3,length=3,misere=no|yes]",
    "connect4": "[:columns=7,rows=6,length=4]",
    "ultimate": "[:tie=draw|boards,closed=free|stay]",
    "openspiel:": "GAME",
}
"""The games, and the options that may follow their names."""
*_FIRST, _LAST = (f"{name}{rest}" for name, rest in GAMES.items())
GAMES_TEXT = f"{', '.join(_FIRST)} or {_LAST} (docs/GAMES.md explains the options)"
"""The games with their options."""


def _agents() -> Iterable[str]:
    from ttt_fast import list_agents

    begun = (row["agent"].partition(":")[:2] for row in list_agents())
    return [f"{name}{colon}" for name, colon in begun if " " not in name and name != "python"]  # a user's code


def _formats() -> Iterable[str]:
    from ttt_fast.report.rows import FORMATS

    return FORMATS


_SOURCES: dict[str, Callable[[], Iterable[str]]] = {
    "AGENT": _agents,
    "X": _agents,
    "O": _agents,
    "POLICY": _agents,
    "NAME": _agents,
    "GAME": lambda: GAMES,
    "FORMAT": _formats,
}


def completer(value: str, words: Iterable[str] = ()) -> Callable[[str], list[str]] | None:
    """Return the completer of a value: from `words`, or from its name in the help, in which bars separate values.

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
