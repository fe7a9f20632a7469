"""One unit of a sweep: a training run named by a hash, run anywhere, stored in a parquet file."""

import io
import json
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from ttt_fast.algorithms.episodes import SEAT_NAMES
from ttt_fast.core.archive import read_bytes
from ttt_fast.core.errors import FileFormatError, TttFastError
from ttt_fast.core.frames import is_whole, seal
from ttt_fast.core.manifest import package_version
from ttt_fast.policies.policy import Policy
from ttt_fast.running.jobs import Job
from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.loop import new_run, train
from ttt_fast.training.opponents import opponents_of, rivals_sha256
from ttt_fast.training.run import TrainingRun


class SweepUnit(NamedTuple):
    """One training run of a sweep: its name, which is a hash, and its settings."""

    name: str
    config: TrainingConfig
    rivals_sha256: str

    def job(self) -> Job:
        """Return the job that trains the unit."""
        described = {"unit": self.name, "config": self.config.as_dict(), "rivals_sha256": self.rivals_sha256}
        described |= {"module": module} if (module := self.config.record.module) else {}
        payload = json.dumps({**described, "package": package_version()}).encode()
        return Job(self.name, payload, self.config.episodes)


def run_unit(payload: bytes, watch: Callable[[int], None] | None = None) -> bytes:
    """Train one unit and return its parquet file; runs in any thread of any machine with this package.

    Parameters
    ----------
    payload
        That of the job of a unit.
    watch
        Called after each chunk with the episodes so far; may raise to cancel the unit.
    """
    described = json.loads(payload)
    Job.check_package(described["package"])
    if described.get("module", "__main__") != "__main__":
        import_module(described["module"])  # which adds the algorithm
    config = TrainingConfig(**described["config"])
    opponents = _planned_opponents(config.with_seed(0), described["rivals_sha256"])
    on_chunk = None if watch is None else lambda episodes, _: watch(episodes)
    training = train(new_run(config, opponents), on_chunk=on_chunk, episodes_at_once=config.episodes)
    stream = io.BytesIO()
    _unit_frame(described["unit"], training, opponents).write_parquet(stream, statistics=False)
    return seal(stream.getvalue())


def _unit_frame(name: str, training: TrainingRun, opponents: Sequence[Policy]) -> pl.DataFrame:
    """Return the file of a unit: constant columns, and its curve from `episodes` on.

    Built column by column, since polars expressions take the interpreter longer than a hundred thousand episodes.
    """
    config, history, strength = training.config, training.history, training.strength()
    values = dict(zip(training.columns, history.T.copy(), strict=True))
    best = float(strength["best_value"][0])
    usual = f"_v_{opponents[-1].name}_" if opponents else "_v__"
    curve = [pl.Series("episodes", values.pop("episodes").astype(np.int64))]
    curve += [pl.Series(column.replace(usual, "_v_opponent_"), rows) for column, rows in values.items()]
    curve += [pl.Series(column, strength[column]).fill_nan(None) for column in ("value", "regret")]
    constant = {"unit": name, **config.as_dict()}
    constant |= {"seat": SEAT_NAMES[config.seat], "run_episodes": constant.pop("episodes")}
    constant |= zip(("training_wins", "training_draws", "training_losses"), training.counts.tolist(), strict=True)
    constant |= {"sha256": training.sha256(), "seconds": training.seconds, "package": package_version()}
    constant["best_value"] = None if math.isnan(best) else best
    dtypes = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64, type(None): pl.Float64}
    repeated = [
        pl.Series(key, [value], dtypes.get(type(value), pl.String)).new_from_index(0, len(history))
        for key, value in constant.items()
    ]
    return pl.DataFrame([*repeated, *curve])


@lru_cache(maxsize=64)
def _planned_opponents(config: TrainingConfig, sha256: str) -> tuple[Policy, ...]:
    """Return the opponents with which the sweep was planned, parsed once in each process."""
    opponents = opponents_of(config)
    if rivals_sha256(config, opponents) != sha256:
        raise TttFastError(
            f"expected {config.opponent.text!r}, rules and files as when the sweep was started, but one has changed"
        )
    return opponents


def read_unit(path: Path, name: str) -> pl.DataFrame:
    """Return the file of a unit by its name.

    Raises FileFormatError if it is missing, damaged, unfinished or from another unit.
    """
    frame = pl.read_parquet(io.BytesIO(_whole_bytes(path)))
    if frame.columns[:1] != ["unit"] or frame["unit"].unique().to_list() != [name]:
        raise _damaged(path)
    return frame


def check_unit(path: Path) -> None:
    """Raise FileFormatError unless a file is an intact unit, of any settings."""
    _whole_bytes(path)


def _whole_bytes(path: Path) -> bytes:
    content = read_bytes(path)
    if not is_whole(content):
        raise _damaged(path)
    return content


def _damaged(path: Path) -> FileFormatError:
    return FileFormatError(f"{str(path)!r}: expected a run of a sweep, but the file is damaged or of another kind")
