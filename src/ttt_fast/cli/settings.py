"""The forms of training settings in input: options of a command, words of a sweep, values of a TOML file.

All settings are keywords of `TrainingConfig`.
"""

import hashlib
import inspect
import json
import tomllib
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import Annotated, Any

from ttt_fast import UsageError
from ttt_fast.cli.completion import GAMES_TEXT
from ttt_fast.cli.help_text import Command
from ttt_fast.cli.parsing import parse_rewards, parse_seed
from ttt_fast.cli.signatures import option, with_parameters
from ttt_fast.core.specs import parse_count
from ttt_fast.learners import SETTINGS, setting_value

_REWARDS = ("win_reward", "draw_reward", "loss_reward")
_OF_ALL = (
    "opponent", "seat", "episodes", "seed", "algorithm", "step_size", "epsilon", "discount", "rewards",
    "random_opening", "game", "exact", "chunk_episodes", "evaluations", "judges",
)  # fmt: skip
"""The settings in the help of a command without an algorithm."""
_OF_EACH = ("algorithm", "opponent", "episodes")
"""The settings in the help of every algorithm, beside its own."""
_ONCE = ("discount", "random_opening")
"""Settings of most algorithms, which are in the help without an algorithm alone."""


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    from ttt_fast.files import read_text

    try:
        return tomllib.loads(read_text(path))
    except ValueError as error:
        raise UsageError(f"{str(path)!r}: expected valid TOML: {str(error).splitlines()[0].lower()}") from None


def digest_of(described: Mapping[str, Any]) -> str:
    """Return a short name of settings; equal settings have equal names."""
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:8]


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each setting to a command, which receives a dictionary of the given settings."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    usual = ",".join(SETTINGS[name].default_text() for name in _REWARDS)
    options: dict[str, Any] = {
        "rewards": Annotated[
            str | None, option("--rewards WIN,DRAW,LOSS", f"rewards of the results (default: {usual})")
        ]
    }
    for name, about in sorted(SETTINGS.items(), key=lambda item: item[0] not in _OF_ALL):
        if about.in_help:
            spellings = about.spellings or (f"--{name.replace('_', '-')}",)
            spelled = " ".join([*spellings, about.metavar or "|".join(about.choices)])
            kind: Any = bool if about.kind is bool else str
            options[name] = Annotated[kind | None, option(spelled, _meaning(name))]

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


class SettingsCommand(Command):
    """A command whose help lists the settings of one algorithm if it is given, otherwise those of every run."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words, which the help needs as they were given."""
        ctx.meta[__name__] = list(args)
        return super().parse_args(ctx, args)

    def shown_params(self, ctx: Any) -> list[Any]:
        """Return the parameters in the help, with the defaults of the algorithm."""
        algorithm, params = _algorithm_in(ctx.meta.get(__name__, [])), self.get_params(ctx)
        if not algorithm:
            return [one for one in params if one.name not in SETTINGS or one.name in _OF_ALL]
        own = [name for name, about in SETTINGS.items() if algorithm in about.algorithms and name not in _ONCE]
        shown: list[Any] = [copy(one) for one in params if one.name in (*_OF_EACH, *own, "help")]
        for one in shown:
            one.help = _meaning(one.name, algorithm) if one.name in SETTINGS else one.help
        return shown


def _algorithm_in(words: list[str]) -> str:
    """Return the algorithm among the words of a command line; empty if there is none, or an unknown one."""
    about = SETTINGS["algorithm"]
    pairs = [(*word.split("=", 1), after)[:2] for word, after in zip(words, [*words[1:], ""], strict=True)]
    named = [value for name, value in pairs if name == "--algorithm"]
    return named[-1] if named and named[-1] in about.choices else ""


def _meaning(name: str, algorithm: str = "") -> str:
    """Return the help of a setting with its defaults for an algorithm, or for the default algorithm."""
    about = SETTINGS[name]
    if name == "game":
        return GAMES_TEXT
    is_flag = about.kind is bool and not about.spellings
    default = "" if is_flag else about.default_text(algorithm)
    return f"{about.meaning} (default: {default})" if default else about.meaning


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
        return {name: parse_count(word, f"a number of {about.counted or name}", minimum=int(max(about.low, 0)))}
    return {name: setting_value(name, word)}
