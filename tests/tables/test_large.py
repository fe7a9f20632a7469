"""Large tables on disk: mapped again by the next process, within a quota, made again when damaged."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cli_runner import run
from ttt_fast import tables
from ttt_fast.agents.convert import as_policy
from ttt_fast.core.archive import read_meta, save_archive
from ttt_fast.core.errors import FileFormatError, TableSizeError, UsageError
from ttt_fast.learn.checkpoint import load_training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.policies.files import npz
from ttt_fast.policies.files.npz import Q_TABLE_KIND
from ttt_fast.running.progress import watched_by
from ttt_fast.tables import disk, enumeration, large, state_table, table_of
from ttt_fast.tables.enumeration import enumerate_game

SPEC = "connect4:columns=3,rows=3,length=3"
OTHER = "connect4:columns=4,rows=2,length=2"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store in which every table counts as large; `new()` forgets what this process has in memory."""

    class Store:
        folder = tmp_path

        def new(self):
            self.enumerated = []
            monkeypatch.setattr(tables, "_tables", {})
            monkeypatch.setattr(tables, "_too_large", {})
            return self

        def table(self, spec=SPEC):
            return self.new() and table_of(spec, 10_000)

        def path(self):
            return next(tmp_path.glob("*.table"))

    store = Store()

    def counted(game, limit):
        store.enumerated.append(game.spec)
        return enumerate_game(game, limit)

    monkeypatch.setattr(tables, "enumerate_game", counted)
    monkeypatch.setattr(large, "folder", lambda: tmp_path)
    monkeypatch.setattr(disk, "_folder", lambda: tmp_path / "none")
    monkeypatch.setattr(disk, "LARGEST", 10)
    monkeypatch.setattr(tables, "MAX_STATES", 20)
    monkeypatch.delenv(large.QUOTA_VARIABLE)
    return store.new()


def assert_same(found, table):
    for name, array in table.arrays().items():
        np.testing.assert_array_equal(getattr(found, name), array)
        assert getattr(found, name).dtype == array.dtype
        assert type(getattr(found, name)) is np.ndarray and not getattr(found, name).flags.writeable


def test_a_large_table_is_made_when_asked_for_and_mapped_again(store):
    with pytest.raises(
        TableSizeError, match=r"at most 20 states, .*; --exact, or table_of\(game, max_states\) in Python"
    ):
        table_of(SPEC)
    with pytest.raises(TableSizeError, match=r"more than 100 states$"):
        table_of(SPEC, 100)
    store.new()
    first = store.table()
    assert store.enumerated == [SPEC]
    again = store.table()
    assert store.enumerated == [] and again is not first
    assert_same(again, first)
    assert isinstance(again.edge_child.base, np.memmap)
    np.testing.assert_array_equal(tables.solution_of(again).value, tables.solve(first).value)
    store.new()
    with pytest.raises(TableSizeError):  # what is on disk changes no result: it must be asked for
        table_of(SPEC)


def test_progress_and_limits(store, monkeypatch):
    monkeypatch.setattr(enumeration, "_PLAIN_STATES", 0)
    monkeypatch.setattr(enumeration, "_CHUNK", 100)
    seen = []
    with watched_by(lambda work, done, total, unit: seen.append((work, done, total, unit))):
        table = table_of(SPEC, 10_000)
    told = [done for _, done, _, _ in seen]
    assert told == sorted(told) and len(told) > table.num_states // 100 - 3 and told[-1] == table.num_states
    assert {(work, total, unit) for work, _, total, unit in seen[:-1]} == {(f"table of {SPEC}", None, "states")}
    assert seen[-1] == (f"table of {SPEC}", table.num_states, table.num_states, "states")
    assert_same(table, enumerate_game(table.game, 10_000))
    with pytest.raises(TableSizeError, match="more than 50"):
        enumerate_game(table.game, 50)

    def interrupt(*told):
        raise KeyboardInterrupt

    store.new()
    with pytest.raises(KeyboardInterrupt), watched_by(interrupt):
        table_of(OTHER, 10_000)
    assert len(large.kept_tables()) == 1


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def rewritten(**changes):
    def change(folder):
        told = large._description_in(folder)
        (folder / "table.json").write_text(large._signed({**told, **changes}))

    return change


def replaced(name, make):
    def change(folder):
        (folder / name).unlink()
        make(folder / name)

    return change


DAMAGE = {
    "a column is short": (
        lambda folder: cut(folder / "edge_child.npy"),
        "edge_child changed since the table was written",
    ),
    "a column is missing": (
        lambda folder: (folder / "status.npy").unlink(),
        "status.npy is missing, or is not a regular file",
    ),
    "a header": (lambda folder: flip(folder / "key.npy", 8 * 60 + 2), "key changed"),
    "another type": (
        lambda folder: np.save(folder / "key.npy", np.load(folder / "key.npy").astype(np.int64)),
        "key changed since",
    ),
    "no description": (lambda folder: (folder / "table.json").write_text("[]"), "has changed since it was written"),
    "truncated description": (lambda folder: cut(folder / "table.json"), "delimiter"),
    "deep description": (lambda folder: (folder / "table.json").write_text("[" * 100_000), "recursion"),
    "other bytes of a description": (
        lambda folder: (folder / "table.json").write_text((folder / "table.json").read_text().replace('": ', '":')),
        "table.json has changed since it was written",
    ),
    "another game": (rewritten(rules=99), "the table belongs to another game or version"),
    "no checksums": (rewritten(arrays={}), "'status'|'edge_start'"),
    "a pipe": (replaced("key.npy", os.mkfifo), "key.npy is missing, or is not a regular file"),
    "a pipe for a description": (replaced("table.json", os.mkfifo), "table.json is missing, or is not a regular file"),
    "a folder": (replaced("player.npy", os.mkdir), "player.npy is missing, or is not a regular file"),
}


@pytest.mark.parametrize(("damage", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_folder_is_made_again(store, monkeypatch, damage, reason):
    monkeypatch.setattr(large, "_BLOCK_BYTES", 100)
    first = store.table()
    damage(store.path())
    with pytest.warns(UserWarning, match=f"^the kept table of {SPEC} is damaged and is made again: .*({reason}).*$"):
        again = store.table()
    assert_same(again, first)
    assert store.enumerated == [SPEC]
    assert store.table() and store.enumerated == []


def flip(path, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


@pytest.mark.parametrize("make", [os.mkfifo, Path.touch, lambda path: path.symlink_to("nowhere")])
def test_what_is_no_folder_makes_room_for_the_table(store, make):
    store.table()
    path = store.path()
    large.remove(path)
    make(path)
    assert large.kept_tables() == [] and store.table() and store.enumerated == [SPEC]
    assert store.table() and store.enumerated == []


def test_the_quota_removes_what_was_used_longest_ago(store, monkeypatch):
    store.table(), store.table(OTHER)
    one, other = sorted(large.kept_tables(), key=lambda kept: kept.game != SPEC)
    os.utime(one.path / "table.json", (1, 1))
    monkeypatch.setenv(large.QUOTA_VARIABLE, str((one.bytes + other.bytes) / 1e9))
    store.table("connect4:columns=3,rows=3,length=2")
    assert sorted(kept.game for kept in large.kept_tables()) == ["connect4:columns=3,rows=3,length=2", OTHER]
    monkeypatch.setenv(large.QUOTA_VARIABLE, "0")
    assert store.table().num_states and len(large.kept_tables()) == 2
    for wrong in ("x", "-1", "nan"):
        monkeypatch.setenv(large.QUOTA_VARIABLE, wrong)
        with pytest.raises(UsageError, match="gigabytes in TTT_FAST_TABLES_GB"):
            large.quota()
        with pytest.raises(UsageError, match="gigabytes in TTT_FAST_TABLES_GB"):
            store.table("connect4:columns=2,rows=3,length=2")
        assert len(large.kept_tables()) == 2


def test_a_disk_without_room_loses_nothing(store, monkeypatch):
    full = large.shutil.disk_usage(store.folder)._replace(free=1000)
    with monkeypatch.context() as patch:
        patch.setattr(large.shutil, "disk_usage", lambda path: full)
        assert store.table().num_states and large.kept_tables() == []
    monkeypatch.setattr(large.np, "save", lambda *given, **more: (_ for _ in ()).throw(OSError("no space left")))
    assert store.table().num_states and large.kept_tables() == [] and list(store.folder.iterdir()) == []


def test_a_run_over_a_large_table_is_read_by_another_process(store, tmp_path_factory, monkeypatch):
    path = tmp_path_factory.mktemp("run") / "q.npz"
    run_ = train(start_training(TrainingConfig(game=SPEC, exact=True, episodes=3000, chunk_episodes=1000)))
    save_training(path, run_, as_policy("random", SPEC))
    store.new()
    monkeypatch.setattr(npz, "MAX_FILE_BYTES", 100)  # a game of millions of states has files beyond the usual limit
    again = load_training(path)
    assert again.sha256() == run_.sha256() and store.enumerated == []  # mapped from disk
    assert run("score", path, "--game", SPEC).code == 0
    save_archive(path, Q_TABLE_KIND, {}, {**read_meta(path), "config": {"exact": True, "game": "nothing"}})
    with pytest.raises(FileFormatError):
        load_training(path)


KILLED = f"""
import os, signal, sys
from pathlib import Path
from ttt_fast.games.registry import parse_game
from ttt_fast.tables import large
from ttt_fast.tables.enumeration import enumerate_game
large.folder = lambda: Path(sys.argv[1])
def stop(file):
    print("writing", flush=True)
    sys.stdin.readline()
large._sync = stop
large.keep_table(enumerate_game(parse_game({SPEC!r}), 10_000))
"""


def test_what_killed_commands_left_is_removed(store):
    lost = store.folder / "lost.table"
    words = [sys.executable, "-c", KILLED, store.folder]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "writing\n"
        new = next(store.folder.glob(".new-*"))
        lost.mkdir()
        (lost / "key.npy").write_bytes(b"all")
        assert large.leftovers() == [lost]
        store.table()
        assert len(large.kept_tables()) == 1 and not lost.exists() and new.exists()  # somebody is writing
        lost.mkdir()
        writer.kill()
    assert set(large.leftovers()) == {new, lost}
    store.table(OTHER)
    assert large.leftovers() == [] and len(large.kept_tables()) == 2
    lost.mkdir()
    assert run("info", "tables", "clear", "--game", SPEC).err.startswith("removed 1 table, ") and lost.exists()
    assert "removed 1 table, 0.00 GB, and 1 folder that commands left unfinished" in run("info", "tables", "clear").err
    assert list(store.folder.iterdir()) == []
    text = " ".join(run("info", "tables").text.split())
    assert text == f"no large tables in {store.folder}, which may hold 20 GB"


def test_the_command(store):
    store.table(), store.table(OTHER)
    rows = run("info", "tables", "--format", "json").json()["rows"]
    assert [row["game"] for row in rows] == [OTHER, SPEC]
    assert rows[1]["states"] == store.table().num_states and rows[0]["bytes"] > 1000
    assert "0.00 GB" in run("info", "tables").text and run("info", "tables").text.count(str(store.folder)) == 1
    assert run("info", "tables", "clear", "--game", SPEC).code == 0
    assert [kept.game for kept in large.kept_tables()] == [OTHER]
    assert "removed 1 table," in run("info", "tables", "clear").err
    assert large.kept_tables() == []
    assert run("info", "tables", "burn").code == 2


@pytest.mark.parametrize("block", [1, 5, 64])
def test_blocks_of_states_change_no_number(store, monkeypatch, block):
    table = store.table()
    numbers = np.random.default_rng(1).random(table.num_edges)
    whole = [table.row_sums(numbers), table.row_max(numbers), table.first_best_edges(np.round(numbers, 1))]
    whole.append(table.row_sums(numbers > 0.5))
    monkeypatch.setattr(state_table, "_BLOCK_EDGES", block)
    parts = [table.row_sums(numbers), table.row_max(numbers), table.first_best_edges(np.round(numbers, 1))]
    for one, other in zip(whole, [*parts, table.row_sums(numbers > 0.5)], strict=True):
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes()
    states, edges = map(list, zip(*table.blocks(), strict=True))
    assert (states[0].start, states[-1].stop) == (0, table.num_states) and edges[-1].stop == table.num_edges


def test_no_limit_exceeds_the_memory(store, monkeypatch):
    monkeypatch.setattr(tables, "available_memory", lambda: 120 * 500)
    with pytest.raises(TableSizeError, match="at most 500 states"):
        table_of("connect4:columns=3,rows=3,length=3", 10**12)
