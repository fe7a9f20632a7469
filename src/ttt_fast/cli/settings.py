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
from ttt_fast.cli.parsing import parse_rewards
from ttt_fast.cli.signatures import option, with_parameters
from ttt_fast.learners import ALGORITHMS, SETTINGS, settings_of

_REWARDS = ("win_reward", "draw_reward", "loss_reward")
_OF_ALL = (
    "opponent", "seat", "episodes", "seed", "algorithm", "step_size", "epsilon", "discount", "rewards",
    "random_opening", "game", "exact", "chunk_episodes", "evaluations", "judges",
)  # fmt: skip
"""The settings in the help of a command without an algorithm."""
_OF_EACH = ("algorithm", "opponent", "episodes")
"""The settings in the help of every algorithm, beside its own."""
_ONCE = ("discount", "random_opening", *_REWARDS)
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
    usual = ",".join(SETTINGS[name].default for name in _REWARDS)
    options: dict[str, Any] = {
        "rewards": Annotated[
            str | None,
            option("--rewards WIN,DRAW,LOSS", f"rewards of the results (default: {usual})", group="Learning"),
        ]
    }
    for name, about in sorted(SETTINGS.items(), key=lambda item: item[0] not in _OF_ALL):
        if name not in _REWARDS:
            spelled = " ".join(_spellings(name)) + ("" if about.is_switch else f" {about.values}")
            kind: Any = bool if about.is_switch else str
            options[name] = Annotated[kind | None, option(spelled, _meaning(name), group=about.group)]

    def run(**words: Any) -> None:
        given = {name: word for name in options if (word := words.pop(name)) is not None}
        rewards = parse_rewards(given.pop("rewards")) if "rewards" in given else {}
        try:
            command(given | rewards, **words)
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
        own = [
            name for name, about in settings_of(algorithm).items()
            if ALGORITHMS[algorithm].accepts(name) and name not in _ONCE
            and (about.is_optional or name not in _OF_ALL or about.default_text() != SETTINGS[name].default_text())
        ]  # fmt: skip
        shown: list[Any] = [copy(one) for one in params if one.name in (*_OF_EACH, *own, "help")]
        for one in shown:
            one.help = _meaning(one.name, algorithm) if one.name in SETTINGS else one.help
        return shown


def _algorithm_in(words: list[str]) -> str:
    """Return the algorithm among the words of a command line; empty if there is none, or an unknown one."""
    pairs = [(*word.split("=", 1), after)[:2] for word, after in zip(words, [*words[1:], ""], strict=True)]
    named = [value for name, value in pairs if name == "--algorithm"]
    return named[-1] if named and named[-1] in ALGORITHMS else ""


def _spellings(name: str) -> tuple[str, ...]:
    """Return the options of a setting."""
    return SETTINGS[name].spellings or (f"--{name.replace('_', '-')}",)


def _meaning(name: str, algorithm: str = "q") -> str:
    """Return the help of a setting with its defaults for an algorithm."""
    if name == "game":
        return GAMES_TEXT
    about = settings_of(algorithm).get(name, SETTINGS[name])
    is_flag = about.is_switch and not about.spellings
    default = "" if is_flag else about.default_text()
    return f"{about.summary} (default: {default})" if default else about.summary


def _with_option(error: UsageError, given: Mapping[str, Any]) -> UsageError:
    """Return an error about a setting with the name of the option that set it."""
    said = str(error)
    for name in given if type(error) is UsageError else ():
        option_name = _spellings(name)[0].split("/")[0]
        if said.startswith(f"expected {name} ") or ("_" in name and name in said):
            return UsageError(said.replace(name, option_name, 1))
    return error
