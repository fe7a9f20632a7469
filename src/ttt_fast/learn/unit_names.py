"""Names of training runs: a hash of everything that decides their bits."""

import json

from ttt_fast.agents.convert import as_policy
from ttt_fast.core.manifest import package_version
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.opponents import opponents_of, opponents_sha256
from ttt_fast.policies.policy import Policy
from ttt_fast.running.jobs import Job

UNIT_FORMAT = 6
"""Part of every unit's name, increased whenever the same settings give other bits, other columns, or another file.

A renamed column does not count: `core.columns` lists the old names, under which files are still read.
"""


def unit_name(config: TrainingConfig, rivals_sha256: str) -> str:
    """Return the name of a unit: a hash of its settings, its opponents and the version that they run under.

    Examples
    --------
    >>> one, other = TrainingConfig(seed=1), TrainingConfig(seed=2)
    >>> unit_name(one, "") == unit_name(TrainingConfig(seed=1), ""), unit_name(one, "") == unit_name(other, "")
    (True, False)
    """
    version = {"format": UNIT_FORMAT, "package": package_version()}
    described = {**version, "config": config.as_dict(), "rivals_sha256": rivals_sha256}
    canonical = json.dumps(described, sort_keys=True, separators=(",", ":"))
    return Job.name_of(canonical.encode())


def rivals_of(config: TrainingConfig) -> tuple[list[Policy], str]:
    """Return the opponents of a setting, and a hash of them and the judges, since files may change."""
    opponents = opponents_of(config)
    judges = config.judge_specs if config.has_table else []
    return opponents, opponents_sha256([*opponents, *(as_policy(spec, config.game) for spec in judges)])
