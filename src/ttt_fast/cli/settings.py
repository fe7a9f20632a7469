"""Settings of training runs as users write them: words of a command line, values of a TOML file."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ttt_fast.cli.parsing import parse_count, parse_seat
from ttt_fast.core.errors import UsageError


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    from ttt_fast.core.archive import read_bytes

    try:
        return tomllib.loads(read_bytes(path).decode())
    except ValueError as error:
        raise UsageError(f"{str(path)!r}: expected TOML, got a mistake: {str(error).splitlines()[0].lower()}") from None


def parse_learning_seat(text: str) -> int:
    """Return the code of a learner's seat: x, o or both."""
    if text.lower() == "both":
        return 3
    try:
        return parse_seat(text)
    except UsageError:
        raise UsageError(f"expected a seat of x, o or both, got {text!r}") from None


def setting_value(name: str, raw: Any) -> Any:
    """Return the value of a field of `TrainingConfig`, by its type, from a word or from TOML."""
    from ttt_fast.learn.config import SETTINGS

    kind = SETTINGS[name]
    parsers: dict[Any, tuple[Callable[[Any], Any], str]] = {
        bool: (_truth, "true or false"),
        int: (_seat if name == "seat" else _whole, "a whole number"),
        float: (_number, "a number"),
        str: (_text, "a text"),
    }
    if kind not in parsers:
        raise UsageError(f"expected a setting that a sweep can vary, got {name!r}")
    parse, expected = parsers[kind]
    try:
        return parse(raw)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"expected {expected} for {name}, got {raw!r}") from None


def _seat(raw: Any) -> int:
    return raw if type(raw) is int else parse_learning_seat(str(raw))


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
