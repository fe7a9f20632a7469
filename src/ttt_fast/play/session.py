"""Several matches in a row that can be saved, killed and resumed."""

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.core.archive import ArraySpec, load_archive, save_archive
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.play.match import MatchConfig, MatchResult, play_match
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import stop_between_chunks

SECONDS_BETWEEN_SAVES = 5.0
_KIND = "matches"


class Pairing(NamedTuple):
    """Two policies and the settings of their match."""

    x: Policy
    o: Policy
    config: MatchConfig

    def described(self) -> dict[str, Any]:
        """Return what decides the result, for JSON: names, configuration, a digest of the two policies."""
        digest = hashlib.sha256(self.x.edge_probabilities.tobytes() + self.o.edge_probabilities.tobytes()).hexdigest()
        return {
            "game": self.x.table.game.spec,
            "x": self.x.name,
            "o": self.o.name,
            "policies": digest,
            **self.config.as_dict(),
        }


def play_pairings(
    pairings: Sequence[Pairing],
    *,
    threads: int | None = None,
    save_to: str | os.PathLike[str] | None = None,
    resume_from: str | os.PathLike[str] | None = None,
    on_progress: Callable[[int, MatchResult], None] | None = None,
) -> list[MatchResult]:
    """Play matches one after the other.

    Parameters
    ----------
    pairings
        The matches.
    threads
        Threads that share the chunks of a match.
    save_to
        A `.npz` file that is rewritten every few seconds, and at the end.
    resume_from
        Such a file: the games that it counts are not played again.
    on_progress
        Called after every chunk with the number of games played in all and the result of the match at hand.

    Returns
    -------
    list of MatchResult
        One for each pairing.  After Ctrl-C the rest have the games played until then; `games` of such a
        result is below that of its configuration.

    Raises
    ------
    UsageError
        If the file was made by other matches.
    FileFormatError
        If the file cannot be read.
    """
    results: list[MatchResult] = _empty(pairings) if resume_from is None else load_results(resume_from, pairings)
    saved_at = time.monotonic()

    def save() -> None:
        nonlocal saved_at
        if save_to is not None:
            _save(save_to, pairings, results)
            saved_at = time.monotonic()

    def after_chunk(index: int, result: MatchResult) -> None:
        results[index] = result
        if on_progress is not None:
            on_progress(sum(one.games for one in results), result)
        if time.monotonic() - saved_at > SECONDS_BETWEEN_SAVES:
            save()

    with stop_between_chunks() as stop:
        for index, (x, o, config) in enumerate(pairings):
            on_chunk = partial(after_chunk, index)
            results[index] = play_match(x, o, config, threads=threads, resumed=results[index], on_chunk=on_chunk)
            if stop.requested:
                break
        save()
    return results


def _empty(pairings: Sequence[Pairing]) -> list[MatchResult]:
    return [
        MatchResult(x.name, o.name, x.table, np.zeros(x.table.num_states, np.int64), 0, 0, 0.0, 0)
        for x, o, _ in pairings
    ]


def _save(path: str | os.PathLike[str], pairings: Sequence[Pairing], results: Sequence[MatchResult]) -> None:
    arrays = {
        "counts": np.array([result.counts for result in results]),
        "chunks_done": np.array([result.chunks_done for result in results]),
        "seconds": np.array([result.seconds for result in results]),
    }
    save_archive(path, _KIND, arrays, {"pairings": [pairing.described() for pairing in pairings]})


def load_results(path: str | os.PathLike[str], pairings: Sequence[Pairing]) -> list[MatchResult]:
    """Return the counts of a saved session.

    Raises
    ------
    UsageError
        If the file was made by other matches.
    FileFormatError
        If it cannot be read, or its counts do not add up.
    """
    table = pairings[0].x.table
    specs = {
        "counts": ArraySpec("int64", (-1, table.num_states)),
        "chunks_done": ArraySpec("int64", (-1,)),
        "seconds": ArraySpec("float64", (-1,)),
    }
    archive = load_archive(path, {_KIND: specs})
    counts, chunks, seconds = (archive.arrays[name] for name in specs)
    if archive.meta.get("pairings") != [pairing.described() for pairing in pairings]:
        raise UsageError(
            f"expected {str(path)!r} to hold the same matches (agents, games, seed, method, opening), got others;"
            " resume with the arguments of the first run"
        )
    configs = [pairing.config for pairing in pairings]
    whole = len(counts) == len(chunks) == len(seconds) == len(pairings) and all(
        0 <= done <= config.num_chunks for done, config in zip(chunks, configs, strict=True)
    )
    games = [config.games_after(int(done)) for done, config in zip(chunks, configs, strict=True)] if whole else []
    if not whole or counts.sum(axis=1).tolist() != games or (counts < 0).any() or not (seconds >= 0).all():
        raise FileFormatError(f"{str(path)!r}: expected counts of whole chunks, but they do not add up; it is damaged")
    return [
        MatchResult(x.name, o.name, table, counts[i].copy(), games[i], int(chunks[i]), float(seconds[i]), 0)
        for i, (x, o, _) in enumerate(pairings)
    ]
