"""Kept runs: a run that is done is read, another one is trained, and no bit depends on it."""

import pytest

from ttt_fast import TrainingConfig, TttFastError, train
from ttt_fast.learners import Sweep, start_training
from ttt_fast.studies.engine import trainings as module
from ttt_fast.studies.engine.trainings import kept_run, kept_runs, name_of

SHORT = {
    "algorithm": "dqn", "hidden": "8,8", "minibatch": 2, "replay": 100, "warm_up": 10, "episodes": 60,
    "chunk_episodes": 10, "evaluations": 6,
}  # fmt: skip


def test_a_damaged_file_is_replaced_and_an_unfinished_run_goes_on(tmp_path, monkeypatch):
    config = TrainingConfig(**SHORT)
    whole = kept_run(config, tmp_path)
    path = tmp_path / f"{name_of(config)}.npz"
    path.write_bytes(path.read_bytes()[:-50])
    assert kept_run(config, tmp_path).sha256() == whole.sha256()
    path.unlink()
    calls = []

    def stop(*_):
        calls.append(0)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(start_training(config), checkpoint=path, checkpoint_every=1e-9, on_chunk=stop)
    starts = []
    real = module.train
    monkeypatch.setattr(module, "train", lambda run, **more: starts.append(run.episodes) or real(run, **more))
    assert kept_run(config, tmp_path).sha256() == whole.sha256()
    assert 0 < starts[0] < 60


def test_runs_of_equal_settings_are_one_and_threads_change_nothing(tmp_path):
    configs = [TrainingConfig(**SHORT, seed=seed) for seed in (0, 1, 0)]
    one, two = (kept_runs(configs, tmp_path / str(threads), threads) for threads in (1, 2))
    assert list(one) == [name_of(configs[0]), name_of(configs[1])] == list(two)
    assert [run.sha256() for run in one.values()] == [run.sha256() for run in two.values()]


def test_the_name_is_that_of_a_unit(tmp_path):
    config = TrainingConfig(**SHORT)
    settings = {name: value for name, value in config.as_dict().items() if name != "seed"}
    assert [name_of(config)] == Sweep(settings, {}, [config.seed]).names


def test_a_run_that_diverges_is_left_out(tmp_path):
    wild = {"optimizer": "sgd", "step_size": 1.0, "loss": "squared", "win_reward": 1e6, "loss_reward": -1e6}
    config = TrainingConfig(**SHORT, **wild)
    with pytest.raises(TttFastError, match="finite weights"):
        kept_run(config, tmp_path)
    assert list(kept_runs([config, TrainingConfig(**SHORT)], tmp_path, 1)) == [name_of(TrainingConfig(**SHORT))]
