"""Our own policy files, and the choice of a format by suffix or content."""

import json
import shutil
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cli_runner import run
from ttt_fast import (
    FileFormatError,
    Policy,
    TrainingConfig,
    UsageError,
    as_player,
    as_policy,
    load_policy,
    save_policy,
    table_of,
    train,
)
from ttt_fast.files import save_archive
from ttt_fast.learners import start_training
from ttt_fast.policies.files import POLICY_SUFFIXES
from ttt_fast.values import files

TABLE = table_of("tic-tac-toe")
UNIFORM = Policy.uniform(TABLE)
FIRST = Policy.from_values(TABLE, np.zeros(TABLE.child.shape), "first")


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), exact=st.booleans(), name=st.text("a\n\0'é☺\ud800", max_size=8))
def test_a_policy_comes_back_as_it_was(tmp_path_factory, seed, exact, name):
    rng = np.random.default_rng(seed)
    path = tmp_path_factory.mktemp("npz") / "p.npz"
    held = rng.random(TABLE.num_states) < 0.5
    weights = (rng.integers(0, 2**40, TABLE.child.shape) + 1) * TABLE.legal_action_mask
    policy = Policy.from_weights(TABLE, weights, name, held=held)
    if not exact:
        policy = Policy.from_probabilities(TABLE, policy.probabilities, name, held=held)
    save_policy(path, policy)
    again = load_policy(path, TABLE)
    assert again.name == (name if name and name.isprintable() else "p")
    assert np.array_equal(again.probabilities, policy.probabilities)
    assert np.array_equal(again.held, policy.held)
    assert again.is_exact == exact
    assert not exact or np.array_equal(again.weights, policy.weights)


def test_a_loaded_policy_has_a_short_name_and_an_agent_of_a_file_is_called_by_its_path(tmp_path):
    path = tmp_path / "kept.npz"
    save_policy(path, UNIFORM.renamed("mine"))
    save_policy(tmp_path / "first.txt", FIRST)
    save_archive(tmp_path / "q.npz", "q_table", q_table_arrays(), {"episodes": 5})
    assert [load_policy(tmp_path / name).name for name in (path, "first.txt", "q.npz")] == ["mine", "first", "q"]
    assert as_policy(str(path)).name == str(path)  # which a manifest needs


def test_the_same_policy_gives_the_same_bytes_and_plain_numpy_reads_them(tmp_path):
    save_policy(tmp_path / "a.npz", UNIFORM)
    save_policy(tmp_path / "b.npz", UNIFORM)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert np.array_equal(arrays["probabilities"], UNIFORM.edge_probabilities)
        meta = json.loads(str(arrays["meta"]))
        assert set(json.loads(str(arrays["hashes"]))) == {"meta", "probabilities", "held", "weights"}
    assert meta == {
        "format": "ttt-fast",
        "version": 1,
        "kind": "policy",
        "name": "random",
        "game": "tic-tac-toe",
        "table": TABLE.fingerprint,
    }


def q_table_arrays(seed=0):
    rng = np.random.default_rng(seed)
    q_table = rng.integers(-2, 3, TABLE.num_edges).astype(np.float64)
    return {"q_table": q_table, "held": rng.random(TABLE.num_states) < 0.5}


def test_a_q_table_is_read_as_its_greedy_policy_whatever_else_the_file_holds(tmp_path):
    arrays = q_table_arrays()
    extra = {"rng_state": np.arange(3, dtype=np.uint64)}
    save_archive(tmp_path / "q.npz", "q_table", {**arrays, **extra}, {"episodes": 5})
    policy = load_policy(tmp_path / "q.npz", TABLE)
    expected = Policy.from_values(TABLE, arrays["q_table"], held=arrays["held"])
    assert np.array_equal(policy.weights, expected.weights)
    assert np.array_equal(policy.held, expected.held)


POLICY_FILE = {"probabilities": UNIFORM.edge_probabilities, "held": UNIFORM.held, "weights": UNIFORM.edge_weights}


@pytest.mark.parametrize("spec", ["tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"])
def test_a_file_of_another_game_is_refused(tmp_path, spec):
    other, path = table_of(spec), tmp_path / "p.npz"
    save_policy(path, Policy.uniform(other))
    assert np.array_equal(load_policy(path, other).edge_weights, np.ones(other.num_edges))
    with pytest.raises(FileFormatError, match=f"expected a policy for tic-tac-toe, got a policy for '{spec}'$"):
        load_policy(path, TABLE)
    with pytest.raises(UsageError, match=f"expected a .npz file for a policy of {spec}, got"):
        save_policy(tmp_path / "p.txt", Policy.uniform(other))
    save_policy(tmp_path / "first.txt", FIRST)
    with pytest.raises(FileFormatError, match=f"expected a .npz file for {spec}, got a file for tic-tac-toe"):
        load_policy(tmp_path / "first.txt", other)


def test_a_file_belongs_to_every_spelling_of_its_game(tmp_path):
    path = tmp_path / "p.npz"
    save_archive(path, "policy", POLICY_FILE, {**TABLE.file_meta, "game": "tic-tac-toe:misere=no"})
    assert load_policy(path, TABLE).is_exact


@pytest.mark.parametrize("name", ["p", "p.csv", "p.pkl", "p.npz.gz"])
def test_saving_takes_three_suffixes(tmp_path, name):
    with pytest.raises(UsageError, match=r"ends in \.npz, \.txt or \.dat"):
        save_policy(tmp_path / name, FIRST)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".npz", ".txt"])
def test_suffixes_in_capitals_and_foreign_suffixes_are_read_by_content(tmp_path, suffix):
    save_policy(tmp_path / f"p{suffix}", FIRST)
    for name in (f"p{suffix.upper()}", "p", "p.bin"):
        shutil.copy(tmp_path / f"p{suffix}", tmp_path / name)
        assert np.array_equal(load_policy(tmp_path / name, TABLE).weights, FIRST.weights)
    assert suffix in POLICY_SUFFIXES


@pytest.mark.parametrize(("most", "kept"), [(files.MOST_SHARED_BYTES, True), (1, False)])
def test_files_of_players_stay_in_memory_up_to_some_bytes(tmp_path, monkeypatch, most, kept):
    board = "connect4"
    for name in ("one.npz", "two.npz"):
        settings = {"algorithm": "td", "opponent": "self", "tuples": 2, "tuple_cells": 2, "judges": ""}
        start_training(TrainingConfig(game=board, **settings)).save(tmp_path / name)
    monkeypatch.setattr(files, "MOST_SHARED_BYTES", most)
    one, again, other, last = (
        as_player(str(tmp_path / name), board).learned.values for name in ("one.npz", "one.npz", "two.npz", "one.npz")
    )
    assert one is again is not other and (last is one) == kept


@pytest.mark.parametrize("made", ["policy", "values"])
def test_a_command_opens_a_file_once(tmp_path, monkeypatch, made):
    path, opened = tmp_path / "file.npz", []
    if made == "policy":
        save_policy(path, as_policy("minimax"))
    else:
        train(TrainingConfig(episodes=2000)).save(path)
    open_zip = zipfile.ZipFile.__init__

    def counted(self, *given, **named):
        opened.append(given)
        open_zip(self, *given, **named)

    monkeypatch.setattr(zipfile.ZipFile, "__init__", counted)
    assert run("score", path).code == 0 and len(opened) == 1
    assert run("exact", path, "random").code == 0 and len(opened) == 2
