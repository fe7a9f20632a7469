"""A training run as it stands, and the file that it survives in."""

import hashlib
import os
from dataclasses import fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast._archive import ArraySpec, load_archive, save_archive
from ttt_fast.errors import FileFormatError, UsageError
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.policies.files.npz import Q_TABLE_ARRAYS, Q_TABLE_KIND, check_fingerprint, table_fingerprint
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import greedy_policy
from ttt_fast.tables import StateTable, standard_table


class Training(NamedTuple):
    """A training run, finished or not.

    Attributes
    ----------
    config
        What was asked for.
    q_table : (S, A) float64
        Action values; 0 where the learner has no action.
    visited : (S, A) bool
        Actions that have been updated.
    chunks_done
        Chunks that the table contains.
    counts : (3,) int64
        The learner's wins, draws and losses while it explored.
    history : (H, 4) float64
        Exact scores on the way: episodes, and the learner's probability to win, draw and lose when it plays
        greedily against its opponent.
    seconds
        Wall time of the training.
    """

    config: TrainingConfig
    q_table: NDArray[np.float64]
    visited: NDArray[np.bool_]
    chunks_done: int
    counts: NDArray[np.int64]
    history: NDArray[np.float64]
    seconds: float

    @property
    def episodes(self) -> int:
        """Episodes trained."""
        return self.config.episodes_after(self.chunks_done)

    @property
    def is_complete(self) -> bool:
        """Whether all episodes have been trained."""
        return self.chunks_done == self.config.num_chunks

    @property
    def episodes_per_second(self) -> float:
        """Episodes a second of wall time."""
        return self.episodes / self.seconds if self.seconds > 0 else 0.0

    @property
    def held(self) -> NDArray[np.bool_]:
        """States that the learner has acted in, (S,) bool."""
        mask: NDArray[np.bool_] = np.any(self.visited, axis=1)
        return mask

    def sha256(self) -> str:
        """Return the hash of the learned table: equal bits, equal hash."""
        return hashlib.sha256(self.q_table.tobytes()).hexdigest()

    def policy(self, name: str = "q_table") -> Policy:
        """Return the greedy policy, ties to the lowest action."""
        return greedy_policy(self.q_table, name, held=self.held)


_TRAINING_ARRAYS = {
    **Q_TABLE_ARRAYS,
    "visited": ArraySpec("bool", Q_TABLE_ARRAYS["q_table"].shape),
    "counts": ArraySpec("int64", (3,)),
    "history": ArraySpec("float64", (-1, 4)),
}


def save_training(
    path: str | os.PathLike[str], training: Training, opponent: Policy, table: StateTable | None = None
) -> None:
    """Write a run to a `.npz` file, which is a policy file too."""
    arrays = {
        "q_table": training.q_table,
        "held": training.held,
        "visited": training.visited,
        "counts": training.counts,
        "history": training.history,
    }
    meta = {
        "name": f"q-learning v {training.config.opponent}",
        "table": table_fingerprint(table or standard_table()),
        "config": training.config.as_dict(),
        "chunks_done": training.chunks_done,
        "seconds": training.seconds,
        "opponent_sha256": _digest(opponent),
        "sha256": training.sha256(),
    }
    save_archive(path, Q_TABLE_KIND, arrays, meta)


def load_training(path: str | os.PathLike[str], table: StateTable | None = None) -> Training:
    """Read a run that `save_training` has written.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, foreign or newer.
    """
    archive = load_archive(path, {Q_TABLE_KIND: _TRAINING_ARRAYS})
    check_fingerprint(path, archive, table or standard_table())
    try:
        known = {field.name for field in fields(TrainingConfig)}
        stored = archive.meta["config"]
        config = TrainingConfig(**{name: stored[name] for name in known})
        chunks_done, seconds = int(archive.meta["chunks_done"]), float(archive.meta["seconds"])
        if not 0 <= chunks_done <= config.num_chunks or not seconds >= 0:
            raise ValueError("out of range")
        training = Training(
            config,
            archive.arrays["q_table"],
            archive.arrays["visited"],
            chunks_done,
            archive.arrays["counts"],
            archive.arrays["history"],
            seconds,
        )
        if training.sha256() != archive.meta["sha256"]:
            raise ValueError("hash of the table")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileFormatError(
            f"{str(path)!r}: expected a training checkpoint, but its description is damaged ({error})"
        ) from error
    return training


def check_opponent(path: str | os.PathLike[str], opponent: Policy) -> None:
    """Raise UsageError unless the opponent is the one that the checkpoint was trained against."""
    archive = load_archive(path, {Q_TABLE_KIND: _TRAINING_ARRAYS})
    if archive.meta.get("opponent_sha256") != _digest(opponent):
        raise UsageError(
            f"expected the opponent that {str(path)!r} was trained against, but {opponent.name!r} has changed"
        )


def _digest(policy: Policy) -> str:
    return hashlib.sha256(policy.probabilities.tobytes()).hexdigest()
