"""Induced tables: their identity, in pickles and in other processes, and their levels on disk."""

import multiprocessing
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from ttt_fast.tables.induced import table_of_levels

from cli_runner import run
from conftest import PATIENCE
from ttt_fast import Policy, TableSizeError, exact_outcome, induced_table, solution_of, table_of
from ttt_fast.analysis import induced as analysis, levels as making
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.tables import induced, kept_levels, large

SPEC = "connect4:columns=4,rows=4"
AGENT = "centre-first"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store in which every table of an agent is kept; `table()` makes or opens one in a process without any."""

    class Store:
        folder = tmp_path
        made = 0

        def forget(self):
            self.made = 0
            monkeypatch.setattr(analysis, "_known", {})
            monkeypatch.setattr(induced, "_tables", {})

        def table(self, agent=AGENT, seat=1, **options):
            self.forget()
            return induced_table(agent, seat, SPEC, **options)

        def path(self):
            return next(tmp_path.glob("*.table"))

    store = Store()

    def counted(*arguments):
        store.made += 1
        return making.make_levels(*arguments)

    monkeypatch.setattr(analysis, "make_levels", counted)
    monkeypatch.setattr(analysis, "KEPT_POSITIONS", 100)
    monkeypatch.setattr(analysis, "MAPPED_POSITIONS", 50)
    monkeypatch.setattr(large, "folder", lambda: tmp_path)
    monkeypatch.delenv(large.QUOTA_VARIABLE)
    store.forget()
    return store


def assert_same(found, expected):
    assert found.fixed == expected.fixed and found.game == expected.game
    for name, array in expected.arrays().items():
        np.testing.assert_array_equal(getattr(found, name), array)
        assert getattr(found, name).dtype == array.dtype and not getattr(found, name).flags.writeable


def test_the_columns_are_those_of_the_full_table():
    full, own = table_of(SPEC), induced_table(AGENT, 2, SPEC).table
    ply = np.repeat(np.arange(own.ply_start.size - 1), np.diff(own.ply_start))
    places = full.indices_of(own.key, ply)
    np.testing.assert_array_equal(full.status[places], own.status)
    np.testing.assert_array_equal(full.player[places], own.player)
    assert len(set(places.tolist())) == own.num_states == len(set(own.key.tolist()))
    for state in range(0, own.num_states, 7):
        edges = slice(own.edge_start[state], own.edge_start[state + 1])
        children = {int(a): int(full.key[full.child[places[state], a]]) for a in own.edge_action[edges]}
        assert children == dict(
            zip(own.edge_action[edges].tolist(), own.key[own.edge_child[edges]].tolist(), strict=True)
        )
        legal = api.legal_actions(own.state(state)) if own.status[state] == 0 else []
        assert edges.stop - edges.start == (1 if own.player[state] == 2 else len(legal))
    assert np.array_equal(own.indices_of(own.key, ply), np.arange(own.num_states))
    assert (own.edge_child > own.edge_state).all()


def test_functions_of_tables_accept_it():
    table = induced_table(AGENT, 1, SPEC).table
    solution = solution_of(table)
    assert solution.value[0] == -1 and solution.distance[0] >= 14  # the value against this agent
    assert exact_outcome(Policy.uniform(table), Policy.uniform(table)).draws > 0
    assert table.state_index(table.board(5)) == 5
    assert "centre-first as X" in repr(table)


def test_a_pickle_is_the_table_of_this_process(store):
    table = store.table().table
    assert pickle.loads(pickle.dumps(table)) is table
    policy = pickle.loads(pickle.dumps(induced_table(AGENT, 1, SPEC).policy))
    assert policy.table is table


def test_a_pickle_holds_only_the_identity_if_the_levels_are_kept(store):
    table = store.table().table
    text = pickle.dumps(table)
    assert len(text) < 2000
    store.forget()
    again = pickle.loads(text)
    assert again is not table and store.made == 0
    assert_same(again, table)
    store.forget()
    large.remove(store.path())
    with pytest.raises(TableSizeError, match="expected the positions of 'centre-first' on disk, got none"):
        pickle.loads(text)


def last(state):
    return api.legal_actions(state)[-1]


def received(queue, text):
    table = pickle.loads(text)
    queue.put((table.fixed, table.arrays()))


def test_another_process_receives_equal_arrays():
    for agent in (AGENT, last):  # neither is on disk
        table = induced_table(agent, 1, SPEC).table
        context = multiprocessing.get_context("spawn")
        queue = context.Queue()
        process = context.Process(target=received, args=(queue, pickle.dumps(table)))
        process.start()
        fixed, arrays = queue.get(timeout=PATIENCE)
        process.join()
        assert fixed == table.fixed
        for name, array in table.arrays().items():
            np.testing.assert_array_equal(arrays[name], array)


def test_levels_are_kept_and_opened_again(store):
    first = store.table()
    assert store.made == 1 and len(list(store.folder.iterdir())) == 1
    again = store.table()
    assert store.made == 0 and again is not first and again.positions == first.positions
    for one, other in zip(again.levels.levels, first.levels.levels, strict=True):
        np.testing.assert_array_equal(one.keys, other.keys)
        np.testing.assert_array_equal(one.codes, other.codes)
    assert isinstance(again.levels.levels[5].keys.base, np.memmap)
    assert again.outcome().fractions == first.outcome().fractions
    assert again.best_value == first.best_value and again.refutation == first.refutation
    assert_same(again.table, first.table)
    assert induced_table(AGENT, 1, SPEC) is again  # in one process
    assert store.table(seat=2).seat == 2 and store.made == 1
    assert len(large.kept_tables()) == 2


def test_what_is_known_or_kept_changes_no_limit(store):
    with pytest.raises(TableSizeError) as fresh:
        store.table(max_positions=500)
    store.table()
    for ask in (lambda: induced_table(AGENT, 1, SPEC, max_positions=500), lambda: store.table(max_positions=500)):
        with pytest.raises(TableSizeError) as again:
            ask()
        assert str(again.value) == str(fresh.value)
    assert store.table(max_positions=998).positions == 998 and store.made == 0
    assert len(large.kept_tables()) == 1 == len(list(store.folder.iterdir()))


def test_text_agents_only_are_kept(store):
    store.table(last)
    assert list(store.folder.iterdir()) == []
    store.table(max_positions=10**6)
    assert len(large.kept_tables()) == 1


def test_they_are_listed_and_cleared(store):
    store.table()
    (row,) = run("info", "tables", "--format", "json").json()["rows"]
    assert row["game"] == f"{SPEC} with {AGENT} as X" and row["states"] == 998
    assert run("info", "tables", "clear").code == 0
    assert list(store.folder.iterdir()) == []
    store.table()
    assert store.made == 1


def changed(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def of_another_version(folder):
    described = large._description_in(folder)
    (folder / "table.json").write_text(large._signed({**described, "levels": 99}))


def of_another_agent(folder):
    described = large._description_in(folder)
    (folder / "table.json").write_text(large._signed({**described, "fixed": [1, AGENT, "0" * 64]}))


DAMAGE = {
    "a bit": (lambda folder: changed(folder / "codes_004.npy"), "codes_004 changed"),
    "missing": (lambda folder: (folder / "ends.npy").unlink(), "ends.npy is missing"),
    "version": (of_another_version, "another game or version"),
    "agent": (of_another_agent, "another game or version"),
}


@pytest.mark.parametrize(("damage", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_levels_are_made_again(store, damage, reason):
    first = store.table()
    expected = first.outcome().fractions, [level.keys.copy() for level in first.levels.levels]
    damage(store.path())
    pattern = f"^the kept table of {SPEC} with {AGENT} is damaged and is made again: [^\n]*{reason}[^\n]*$"
    with pytest.warns(UserWarning, match=pattern) as told:
        again = store.table()
    assert len(told) == 1 and store.made == 1
    assert again.outcome().fractions == expected[0]
    assert all(map(np.array_equal, (level.keys for level in again.levels.levels), expected[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.table().positions == 998 and store.made == 0


def test_another_version_of_the_package_makes_its_own(store, monkeypatch):
    store.table()
    monkeypatch.setattr(analysis, "package_version", lambda: "0.0.0")
    store.table()
    assert store.made == 1 and len(large.kept_tables()) == 2


def test_a_changed_file_is_another_agent(store, tmp_path_factory):
    from ttt_fast import as_policy, save_policy

    path = tmp_path_factory.mktemp("files") / "one.npz"
    positions = []
    for agent in ("minimax:tie=first", "random"):
        save_policy(path, as_policy(agent, SPEC))
        positions.append(store.table(str(path)).positions)
        assert store.made == 1
    assert positions[0] < positions[1] and len(large.kept_tables()) == 2


def test_a_quota_of_zero_keeps_nothing(store, monkeypatch):
    monkeypatch.setenv(large.QUOTA_VARIABLE, "0")
    assert store.table().outcome().fractions.x_wins.denominator == 864
    assert list(store.folder.iterdir()) == []
    store.table()
    assert store.made == 1


def test_a_full_disk_loses_nothing(store, monkeypatch):
    monkeypatch.setattr(large.np, "save", lambda *given, **more: (_ for _ in ()).throw(OSError("no space left")))
    assert store.table().positions == 998
    assert list(store.folder.iterdir()) == []


def test_an_interrupted_enumeration_leaves_no_folder(store, monkeypatch):
    whole = making.next_keys
    seen = []

    def interrupted(game, level, *arguments):
        seen.append(any(store.folder.iterdir()))
        if len(seen) == 10:
            raise KeyboardInterrupt
        return whole(game, level, *arguments)

    monkeypatch.setattr(making, "next_keys", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.table()
    assert seen[-1] and list(store.folder.iterdir()) == []


def test_too_many_positions_for_a_table(monkeypatch):
    found = induced_table(AGENT, 1, SPEC)
    monkeypatch.setattr(induced, "MAX_INDUCED_STATES", 500)
    with pytest.raises(TableSizeError, match="at most 500 positions for an induced table, got 998 of 'centre-first'"):
        table_of_levels(found.levels)
    assert found.never_loses is False


def test_a_pipe_in_place_of_a_folder(store):
    store.table()
    path = store.path()
    large.remove(path)
    Path(path).touch()
    assert not kept_levels.is_kept(parse_game(SPEC), store.table().levels.fixed) or path.is_dir()
    assert store.table().positions == 998
