"""Signatures of commands, from which the parser derives their options, and the conversion of their values.

Typer converts every value with pydantic, whose import takes as long as that of numpy.  Most options of these commands
are plain text or have a parser of this package.  All other values are left to typer.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import typer

from ttt_fast.cli.completion import completer


def option(spelled: str, meaning: str, parse: Callable[[str], Any] | None = None, group: str | None = None) -> Any:
    """Return an option from its names with the name of its value, its help, its parser, and its group in the help."""
    words = spelled.split()
    value = " ".join(word for word in words if not word.startswith("-"))
    names = [word for word in words if word.startswith("-")]
    about: Any = {"metavar": value or None, "help": meaning, "rich_help_panel": group}
    return typer.Option(*names, **about, parser=parse, autocompletion=completer(value))


of_game, of_run, of_result = (
    functools.partial(option, group=one) for one in ("Game and position", "The run", "Result")
)


def argument(name: str, meaning: str, words: Iterable[str] = ()) -> Any:
    """Return an argument from its name, its help, and the words for shell completion."""
    return typer.Argument(metavar=name, help=meaning, autocompletion=completer(name, words))


def with_parameters(
    command: Callable[..., None], run: Callable[..., None], parameters: Iterable[inspect.Parameter]
) -> Callable[..., None]:
    """Return `run` as a command with the given parameters for the parser, all of them keyword parameters."""
    made: Any = functools.wraps(command)(run)
    every = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    made.__signature__ = inspect.Signature(every)
    made.__annotations__ = {one.name: one.annotation for one in every}
    return made  # type: ignore[no-any-return]


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Add the fields of each dataclass parameter of a command as options, after its own options."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {one.name: one.annotation for one in own if is_dataclass(one.annotation)}

    def run(**words: Any) -> None:
        made = {
            name: group(**{field.name: words.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**words, **made)

    shared = [one for group in groups.values() for one in inspect.signature(group, eval_str=True).parameters.values()]
    return with_parameters(command, run, [*(one for one in own if one.name not in groups), *shared])


class PlainValue:
    """Converts the values of one parameter, with typer as the fallback."""

    def __init__(self, annotation: Any, parse: Callable[[str], Any] | None) -> None:
        self.annotation, self.parse = annotation, parse

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value of the command line as the parameter's type."""
        kind = self.annotation
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        parse = self.parse or (Path if kind is Path else None)
        if parse is not None:
            return parse(value) if isinstance(value, str) else value
        if isinstance(kind, type) and type(value) is kind:
            return value
        if kind == list[str] and isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            return list(value)
        from typer._coercion import build_runtime_param

        return build_runtime_param(param.type_descriptor).coerce(value, param=param, ctx=ctx)


def keep_plain() -> None:
    """Convert the values of all commands by `PlainValue`, if this version of typer converts values one by one."""
    from typer import core

    parameter: Any = getattr(core, "_TyperParameter", None)
    if not hasattr(parameter, "get_runtime_param"):
        return

    def get_runtime_param(param: Any) -> Any:
        described = param.type_descriptor
        return PlainValue(described.annotation, described.parameter_info.parser)

    parameter.get_runtime_param = get_runtime_param
