"""Tables on disk, of every size: mapped by the next process, within a quota, made again when damaged or outdated."""

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
import weakref
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from cli_runner import assert_one_line, run
from conftest import PATIENCE
from ttt_fast import as_policy, induced_table, save_policy, solution_of, tables
from ttt_fast.agents import simple_players
from ttt_fast.analysis import induced
from ttt_fast.core.archive import read_meta, save_archive
from ttt_fast.core.errors import FileFormatError, TableSizeError, UsageError
from ttt_fast.games import api
from ttt_fast.learn.checkpoint import load_training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.policies import heuribot
from ttt_fast.policies.files import npz
from ttt_fast.tables import store, table_of

SPEC, OTHER, THIRD = "connect4:columns=3,rows=3,length=3", "connect4:columns=4,rows=2,length=2", "connect4:columns=1"
BOARD, AGENT = "connect4:columns=4,rows=4", "centre-first"


class Kept:
    """A store of one test; `new` forgets what this process has in memory, and `made` lists what it makes since then."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.patch, self.made = folder, monkeypatch, []
        for module, name in ((tables, "enumerate_game"), (induced, "enumerated")):
            monkeypatch.setattr(module, name, partial(self.counted, getattr(module, name)))
        monkeypatch.setattr(store, "folder", lambda: self.folder)
        monkeypatch.delenv(store.QUOTA_VARIABLE)

    def counted(self, make, *given):
        self.made.append(next(one.spec for one in given if hasattr(one, "spec")))
        return make(*given)

    def new(self):
        self.made.clear()
        for name in ("_tables", "_strong", "_too_large"):
            self.patch.setattr(tables, name, type(getattr(tables, name))())
        heuribot.classify_states.cache_clear(), simple_players._wins_and_blocks.cache_clear()

    def table(self, spec=SPEC):
        self.new()
        return table_of(spec, 10_000)

    def fixed(self, agent=AGENT, seat=1, **options):
        self.new()
        return induced_table(agent, seat, BOARD, **options)

    def specs(self):
        return [one.table for one in store.tables_on_disk().tables]

    def path(self):
        (path,) = self.folder.glob("*.table")
        return path


@pytest.fixture
def kept(tmp_path, monkeypatch):
    found = Kept(tmp_path, monkeypatch)
    yield found
    found.new()


@pytest.fixture(params=["small", "large", "fixed"])
def table(kept, request, monkeypatch):
    """A function that makes or opens a table in a new process."""
    if request.param == "large":
        every_table_is_large(monkeypatch)
    return (lambda: kept.fixed().table) if request.param == "fixed" else kept.table


def every_table_is_large(monkeypatch):
    for module, name, most in ((tables, "MAX_STATES", 20), (tables, "SOLVED_STATES", 20), (store, "SMALL_BYTES", 0)):
        monkeypatch.setattr(module, name, most)


def assert_same(found, expected):
    assert found.fixed == expected.fixed and found.game == expected.game
    for name, array in expected.arrays().items():
        here = getattr(found, name)
        np.testing.assert_array_equal(here, array)
        assert here.dtype == array.dtype and type(here) is np.ndarray and not here.flags.writeable
    for here, array in zip(solution_of(found), tables.solve(expected), strict=True):
        np.testing.assert_array_equal(here, array)
        assert here.dtype == array.dtype and not here.flags.writeable


def test_the_next_process_maps_a_table(kept, table):
    first, path = table(), kept.path()
    assert len(kept.made) == 1 and len(kept.specs()) == 1
    again = table()
    assert not kept.made and again is not first and isinstance(again.key.base, np.memmap)
    assert_same(again, first)
    assert table() is not again and kept.path() == path


def test_what_is_on_disk_changes_no_limit(kept, monkeypatch):
    every_table_is_large(monkeypatch)
    for _ in range(2):
        kept.new()
        with pytest.raises(TableSizeError, match=r"at most 20 states, .*; --exact, or table_of\(game, max_states\)"):
            table_of(SPEC)
        with pytest.raises(TableSizeError, match=r"more than 100 states$"):
            table_of(SPEC, 100)
        first = kept.table()
        assert table_of(SPEC) is table_of(SPEC, 10_000) is first
    texts = set()
    for _ in range(2):
        with pytest.raises(TableSizeError) as caught:
            kept.fixed(max_positions=500)
        texts.add(str(caught.value))
        found = kept.fixed()
        with pytest.raises(TableSizeError) as caught:
            induced_table(AGENT, 1, BOARD, max_positions=500)
        texts.add(str(caught.value))
        assert induced_table(AGENT, 1, BOARD, max_positions=998).table is found.table
    assert len(texts) == 1


def test_the_next_process_neither_makes_anything_nor_loads_numba(kept):
    texts = [as_policy(name).signature for name in ("heuribot", "default")]
    texts.append(induced_table("default", "o").policy.signature)
    code = f"""
import sys
from pathlib import Path
from ttt_fast import as_policy, induced_table, tables
from ttt_fast.analysis import induced
from ttt_fast.policies import heuribot
from ttt_fast.tables import store
store.folder = lambda: Path({str(kept.folder)!r})
def refuse(*arguments): raise AssertionError("made again")
tables.enumerate_game = tables.solve = heuribot._classify = induced.enumerated = refuse
print(tables.table_of("tic-tac-toe").num_states, tables.solution_of("tic-tac-toe").distance[0])
print(as_policy("heuribot").signature, as_policy("default").signature)
print(induced_table("default", "o").policy.signature, "numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.stderr, done.stdout.split()) == ("", ["5478", "9", *texts, "False"])


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def replaced(path, make):
    path.unlink()
    make(path)


DAMAGE = {
    "a bit": ("key.npy", flipped, "key changed since the table was written"),
    "a short column": ("edge_child.npy", cut, "edge_child changed since the table was written"),
    "an empty column": ("status.npy", partial(Path.write_bytes, data=b""), "status changed since"),
    "a missing column": ("status.npy", Path.unlink, "status.npy is missing, or is not a regular file"),
    "a pipe": ("key.npy", partial(replaced, make=os.mkfifo), "key.npy is missing, or is not a regular file"),
    "a folder": ("player.npy", partial(replaced, make=os.mkdir), "player.npy is missing, or is not a regular file"),
    "no description": ("table.json", partial(Path.write_text, data="[]"), "has changed since it was written"),
    "a short description": ("table.json", cut, "delimiter"),
    "a deep description": ("table.json", partial(Path.write_text, data="[" * 100_000), "recursion"),
    "a changed description": ("table.json", partial(Path.write_text, data="{}"), "has changed since it was written"),
    "a pipe for it": ("table.json", partial(replaced, make=os.mkfifo), "table.json is missing, or is not a regular"),
}


@pytest.mark.parametrize(("name", "damage", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_table_is_made_again_with_one_warning(kept, table, monkeypatch, name, damage, reason):
    monkeypatch.setattr(store, "_BLOCK_BYTES", 100)
    first = table()
    damage(kept.path() / name)
    with pytest.warns(
        UserWarning, match=f"^the kept table of connect4:[^\n]* made again: [^\n]*{reason}[^\n]*$"
    ) as told:
        again = table()
    assert len(told) == len(kept.made) == 1
    assert_same(again, first)
    assert table() and not kept.made


@pytest.mark.parametrize("make", [os.mkfifo, Path.touch, lambda path: path.symlink_to("nowhere")])
def test_what_is_no_folder_makes_room_for_the_table(kept, table, make):
    table()
    path = kept.path()
    store.remove(path)
    make(path)
    assert kept.specs() == [] and table() and len(kept.made) == 1
    assert table() and not kept.made


@pytest.mark.parametrize("change", [{"rules": 99}, {"sources": "0"}, {"fixed": [1, AGENT, "0" * 64]}, {"start": [0]}])
def test_a_table_of_another_version_or_agent_is_made_again(kept, table, change):
    first = table()
    described = store._description_in(kept.path())
    (kept.path() / "table.json").write_text(store._signed({**described, **change}))
    with warnings.catch_warnings(action="error"):
        assert_same(table(), first)
    assert len(kept.made) == 1 and store._description_in(kept.path()) == described


def test_other_games_versions_agents_and_files_have_their_own(kept, monkeypatch, tmp_path_factory):
    path, positions = tmp_path_factory.mktemp("files") / "one.npz", []
    policies = [as_policy(agent, BOARD) for agent in ("minimax:tie=first", "random")]
    store.tables_on_disk().remove()
    kept.fixed(), kept.fixed(seat=2), kept.fixed("random")
    for policy in policies:
        save_policy(path, policy)
        positions.append(kept.fixed(str(path)).positions)
    monkeypatch.setattr(induced, "package_version", lambda: "0.0.0")
    kept.fixed()
    assert positions[0] < positions[1] and sum(" with " in spec for spec in kept.specs()) == 6
    kept.fixed(last)
    assert sum(" with " in spec for spec in kept.specs()) == 6  # no text determines it
    assert kept.table("tic-tac-toe:misere=yes") and kept.table("tic-tac-toe") and kept.made == ["tic-tac-toe"]


def last(state):
    return api.legal_actions(state)[-1]


def no_folder(kept):
    kept.folder = kept.folder / "missing"


def a_file(kept):
    (kept.folder / "file").touch()
    kept.folder = kept.folder / "file"


def read_only(kept):
    kept.patch.setattr(tempfile, "mkdtemp", failing)  # a folder that the superuser may not write does not exist


def no_room(kept):
    full = store.shutil.disk_usage(kept.folder)._replace(free=1000)
    kept.patch.setattr(store.shutil, "disk_usage", lambda path: full)


def full(kept):
    kept.patch.setattr(store.np, "save", failing)


def failing(*given, **more):
    raise OSError(28, "no space left")


@pytest.mark.parametrize("obstacle", [no_folder, a_file, read_only, no_room, full])
def test_a_store_that_cannot_be_written_only_costs_time(kept, table, obstacle):
    expected, before = table(), kept.folder
    store.remove(kept.path())
    obstacle(kept)
    for _ in range(2):
        assert_same(table(), expected)
        assert len(kept.made) == 1 and as_policy("default", SPEC).is_exact
    assert [path.name for path in before.iterdir()] == (["file"] if obstacle is a_file else [])


def test_the_quota_removes_what_was_used_longest_ago(kept, monkeypatch):
    kept.table(THIRD)
    monkeypatch.setattr(store, "SMALL_BYTES", store.tables_on_disk().tables[0].bytes)
    kept.fixed(), kept.table(OTHER), kept.table()
    for seconds, one in enumerate(store.tables_on_disk().tables[::-1], 1):
        os.utime(one.path / "table.json", (seconds, seconds))
    kept.fixed()  # the use of a table counts
    assert not kept.made
    large = [one for one in store.tables_on_disk().tables if one.table != THIRD]
    monkeypatch.setenv(store.QUOTA_VARIABLE, str(sum(one.bytes for one in large) / 1e9))
    kept.table("connect4:columns=4,rows=3,length=2")
    assert OTHER not in kept.specs() and {THIRD, f"{BOARD} with {AGENT} as X"} < set(kept.specs())
    monkeypatch.setenv(store.QUOTA_VARIABLE, "0")
    store.tables_on_disk().remove()
    assert kept.table().num_states and kept.fixed().positions == 998 and kept.table(THIRD)
    assert kept.specs() == [THIRD]


@pytest.mark.parametrize("wrong", ["x", "-1", "nan"])
def test_a_wrong_quota_is_one_line_before_the_work(kept, monkeypatch, wrong):
    every_table_is_large(monkeypatch)
    monkeypatch.setenv(store.QUOTA_VARIABLE, wrong)
    for ask in (store.quota, kept.table, kept.fixed):
        with pytest.raises(UsageError, match=f"expected a number of gigabytes in TTT_FAST_TABLES_GB, got '{wrong}'"):
            ask()
        assert kept.specs() == []
    assert_one_line(run("exact", AGENT, "random", "--fixed-seat", "x", "--game", BOARD), 2, "TTT_FAST_TABLES_GB")


WRITER = f"""
import sys
from pathlib import Path
from ttt_fast.tables import store, table_of
store.folder = lambda: Path(sys.argv[1])
save = store.np.save
def stop(*given, **more):
    print("writing", flush=True)
    sys.stdin.readline()
    save(*given, **more)
store.np.save = stop
print(table_of({SPEC!r}).num_states)
"""


def test_what_killed_commands_left_is_removed(kept, monkeypatch):
    monkeypatch.setattr(store, "SMALL_BYTES", 0)
    lost = kept.folder / "lost.table"
    words = [sys.executable, "-c", WRITER, kept.folder]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "writing\n"
        (new,) = kept.folder.iterdir()
        lost.mkdir()
        (lost / "key.npy").write_bytes(b"all")
        assert store.tables_on_disk().leftovers == [lost]
        kept.table()
        assert kept.specs() == [SPEC] and not lost.exists() and new.exists()  # somebody is writing
        lost.mkdir()
        writer.kill()
    assert set(store.tables_on_disk().leftovers) == {new, lost}
    kept.table(OTHER)
    assert store.tables_on_disk().leftovers == [] and len(kept.specs()) == 2
    lost.mkdir()
    assert run("info", "tables", "clear", "--game", SPEC).err.startswith("removed 1 table, ") and lost.exists()
    assert "removed 1 table, 0.00 GB, and 1 folder that commands left unfinished" in run("info", "tables", "clear").err
    assert list(kept.folder.iterdir()) == []


def test_two_processes_that_write_at_once(kept):
    words = [sys.executable, "-c", WRITER, kept.folder]
    both = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [one.stdout.readline() for one in both] == 2 * ["writing\n"]
    found = [one.communicate("\n" * 99, timeout=PATIENCE)[0].split()[-1] for one in both]
    with warnings.catch_warnings(action="error"):
        assert {*found} == {str(kept.table().num_states)} and not kept.made
    assert kept.specs() == [SPEC] and store.tables_on_disk().leftovers == []


def received(queue, text):
    policy = pickle.loads(text)
    queue.put((policy.table.fixed, policy.table.arrays(), policy.edge_probabilities))


def test_pickles_of_tables_with_a_fixed_seat(kept):
    found = kept.fixed()
    text = pickle.dumps(found.policy)
    assert pickle.loads(text).table is found.table
    policies = [kept.fixed(last).policy]  # its table is not on disk
    again = kept.fixed()
    assert not kept.made and len(pickle.dumps(again.table)) < 2000
    assert pickle.loads(pickle.dumps(again.table)) is again.table
    kept.new()
    opened = pickle.loads(pickle.dumps(again.table))
    assert opened is not again.table and not kept.made
    assert_same(opened, again.table)
    identity = pickle.dumps(opened)
    store.tables_on_disk().remove()
    kept.new()
    with pytest.raises(TableSizeError, match="expected the table of 'centre-first' on disk, to which a pickled object"):
        pickle.loads(identity)
    for policy in [*policies, again.policy]:  # neither is on disk now
        context = multiprocessing.get_context("spawn")
        queue = context.Queue()
        process = context.Process(target=received, args=(queue, pickle.dumps(policy)))
        process.start()
        fixed, arrays, chances = queue.get(timeout=PATIENCE)
        process.join()
        assert fixed == policy.table.fixed and np.array_equal(chances, policy.edge_probabilities)
        assert all(np.array_equal(arrays[name], array) for name, array in policy.table.arrays().items())


def test_the_command(kept):
    kept.table(), kept.fixed()
    rows = run("info", "tables", "--format", "json").json()["rows"]
    assert [row["table"] for row in rows] == [f"{BOARD} with {AGENT} as X", SPEC]
    assert rows[1]["states"] == table_of(SPEC).num_states and rows[0]["bytes"] > 1000
    assert "0.00 GB" in run("info", "tables").text and run("info", "tables").text.count(str(kept.folder)) == 1
    assert [row["table"] for row in run("info", "tables", "--game", SPEC, "-f", "json").json()["rows"]] == [SPEC]
    assert run("info", "tables", "clear", "--game", BOARD).code == 0 and kept.specs() == [SPEC]
    assert "removed 1 table," in run("info", "tables", "clear").err and kept.specs() == []
    text = " ".join(run("info", "tables").text.split())
    assert text == f"no tables in {kept.folder}, which may hold 20 GB"


@pytest.mark.parametrize("spec", ["heuribot", "heuribot:as=coded", "default"])
def test_what_is_derived_from_a_table_is_read_and_made_again(kept, monkeypatch, spec):
    kept.new()
    first, made = as_policy(spec).signature, []
    (path,) = (path for path in kept.folder.iterdir() if "heuribot" in path.name or "wins" in path.name)
    for module, name in ((heuribot, "_classify"), (simple_players, "_fill_win_or_block")):
        inner = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, inner=inner: (made.append(1), inner(*given))[1])

    def again():
        made.clear(), kept.new()
        assert as_policy(spec).signature == first
        return len(made)

    assert again() == 0
    cut(path / "actions.npy")
    with pytest.warns(UserWarning, match="^the kept table of .* of tic-tac-toe is damaged and is made again: actions"):
        assert again() == 1
    for change in ({"source": "0"}, {"table": "0"}):
        (path / "table.json").write_text(store._signed({**store._description_in(path), **change}))
        assert (again(), again()) == (1, 0)


def test_a_large_table_is_released_when_another_one_comes(kept, monkeypatch):
    """It is the same object as long as it is in use."""
    every_table_is_large(monkeypatch)
    kept.new()
    for ask in (lambda: table_of(SPEC, 10_000), lambda: induced_table(AGENT, 1, BOARD).table):
        reference = weakref.ref(ask())
        gc.collect()
        table = ask()
        assert table is reference()
        table_of(OTHER, 10_000)
        gc.collect()
        assert ask() is table is reference()
        del table
        table_of(OTHER, 10_000)
        gc.collect()
        assert reference() is None


def test_a_run_over_a_large_table_is_read_by_another_process(kept, tmp_path_factory, monkeypatch):
    every_table_is_large(monkeypatch)
    path = tmp_path_factory.mktemp("run") / "q.npz"
    trained = train(start_training(TrainingConfig(game=SPEC, exact=True, episodes=3000, chunk_episodes=1000)))
    save_training(path, trained, as_policy("random", SPEC))
    kept.new()
    monkeypatch.setattr(npz, "MAX_FILE_BYTES", 100)  # a game of millions of states has files beyond the usual limit
    assert load_training(path).sha256() == trained.sha256() and not kept.made
    assert run("score", path, "--game", SPEC).code == 0
    save_archive(path, npz.Q_TABLE_KIND, {}, {**read_meta(path), "config": {"exact": True, "game": "nothing"}})
    with pytest.raises(FileFormatError):
        load_training(path)
