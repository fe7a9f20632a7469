"""An algorithm of a stranger, docs/examples/reinforce.py: its plain form, and commands, files, sweeps and workers."""

import importlib
import json
import shutil
import sys
from dataclasses import dataclass
from math import exp

import numpy as np
import pytest

from cli_runner import run, run_process
from conftest import REPOSITORY
from ttt_fast import TrainingConfig, TrainingRun, UsageError, table_of, train
from ttt_fast.cli.main import app
from ttt_fast.kernels import chunk_stream, next_word
from ttt_fast.learners import (
    ALGORITHMS,
    SETTINGS,
    Algorithm,
    AlgorithmSettings,
    Sweep,
    add_algorithm,
    settings,
    settings_of,
)
from ttt_fast.training.sweep import run_unit

OF_SETTINGS = "ttt_fast.cli.train", "ttt_fast.cli.sweep"
"""Modules whose options are those of the algorithms at their import."""
EXAMPLE = REPOSITORY / "docs" / "examples" / "reinforce.py"


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """The algorithms, settings and options are those of the package again afterwards."""
    kept = dict(ALGORITHMS), dict(SETTINGS)
    monkeypatch.setattr(app, "registered_commands", [])  # an earlier test may have registered them
    for name in OF_SETTINGS:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    for now, before in zip((ALGORITHMS, SETTINGS), kept, strict=True):
        now.clear()
        now.update(before)
    settings_of.cache_clear()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The example as a module of its own."""
    shutil.copy(EXAMPLE, tmp_path / "reinforce.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("reinforce", None)
    importlib.invalidate_caches()
    yield importlib.import_module("reinforce")
    sys.modules.pop("reinforce", None)


def plain(config):
    """The numbers of REINFORCE by dictionaries of states."""
    table, rule = table_of(config.game), config.settings
    theta = {s: [0.0] * int(table.edge_start[s + 1] - table.edge_start[s]) for s in range(table.num_states)}
    for chunk in range(config.num_chunks):
        stream = np.uint64(chunk_stream(config.seed, chunk))
        alpha = rule.step_size.value(config.episodes_after(chunk), config.episodes)
        for _ in range(config.episodes_after(chunk), config.episodes_after(chunk + 1)):
            state, moves = 0, []
            while table.status[state] == 0:
                weights = [exp(number - max(theta[state])) for number in theta[state]]
                softmax = [weight / sum(weights) for weight in weights]
                chances = [(1 - rule.floor) * share + rule.floor / len(softmax) for share in softmax]
                stream, word = map(np.uint64, next_word(stream))
                left, place = (int(word) >> 11) * 2.0**-53, 0
                while place < len(chances) - 1 and (left := left - chances[place]) >= 0:
                    place += 1
                moves.append((state, place, softmax, chances[place]))
                state = int(table.edge_child[table.edge_start[state] + place])
            result = {1: 1, 2: -1}.get(int(table.status[state]), 0)
            for before, place, softmax, chance in moves:
                gain = result if table.player[before] == 1 else -result
                factor = alpha * gain * (1 - rule.floor) * softmax[place] / chance
                for other, share in enumerate(softmax):
                    theta[before][other] += factor * ((other == place) - share)
    return np.array([number for state in theta.values() for number in state])


@pytest.mark.parametrize("floor", [0.3, 0])
def test_the_kernel_is_the_plain_form(module, floor):
    config = TrainingConfig(algorithm="reinforce", episodes=300, chunk_episodes=100, floor=floor, seed=5)
    run = train(config)
    assert np.allclose(run.values.q, plain(config), atol=1e-10)
    assert int(run.counts.sum()) == 300 and run.config.as_dict()["floor"] == floor


def test_with_its_floor_it_becomes_unbeatable_and_without_it_does_not(module):
    """After a million games of 10 seeds: with it 10 are unbeatable, without it none."""
    for floor, seed, episodes, exploited in ((0.3, 2, "500k", 0), (0, 0, "100k", 1)):
        run = train(algorithm="reinforce", episodes=episodes, floor=floor, seed=seed)
        assert run.curve()["exploitability"][-1] == exploited
        assert (run.values.held.sum() > 4500) == (floor > 0)  # of 4,520 states


def test_it_is_resumed_with_the_same_bits_and_made_longer(module, tmp_path):
    config = TrainingConfig(algorithm="reinforce", episodes=4000, chunk_episodes=1000, step_size="0.1")
    whole = train(config)
    train(config, until=2000).save(tmp_path / "r.npz")
    assert train(TrainingRun.load(tmp_path / "r.npz")).sha256() == whole.sha256()
    train(config.replace(episodes=2000)).save(tmp_path / "short.npz")
    longer = run("train", "--resume", "short.npz", "-n", "4k")
    assert longer.code == 0 and TrainingRun.load(tmp_path / "short.npz").sha256() == whole.sha256(), longer.err
    learned = train(config.replace(start_from="short.npz", episodes=0))
    assert learned.sha256() == whole.sha256()


def algorithm_of_file(*words):
    return run_process(*words, program=[sys.executable, "reinforce.py"])


def forget():
    """What a process that has not imported the example knows."""
    del ALGORITHMS["reinforce"], SETTINGS["floor"]
    settings_of.cache_clear()


def test_the_commands_treat_it_as_their_own(module, tmp_path):
    small = "--algorithm", "reinforce", "-n", "2k"
    assert run("train", *small, "--floor", "2", "-o", "r.npz").code == 2
    trained = algorithm_of_file("train", *small, "--floor", "0.2", "-o", "r.npz", "-f", "json")
    assert trained.json()["manifest"]["config"]["floor"] == 0.2
    assert "--floor NUMBER" in run("train", "--algorithm", "reinforce", "--help").text
    assert run("score", "r.npz", "-f", "json").json()["rows"]  # values of a form of the package
    line = "sweep", "--set", "algorithm=reinforce", "--set", "floor=0,0.3", "-n", "1k", "--seeds", "2", "-o", "runs"
    assert len(run(*line, "-f", "json").json()["rows"]) == 2
    assert run("plot", "runs", "--by", "floor", "-o", "curves.svg").code == 0
    assert (tmp_path / "curves.svg").exists()
    forget()
    resumed = run("train", "--resume", "r.npz")
    assert resumed.code == 1 and "expected an algorithm that is registered, got 'reinforce'" in resumed.err
    other = run("train", *small, "-o", "other.npz")
    assert other.code == 2 and "expected --algorithm to be" in other.err and len(other.err.splitlines()) == 1


@pytest.mark.slow
def test_an_edited_file_has_new_runs_and_does_not_continue_old_ones(module, tmp_path):
    line = "sweep", "--set", "algorithm=reinforce", "-n", "1k", "--seeds", "2", "-o", "runs"
    assert algorithm_of_file(*line).code == 0
    assert algorithm_of_file("train", "--algorithm", "reinforce", "-n", "1k", "-o", "r.npz").code == 0
    text = (tmp_path / "reinforce.py").read_text()
    (tmp_path / "reinforce.py").write_text(text.replace("alpha * sign", "0.5 * alpha * sign"))
    assert algorithm_of_file(*line, "--force").code == 0
    assert len(list((tmp_path / "runs").glob("*.parquet"))) == 4
    refused = algorithm_of_file("train", "--resume", "r.npz")
    assert refused.code == 2 and "expected the algorithm reinforce and the opponents" in refused.err


def test_a_worker_imports_its_module_but_not_the_program_itself(module, tmp_path):
    sweep = Sweep({"algorithm": "reinforce", "episodes": 500}, {}, range(1))
    payload = sweep.job(0).payload
    assert json.loads(payload)["module"] == "reinforce"
    del ALGORITHMS["reinforce"], sys.modules["reinforce"]
    assert len(run_unit(payload)) > 100 and "reinforce" in ALGORITHMS

    class Remote:
        shares_memory = False

    ALGORITHMS["reinforce"].settings.__module__ = "__main__"
    with pytest.raises(UsageError, match="expected an algorithm of a module that workers can import"):
        sweep.run([0], tmp_path / "other", Remote())


@pytest.mark.parametrize(
    ("name", "field", "about"),
    [
        ("q", "own", settings.number(0, 1, "a share", "0")),
        ("Upper case", "own", settings.number(0, 1, "a share", "0")),
        ("mine", "noise", settings.whole(0, 9, "another noise", "1")),
        ("mine", "noise", settings.number(0, 9, "a wider noise", "1")),
        ("mine", "output", settings.text),
    ],
    ids=["a name that is taken", "a malformed name", "another kind", "another range", "an option of commands"],
)
def test_what_has_a_meaning_already_is_refused(name, field, about):
    if about is settings.text:
        about = settings.setting(settings.text, "TEXT", "a text", "")
    made = dataclass(frozen=True)(type("Own", (AlgorithmSettings,), {"__annotations__": {field: float}, field: about}))
    record = Algorithm(name=name, summary="", settings=made, first_values="a:b", learner="a:b")
    with pytest.raises(UsageError, match="expected a new name"):
        add_algorithm(record)
    assert "mine" not in ALGORITHMS and "own" not in SETTINGS
