"""Small files that would unpack to gigabytes, of every kind: refused by names, types and sizes alone."""

import io
import json
import struct
import zipfile
import zlib

import numpy as np
import pytest

from ttt_fast import save_policy, tables
from ttt_fast.core.archive import read_meta, save_archive
from ttt_fast.core.errors import FileFormatError
from ttt_fast.learn.checkpoint import load_training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.dqn.initial_state import init_run_arrays
from ttt_fast.learn.training import start_training
from ttt_fast.play.match import MatchConfig
from ttt_fast.play.session import Pairing, empty_results, load_counts, save_counts
from ttt_fast.policies.files import load_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.search.evaluator_files import load_evaluator
from ttt_fast.studies.engine.work import _read as read_piece
from ttt_fast.tables import enumeration, table_of
from ttt_fast.values.files import load_learned
from ultimate_label_files import _SPECS as LABELS, load_chunk

SMALL = "connect4:columns=4,rows=3,length=3"
CONFIGS = {
    "edges": {"game": SMALL, "episodes": 100, "opponent": "self"},
    "hashed": {"game": "connect4", "episodes": 100},
    "network": {"game": "connect4", "episodes": 100, "algorithm": "dqn", "hidden": "8", "replay": 50},
    "n-tuples": {"game": "connect4", "episodes": 100, "algorithm": "td", "tuples": 3, "tuple_cells": 4},
    "ultimate": {"game": "ultimate", "episodes": 100, "algorithm": "td"},
}
PIECES = 2300
_BLOCK = zlib.compressobj(9, zlib.DEFLATED, -15)
ZEROS = _BLOCK.compress(bytes(1 << 20)) + _BLOCK.flush(zlib.Z_FULL_FLUSH)
"""A packed block of a million zeros, after which another one may follow."""


def pairings():
    uniform = Policy.uniform(table_of(SMALL))
    return [Pairing(uniform, uniform, MatchConfig(100))]


def write(kind, path):
    """Write a small good file of a kind."""
    if kind in CONFIGS:
        run = start_training(TrainingConfig(**CONFIGS[kind]))
        if kind == "network":
            run.values.__dict__["state"] = init_run_arrays(run.config, run.values.network)
        save_training(path, run)
    elif kind == "policy":
        save_policy(path, Policy.uniform(table_of(SMALL)))
    elif kind == "matches":
        save_counts(path, {}, pairings(), empty_results(pairings()))
    elif kind == "labels":
        ((name, specs),) = LABELS.items()
        save_archive(path, name, {key: np.zeros(9, spec.dtype) for key, spec in specs.items()}, {"settings": {}})
    else:
        np.savez(path, seconds=np.float64(1), counts=np.zeros(3))


READERS = {
    "edges": [load_training, load_learned, lambda path: load_policy(path, SMALL)],
    "hashed": [load_training, load_learned],
    "network": [load_training, load_learned],
    "n-tuples": [load_training, lambda path: load_evaluator(path, TrainingConfig(game="connect4").played)],
    "ultimate": [load_training, lambda path: load_evaluator(path, TrainingConfig(game="ultimate").played)],
    "policy": [load_policy],
    "matches": [lambda path: load_counts(path, {}, pairings())],
    "labels": [lambda path: load_chunk(path, {})],
    "piece": [lambda path: read_piece(path, path.stem)],
}


def header_of_zeros(array):
    """Return the beginning of a `.npy` file like that of an array, and the size of the file, which has gigabytes."""
    rows = (PIECES << 20) // (array.itemsize * max(1, int(np.prod(array.shape[1:]))))
    shape, stream = (rows, *array.shape[1:]), io.BytesIO()
    described = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, described)
    return stream.getvalue(), stream.tell() + rows * array.itemsize * int(np.prod(array.shape[1:])), rows


def packed(content):
    stream = zlib.compressobj(6, zlib.DEFLATED, -15)
    return stream.compress(content) + stream.flush()


def write_zip(path, members):
    """Write a zip file of packed members: by name, the packed bytes and the unpacked size."""
    body, index = b"", b""
    for name, (raw, size, checksum) in members.items():
        word = f"{name}.npy".encode()
        described = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, checksum, len(raw), size, len(word), 0)
        index += b"PK\x01\x02\x14\x00" + described + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + word
        body += b"PK\x03\x04" + described + word + raw
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(index), len(body), 0)
    path.write_bytes(body + index + b"PK\x05\x06" + end)


def large_member(array):
    header, size, rows = header_of_zeros(array)
    start = zlib.compressobj(6, zlib.DEFLATED, -15)
    raw = start.compress(header) + start.flush(zlib.Z_FULL_FLUSH) + ZEROS * PIECES + packed(b"")
    return (raw, size, 0), rows


@pytest.fixture
def inflated(monkeypatch):
    """The bytes that have been unpacked."""
    read, count = zipfile.ZipExtFile.read, [0]

    def counted(self, n=-1):
        data = read(self, n)
        count[0] += len(data)
        return data

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    return count


@pytest.mark.parametrize("kind", READERS)
def test_archives_beyond_the_size_of_their_kind_are_refused_before_they_are_unpacked(kind, tmp_path, inflated):
    """Each array in turn is one of gigabytes of zeros, or there is another one; the description says so, too."""
    good, path = tmp_path / "good.npz", tmp_path / "large.npz"
    write(kind, good)
    with np.load(good) as stored:
        arrays = {name: stored[name] for name in stored.files}
    meta, tried = read_meta(good), 0
    for reader in READERS[kind]:
        reader(good)
        for name in [one for one in arrays if one != "meta"] + ["other"]:
            members = {}
            large, rows = large_member(np.atleast_1d(arrays.get(name, np.zeros(1))))
            for other, array in arrays.items():
                if other == "meta":
                    array = np.array(json.dumps({**meta, "states": rows, "run_arrays": meta.get("run_arrays", {})}))
                stream = io.BytesIO()
                np.save(stream, array)
                members[other] = packed(stream.getvalue()), len(stream.getvalue()), zlib.crc32(stream.getvalue())
            write_zip(path, {**members, name: large})
            assert path.stat().st_size < 4_000_000
            inflated[0] = 0
            with pytest.raises(FileFormatError, match=r"^[^\n]*large\.npz[^\n]*$"):
                reader(path)
            assert inflated[0] < 20_000_000
            tried += 1
    assert tried >= 3


EXACT = TrainingConfig(game=SMALL, episodes=100, opponent="self")
LARGE_GAME = "tic-tac-toe:rows=4,columns=4,length=4"


@pytest.mark.parametrize("form", ["edges", "network", "hashed"])
@pytest.mark.parametrize("whole", [True, False])
def test_no_game_of_more_states_than_a_file_has_is_enumerated_for_it(tmp_path, monkeypatch, form, whole):
    path, limits = tmp_path / "q.npz", []

    def counted(game, limit):
        limits.append(limit)
        return enumeration.enumerate_game(game, limit)

    monkeypatch.setattr(tables, "_tables", {})
    monkeypatch.setattr(tables, "_too_large", {})
    monkeypatch.setattr(tables, "enumerate_game", counted)
    told = {**EXACT.as_dict(), "game": LARGE_GAME, "exact": True}
    arrays = {"q_table": np.zeros(9), "held": np.zeros(9, np.bool_)}
    named = {"run_arrays": {"online": ["float32", [9]]}} if form == "network" else {}
    save_archive(path, "q_table", arrays, {"config": told, "game": LARGE_GAME, "form": form, **named})
    if not whole:
        path.write_bytes(path.read_bytes().replace(bytes(9), bytes(8) + b"1"))
    for reader in (load_training, load_learned, load_policy):
        with pytest.raises(FileFormatError, match=r"^[^\n]*q\.npz[^\n]*$"):
            reader(path)
    assert limits == []
