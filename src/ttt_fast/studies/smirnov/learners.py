"""Smirnov's learners: their settings, and the pieces of work that train and measure them."""

import json
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, TrainingConfig, solution_of, train
from ttt_fast.games import api
from ttt_fast.learners import Measures, make_learner
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import plan_of
from ttt_fast.studies.engine.work import Arrays
from ttt_fast.studies.smirnov.players import table

PLAN: Final = plan_of(__package__)
TABLE_GAMMA: Final = 0.999
SINGLE, DOUBLE = "single Q", "double Q"
ALGORITHMS: Final = {SINGLE: "q", DOUBLE: "double-q"}
_ONE_AT_A_TIME: Final = Lock()


def annealed(episodes: int, **more: Any) -> TrainingConfig:
    """Return the settings of a self-play run with the page's schedules (default: a random first move).

    Examples
    --------
    >>> config = annealed(1000)
    >>> config.settings.step_size.value(10, 1000), round(config.settings.epsilon.value(999, 1000), 9)
    (0.9, 0.1)
    """
    return TrainingConfig(**{**PLAN.annealed, "episodes": episodes, **more})


def annealed_double(episodes: int, **more: Any) -> TrainingConfig:
    """Return the settings of the learner of the pair tables: double Q-learning with a separate gamma."""
    return annealed(episodes, algorithm=ALGORITHMS[DOUBLE], discount=TABLE_GAMMA, **more)


def constant(episodes: int, points: int = 0, **more: Any) -> TrainingConfig:
    """Return the settings of a run of the curves: constant, as X against random, with a random first move."""
    chunk = max(episodes // points, 1) if points else None
    return TrainingConfig(**{**PLAN.constant, "episodes": episodes, "chunk_episodes": chunk, **more})


def _opponents_of(config: TrainingConfig) -> list[Policy]:
    return [agent(spec) for spec in config.opponent.agents]


def trained(config: dict[str, Any]) -> dict[str, Any]:
    """Train; return the actions of the greedy policy at the end, (S,) uint8."""
    settings = TrainingConfig(**config)
    return {"actions": train(settings, _opponents_of(settings)).policy().greedy_actions()}


def player_of(run: Arrays) -> Policy:
    """Return the policy of a trained run."""
    return Policy.from_actions(table(), run["actions"])


@lru_cache(maxsize=8)
def _learner(settings: str) -> Policy:
    return player_of(trained(json.loads(settings)))


def judge(one: str | dict[str, Any]) -> Policy:
    """Return the policy of an agent string, or of a learner's settings; the learner is trained once."""
    if isinstance(one, str):
        return agent(one)
    with _ONE_AT_A_TIME:
        return _learner(json.dumps(one, sort_keys=True))


def drawn_measures(judges: Sequence[Policy]) -> Measures:
    """Return exact measures of X's greedy policy after a random first move.

    In this case `exploitability` is exactly 0 only if X never loses after any first move.
    """
    tree = table()
    empty = np.zeros(tree.num_edges), np.zeros(tree.num_states, np.bool_)
    return Measures(tree, solution_of(tree), (api.X,), judges, *empty, random_opening=True)


def traced(config: dict[str, Any], judges: list[Any]) -> dict[str, Any]:
    """Train, as `train` does, and measure X's play after a random first move after each chunk.

    Returns
    -------
    dict
        `episodes` (P,); `values` (P, M), by `columns`: `wins`, `draws`, `losses` against the first judge, `wins 1`, ...
        against the others, and `unbeaten`.
    """
    settings, measures = TrainingConfig(**config), drawn_measures([judge(one) for one in judges])
    learner = make_learner(settings, _opponents_of(settings))
    stops, place = list(range(1, settings.num_chunks + 1)), 3 * len(judges)
    measured = learner.run_measured(0, stops, measures, measures.first_greedy())
    suffixes = ["", *(f" {number}" for number in range(1, len(judges)))]
    return {
        "episodes": [settings.episodes_after(chunks) for chunks in stops],
        "values": np.column_stack((measured[:, :place], measured[:, place] == 0.0)),
        "columns": [name + suffix for suffix in suffixes for name in ("wins", "draws", "losses")] + ["unbeaten"],
    }


def column(runs: Sequence[Arrays], name: str) -> NDArray[np.float64]:
    """Return a measure of some runs at all checkpoints, (R, P) float64."""
    place = runs[0]["columns"].tolist().index(name)
    return np.array([run["values"][:, place] for run in runs])
