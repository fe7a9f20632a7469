"""The state of a training run, and the file that keeps it."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec, load_archive, read_meta, save_archive
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.learners import Learned
from ttt_fast.learn.opponents import check_unchanged, checked_opponents, opponents_sha256
from ttt_fast.policies.files.npz import Q_TABLE_ARRAYS, Q_TABLE_KIND, check_fingerprint, game_meta, specs_for
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import greedy_policy
from ttt_fast.tables import StateTable, table_of

if TYPE_CHECKING:
    import polars as pl


class Training(NamedTuple):
    """A training run, finished or not.

    Attributes
    ----------
    config
        The settings of the run.
    learned
        Tables, updates and results so far.
    chunks_done
        Chunks that they contain.
    columns
        Names of the columns of `history`.
    history : (H, K) float64
        Exact measures of the greedy policy on the way; the first columns are `episodes`, and the chances of the
        (first) learning seat to win, draw and lose against the (last) opponent.
    greedy : (S,) int32
        Greedy edge of each state of a learning seat at the last evaluation; `changed` counts differences from it.
    seconds
        Wall time of the training.
    opponents_sha256
        Hash of what the opponents do, once something has been trained against them.
    """

    config: TrainingConfig
    learned: Learned
    chunks_done: int
    columns: tuple[str, ...]
    history: NDArray[np.float64]
    greedy: NDArray[np.int32]
    seconds: float
    opponents_sha256: str = ""

    @property
    def q_table(self) -> NDArray[np.float64]:
        """The action values that the learner acts on, (S, A) float64: the table, or the mean of both."""
        tables = self.learned.tables
        values: NDArray[np.float64] = tables[0] if len(tables) == 1 else (tables[0] + tables[1]) / 2
        return values

    @property
    def visited(self) -> NDArray[np.bool_]:
        """Actions that have been updated, (S, A) bool."""
        mask: NDArray[np.bool_] = self.learned.updates > 0
        return mask

    @property
    def counts(self) -> NDArray[np.int64]:
        """Episodes that the learner (X, where both seats learn) won, drew and lost, (3,) int64."""
        return self.learned.counts

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
        """Return the hash of the learned table (of both, for double Q-learning): equal bits, equal hash."""
        return hashlib.sha256(self.learned.tables.tobytes()).hexdigest()

    def policy(self, name: str = "q_table") -> Policy:
        """Return the greedy policy, with the ties of the configuration."""
        return greedy_policy(table_of(self.config.game), self.q_table, name, held=self.held, tie=_tie_rule(self.config))

    def curve(self) -> "pl.DataFrame":
        """Return the history as a frame: a row for each exact evaluation."""
        import polars as pl  # 0.1 s that most commands do not need

        frame = pl.DataFrame(self.history, schema=list(self.columns), orient="row")
        return frame.with_columns(pl.col("episodes").cast(pl.Int64))


_TRAINING_ARRAYS = {
    **Q_TABLE_ARRAYS,
    "tables": ArraySpec("float64", (-1, *Q_TABLE_ARRAYS["q_table"].shape)),
    "updates": ArraySpec("int64", Q_TABLE_ARRAYS["q_table"].shape),
    "counts": ArraySpec("int64", (3,)),
    "history": ArraySpec("float64", (-1, -1)),
    "greedy": ArraySpec("int32", Q_TABLE_ARRAYS["held"].shape),
}


def save_training(path: str | os.PathLike[str], training: Training, opponents: Sequence[Policy]) -> None:
    """Write a run to a `.npz` file, which is a policy file too.

    Raises
    ------
    UsageError
        If the opponents are not those of the run.
    """
    table = table_of(training.config.game)
    opponents = checked_opponents(training.config, opponents)
    arrays = {
        "q_table": table.of_edges(training.q_table),
        "held": training.held,
        "tables": np.array([table.of_edges(values) for values in training.learned.tables]),
        "updates": table.of_edges(training.learned.updates),
        "counts": training.learned.counts,
        "history": training.history,
        "greedy": training.greedy,
    }
    meta = {
        "name": f"{training.config.algorithm} v {training.config.opponent}",
        **game_meta(table),
        "tie": _tie_rule(training.config),
        "config": training.config.as_dict(),
        "chunks_done": training.chunks_done,
        "columns": list(training.columns),
        "seconds": training.seconds,
        "opponents_sha256": check_unchanged(training.opponents_sha256, opponents),
        "sha256": training.sha256(),
    }
    save_archive(path, Q_TABLE_KIND, arrays, meta)


def load_training(path: str | os.PathLike[str]) -> Training:
    """Read a run that `save_training` has written.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, foreign or newer.
    """
    table = _table_in(path)
    archive = load_archive(path, {Q_TABLE_KIND: specs_for(table, _TRAINING_ARRAYS)})
    check_fingerprint(path, archive, table)
    arrays = archive.arrays
    try:
        known = {field.name for field in fields(TrainingConfig)}
        stored = archive.meta["config"]
        config = TrainingConfig(**{name: stored[name] for name in known})
        chunks_done, seconds = int(archive.meta["chunks_done"]), float(archive.meta["seconds"])
        columns = tuple(str(name) for name in archive.meta["columns"])
        tables = np.array([table.dense(values) for values in arrays["tables"]])
        learned = Learned(tables, table.dense(arrays["updates"]), arrays["counts"])
        training = Training(
            config, learned, chunks_done, columns, arrays["history"], arrays["greedy"], seconds,
            str(archive.meta["opponents_sha256"]),
        )  # fmt: skip
        _check_whole(training)
        if training.sha256() != archive.meta["sha256"]:
            raise ValueError("hash of the table")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileFormatError(
            f"{str(path)!r}: expected a training checkpoint, but its description is damaged ({error})"
        ) from error
    return training


def _table_in(path: str | os.PathLike[str]) -> StateTable:
    """Return the table of the game that a checkpoint says it was learned on; tic-tac-toe's if it says nothing."""
    config = read_meta(path).get("config")
    game = config.get("game") if isinstance(config, dict) else None
    try:
        return table_of(game if isinstance(game, str) else TrainingConfig.game)
    except UsageError as error:
        raise FileFormatError(f"{str(path)!r}: {error}; the file is damaged or foreign") from error


def _check_whole(training: Training) -> None:
    """Raise ValueError unless the parts of a run fit each other."""
    config, learned = training.config, training.learned
    if not 0 <= training.chunks_done <= config.num_chunks or not training.seconds >= 0:
        raise ValueError("chunks or seconds out of range")
    if len(learned.tables) != (2 if config.algorithm == "double-q" else 1) or not np.isfinite(learned.tables).all():
        raise ValueError("tables")
    if training.history.shape[1] != len(training.columns) or training.columns[:1] != ("episodes",):
        raise ValueError("history")
    if (learned.counts < 0).any() or int(learned.counts.sum()) != training.episodes or (learned.updates < 0).any():
        raise ValueError("counts")


def check_opponents(path: str | os.PathLike[str], opponents: Sequence[Policy]) -> None:
    """Raise UsageError unless the opponents are those that the checkpoint was trained against."""
    archive = load_archive(path, {Q_TABLE_KIND: specs_for(_table_in(path), _TRAINING_ARRAYS)})
    if archive.meta.get("opponents_sha256") != opponents_sha256(opponents):
        names = " and ".join(repr(opponent.name) for opponent in opponents)
        raise UsageError(f"expected the opponents that {str(path)!r} was trained against, but {names} has changed")


def _tie_rule(config: TrainingConfig) -> str:
    """Return the greedy policy's rule for equally good actions."""
    return "uniform" if config.tie == "random" else config.tie
