"""Saved contests: their files, and the comparison of a saved contest with a requested one.

A contest is saved to one file: `.npz` with counts, or `.jsonl` with games (`play.game_file`).  Both contain a
description of the contest, which this module compares.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec, check_writable, open_archive, save_archive
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.core.external import UNKNOWN
from ttt_fast.core.manifest import JsonObject
from ttt_fast.play.contest_config import MAX_GAMES, ContestConfig
from ttt_fast.tables import StateTable

PathLike = str | os.PathLike[str]
_KIND = "matches"


class ContestFile(NamedTuple):
    """The file of a saved contest, and whether the contest resumes from it."""

    path: PathLike
    resumed: bool


def contest_file(
    save_to: PathLike | None, resume_from: PathLike | None, suffix: str, overwrite: bool = False
) -> ContestFile | None:
    """Return the file of a contest, None without one.

    Raises
    ------
    UsageError
        If both arguments are given, the file format does not fit this kind of contest, or a new file would replace an
        existing one without `overwrite`.
    FileWriteError
        If the file cannot be written.
    """
    if save_to is not None and resume_from is not None:
        raise UsageError("expected either --save (a new file) or --resume (an existing file), got both")
    path = resume_from if save_to is None else save_to
    if path is None:
        return None
    if Path(path).suffix != suffix:
        raise UsageError(f"expected a {suffix} file for this contest, got {str(path)!r}")
    if save_to is not None and not overwrite and os.path.isfile(path) and os.path.getsize(path):
        raise UsageError(
            f"expected a new file for --save, got {str(path)!r}, which exists; --resume continues it, and --force"
            " overwrites the file"
        )
    check_writable(path)
    return ContestFile(path, save_to is None)


def check_same(path: PathLike, kept: JsonObject, wanted: JsonObject) -> None:
    """Raise UsageError unless a file contains the requested contest, by its description."""
    for name, value in wanted.items():
        before = kept.get(name)
        nameless = [one for one, digest in value.items() if digest == UNKNOWN] if name == "files" else []
        if nameless:
            why = "a lambda, a local function, or code without a file"
            raise UsageError(
                f"cannot continue {str(path)!r}: expected agents with a source, got {nameless[0]!r}, {why}"
            )
        if before == value:
            continue
        if name in ("files", "policies"):
            before = before if isinstance(before, dict) else {}
            changed = ", ".join(sorted(one for one in {*before, *value} if before.get(one) != value.get(one)))
            what = "policies" if name == "policies" else "rules, agents or files"
            raise UsageError(f"{str(path)!r}: the {what} of this contest have changed since: {changed}")
        raise UsageError(f"{str(path)!r}: expected a match with {name} {value!r}, got a match with {before!r}")


@dataclass
class Counts:
    """The tabular games of a seating, or of its first chunks.

    Attributes
    ----------
    counts : (S,) int64
        Games that ended in each state.
    chunks_done
        Chunks that the counts contain: chunks 0 to chunks_done - 1.
    wanted
        Games of the contest to which the chunks belong; the last chunk of a contest may be shorter.
    seconds
        Wall time of the playing.
    """

    counts: NDArray[np.int64]
    chunks_done: int = 0
    wanted: int = 0
    seconds: float = 0.0

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.counts.sum())


def save_counts(path: PathLike, described: JsonObject, counts: Sequence[Counts]) -> None:
    """Write the counts of a contest."""
    arrays = {
        "counts": np.array([one.counts for one in counts]),
        "chunks_done": np.array([one.chunks_done for one in counts]),
        "seconds": np.array([one.seconds for one in counts]),
    }
    save_archive(path, _KIND, arrays, {"contest": dict(described), "games": [one.wanted for one in counts]})


def load_counts(
    path: PathLike, described: JsonObject, configs: Sequence[ContestConfig], table: StateTable
) -> list[Counts]:
    """Return the counts of a saved contest, whose seatings have the settings `configs`.

    Raises
    ------
    UsageError
        If the file belongs to another contest, or has more games than the requested contest.
    FileFormatError
        If the file cannot be read, or its counts are inconsistent.
    """
    seatings = len(configs)
    specs = {
        "counts": ArraySpec("int64", (seatings, table.num_states)),
        "chunks_done": ArraySpec("int64", (seatings,)),
        "seconds": ArraySpec("float64", (seatings,)),
    }
    with open_archive(path, (_KIND,)) as archive:
        kept = archive.meta.get("contest")
        check_same(path, kept if isinstance(kept, dict) else {}, described)
        counts, chunks, seconds = archive.arrays(specs).values()
    games, sums, done = archive.meta.get("games", []), counts.sum(axis=1).tolist(), chunks.tolist()
    whole = _fit(games, configs)
    before = [replace(one, games=wanted) for one, wanted in zip(configs, games, strict=True)] if whole else []
    if not (whole and all(map(_begins, before, done, sums)) and counts.min() >= 0 and (seconds >= 0).all()):
        raise FileFormatError(
            f"{str(path)!r}: expected counts of whole chunks, got counts with other sums; the file is damaged"
        )
    for config, counted in zip(configs, sums, strict=True):
        if counted > config.games:
            raise UsageError(f"{str(path)!r}: expected at most {config.games:,} games of a seating, got {counted:,}")
    return [Counts(counts[i].copy(), done[i], games[i], float(seconds[i])) for i in range(len(configs))]


def _begins(config: ContestConfig, chunks: int, games: int) -> bool:
    """Return whether `games` is the number of games in the first `chunks` chunks of a match."""
    return 0 <= chunks <= config.num_chunks and config.games_after(chunks) == games


def _fit(games: object, configs: Sequence[ContestConfig]) -> bool:
    """Return whether `games`, read from a file, contains a valid number of games for each pairing."""
    if not isinstance(games, list) or len(games) != len(configs):
        return False
    return all(type(number) is int and 0 <= number <= MAX_GAMES for number in games)
