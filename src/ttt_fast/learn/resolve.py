"""Complete settings from given ones: conversion, defaults by game and algorithm, and checks."""

from collections.abc import Mapping
from dataclasses import fields

from ttt_fast.agents.spec import refuse_external
from ttt_fast.core.errors import UsageError
from ttt_fast.games.api import observation_shape
from ttt_fast.learn.algorithms import (
    COMMON,
    N_TUPLES,
    SETTINGS,
    AlgorithmSettings,
    AlphaZeroSettings,
    DqnSettings,
    TdSettings,
    family_of,
    read_setting,
    settings_of,
)
from ttt_fast.learn.curricula import SELF_PLAY
from ttt_fast.learn.problem import LearningProblem
from ttt_fast.learn.schedules import check_range
from ttt_fast.learn.settings import (
    AFTERSTATE,
    ALPHAZERO,
    ALTERNATE,
    BEST,
    DQN,
    EXPECTED,
    FICTITIOUS_PLAY,
    MARKS,
    PENALTY,
    PLANES,
    PLANNING,
    SAI,
    SAMPLING,
    SEAT_NAMES,
    TD,
    has_marks,
    is_ultimate,
    written,
)


def resolve(given: Mapping[str, object]) -> tuple[LearningProblem, AlgorithmSettings]:
    """Return the problem and the algorithm's settings that some settings, by name, describe.

    Raises
    ------
    UsageError
        If a setting is unknown or invalid, does not apply to the algorithm, or is incompatible with another one.

    Examples
    --------
    >>> problem, settings = resolve({"game": "connect4", "algorithm": "sarsa"})
    >>> problem.opponent.text, problem.episodes, settings.step_size.text
    ('self', 1000000, 'geometric:0.5,0.001')
    """
    values = {name: read_setting(name, raw) for name, raw in given.items() if raw is not None}
    algorithm = values.setdefault("algorithm", SETTINGS["algorithm"].default)
    known = settings_of(algorithm)
    for name, about in known.items():  # in the order of fields: defaults may depend on earlier ones
        if not about.applies_to(algorithm):
            usual = about.read(name, about.default) if name in COMMON else None
            _check_unused(name, values.setdefault(name, usual), usual, algorithm)
        elif name not in values:
            values[name] = about.read(name, about.default_in(values))
    for name in [one for one in values if one not in known]:
        _check_unused(name, values[name], None, algorithm)
    problem = LearningProblem(**{one.name: values[one.name] for one in fields(LearningProblem)})
    family = family_of(algorithm)
    settings = family(**{one.name: values[one.name] for one in fields(family)})
    _check_run(problem, settings)
    return problem, settings


def _check_unused(name: str, value: object, usual: object, algorithm: str) -> None:
    """Raise UsageError unless a setting that an algorithm does not use has its default."""
    if value != usual:
        raise UsageError(f"expected no {name} with the algorithm {algorithm}, got {written(value)!r}")


def _check_run(problem: LearningProblem, settings: AlgorithmSettings) -> None:
    """Raise UsageError unless the settings of a run fit together."""
    algorithm = settings.algorithm
    if algorithm in SAMPLING:
        check_range("step_size", settings.step_size, problem.episodes, 1e-12, 1.0)
        check_range("epsilon", settings.epsilon, problem.episodes, 0.0, 1.0)
    if settings.epsilon.by_visits:
        raise UsageError(f"expected epsilon to depend on the episode, not on visits, got {settings.epsilon.text!r}")
    if problem.is_self_play and problem.seat != ALTERNATE:
        raise UsageError(f"expected both as the seat with the opponent {SELF_PLAY!r}, got {SEAT_NAMES[problem.seat]!r}")
    for agents, place in (
        (problem.judges.specs, "the judges of a run"),
        (problem.opponent.agents, "the settings of a run"),
    ):
        for agent in agents:
            refuse_external(agent, place)
    if algorithm in PLANNING and not problem.has_table:
        raise UsageError(f"expected a game with a state table for {algorithm}, got {problem.game.spec!r}")
    if algorithm == TD and not problem.game.kind.features:
        raise UsageError(f"expected connect4 or ultimate as the game of {TD}, got {problem.game.spec!r}")
    if algorithm == ALPHAZERO and not (problem.has_table and problem.game.alternates):
        raise UsageError(
            f"expected a game with a state table and alternating turns for {ALPHAZERO}, got {problem.game.spec!r}"
        )
    if algorithm in (FICTITIOUS_PLAY, TD, ALPHAZERO) and not problem.is_self_play:
        raise UsageError(f"expected the opponent {SELF_PLAY} with {algorithm}, got {problem.opponent.text!r}")
    if algorithm == AFTERSTATE and not problem.game.alternates:
        raise UsageError(f"expected a game with alternating turns for {AFTERSTATE}, got {problem.game.spec!r}")
    if settings.credit == SAI and not problem.is_self_play:
        raise UsageError(f"expected the opponent {SELF_PLAY} with the credit {SAI}, got {problem.opponent.text!r}")
    if algorithm in (DQN, TD, ALPHAZERO) and settings.step_size.by_visits:
        wanted = f"step_size to depend on the episode, not on visits, with {algorithm}"
        raise UsageError(f"expected {wanted}, got {settings.step_size.text!r}")
    as_marks = isinstance(settings, DqnSettings | AlphaZeroSettings) and settings.input == MARKS
    if as_marks and not has_marks(problem.game):
        raise UsageError(f"expected input '{PLANES}' for {problem.game.spec}, got {MARKS!r}")
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
    in_turn = problem.has_table and problem.game.alternates
    if settings.target == EXPECTED and (problem.is_self_play or not in_turn):
        raise UsageError(
            f"expected a game with a state table and alternating turns, and an opponent other than {SELF_PLAY}, for the"
            f" target {EXPECTED}, got {problem.game.spec!r} and {problem.opponent.text!r}"
        )
    if settings.keep == BEST and not problem.has_table:
        raise UsageError(f"expected a game with a state table to keep the {BEST} network, got {problem.game.spec!r}")
    if problem.is_self_play and (settings.win_reward != -settings.loss_reward or settings.draw_reward != 0):
        rewards = settings.win_reward, settings.draw_reward, settings.loss_reward
        raise UsageError(f"expected zero-sum rewards (WIN,0,-WIN) in self-play of {DQN}, got {rewards!r}")
    if settings.opening_plies and not problem.is_self_play:
        raise UsageError(f"expected opening_plies only with the opponent {SELF_PLAY}, got {settings.opening_plies!r}")


def _check_td(problem: LearningProblem, settings: TdSettings) -> None:
    """Raise UsageError unless the settings of TD(lambda) fit the game: n-tuples for Connect 4 alone."""
    by_patterns = is_ultimate(problem.game)
    for name in (*N_TUPLES, "coherent") if by_patterns else ("start_from",):
        if vars(settings)[name] is not None:
            raise UsageError(f"expected no {name} with {TD} on {problem.game.spec}, got {vars(settings)[name]!r}")
    if not by_patterns:
        settings.n_tuples().draw(problem.game.num_actions, observation_shape(problem.game.initial_state)[1])
