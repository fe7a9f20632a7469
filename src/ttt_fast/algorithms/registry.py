"""The algorithms and their settings by name: those of the package, in the order of the help, and added ones."""

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache, partial
from typing import Any

from ttt_fast.agents.spec import refuse_external
from ttt_fast.algorithms import settings
from ttt_fast.algorithms.alphazero.record import ALPHAZERO
from ttt_fast.algorithms.api import ALGORITHMS as ALGORITHMS, SETTINGS as SETTINGS, Algorithm, LearningProblem
from ttt_fast.algorithms.dqn.record import DQN
from ttt_fast.algorithms.settings import Setting
from ttt_fast.algorithms.tabular.record import (
    FICTITIOUS_PLAY,
    POLICY_ITERATION,
    TABULAR,
    VALUE_ITERATION,
    LambdaSettings,
    NStepSettings,
)
from ttt_fast.algorithms.td.record import TD
from ttt_fast.core.checks import check_keywords
from ttt_fast.core.errors import UsageError

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_OPTIONS = frozenset(
    "checkpoint_every config curve debug executor force format grid help memory_limit merge output pause resume rewards"
    " scheduler seeds set threads".split()
)
"""Options of the commands that have the settings of algorithms, too."""


def settings_in(*classes: type) -> dict[str, Setting]:
    """Return the settings of the fields of dataclasses, with their groups in the help."""
    found: dict[str, Setting] = {}
    for made in classes:
        for one in fields(made):
            about = one.metadata["setting"]
            found[one.name] = replace(about, group=about.group or getattr(made, "group", "Options"))
    return found


def register(record: Algorithm) -> None:
    """Add a record to those of the process, and its settings."""
    ALGORITHMS[record.name] = record
    SETTINGS.update({name: SETTINGS.get(name, about) for name, about in settings_in(record.settings).items()})
    about = SETTINGS["algorithm"]
    SETTINGS["algorithm"] = replace(about, summary=f"learning algorithm: {settings.listed([*ALGORITHMS])}")
    settings_of.cache_clear()


def add_algorithm(record: Algorithm) -> None:
    """Register an algorithm under its name, in Python and for all commands of this process.

    Its settings become options of `train`, and settings of sweeps and files.  Names of its runs in sweeps contain a
    hash of its source file, which must be a module that workers can import.

    Raises
    ------
    UsageError
        If the name is malformed or already taken, or a setting has the name of another one with another meaning.
    """
    if not _NAME.fullmatch(record.name) or record.name in ALGORITHMS:
        raise UsageError(f"expected a new name of letters, digits and hyphens for an algorithm, got {record.name!r}")
    for name, about in settings_in(record.settings).items():
        known = SETTINGS.get(name)
        is_other = known is not None and (known.values, _parser(known)) != (about.values, _parser(about))
        if is_other or name in _OPTIONS:
            raise UsageError(f"expected a new name for a setting of {record.name}, got {name!r}, which has a meaning")
    register(record)


def _parser(about: Setting) -> object:
    """Return what a setting accepts, in a form that can be compared."""
    parse: Any = about.parse
    return (parse.func, parse.args) if isinstance(parse, partial) else parse


@lru_cache(maxsize=64)
def settings_of(algorithm: str) -> Mapping[str, Setting]:
    """Return the settings of a run by name, with the defaults of an algorithm.

    Examples
    --------
    >>> settings_of("dqn")["episodes"].default, settings_of("q-lambda")["trace_decay"].default_text()
    ('60k', '0.9')
    """
    family = ALGORITHMS[algorithm].settings
    known = settings_in(LearningProblem, family) | {"algorithm": SETTINGS["algorithm"]}
    for name, default in family.usual.items():
        text, cases = (default, {}) if isinstance(default, str) else default
        known[name] = replace(known[name], default=text, cases=cases)
    return known


def read_setting(name: str, raw: object) -> Any:
    """Return the value of a setting from a text, or from a value in Python or TOML.

    Examples
    --------
    >>> read_setting("episodes", "1M"), read_setting("hidden", "64,32")
    (1000000, (64, 32))
    """
    check_keywords([name], list(SETTINGS), "training runs")
    return SETTINGS[name].read(name, raw)


def setting_value(name: str, raw: object, source: str = "") -> Any:
    """Return the checked value of a setting as in files: a text, a number or a Boolean.

    An opponent from a `source`, the name of a file, must not be an external agent.

    Examples
    --------
    >>> setting_value("episodes", "1M"), setting_value("epsilon", 0.1)
    (1000000, '0.1')
    """
    value = read_setting(name, raw)
    for agent in getattr(value, "agents", []) if source else []:
        refuse_external(agent, source)
    return settings.written(value)


_FAMILIES = (ALPHAZERO.settings, TD.settings, DQN.settings, NStepSettings, LambdaSettings)
SETTINGS.update(settings_in(LearningProblem, *_FAMILIES))  # in the order of files; a later one explains a common name
for _record in (*TABULAR, DQN, TD, ALPHAZERO, VALUE_ITERATION, POLICY_ITERATION, FICTITIOUS_PLAY):
    register(_record)
