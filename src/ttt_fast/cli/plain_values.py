"""Option values that need no conversion, or a conversion by Python or by a parser of this package.

Typer converts every value with pydantic, whose import takes as long as that of numpy.  Most options of these commands
are plain text.  All other values are left to typer.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any


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
