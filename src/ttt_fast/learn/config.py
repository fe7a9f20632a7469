"""The configuration of a training run: its problem, the settings of its algorithm, and its name."""

import json
from dataclasses import dataclass
from typing import Any, Self

from ttt_fast.core.manifest import JsonObject, package_version
from ttt_fast.learn.algorithms import AlgorithmSettings
from ttt_fast.learn.curricula import SELF_PLAY
from ttt_fast.learn.problem import LearningProblem
from ttt_fast.learn.resolve import resolve
from ttt_fast.learn.settings import AFTERSTATE, PLANNING, SETTINGS

USUAL: Any = type("Usual", (), {"__repr__": lambda self: "by the game"})()
"""An omitted setting, whose default depends on the game and the algorithm."""

UNIT_FORMAT = 7
"""Part of every unit's name, increased whenever the same settings give other bits, other columns, or another file."""


@dataclass(frozen=True)
class _Parts(LearningProblem):
    """A problem, and the settings of an algorithm; created complete."""

    settings: AlgorithmSettings


class TrainingConfig(_Parts):
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
        and n-tuples: `dqn` and `td`.
    **settings
        All others, such as `step_size`, `epsilon`, `game` or `hidden`.

    Attributes
    ----------
    settings
        The settings of the algorithm: `QSettings`, `DqnSettings`, `TdSettings` or `PlanningSettings`.  All other
        settings are attributes of the configuration itself, which is a `LearningProblem`.

    Examples
    --------
    >>> config = TrainingConfig(opponent="minimax", seat="o", episodes="100k")
    >>> config.seat, config.episodes, config.settings.epsilon
    (2, 100000, '0.2')
    """

    def __init__(
        self,
        opponent: str = USUAL,
        seat: int | str = USUAL,
        episodes: float | str = USUAL,
        seed: int | str = USUAL,
        algorithm: str = USUAL,
        **settings: object,
    ) -> None:
        leading = {"opponent": opponent, "seat": seat, "episodes": episodes, "seed": seed, "algorithm": algorithm}
        problem, own = resolve({name: value for name, value in leading.items() if value is not USUAL} | settings)
        super().__init__(**vars(problem), settings=own)

    def __repr__(self) -> str:
        """Return the settings that differ from fixed defaults, as written in a call."""
        fixed = {name: about.default for name, about in SETTINGS.items() if len(about.defaults) == 1}
        facts = [f"{name}={value!r}" for name, value in self.as_dict().items() if (name, value) not in fixed.items()]
        return f"TrainingConfig({', '.join(facts)})"

    @property
    def problem(self) -> LearningProblem:
        """The problem without the algorithm."""
        return LearningProblem(**{name: value for name, value in vars(self).items() if name != "settings"})

    @property
    def algorithm(self) -> str:
        """Name of the algorithm."""
        return self.settings.algorithm

    @property
    def by_board(self) -> bool:
        """Whether values belong to boards instead of actions."""
        return self.algorithm == AFTERSTATE

    @property
    def is_planning(self) -> bool:
        """Whether an episode is a pass over the game's table, without play or random draws."""
        return self.algorithm in PLANNING

    def replace(self, **changes: object) -> Self:
        """Return a configuration with other values of some settings, and the same values of all others.

        Between self-play and another opponent, the seat becomes the default one.

        Examples
        --------
        >>> TrainingConfig("self", episodes=5000).replace(algorithm="sarsa").episodes
        5000
        """
        settings = {**self.as_dict(), **changes}
        if "seat" not in changes and SELF_PLAY in (self.opponent, settings["opponent"]):
            del settings["seat"]  # whose default is another one in self-play
        return type(self)(**settings)

    def unseeded(self) -> Self:
        """Return the configuration with seed 0, on which no other setting depends, without checking it again."""
        config = object.__new__(type(self))
        _Parts.__init__(config, **{**vars(self), "seed": 0})
        return config

    def as_dict(self) -> JsonObject:
        """Return the settings as a JSON dictionary, without those that do not apply to this run."""
        own = vars(self) | vars(self.settings)
        values = {name: own.get(name, about.default) for name, about in SETTINGS.items()}
        return {name: value for name, value in values.items() if value is not None and (value or name != "exact")}


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
    described = {**version, "config": config.as_dict(), "rivals_sha256": rivals_sha256}
    return Job.name_of(json.dumps(described, sort_keys=True, separators=(",", ":")).encode())
