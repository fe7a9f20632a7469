"""The configuration of a training run: its problem, the settings of its algorithm, and its name."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Self

from ttt_fast.agents.spec import refuse_external
from ttt_fast.algorithms.api import ALGORITHMS, SETTINGS, Algorithm, LearningProblem, LearningTask
from ttt_fast.algorithms.curricula import SELF_PLAY
from ttt_fast.algorithms.episodes import ALTERNATE, SEAT_NAMES
from ttt_fast.algorithms.registry import read_setting, setting_value, settings_of
from ttt_fast.algorithms.schedules import check_range
from ttt_fast.algorithms.settings import Computed, listed, written
from ttt_fast.core.errors import UsageError
from ttt_fast.core.known_file import KnownFile
from ttt_fast.core.manifest import JsonObject, package_version

UNIT_FORMAT = 8
"""Part of every unit's name, increased whenever the same settings give other bits, other columns, or another file."""


def resolve(given: Mapping[str, object]) -> dict[str, Any]:
    """Return the values of all settings of the run that some settings, by name, describe.

    Raises
    ------
    UsageError
        If a setting is unknown or invalid, or does not apply to the algorithm.

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
            usual = about.read(name, about.default)
            _check_unused(name, values.setdefault(name, usual), usual, record.name)
        elif name not in values:
            values[name] = about.read(name, about.default_in({**values, "record": record}))
    for name in [one for one in values if one not in known]:
        users = listed([one for one in ALGORITHMS if name in settings_of(one)])
        _check_unused(name, values[name], None, record.name, f"; that is a setting of {users}")
    problem = {one.name: values[one.name] for one in fields(LearningProblem)}
    settings = record.settings(**{one.name: values[one.name] for one in fields(record.settings)})
    return {**problem, "settings": settings}


def _check_unused(name: str, value: object, usual: object, algorithm: str, hint: str = "") -> None:
    """Raise UsageError unless a setting that an algorithm does not use has its default."""
    if value != usual:
        raise UsageError(f"expected no {name} with the algorithm {algorithm}, got {written(value)!r}{hint}")


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
    for judge in task.judges.specs:
        refuse_external(judge, "the judges of a run")
    for agent in task.opponent.agents:
        refuse_external(agent, "the settings of a run")
    _check_requirements(record, task)
    if settings.step_size.by_visits and not record.follows_visits:
        wanted = f"step_size to depend on the episode, not on visits, with {record.name}"
        raise UsageError(f"expected {wanted}, got {settings.step_size.text!r}")
    record.check(task, settings)


def _check_requirements(record: Algorithm, problem: LearningProblem) -> None:
    """Raise UsageError unless game and opponent are such as an algorithm requires."""
    game, name = problem.game, record.name
    has_table, in_turn = problem.has_table or "table" not in record.requires, "turns" not in record.requires
    if not (has_table and (in_turn or game.alternates)):
        kinds = {"table": "a state table", "turns": "alternating turns"}
        wanted = " and ".join(text for one, text in kinds.items() if one in record.requires)
        raise UsageError(f"expected a game with {wanted} for {name}, got {game.spec!r}")
    if "features" in record.requires and not game.kind.features:
        raise UsageError(f"expected connect4 or ultimate as the game of {name}, got {game.spec!r}")
    if "self-play" in record.requires and not problem.is_self_play:
        raise UsageError(f"expected the opponent self with {name}, got {problem.opponent.text!r}")


class TrainingConfig(LearningTask):
    """All settings that determine the bits of a learned result, besides the opponents' policies.

    The keywords are the names of `ttt_fast.learners.SETTINGS`; the rest are those of the algorithm.  Omitted settings
    have the default of the game and the algorithm: `ttt-fast train --algorithm NAME --help` lists them.

    Parameters
    ----------
    opponent
        Agent string of the opponent; `self` for self-play; or a curriculum `AGENT@0.3>AGENT@0.6>AGENT`, where each
        opponent is met until that fraction of the run.  A policy made in Python is named by its `Policy.signature` and
        passed to `train`.
    seat
        The learner's seat: 1 or "x" (default), 2 or "o", 3 or "both" (alternating).  In self-play 3, the only choice.
    episodes
        Number of episodes, also as text ("1M").  An episode is a game or, in planning, a pass over the table.
    seed
        Seed of the streams, non-negative.
    algorithm
        `q` (default), `double-q`, `sarsa`, `expected-sarsa` or `afterstate`.  With targets that look more
        than one step ahead: `monte-carlo`, `n-step-sarsa`, `n-step-expected-sarsa`, `n-step-tree-backup`,
        `sarsa-lambda`, `q-lambda`.  Planning: `value-iteration`, `policy-iteration` or `fictitious-play`.  Networks
        and n-tuples: `dqn`, `alphazero` and `td`.
    **settings
        All others, such as `step_size`, `epsilon`, `game` or `hidden`.

    Attributes
    ----------
    settings
        The settings of the algorithm, such as `QSettings` or `DqnSettings`.  All other settings are attributes of the
        configuration itself, a `LearningProblem`.

    Examples
    --------
    >>> config = TrainingConfig(opponent="minimax", seat="o", episodes="100k")
    >>> config.seat, config.episodes, config.opponent.text, config.settings.discount
    (2, 100000, 'minimax', 1.0)
    """

    def __init__(
        self,
        opponent: str | None = None,
        seat: int | str | None = None,
        episodes: float | str | None = None,
        seed: int | str | None = None,
        algorithm: str | None = None,
        **settings: object,
    ) -> None:
        leading = {"opponent": opponent, "seat": seat, "episodes": episodes, "seed": seed, "algorithm": algorithm}
        super().__init__(**resolve({**leading, **settings}))
        _check_run(self)

    def __repr__(self) -> str:
        """Return the settings that differ from fixed defaults, as written in a call."""
        facts = []
        for name, value in self.as_dict().items():
            about = settings_of(self.algorithm)[name]
            is_fixed = not about.cases and not isinstance(about.default, Computed)
            if self.record.accepts(name) and not (is_fixed and value == setting_value(name, about.default)):
                facts.append(f"{name}={value!r}")
        return f"TrainingConfig({', '.join(facts)})"

    def replace(self, **changes: object) -> Self:
        """Return a configuration with other values of some settings, and the same values of all others.

        Between self-play and another opponent, the seat becomes the default one.

        Examples
        --------
        >>> TrainingConfig("self", episodes=5000).replace(algorithm="sarsa").episodes
        5000
        """
        settings = {**self.as_dict(), **changes}
        if "seat" not in changes and SELF_PLAY in (self.opponent.text, settings["opponent"]):
            del settings["seat"]  # whose default is another one in self-play
        return type(self)(**settings)

    def with_seed(self, seed: int) -> Self:
        """Return the configuration with another seed, on which no other setting depends, without checking it again."""
        config = object.__new__(type(self))
        LearningTask.__init__(config, **{**vars(self), "seed": seed})
        return config

    def as_dict(self) -> JsonObject:
        """Return the settings as a JSON dictionary, without those that do not apply to this run."""
        values = {name: written(value) for name, value in (vars(self) | vars(self.settings)).items()}
        return {
            name: values[name] for name in SETTINGS if values.get(name) is not None and (name != "exact" or self.exact)
        }


def unit_name(config: TrainingConfig, rivals_sha256: str) -> str:
    """Return the name of a unit: a hash of its settings, its opponents and the version that they run under.

    Examples
    --------
    >>> one, other = TrainingConfig(seed=1), TrainingConfig(seed=2)
    >>> unit_name(one, "") == unit_name(TrainingConfig(seed=1), ""), unit_name(one, "") == unit_name(other, "")
    (True, False)
    """
    from ttt_fast.running.jobs import Job

    version = {"format": UNIT_FORMAT, "package": package_version()}
    known = {name: one.sha256 for name, one in vars(config.settings).items() if isinstance(one, KnownFile)}
    described = {**version, "config": config.as_dict() | known, "rivals_sha256": rivals_sha256}
    return Job.name_of(json.dumps(described, sort_keys=True, separators=(",", ":")).encode())
