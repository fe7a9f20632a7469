"""Files of learned values: one kind of archive in several forms, such as action values or a hash table.

The rows of a hash table are stored by ascending key, as compressed differences: a third of their size in memory.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import MAX_FILE_BYTES, Archive, ArraySpec, load_archive, read_meta
from ttt_fast.core.cache import file_stamp
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.files.npz import Q_TABLE_KIND, check_fingerprint, game_meta, most_bytes, q_table_arrays, table_in
from ttt_fast.tables import StateTable, table_of
from ttt_fast.values import learned_ultimate
from ttt_fast.values.api import LearnedValues
from ttt_fast.values.dense import EdgeValues
from ttt_fast.values.hashed import HashTable, SortedRows, digest_of
from ttt_fast.values.inputs import num_inputs
from ttt_fast.values.learned_network import NetworkValues, shapes_of
from ttt_fast.values.learned_ultimate import UltimateValues
from ttt_fast.values.network import Network
from ttt_fast.values.ntuples import NTuples, NTupleValues

VALUES_KIND = Q_TABLE_KIND
MAX_HASHED_BYTES = 16 << 30
"""Largest size of a hash table's file, packed or unpacked: some hundred million states."""
MAX_NETWORK_BYTES = 4 << 30
"""Largest size of a network's file, most of which is the replay buffer of an unfinished run."""
_RUN = "run_"  # prefix of the arrays from which a run continues

_RUN_ARRAYS: Mapping[str, ArraySpec] = {
    "counts": ArraySpec("int64", (3,)),
    "history": ArraySpec("float64", (-1, -1)),
}


Packed = tuple[dict[str, NDArray[np.generic]], JsonObject]
"""The arrays of values in a file, and its description of them."""


class Form(NamedTuple):
    """The storage of one kind of values in a file.

    Attributes
    ----------
    arrays
        Returns the arrays of a file by its path, besides those common to all runs.
    max_bytes
        Returns the largest accepted size of a file.
    pack
        Returns the arrays of values, and their description.
    unpack
        Returns the values of an archive; raises ValueError unless they are intact.
    is_compressed
        Whether the file is compressed.
    """

    arrays: Callable[[str | os.PathLike[str]], Mapping[str, ArraySpec]]
    max_bytes: Callable[[str | os.PathLike[str]], int]
    pack: Callable[[Any], Packed]
    unpack: Callable[[Archive], LearnedValues]
    is_compressed: bool


class LearnedFile(NamedTuple):
    """The content of a file of learned values that a player needs.

    Attributes
    ----------
    games
        The games on which the values were learned.
    tie, by_board
        The tie rule of play, and whether the values are those of boards.
    values
        The values.
    """

    games: tuple[Game, ...]
    tie: str
    by_board: bool
    values: LearnedValues

    @property
    def game(self) -> Game:
        """The first of the games."""
        return self.games[0]


def form_of(path: str | os.PathLike[str]) -> str:
    """Return the form of the values in a file; empty if it contains none, or cannot be read."""
    meta = read_meta(path)
    return str(meta.get("form", EdgeValues.form)) if meta.get("kind") == VALUES_KIND else ""


def is_policy(meta: Mapping[str, object]) -> bool:
    """Return whether a file of learned values, by its description, has values of a table, which make a policy."""
    return meta.get("form", EdgeValues.form) == EdgeValues.form or "table" in meta


def load_values(path: str | os.PathLike[str]) -> Archive:
    """Return the content of a file of values with the run that made it; the arrays are checked against its game.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind, or written by a newer version.
    """
    return _load(path, with_run=True)


def _load(path: str | os.PathLike[str], with_run: bool) -> Archive:
    """Return the content of a file of values, with or without the run that made it."""
    form = _form(path)
    if is_policy(read_meta(path)):
        table_in(path)  # the table exists from here on
    specs = {**form.arrays(path), **_RUN_ARRAYS}
    if not with_run:
        specs = {name: spec for name, spec in specs.items() if not (name in _RUN_ARRAYS or name.startswith(_RUN))}
    archive = load_archive(path, {VALUES_KIND: specs}, form.max_bytes(path))
    if is_policy(archive.meta):
        check_fingerprint(path, archive, _table_in(path))
    return archive


def load_learned(path: str | os.PathLike[str]) -> LearnedFile:
    """Return the content of a file of learned values that a player needs.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind, or written by a newer version.
    """
    try:
        archive = _load(path, with_run=False)  # a run need not have made it
        meta = archive.meta
        games = tuple(parse_game(str(spec)) for spec in meta.get("games") or [meta["game"]])
        return LearnedFile(games, str(meta.get("tie", "first")), bool(meta.get("by_board", False)), unpacked(archive))
    except (KeyError, TypeError, ValueError, OverflowError, UsageError) as error:
        raise damaged(path, error) from error


def shared_learned(path: str | os.PathLike[str]) -> LearnedFile:
    """Return the result of `load_learned`, cached by modification time: it may be large, and all threads share it."""
    return _loaded(str(path), file_stamp(path))


@lru_cache(maxsize=2)
def _loaded(path: str, stamp: tuple[int, int]) -> LearnedFile:
    return load_learned(path)


def packed(values: LearnedValues) -> Packed:
    """Return the arrays of values for a file, and their description."""
    arrays, described = FORMS[values.form].pack(values)
    return arrays, {**described, "form": values.form}


def unpacked(archive: Archive) -> LearnedValues:
    """Return the values of an archive; raise ValueError unless they are intact."""
    values = FORMS[str(archive.meta.get("form", EdgeValues.form))].unpack(archive)
    if not isinstance(values, HashTable) and values.sha256() != archive.meta["sha256"]:
        raise ValueError("the hash of the values does not match")
    return values


def _form(path: str | os.PathLike[str]) -> Form:
    """Return the form of a file; without a valid description the default form, whose reader reports the error."""
    name = form_of(path) or EdgeValues.form
    if name not in FORMS:
        raise FileFormatError(
            f"{str(path)!r}: expected {' or '.join(FORMS)} as the form of learned values, got {name!r}"
        )
    return FORMS[name]


def _table_in(path: str | os.PathLike[str]) -> StateTable:
    """Return the table of the game that a file names; it must exist already."""
    return table_of(str(read_meta(path).get("game", "tic-tac-toe")))


def _edge_arrays(path: str | os.PathLike[str]) -> Mapping[str, ArraySpec]:
    table = _table_in(path)
    return {
        **q_table_arrays(table),
        "tables": ArraySpec("float64", (-1, table.num_edges)),
        "updates": ArraySpec("int64", (table.num_edges,)),
        "greedy": ArraySpec("int32", (table.num_states,)),
    }


def _pack_edges(values: EdgeValues) -> Packed:
    arrays = {"q_table": values.q, "held": values.held, "tables": values.tables, "updates": values.updates}
    return arrays, {**game_meta(values.table), "sha256": values.sha256()}


def _unpack_edges(archive: Archive) -> EdgeValues:
    tables, updates = archive.arrays["tables"], archive.arrays["updates"]
    values = EdgeValues(table_of(str(archive.meta.get("game", "tic-tac-toe"))), tables, updates)
    if not len(tables) or not np.isfinite(tables).all() or (updates < 0).any():
        raise ValueError("a value is not finite, or a count is negative")
    return values


def _hashed_arrays(path: str | os.PathLike[str]) -> Mapping[str, ArraySpec]:
    return {
        "steps": ArraySpec("uint64", (-1,)),
        "values": ArraySpec("float64", (-1, -1)),
        "visits": ArraySpec("uint32", (-1, -1)),
    }


def _pack_hashed(values: HashTable) -> Packed:
    rows = values.sorted_rows()
    described = {
        "num_values": values.num_values,
        "num_tables": values.num_tables,
        "initial": values.rows.initial,
        "states": len(values),
        "sha256": digest_of(rows),
    }
    steps = np.diff(rows.keys, prepend=np.uint64(0))
    return {"steps": steps, "values": rows.values, "visits": rows.visits}, described


def _unpack_hashed(archive: Archive) -> HashTable:
    arrays, meta = archive.arrays, archive.meta
    keys = np.cumsum(arrays["steps"], dtype=np.uint64)
    rows = SortedRows(keys, arrays["values"], arrays["visits"])
    num_values, num_tables, counters = int(meta["num_values"]), int(meta["num_tables"]), rows.visits.shape[1]
    expected = 1 if meta["by_board"] else parse_game(str(meta["game"])).num_actions
    if num_values != expected or counters not in (1, num_values) or len(rows.visits) != keys.size:
        raise ValueError("the shapes of the arrays do not match")
    if rows.values.shape != (keys.size, num_values * num_tables):
        raise ValueError("the shapes of the arrays do not match")
    if (keys[1:] <= keys[:-1]).any() or (keys == ~np.uint64(0)).any():
        raise ValueError("the keys are not sorted")
    if not np.isfinite(rows.values).all() or not rows.visits.any(axis=1).all():
        raise ValueError("a value is not finite, or a state has no visits")
    if digest_of(rows) != meta["sha256"]:  # here, since the hash of a table sorts its rows again
        raise ValueError("the hash of the values does not match")
    table = HashTable(num_values, float(meta["initial"]), visits_of_each=counters > 1, num_tables=num_tables)
    table.fill(rows)
    return table


def _network_arrays(path: str | os.PathLike[str]) -> Mapping[str, ArraySpec]:
    meta = read_meta(path)
    specs = {"weights": ArraySpec("float32", (-1,))}
    if is_policy(meta):
        table = _table_in(path)
        specs |= {**q_table_arrays(table), "greedy": ArraySpec("int32", (table.num_states,))}
    named = meta.get("run_arrays")
    for name, (dtype, shape) in (named if isinstance(named, dict) else {}).items():
        specs[_RUN + name] = ArraySpec(str(dtype), tuple(int(length) for length in shape))
    return specs


def _pack_network(values: NetworkValues) -> Packed:
    network = values.network
    arrays: dict[str, NDArray[np.generic]] = {"weights": network.weights}
    described = {
        "sizes": list(network.sizes),
        "slope": network.layers.slope,
        "as_marks": values.as_marks,
        "seats": list(values.seats),
        "run_arrays": {name: [dtype, list(shape)] for name, (dtype, shape) in shapes_of(values.state).items()},
        "sha256": values.sha256(),
    }
    if values.has_table:
        arrays |= {"q_table": values.q, "held": values.held}
        described |= game_meta(values.table)
    return arrays | {_RUN + name: array for name, array in values.state.items()}, described


def _unpack_network(archive: Archive) -> NetworkValues:
    arrays, meta = archive.arrays, archive.meta
    if not np.isfinite(arrays["weights"]).all() or not isinstance(meta["run_arrays"], dict):
        raise ValueError("a weight is not finite, or the arrays of the run are missing")
    network = Network(meta["sizes"], float(meta["slope"]), arrays["weights"])
    state = {name.removeprefix(_RUN): array for name, array in arrays.items() if name.startswith(_RUN)}
    if not all(np.isfinite(array).all() for array in state.values() if array.dtype.kind == "f"):
        raise ValueError("a number in the state of the run is not finite")
    values = NetworkValues(
        parse_game(str(meta["game"])), is_policy(meta), network, bool(meta["as_marks"]),
        tuple(int(seat) for seat in meta["seats"]), state, shapes_of(state),
    )  # fmt: skip
    if network.sizes[0] != num_inputs(values.game.initial_state, values.as_marks):
        raise ValueError(f"the network has {network.sizes[0]} inputs, which do not fit {values.game.spec}")
    if network.sizes[-1] != values.game.num_actions or not set(values.seats) <= {1, 2}:
        raise ValueError(f"{network.sizes[-1]} outputs or the seats {values.seats} do not fit {values.game.spec}")
    return values


def _ntuple_arrays(path: str | os.PathLike[str]) -> Mapping[str, ArraySpec]:
    """Return the arrays of weights and, if the game has a table, those of a policy."""
    meta = read_meta(path)
    arrays = {"steps": ArraySpec("uint32", (-1,)), "weights": ArraySpec("int32", (-1,)),
              "errors": ArraySpec("float32", (-1, -1))}  # fmt: skip
    if "table" not in meta:
        return arrays
    table = _table_in(path)
    return {**arrays, **q_table_arrays(table), "greedy": ArraySpec("int32", (table.num_states,))}


def _pack_ntuples(values: NTupleValues) -> Packed:
    weights, errors = values.tables.weights, values.errors.reshape(-1, 2)
    used = np.flatnonzero(errors[:, 1] if len(errors) else weights).astype(np.uint32)
    kept = errors[used] if len(errors) else np.zeros((used.size, 0), np.float32)
    arrays = {"steps": np.diff(used, prepend=np.uint32(0)), "weights": weights[used], "errors": kept}
    described = {
        "tuples": asdict(values.settings),
        "coherent": values.coherent,
        "game": values.game.spec,
        "sha256": values.sha256(),
    }
    if values.has_table:
        return arrays | {"q_table": values.q, "held": values.held}, described | game_meta(values.table)
    return arrays, described


def _unpack_ntuples(archive: Archive) -> NTupleValues:
    arrays, meta = archive.arrays, archive.meta
    settings, used = NTuples(**meta["tuples"]), np.cumsum(arrays["steps"], dtype=np.uint64)
    coherent, width = bool(meta["coherent"]), arrays["errors"].shape[1]
    if {len(arrays["weights"]), len(arrays["errors"])} != {used.size} or width not in (0, 2 * coherent):
        raise ValueError("the shapes of the arrays do not match")
    if (used[1:] <= used[:-1]).any() or (used >= settings.num_weights).any():
        raise ValueError("the indices of the weights are not sorted, or are too large")
    if not np.isfinite(arrays["errors"]).all():
        raise ValueError("an error sum of a weight is not finite")
    weights, errors = np.zeros(settings.num_weights, np.int32), np.zeros((settings.num_weights, width), np.float32)
    weights[used], errors[used] = arrays["weights"], arrays["errors"]
    values = NTupleValues(settings, parse_game(str(meta["game"])), weights, coherent, errors.ravel(), "table" in meta)
    return values


FORMS: Mapping[str, Form] = {
    EdgeValues.form: Form(
        _edge_arrays, lambda path: most_bytes(_table_in(path)), _pack_edges, _unpack_edges,
        is_compressed=False,
    ),
    HashTable.form: Form(
        _hashed_arrays, lambda path: MAX_HASHED_BYTES, _pack_hashed, _unpack_hashed, is_compressed=True
    ),
    NetworkValues.form: Form(
        _network_arrays, lambda path: MAX_NETWORK_BYTES, _pack_network, _unpack_network, is_compressed=True
    ),
    NTupleValues.form: Form(
        _ntuple_arrays, lambda path: MAX_HASHED_BYTES, _pack_ntuples, _unpack_ntuples, is_compressed=True
    ),
    UltimateValues.form: Form(
        learned_ultimate.arrays_of, lambda path: MAX_FILE_BYTES, learned_ultimate.pack, learned_ultimate.unpack,
        is_compressed=True,
    ),
}  # fmt: skip
"""The forms by their names in a file's description."""


def damaged(path: str | os.PathLike[str], error: Exception) -> FileFormatError:
    """Return the error for a file that is readable but has invalid content."""
    return FileFormatError(f"{str(path)!r}: expected learned values, but the content is damaged ({error})")
