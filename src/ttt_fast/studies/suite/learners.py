"""The interface for external learners: `python:MODULE:NAME`, a function of a problem and a seed.

def learn(problem, seed):
    for state in problem.games():
        is_over = False
        while not is_over:
            state, reward, is_over = problem.step(action)
        if problem.is_due:
            problem.record(policy)
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ttt_fast import Environment, TttFastError, __version__
from ttt_fast.agents.api import AgentLike
from ttt_fast.agents.external import UserFunction
from ttt_fast.files import encode_frame
from ttt_fast.running.api import Job
from ttt_fast.studies.suite.problems import VERSION, SuiteProblem, problem_of

UNIT_FORMAT = 1
"""Part of the name of every run's file, increased whenever the same learner would produce different results."""


class Exercise(Environment):
    """A problem as passed to a learner: an environment with a budget and a meter.

    Attributes
    ----------
    name
        Name of the problem.
    checkpoints
        The episodes at which the score counts: that of the last record up to then, 0 before the first record.
    meter
        The exact measures so far; `meter.observations` and `meter.legal_action_mask` are for networks.

    Other attributes are those of `Environment`.
    """

    def __init__(
        self, problem: SuiteProblem, seed: int, unit: str = "", on_episode: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(problem.game, problem.learner, problem.opponent, seed, problem.episodes, on_episode)
        self.name, self.checkpoints = problem.name, problem.checkpoints
        self.meter = problem.meter({"problem": problem.name, "seed": seed, "unit": unit})

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint has been reached since the last record."""
        last = self.meter.rows[-1]["episodes"] if self.meter.rows else 0
        return any(last < checkpoint <= self.episodes_begun for checkpoint in self.checkpoints)

    def record(self, policy: AgentLike | ArrayLike, *, scores: bool = False) -> dict[str, Any]:
        """Measure a policy after the episodes so far, and return the row; see `Meter.record`."""
        return self.meter.record(self.episodes_begun, policy, scores=scores)


def exercise(problem: str, seed: int = 0) -> Exercise:
    """Return a problem by its name, for testing a learner.

    Examples
    --------
    >>> problem = exercise("x-v-random")
    >>> problem.episodes_left, problem.checkpoints[:2], problem.legal_actions
    (20000, [2000, 4000], [0, 1, 2, 3, 4, 5, 6, 7, 8])
    """
    return Exercise(problem_of(problem), seed)


@lru_cache(maxsize=16)
def load_learner(spec: str) -> UserFunction:
    """Return the function named by `python:MODULE:NAME`, where the module may be in the current folder.

    Raises
    ------
    UsageError
        If the spelling is wrong, the module cannot be imported, or it has no such function.
    """
    return UserFunction(spec, "a learner", "a problem and a seed")


def run_name(spec: str, problem: SuiteProblem, seed: int) -> str:
    """Return the name of a run: a hash of the learner, its source file, the problem, the seed and the version."""
    source = load_learner(spec).source
    described = {
        "format": UNIT_FORMAT, "package": __version__, "suite": VERSION, "learner": spec,
        "source": "" if source is None else sha256(Path(source).read_bytes()).hexdigest(),
        "problem": asdict(problem), "seed": seed,
    }  # fmt: skip
    return Job.name_of(json.dumps(described, sort_keys=True).encode())


def run_foreign(payload: bytes, watch: Callable[[int], None] | None = None) -> bytes:
    """Train an external learner on a problem with a seed, and return its curve as a parquet file.

    Parameters
    ----------
    payload
        JSON with `learner`, `problem` and `seed`.
    watch
        Called with the number of episodes so far; may raise an exception to stop the run.

    Raises
    ------
    TttFastError
        If the learner fails or records nothing; the message names the learner, the problem, the seed and the reason.
    """
    facts = json.loads(payload)
    spec, problem, seed = facts["learner"], problem_of(facts["problem"]), int(facts["seed"])
    at_work = Exercise(problem, seed, facts["unit"], watch)
    where = f"{spec} ({problem.name}, seed {seed})"
    try:
        load_learner(spec)(at_work, seed)
    except Exercise.BudgetSpentError:
        pass
    except TttFastError as error:
        line = str(error).strip().partition("\n")[0]
        raise TttFastError(f"{where}: {line}") from error
    if not at_work.meter.rows:
        raise TttFastError(f"{where}: expected a call of problem.record, got none")
    return encode_frame(at_work.meter.to_frame(), "parquet")
