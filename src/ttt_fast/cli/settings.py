"""Settings of training runs as users write them: options of a command, words of a sweep, values of a TOML file.

All of them come from the fields of `TrainingConfig`.
"""

import functools
import inspect
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ttt_fast.cli.parsing import parse_count, parse_rewards, parse_seed
from ttt_fast.core.errors import UsageError
from ttt_fast.learn.config import ABOUT, SETTINGS
from ttt_fast.learn.settings import SEATS, check_names

_REWARDS = typer.Option("--rewards", metavar="WIN,DRAW,LOSS", help="default: 1,0,-1")


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    from ttt_fast.core.archive import read_bytes

    try:
        return tomllib.loads(read_bytes(path).decode())
    except ValueError as error:
        raise UsageError(f"{str(path)!r}: expected TOML, got a mistake: {str(error).splitlines()[0].lower()}") from None


def setting_value(name: str, raw: Any) -> Any:
    """Return the value of a setting, by its type, from a word or from TOML."""
    check_names([name], SETTINGS)
    kind, about = SETTINGS[name], ABOUT[name]
    parsers: dict[Any, tuple[Callable[[Any], Any], str]] = {
        bool: (_truth, "true or false"),
        int: (_seat if about.choices else _whole, "a whole number"),
        float: (_number, "a number"),
        str: (_text, "a text"),
    }
    parse, expected = parsers[kind]
    try:
        return parse(raw)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"expected {expected} for {name}, got {raw!r}") from None


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each setting; it is called with a dictionary of those that were given."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    options = {"rewards": _option(_REWARDS, str)}
    for name, about in ABOUT.items():
        if about.in_help:
            spellings = about.spellings or (f"--{name.replace('_', '-')}",)
            option = typer.Option(
                *spellings, metavar=about.metavar or "|".join(about.choices) or None, help=about.meaning
            )
            options[name] = _option(option, bool if SETTINGS[name] is bool else str)

    @functools.wraps(command)
    def run(**words: Any) -> None:
        given = {name: word for name in options if (word := words.pop(name)) is not None}
        command({name: value for word in given for name, value in _values(word, given[word]).items()}, **words)

    made = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        for name, option in options.items()
    ]
    every = [*made, *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own)]
    run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in every}
    return run


def _option(option: Any, kind: Any) -> Any:
    return Annotated[kind | None, option]


def _values(name: str, word: Any) -> dict[str, Any]:
    """Return the values of the settings that an option gives."""
    if name == "rewards":
        return parse_rewards(word)
    about = ABOUT[name]
    if name == "seed":
        return {name: parse_seed(word)}
    if SETTINGS[name] is int and not about.choices:
        return {name: parse_count(word, f"a number of {about.counted or name}", minimum=about.minimum)}
    return {name: setting_value(name, word)}


def _seat(raw: Any) -> int:
    if type(raw) is int:
        return raw
    if str(raw).lower() not in SEATS:
        raise UsageError(f"expected a seat of x, o or both, got {raw!r}")
    return SEATS[str(raw).lower()]


def _truth(raw: Any) -> bool:
    return str(raw).lower() == "true" if str(raw).lower() in ("true", "false") else _refuse()


def _whole(raw: Any) -> int:
    if isinstance(raw, str):
        return parse_count(raw)
    return int(raw) if not isinstance(raw, bool) and raw == int(raw) else _refuse()


def _number(raw: Any) -> float:
    return _refuse() if isinstance(raw, bool) else float(raw)


def _text(raw: Any) -> str:
    """Return a text; TOML may write a number where a text may be one."""
    return str(raw) if isinstance(raw, str | int | float) and not isinstance(raw, bool) else _refuse()


def _refuse() -> Any:
    raise ValueError
