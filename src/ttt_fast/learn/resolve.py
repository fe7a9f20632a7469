"""Complete settings from given ones: conversion, defaults by game and algorithm, and checks."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ttt_fast.agents.spec import refuse_external
from ttt_fast.core.errors import UsageError
from ttt_fast.learn.algorithm import (
    ALGORITHMS,
    SETTINGS,
    AlgorithmSettings,
    LearningTask,
    check_requirements,
    read_setting,
    settings_in,
    settings_of,
)
from ttt_fast.learn.curricula import SELF_PLAY
from ttt_fast.learn.problem import LearningProblem
from ttt_fast.learn.schedules import check_range
from ttt_fast.learn.seats import ALTERNATE, SEAT_NAMES
from ttt_fast.learn.settings import written

_COMMON = settings_in(LearningProblem, AlgorithmSettings)


def resolve(given: Mapping[str, object]) -> dict[str, Any]:
    """Return the values of all settings of the run that some settings, by name, describe.

    Raises
    ------
    UsageError
        If a setting is unknown or invalid, does not apply to the algorithm, or is incompatible with another one.

    Examples
    --------
    >>> values = resolve({"game": "connect4", "algorithm": "sarsa"})
    >>> values["opponent"].text, values["episodes"], values["settings"].step_size.text
    ('self', 1000000, 'geometric:0.5,0.001')
    """
    values = {name: read_setting(name, raw) for name, raw in given.items() if raw is not None}
    record = ALGORITHMS[values.setdefault("algorithm", SETTINGS["algorithm"].default)]
    known = settings_of(record.name)
    for name, about in known.items():  # in the order of fields: defaults may depend on earlier ones
        if not record.accepts(name):
            usual = about.read(name, about.default) if name in _COMMON else None
            _check_unused(name, values.setdefault(name, usual), usual, record.name)
        elif name not in values:
            values[name] = about.read(name, about.default_in({**values, "record": record}))
    for name in [one for one in values if one not in known]:
        _check_unused(name, values[name], None, record.name)
    problem = {one.name: values[one.name] for one in fields(LearningProblem)}
    settings = record.settings(**{one.name: values[one.name] for one in fields(record.settings)})
    _check_run(LearningTask(**problem, settings=settings))
    return {**problem, "settings": settings}


def _check_unused(name: str, value: object, usual: object, algorithm: str) -> None:
    """Raise UsageError unless a setting that an algorithm does not use has its default."""
    if value != usual:
        raise UsageError(f"expected no {name} with the algorithm {algorithm}, got {written(value)!r}")


def _check_run(task: LearningTask) -> None:
    """Raise UsageError unless the settings of a run fit together."""
    record, settings = task.record, task.settings
    if record.accepts("step_size"):
        check_range("step_size", settings.step_size, task.episodes, 1e-12, 1.0)
        check_range("epsilon", settings.epsilon, task.episodes, 0.0, 1.0)
    if settings.epsilon.by_visits:
        raise UsageError(f"expected epsilon to depend on the episode, not on visits, got {settings.epsilon.text!r}")
    if task.is_self_play and task.seat != ALTERNATE:
        raise UsageError(f"expected both as the seat with the opponent {SELF_PLAY!r}, got {SEAT_NAMES[task.seat]!r}")
    for agents, place in (
        (task.judges.specs, "the judges of a run"),
        (task.opponent.agents, "the settings of a run"),
    ):
        for agent in agents:
            refuse_external(agent, place)
    check_requirements(record, task)
    if settings.step_size.by_visits and not record.follows_visits:
        wanted = f"step_size to depend on the episode, not on visits, with {record.name}"
        raise UsageError(f"expected {wanted}, got {settings.step_size.text!r}")
    record.check(task, settings)


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
    return written(value)
