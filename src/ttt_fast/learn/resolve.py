"""Complete settings from given ones: conversion, defaults by game and algorithm, and checks."""

from collections.abc import Mapping
from dataclasses import fields
from math import inf
from numbers import Real
from typing import Any

from ttt_fast.core.checks import check_keywords, shown, whole_number
from ttt_fast.core.errors import UsageError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.specs import near_names, suggestion
from ttt_fast.games.api import observation_shape
from ttt_fast.games.game import PATTERNS, Game
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.algorithms import N_TUPLES, AlgorithmSettings, DqnSettings, QSettings, TdSettings, family_of
from ttt_fast.learn.curricula import SELF_PLAY, check_agents
from ttt_fast.learn.problem import LearningProblem, has_table
from ttt_fast.learn.schedules import check_range, parse_schedule
from ttt_fast.learn.setting_types import Computed
from ttt_fast.learn.settings import (
    AFTERSTATE,
    ALTERNATE,
    BEST,
    CHEAP_STATES,
    DQN,
    EXPECTED,
    FICTITIOUS_PLAY,
    MARKS,
    MAX_ACTIONS_FOR_VALUES,
    PENALTY,
    PLANES,
    PLANNING,
    SAI,
    SEAT_NAMES,
    SEATS,
    SETTINGS,
    TD,
    When,
    setting_value,
)
from ttt_fast.tables import table_of

MAX_LAYERS, MAX_NODES = 8, 4096


def resolve(given: Mapping[str, object]) -> tuple[LearningProblem, AlgorithmSettings]:
    """Return the problem and the algorithm's settings that some settings, by name, describe.

    Raises
    ------
    UsageError
        If a setting is unknown or invalid, does not apply to the algorithm, or is incompatible with another one.

    Examples
    --------
    >>> problem, settings = resolve({"game": "connect4", "algorithm": "sarsa"})
    >>> problem.opponent, problem.episodes, settings.step_size
    ('self', 1000000, 'geometric:0.5,0.001')
    """
    check_keywords(given, list(SETTINGS), "TrainingConfig")
    values = {
        name: _accepted(name, value) for name, value in given.items() if value is not None or SETTINGS[name].is_common
    }
    algorithm = values.setdefault("algorithm", SETTINGS["algorithm"].default)
    _check_value("algorithm", algorithm)
    game = parse_game(values.get("game", SETTINGS["game"].default))
    values["game"] = game.spec
    for name, value in values.items():
        if not SETTINGS[name].applies_to(algorithm) and value != SETTINGS[name].default:
            raise UsageError(f"expected no {name} with the algorithm {algorithm}, got {value!r}")
    if "hidden" in values:
        values["hidden"] = _normalized_hidden(values["hidden"])
    if values.get("chunk_episodes") == 0:
        del values["chunk_episodes"]
    values = _completed(values, algorithm, game)
    for name, value in values.items():
        if SETTINGS[name].applies_to(algorithm) and value is not None:
            _check_value(name, value, values["episodes"])
    problem = LearningProblem(**{one.name: values[one.name] for one in fields(LearningProblem)})
    family = family_of(algorithm)
    settings = family(**{one.name: values[one.name] for one in fields(family)})
    _check_run(problem, settings)
    return problem, settings


def _accepted(name: str, value: object) -> Any:
    """Return the value of a setting from Python, of its type; text of numbers is accepted."""
    about = SETTINGS[name]
    if isinstance(value, str) and about.kind in (int, float):
        return setting_value(name, value)
    if about.kind is int:
        return whole_number(value, name)
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not isinstance(value, about.kind) and not (is_number and (about.kind is float or about.is_schedule)):
        hint = "; its `signature` names a policy" if name == "opponent" else ""
        raise UsageError(f"expected {name} to be of type {about.kind.__name__}, got {shown(value)}{hint}")
    return str(value) if about.is_schedule else value


def _normalized_hidden(text: str) -> str:
    """Return the sizes of hidden layers in their usual spelling; raise UsageError unless they are well-formed."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and word.isascii() and 1 <= int(word) <= MAX_NODES for word in words):
        raise UsageError(f"expected hidden layers of 1 to {MAX_NODES} nodes, for instance 32,32, got {text!r}")
    if len(words) > MAX_LAYERS:
        raise UsageError(f"expected at most {MAX_LAYERS} hidden layers, got {text!r}")
    return ",".join(str(int(word)) for word in words)


def _completed(values: JsonObject, algorithm: str, game: Game) -> JsonObject:
    """Return all settings, with defaults for the missing ones."""
    missing = [name for name in SETTINGS if name not in values]
    applying = [SETTINGS[name] for name in missing if SETTINGS[name].applies_to(algorithm)]
    conditions = set[str]()
    if any(len(one.defaults) > 1 for one in applying):  # a table may have to be made
        conditions = _conditions(values, algorithm, game)
    complete = dict(values)
    for name in missing:
        about = SETTINGS[name]
        value = about.default_where(conditions) if about.applies_to(algorithm) else about.default
        complete[name] = value.value(game, complete.get("episodes", 0)) if isinstance(value, Computed) else value
    return {name: complete[name] for name in SETTINGS}


def _conditions(values: JsonObject, algorithm: str, game: Game) -> set[str]:
    """Return the conditions that hold in a run, on which defaults depend."""
    known = has_table(game, values.get("exact", False))
    is_large = known and algorithm == DQN and table_of(game).num_states > CHEAP_STATES
    holds = {
        When.NO_TABLE: not known,
        When.MANY_ACTIONS: not known and algorithm != AFTERSTATE and game.num_actions > MAX_ACTIONS_FOR_VALUES,
        When.LARGE_TABLE: is_large,
        When.ON_ULTIMATE: game.kind.features == PATTERNS,
        When.ONE_PLANE: algorithm == DQN and not _has_marks(game),
        When.WITH_PENALTY: values.get("illegal") == PENALTY,
        When.WITH_COPIES: "target_every" in values,
    }
    conditions = {algorithm, *(one for one, is_met in holds.items() if is_met)}
    opponent = values.get("opponent") or SETTINGS["opponent"].default_where(conditions)
    return conditions | ({When.IN_SELF_PLAY} if opponent == SELF_PLAY else set())


def _has_marks(game: Game) -> bool:
    """Return whether a game has a plane for each player's marks."""
    return int(observation_shape(game.initial_state)[0]) > 1


def _check_value(name: str, value: Any, episodes: int = 0) -> None:
    """Raise UsageError unless the value of a setting is valid."""
    about = SETTINGS[name]
    if name == "seat":
        if value not in SEATS.values():
            raise UsageError(f"expected 1 (X), 2 (O) or 3 (alternating) as the seat, got {value!r}")
    elif about.choices and value not in about.choices:
        near = near_names(str(value), about.choices)
        meant = f"; {suggestion(near, len(about.choices))}" if len(near) < len(about.choices) else ""
        raise UsageError(f"expected {name} to be one of {', '.join(about.choices)}, got {value!r}{meant}")
    elif about.is_schedule:
        try:
            schedule = parse_schedule(value)
        except UsageError as error:
            raise UsageError(f"{name}: {error}") from None
        check_range(name, schedule, episodes, about.low, about.high)
    elif about.kind in (int, float) and not about.low <= value <= about.high:
        wanted = f"from {about.low:g} to {about.high:g}" if about.high < inf else f"of at least {about.low:g}"
        raise UsageError(f"expected {name} {wanted}, got {value!r}")


def _check_run(problem: LearningProblem, settings: AlgorithmSettings) -> None:
    """Raise UsageError unless the settings of a run fit together."""
    algorithm = settings.algorithm
    if settings.epsilons.by_visits:
        raise UsageError(f"expected epsilon to depend on the episode, not on visits, got {settings.epsilon!r}")
    if problem.is_self_play and problem.seat != ALTERNATE:
        raise UsageError(f"expected both as the seat with the opponent {SELF_PLAY!r}, got {SEAT_NAMES[problem.seat]!r}")
    check_agents(problem.stages(), problem.judge_specs)
    if algorithm in PLANNING and not problem.has_table:
        raise UsageError(f"expected a game with a state table for {algorithm}, got {problem.game!r}")
    if algorithm == TD and not problem.played.kind.features:
        raise UsageError(f"expected connect4 or ultimate as the game of {TD}, got {problem.game!r}")
    if algorithm in (FICTITIOUS_PLAY, TD) and not problem.is_self_play:
        raise UsageError(f"expected the opponent {SELF_PLAY} with {algorithm}, got {problem.opponent!r}")
    if algorithm == AFTERSTATE and not problem.played.alternates:
        raise UsageError(f"expected a game with alternating turns for {AFTERSTATE}, got {problem.game!r}")
    if isinstance(settings, QSettings) and settings.credit == SAI and not problem.is_self_play:
        raise UsageError(f"expected the opponent {SELF_PLAY} with the credit {SAI}, got {problem.opponent!r}")
    if algorithm in (DQN, TD) and settings.step_sizes.by_visits:
        raise UsageError(
            f"expected step_size to depend on the episode, not on visits, with {algorithm}, got {settings.step_size!r}"
        )
    if isinstance(settings, DqnSettings):
        _check_dqn(problem, settings)
    if isinstance(settings, TdSettings):
        _check_td(problem, settings)


def _check_dqn(problem: LearningProblem, settings: DqnSettings) -> None:
    """Raise UsageError unless the settings of deep Q-learning fit together, and the problem."""
    if settings.target_every is not None and settings.polyak is not None:
        raise UsageError(
            f"expected either target_every or polyak, got both: {settings.target_every!r} and {settings.polyak!r}"
        )
    if settings.illegal != PENALTY and settings.illegal_reward is not None:
        raise UsageError(f"expected illegal_reward only with illegal {PENALTY}, got {settings.illegal_reward!r}")
    if settings.input == MARKS and not _has_marks(problem.played):
        raise UsageError(f"expected input '{PLANES}' for {problem.game}, got {settings.input!r}")
    in_turn = problem.has_table and problem.played.alternates
    if settings.target == EXPECTED and (problem.is_self_play or not in_turn):
        raise UsageError(
            f"expected a game with a state table and alternating turns, and an opponent other than {SELF_PLAY}, for the"
            f" target {EXPECTED}, got {problem.game!r} and {problem.opponent!r}"
        )
    if settings.keep == BEST and not problem.has_table:
        raise UsageError(f"expected a game with a state table to keep the {BEST} network, got {problem.game!r}")
    if problem.is_self_play and (settings.win_reward != -settings.loss_reward or settings.draw_reward != 0):
        rewards = settings.win_reward, settings.draw_reward, settings.loss_reward
        raise UsageError(f"expected zero-sum rewards (WIN,0,-WIN) in self-play of {DQN}, got {rewards!r}")
    if settings.opening_plies and not problem.is_self_play:
        raise UsageError(f"expected opening_plies only with the opponent {SELF_PLAY}, got {settings.opening_plies!r}")


def _check_td(problem: LearningProblem, settings: TdSettings) -> None:
    """Raise UsageError unless the settings of TD(lambda) fit the game: n-tuples for Connect 4 alone."""
    by_patterns = problem.played.kind.features == PATTERNS
    for name in (*N_TUPLES, "coherent") if by_patterns else ("start_from",):
        if vars(settings)[name] is not None:
            raise UsageError(f"expected no {name} with {TD} on {problem.game}, got {vars(settings)[name]!r}")
    if not by_patterns:
        settings.n_tuples().draw(problem.played.num_actions, observation_shape(problem.played.initial_state)[1])
