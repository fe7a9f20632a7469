"""Tables on disk: made once, taken from there by the next process, and made again when a file is no good."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import PATIENCE
from ttt_fast import tables
from ttt_fast.agents import simple_players
from ttt_fast.agents.convert import as_policy
from ttt_fast.core.archive import load_archive, save_archive
from ttt_fast.policies import heuribot
from ttt_fast.tables import disk, table_of
from ttt_fast.tables.enumeration import enumerate_game

SPEC = "connect4:columns=3,rows=3,length=3"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty store, of which no process knows anything; `new()` forgets what this one has in memory."""

    class Store:
        folder = tmp_path / "tables"

        def new(self):
            self.enumerated = []
            monkeypatch.setattr(tables, "_tables", {})
            heuribot.classify_states.cache_clear()
            simple_players._wins_and_blocks.cache_clear()
            return self

        def names(self):
            return sorted(path.name for path in self.folder.iterdir())

        def path(self):
            return next(path for path in self.folder.iterdir() if path.name.startswith("connect4"))

    store = Store()
    store.folder.mkdir()

    def counted(game, limit):
        store.enumerated.append(game.spec)
        return enumerate_game(game, limit)

    monkeypatch.setattr(tables, "enumerate_game", counted)
    monkeypatch.setattr(disk, "_folder", lambda: store.folder)
    yield store.new()
    heuribot.classify_states.cache_clear()
    simple_players._wins_and_blocks.cache_clear()


def assert_good(table):
    """Every array is that of a fresh enumeration, and read-only."""
    fresh = enumerate_game(table.game, 10**6)
    for name, array in fresh.arrays().items():
        found = getattr(table, name)
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype and found.flags.c_contiguous and not found.flags.writeable
    for found, array in zip(tables.solution_of(table), tables.solve(fresh), strict=True):
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype and found.flags.c_contiguous and not found.flags.writeable


@pytest.mark.parametrize("spec", [SPEC, "tic-tac-toe", "tic-tac-toe:misere=yes"])
def test_a_table_is_enumerated_once_and_then_read(store, spec):
    first = table_of(spec)
    assert store.enumerated == [spec] and len(store.names()) == 1
    again = store.new() and table_of(spec)
    assert store.enumerated == [] and again is not first
    assert_good(again)
    assert again.fingerprint == first.fingerprint


def test_games_and_spellings(store):
    table_of("tic-tac-toe")
    table_of("tic-tac-toe:misere=yes")
    assert len(store.names()) == 2
    store.new()
    assert table_of("tic-tac-toe:misere=no").num_states == 5478 and store.enumerated == []


def test_the_next_process_neither_enumerates_nor_solves_nor_loads_numba(store):
    policy = as_policy("heuribot"), as_policy("default")
    code = f"""
import sys
from pathlib import Path
from ttt_fast import tables
from ttt_fast.core import jit
from ttt_fast.tables import disk, table_of
from ttt_fast.policies import heuribot
disk._folder = lambda: Path({str(store.folder)!r})
def refuse(*arguments): raise AssertionError("made again")
tables.enumerate_game = tables.solve = heuribot._classify = refuse
from ttt_fast.agents.convert import as_policy
table = table_of("tic-tac-toe")
print(table.num_states, tables.solution_of(table).distance[0], jit._Loaded.whole, "numba" in sys.modules)
print(as_policy("heuribot").signature, as_policy("default").signature, jit._Loaded.whole)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stderr == ""
    assert done.stdout.split() == ["5478", "9", "False", "False", *(one.signature for one in policy), "False"]


DAMAGE = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "without its end": lambda content: content[:-1],
    "flipped bit": lambda content: content[:5000] + bytes([content[5000] ^ 4]) + content[5001:],
    "foreign": lambda content: b"\x89PNG\r\n\x1a\n" + content[:100],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_made_again(store, damage):
    table_of(SPEC)
    path = store.path()
    good = path.read_bytes()
    path.write_bytes(damage(good))
    assert damage(good) != good
    table = store.new() and table_of(SPEC)
    assert store.enumerated == [SPEC] and path.read_bytes() == good
    assert_good(table)


def changed(name, change):
    def make(arrays, meta):
        arrays[name] = change(arrays[name].copy())

    return make


def at(index, value):
    def change(array):
        array[index] = value
        return array

    return change


MISFITS = {
    "a state too few": changed("status", lambda array: array[:-1]),
    "no state": lambda arrays, meta: arrays.update({name: array[:0] for name, array in arrays.items()}),
    "an edge too many": changed("edge_child", lambda array: np.append(array, array[-1])),
    "an action too many": changed("edge_action", lambda array: np.append(array, array[-1])),
    "no such action": changed("edge_action", at(0, 3)),
    "starts that fall": changed("edge_start", at(1, 7)),
    "another first start": changed("edge_start", at(0, 1)),
    "no start": changed("edge_start", lambda array: array[:0]),
    "a child that is its parent": changed("edge_child", at(0, 0)),
    "a child before the table": changed("edge_child", at(-1, -5)),
    "a child beyond the table": changed("edge_child", at(-1, 694)),
    "no such status": changed("status", at(-1, 4)),
    "a status that is not over": changed("status", at(-1, 0)),
    "no such player": changed("player", at(0, 3)),
    "nobody's turn": changed("player", at(0, 0)),
    "no plies": changed("ply_start", lambda array: array[:0]),
    "a ply too few": changed("ply_start", lambda array: array[:-1]),
    "an empty ply": changed("ply_start", lambda array: np.insert(array, 2, array[2])),
    "plies that fall": changed("ply_start", at(2, 0)),
    "no such place": changed("key_order", at(0, 694)),
    "a key too few": changed("key", lambda array: array[1:]),
    "a value too few": changed("value", lambda array: array[1:]),
    "a distance too few": changed("distance", lambda array: array[1:]),
    "an optimum too many": changed("optimal", lambda array: np.append(array, True)),
    "a type": changed("edge_child", lambda array: array.astype(np.int64)),
    "a missing array": lambda arrays, meta: arrays.pop("fastest"),
    "another game": lambda arrays, meta: meta.update(start=[0, 0, 0, 0, 0]),
    "other rules": lambda arrays, meta: meta.update(rules=0),
}


@pytest.mark.parametrize("misfit", MISFITS.values(), ids=MISFITS)
def test_a_file_whose_arrays_do_not_fit_is_made_again(store, misfit):
    table_of(SPEC)
    path = store.path()
    good = path.read_bytes()
    _, arrays, meta = load_archive(path, {"table": disk._ARRAYS})
    misfit(arrays, meta)
    save_archive(path, "table", arrays, meta)
    assert path.read_bytes() != good
    table = store.new() and table_of(SPEC)
    assert store.enumerated == [SPEC] and path.read_bytes() == good
    assert_good(table)


def test_a_file_of_another_game_in_its_place_is_made_again(store):
    table_of("tic-tac-toe:misere=yes")
    misere = (store.folder / store.names()[0]).read_bytes()
    (store.folder / store.names()[0]).unlink()
    table_of("tic-tac-toe")
    (store.folder / store.names()[0]).write_bytes(misere)
    table = store.new() and table_of("tic-tac-toe")
    assert store.enumerated == ["tic-tac-toe"]
    assert_good(table)


def cannot_write(folder, monkeypatch):
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):  # the superuser may write anywhere
        import tempfile

        def refuse(*arguments, **options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(tempfile, "mkstemp", refuse)


def no_folder(folder, monkeypatch):
    monkeypatch.setattr(disk, "_folder", lambda: folder / "missing")


def a_file(folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setattr(disk, "_folder", lambda: folder / "file")


@pytest.mark.filterwarnings("ignore:compiled code cannot be stored")
@pytest.mark.parametrize("obstacle", [cannot_write, no_folder, a_file])
def test_a_folder_that_cannot_be_written_only_costs_time(store, monkeypatch, obstacle):
    obstacle(store.folder, monkeypatch)
    try:
        for _ in range(2):
            table = store.new() and table_of(SPEC)
            assert store.enumerated == [SPEC]
            assert as_policy("default", SPEC).is_exact
            assert_good(table)
    finally:
        store.folder.chmod(0o700)
    assert store.names() in ([], ["file"])


def test_large_tables_are_not_kept_unasked(store, monkeypatch):
    monkeypatch.setattr(disk, "LARGEST", 693)
    table_of(SPEC)
    as_policy("default", SPEC)
    assert store.names() == []


@pytest.mark.parametrize("spec", ["heuribot", "heuribot:as=coded", "default"])
def test_what_is_kept_of_a_player_is_read_and_made_again_when_it_is_no_good(store, monkeypatch, spec):
    first = as_policy(spec)
    (path,) = (store.folder / name for name in store.names() if "heuribot" in name or "wins" in name)
    good = path.read_bytes()
    made = []

    def count(module, name):
        inner = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *arguments: (made.append(name), inner(*arguments))[1])

    count(heuribot, "_classify")
    count(simple_players, "_fill_win_or_block")

    def again():
        made.clear()
        store.new()
        assert as_policy(spec).signature == first.signature
        assert path.read_bytes() == good
        return len(made)

    assert again() == 0
    path.write_bytes(good[:-40])
    assert again() == 1
    for meta in ({"sources": "0"}, {"table": "0"}):
        kind, arrays, known = load_archive(path, {"of a table": {}})
        with np.load(path, allow_pickle=False) as members:
            arrays = {name: members[name] for name in members.files if name != "meta"}
        save_archive(path, kind, arrays, {**known, **meta})
        assert again() == 1
    save_archive(path, "of a table", {name: array[1:] for name, array in arrays.items()}, known)
    assert again() == 1
    assert again() == 0


def test_the_folder_stands_beside_the_compiled_kernels(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = disk._folder.__wrapped__()
    assert folder.parent == tmp_path and folder.name.startswith("tables-") and folder.is_dir()
    assert Path(folder).stat().st_mode & 0o077 == 0
