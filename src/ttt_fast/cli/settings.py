"""The forms of training settings in input: options of a command, words of a sweep, values of a TOML file.

All settings are fields of `TrainingConfig`.
"""

import hashlib
import inspect
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from ttt_fast import UsageError
from ttt_fast.cli.completion import GAMES_TEXT
from ttt_fast.cli.parsing import parse_rewards, parse_seed
from ttt_fast.cli.signatures import option, with_parameters
from ttt_fast.core.specs import parse_count
from ttt_fast.learners import SETTINGS, setting_value

_REWARDS = option("--rewards WIN,DRAW,LOSS", "default: 1,0,-1")


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    from ttt_fast.files import read_bytes

    try:
        return tomllib.loads(read_bytes(path).decode())
    except ValueError as error:
        raise UsageError(f"{str(path)!r}: expected TOML, got a mistake: {str(error).splitlines()[0].lower()}") from None


def digest_of(described: Mapping[str, Any]) -> str:
    """Return a short name of settings; equal settings have equal names."""
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:8]


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each setting to a command, which receives a dictionary of the given settings."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    options: dict[str, Any] = {"rewards": Annotated[str | None, _REWARDS]}
    for name, about in SETTINGS.items():
        if about.in_help:
            spellings = about.spellings or (f"--{name.replace('_', '-')}",)
            spelled = " ".join([*spellings, about.metavar or "|".join(about.choices)])
            kind: Any = bool if about.kind is bool else str
            meaning = GAMES_TEXT if name == "game" else about.meaning
            options[name] = Annotated[kind | None, option(spelled, meaning)]

    def run(**words: Any) -> None:
        given = {name: word for name in options if (word := words.pop(name)) is not None}
        try:
            command({name: value for word in given for name, value in _values(word, given[word]).items()}, **words)
        except UsageError as error:
            raise _with_option(error, given) from error

    made = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in options.items()
    ]
    return with_parameters(command, run, [*made, *own])


def _with_option(error: UsageError, given: Mapping[str, Any]) -> UsageError:
    """Return an error about a setting with the name of the option that set it."""
    said = str(error)
    name = next((one for one in given if said.startswith(f"expected {one} ") or ("_" in one and one in said)), None)
    if name is None or type(error) is not UsageError:
        return error
    return UsageError(said.replace(name, f"--{name.replace('_', '-')}", 1))


def _values(name: str, word: Any) -> dict[str, Any]:
    """Return the values of the settings of one option."""
    if name == "rewards":
        return parse_rewards(word)
    about = SETTINGS[name]
    if name == "seed":
        return {name: parse_seed(word)}
    if about.kind is int and not about.choices:
        return {name: parse_count(word, f"a number of {about.counted or name}", minimum=about.minimum)}
    return {name: setting_value(name, word)}
