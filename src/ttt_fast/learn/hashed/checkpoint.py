"""The state of a run over a hash table, and the file that keeps it."""

import hashlib
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import Archive, ArraySpec, load_archive, read_meta, save_archive
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.learn.config import SETTINGS, TrainingConfig
from ttt_fast.learn.hashed.learner import empty_table
from ttt_fast.values.hashed import HashTable, SortedRows

if TYPE_CHECKING:
    import polars as pl

HASHED_KIND = "hashed_values"
MAX_BYTES = 16 << 30
"""Largest size of such a file, packed or unpacked: some hundred million states."""

_ARRAYS = {
    "steps": ArraySpec("uint64", (-1,)),
    "values": ArraySpec("float64", (-1, -1)),
    "visits": ArraySpec("uint32", (-1, -1)),
    "counts": ArraySpec("int64", (3,)),
    "history": ArraySpec("float64", (-1, -1)),
}


class HashedTraining(NamedTuple):
    """A run, finished or not.

    Attributes
    ----------
    config
        The settings of the run.
    table
        Values of the states met so far; training goes on in it.
    counts : (3,) int64
        Games that X won, drew, lost while both explored.
    chunks_done
        Chunks that they contain.
    seconds
        Wall time of the training, without that of saving and of samples.
    history : (H, K) float64
        A row for each sample on the way; the columns are those of `columns_of`.
    """

    config: TrainingConfig
    table: HashTable
    counts: NDArray[np.int64]
    chunks_done: int
    seconds: float
    history: NDArray[np.float64]

    @property
    def episodes(self) -> int:
        """Games played."""
        return self.config.episodes_after(self.chunks_done)

    @property
    def is_complete(self) -> bool:
        """Whether all games have been played."""
        return self.chunks_done == self.config.num_chunks

    @property
    def episodes_per_second(self) -> float:
        """Games a second of wall time."""
        return self.episodes / self.seconds if self.seconds > 0 else 0.0

    def sha256(self) -> str:
        """Return the hash of the learned values: equal bits, equal hash."""
        return _digest(self.table.sorted_rows())

    def curve(self) -> "pl.DataFrame":
        """Return the history as a frame: a row for each sample."""
        import polars as pl  # 0.1 s that most commands do not need

        frame = pl.DataFrame(self.history, schema=columns_of(self.config), orient="row")
        return frame.with_columns(pl.col("episodes", "states").cast(pl.Int64))


def columns_of(config: TrainingConfig) -> list[str]:
    """Return the names of the columns of a run's history: of each sample the shares of games, over both seats."""
    shares = [f"{result}_v_{judge}" for judge in config.judge_names for result in ("wins", "draws", "losses")]
    return ["episodes", "states", *shares]


def start_hashed_training(config: TrainingConfig) -> HashedTraining:
    """Return a run without any training."""
    history = np.zeros((0, len(columns_of(config))))
    return HashedTraining(config, empty_table(config), np.zeros(3, np.int64), 0, 0.0, history)


def is_hashed_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is marked as such a run."""
    return bool(read_meta(path).get("kind") == HASHED_KIND)


def save_hashed_training(path: str | os.PathLike[str], run: HashedTraining) -> None:
    """Write a run to a `.npz` file; `load_hashed_training` goes on with it, and players play by it.

    The rows are there by ascending key, as differences, compressed: a third of their size in memory.
    """
    rows = run.table.sorted_rows()
    arrays = {
        "steps": np.diff(rows.keys, prepend=np.uint64(0)),
        "values": rows.values,
        "visits": rows.visits,
        "counts": run.counts,
        "history": run.history,
    }
    meta = {
        "config": run.config.as_dict(),
        "chunks_done": run.chunks_done,
        "seconds": run.seconds,
        "states": len(run.table),
        "sha256": _digest(rows),
    }
    save_archive(path, HASHED_KIND, arrays, meta, compressed=True)


def load_hashed_training(path: str | os.PathLike[str]) -> HashedTraining:
    """Read a run that `save_hashed_training` has written.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, foreign or newer.
    """
    archive = load_archive(path, {HASHED_KIND: _ARRAYS}, MAX_BYTES)
    try:
        return _restored(archive)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = "expected a run over a hash table, but its content is damaged"
        raise FileFormatError(f"{str(path)!r}: {what} ({error})") from error


def _restored(archive: Archive) -> HashedTraining:
    """Return the run of an archive; raise ValueError unless its parts fit each other."""
    arrays, meta = archive.arrays, archive.meta
    config = _stored_config(meta["config"])
    chunks_done, seconds = int(meta["chunks_done"]), float(meta["seconds"])
    keys = np.cumsum(arrays["steps"], dtype=np.uint64)
    rows = SortedRows(keys, arrays["values"], arrays["visits"])
    table = empty_table(config)
    counters = table.rows.visits.shape[1]
    if rows.values.shape != (keys.size, table.num_values) or rows.visits.shape != (keys.size, counters):
        raise ValueError("shapes")
    if (keys[1:] <= keys[:-1]).any() or (keys == ~np.uint64(0)).any():
        raise ValueError("keys")
    if not np.isfinite(rows.values).all() or not rows.visits.any(axis=1).all() or _digest(rows) != meta["sha256"]:
        raise ValueError("values")
    if not 0 <= chunks_done <= config.num_chunks or not seconds >= 0:
        raise ValueError("chunks or seconds out of range")
    counts = arrays["counts"].copy()
    run = HashedTraining(config, table, counts, chunks_done, seconds, arrays["history"])
    if (counts < 0).any() or int(counts.sum()) != run.episodes:
        raise ValueError("counts")
    if run.history.shape[1] != len(columns_of(config)):
        raise ValueError("history")
    table.fill(rows)
    return run


def _stored_config(stored: dict[str, Any]) -> TrainingConfig:
    try:
        return TrainingConfig(**{name: stored[name] for name in SETTINGS})
    except UsageError as error:
        raise ValueError(str(error)) from error


def _digest(rows: SortedRows) -> str:
    digest = hashlib.sha256(rows.keys.data)
    digest.update(rows.values.ravel().data)  # no copy: the rows may fill half of the memory
    return digest.hexdigest()
