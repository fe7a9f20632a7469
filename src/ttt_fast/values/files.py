"""Files of learned values: one kind of archive in several forms, and the kinds that wings add."""

import os
import threading
from collections.abc import Collection, Mapping
from typing import Any, Final

from numpy.typing import NDArray

from ttt_fast.core import wings
from ttt_fast.core.archive import ArraySpec, OpenArchive, open_archive, read_meta, save_archive
from ttt_fast.core.cache import file_stamp
from ttt_fast.core.errors import AgentError, FileFormatError, UsageError
from ttt_fast.core.lazy import object_at
from ttt_fast.core.manifest import JsonObject
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.files.npz import (
    Q_TABLE_KIND,
    TABLE_FORM,
    check_fingerprint,
    is_policy,
    most_bytes,
    q_table_arrays,
    table_in,
)
from ttt_fast.tables import StateTable
from ttt_fast.values.api import Learned, LearnedValues, StoredValues
from ttt_fast.values.dense import EdgeValues
from ttt_fast.values.evaluators import Evaluator
from ttt_fast.values.hashed import HashTable
from ttt_fast.values.learned_network import NetworkValues
from ttt_fast.values.ntuples import NTupleValues
from ttt_fast.values.ultimate.learned import UltimateValues

VALUES_KIND = Q_TABLE_KIND
FORMS: Final[Mapping[str, type[LearnedValues]]] = {
    one.form: one for one in (EdgeValues, HashTable, NetworkValues, NTupleValues, UltimateValues)
}
"""The classes of learned values by their names in the description of a file."""
DAMAGES: Final = (KeyError, TypeError, ValueError, OverflowError, UsageError)
"""Exceptions that invalid content of a file causes."""
MOST_SHARED_BYTES: Final = 1 << 28
"""Size of the loaded files that stay in memory together; one file may be larger."""
_loaded: dict[tuple[str, tuple[int, ...]], Learned] = {}
"""They, in the order of their last use."""
_loading = threading.RLock()


def class_in(meta: JsonObject) -> type[StoredValues] | None:
    """Return the class of the values in a file, by its description; None if it has none of a known class."""
    kind = str(meta.get("kind"))
    if kind == VALUES_KIND:
        return FORMS.get(str(meta.get("form", TABLE_FORM)))
    found: type[StoredValues] | None = object_at(wings.VALUES.get(kind))
    return found


def load(path: str | os.PathLike[str], kinds: Collection[str] | None = None) -> Learned:
    """Return the learned values in a file, and how they are played; a run that made them is not read.

    Parameters
    ----------
    path
        The file.
    kinds
        The kinds of files that are allowed (default: all).

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind, or written by a newer version.
    """
    with open_archive(path, kinds or (VALUES_KIND, *wings.VALUES)) as archive:
        try:
            table = table_in(archive) if is_policy(archive.meta) else None
            return read_learned(archive, table)[0]
        except DAMAGES as error:
            raise damaged(path, error) from error


def load_shared(path: str | os.PathLike[str]) -> Learned:
    """Return the result of `load`, cached by `file_stamp`, since it may be large: all threads share the last few."""
    key = str(path), file_stamp(path)
    with _loading:
        found = _loaded.pop(key, None) or load(path)
        _loaded[key] = found  # the last one
        while len(_loaded) > 1 and sum(one.values.memory_bytes for one in _loaded.values()) > MOST_SHARED_BYTES:
            del _loaded[next(iter(_loaded))]
    return found


def read_learned(
    archive: OpenArchive, table: StateTable | None, run: Mapping[str, ArraySpec] | None = None
) -> tuple[Learned, dict[str, NDArray[Any]]]:
    """Return the learned values of an open file, and all of the arrays that were read.

    Parameters
    ----------
    archive
        The file.
    table
        The table of its game; None for values without one.
    run
        The arrays of a run besides those of the values; None if the run is not read.

    Raises
    ------
    FileFormatError
        If the file is damaged, or its form is unknown; one of `DAMAGES` if its content is invalid.
    """
    meta, kind = archive.meta, class_in(archive.meta)
    if kind is None:
        name = str(meta.get("form"))
        raise FileFormatError(
            f"{archive.path!r}: expected {' or '.join(FORMS)} as the form of learned values, got {name!r}"
        )
    specs, max_bytes = dict(kind.specs(meta, table, run is not None)), kind.max_bytes
    if table is not None:
        specs |= {**q_table_arrays(table), "greedy": ArraySpec("int32", (table.num_states,))}
        max_bytes = max(max_bytes, most_bytes(table))
    arrays = archive.arrays({**specs, **(run or {})}, max_bytes)
    if table is not None:
        check_fingerprint(archive, table)
    values = kind.from_arrays({name: arrays[name] for name in specs}, meta, table)
    games = (table.game,) if table else tuple(parse_game(str(spec)) for spec in meta.get("games") or [meta["game"]])
    return Learned(games, str(meta.get("tie", "first")), bool(meta.get("by_board", False)), values), arrays


def save(
    path: str | os.PathLike[str],
    values: LearnedValues,
    arrays: Mapping[str, NDArray[Any]] | None = None,
    meta: Mapping[str, object] | None = None,
) -> None:
    """Write learned values to a file, after further arrays and a further description."""
    own, described = values.to_arrays()
    described = {**(meta or {}), **described, "form": values.form}
    save_archive(path, VALUES_KIND, {**own, **(arrays or {})}, described, compressed=values.is_compressed)


def load_evaluator(path: str | os.PathLike[str], game: Game) -> Evaluator:
    """Return a new evaluator, for one thread, of the learned evaluation in a file.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged, or has another format or a newer version.
    AgentError
        If its values do not evaluate positions, or were learned on another game.
    """
    kind = class_in(read_meta(path))  # other values may be large and are not read
    if kind is not None and not kind.is_evaluation:
        known = " or ".join(name for name, one in FORMS.items() if one.is_evaluation)
        raise AgentError(
            f"expected a learned evaluation of positions ({known}), got {str(path)!r}, a file of {kind.form!r}"
        )
    learned = load_shared(path) if kind is not None else load(path, (VALUES_KIND,))
    if game not in learned.games:
        raise other_game(path, learned, game)
    return learned.values.evaluator()


def other_game(path: str | os.PathLike[str], learned: Learned, game: Game) -> AgentError:
    """Return the error for an evaluation that was learned on another game."""
    names = learned.game_names
    return AgentError(f"expected an evaluator for {game.spec}, got {str(path)!r}, which was trained on {names}")


def damaged(path: str | os.PathLike[str], error: Exception) -> FileFormatError:
    """Return the error for a file that is readable but has invalid content."""
    return FileFormatError(f"{str(path)!r}: expected learned values, but the content is damaged ({error})")
