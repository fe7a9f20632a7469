"""The rates of deep Q-learning: settings of one change, counts against a recount of the runs, runs done once."""

from statistics import median_low
from types import SimpleNamespace

import polars as pl
import pytest

import reference
from conftest import REPOSITORY, as_strategy
from study_checks import folder_of, reproduced
from ttt_fast import TrainingConfig, as_policy, train
from ttt_fast.learners import start_training
from ttt_fast.studies.engine import trainings
from ttt_fast.studies.engine.sources import plan_of
from ttt_fast.studies.engine.trainings import name_of
from ttt_fast.studies.optimum.dqn.measures import SETTINGS, DqnVariant, rate_row
from ttt_fast.studies.optimum.plan import BY_NAME

MINIMAX = DqnVariant(BY_NAME["X v minimax"], "small", {"hidden": "16"})
FULL, QUICK = (plan_of("ttt_fast.studies.optimum.dqn", quick=quick) for quick in (False, True))
SMALL = SimpleNamespace(runs=8, smaller={"episodes": 600, "chunk_episodes": 20, "evaluations": 30, "warm_up": 30})


@pytest.fixture(scope="module")
def against_minimax():
    return [train(start_training(MINIMAX.config(SMALL, seed))) for seed in range(SMALL.runs)]


def test_the_defaults_are_those_of_training():
    assert SETTINGS[0].config(FULL, 3) == TrainingConfig(algorithm="dqn", opponent="random", seed=3)
    assert SETTINGS[1].config(FULL, 3) == TrainingConfig(algorithm="dqn", opponent="self", seed=3)
    assert [one.runs(FULL) for one in SETTINGS] == [100, 100, *[20] * (len(SETTINGS) - 2)]


@pytest.mark.parametrize("setting", SETTINGS[2:], ids=lambda one: f"{one.problem.opponent}, {one.name}")
def test_a_setting_is_one_change_of_a_default(setting):
    default = next(one for one in SETTINGS if one.problem == setting.problem)
    configs = [one.config(FULL, 0) for one in (setting, default)]
    own, usual = (config.as_dict() for config in configs)
    differ = {name for name in own if own[name] != usual.get(name)} - {
        "polyak"
    }  # a target network is copied or follows
    assert differ == set(setting.changes)
    ((field, value),) = setting.changes.items()
    option = field.replace("_", "-")
    is_switch = isinstance(value, bool)
    assert setting.name == (f"--{'' if value else 'no-'}{option}" if is_switch else f"--{option} {value}")
    assert len({name_of(one.config(FULL, 0)) for one in SETTINGS}) == len(SETTINGS)


def test_counts_are_those_of_the_runs(against_minimax):
    """By the plain recursion over dictionaries; the best value is 0, the draw."""
    row = rate_row(MINIMAX, against_minimax)
    minimax = as_strategy(as_policy("minimax"))
    scores, first, last = [], [], 0
    for training in against_minimax:
        wins, _, losses = reference.match(as_strategy(training.policy()), minimax)
        scores.append(wins - losses)
        exact = [episodes for episodes, win, _, loss, *_ in training.history.tolist() if abs(win - loss) < 1e-12]
        first.append(exact[0] if exact else float("inf"))
        last += bool(exact) and exact[-1] == training.config.episodes
    assert 0 < row["exact"] < SMALL.runs  # the seeds show both
    assert row["exact"] == sum(score == 0 for score in scores)
    assert row["mean_regret"] == pytest.approx(-float(sum(scores)) / SMALL.runs, abs=1e-12)
    assert row["exact_at_the_end"] == last
    middle = median_low(first)
    assert row["median_first_exact"] == (middle if middle < float("inf") else None)


def test_a_run_that_has_diverged_is_not_exact(against_minimax):
    row = rate_row(MINIMAX, against_minimax)
    first = next(seed for seed in range(SMALL.runs) if rate_row(MINIMAX, against_minimax[: seed + 1])["exact"])
    without = rate_row(MINIMAX, [None if seed == first else one for seed, one in enumerate(against_minimax)])
    assert (without["runs"], without["exact"]) == (row["runs"], row["exact"] - 1)
    assert rate_row(MINIMAX, [None] * SMALL.runs)["mean_regret"] is None


@pytest.mark.slow
def test_an_interrupted_part_has_begun_with_one_run_of_each_setting(tmp_path, monkeypatch):
    whole, done = trainings.kept_run, []

    def stop(config, folder):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(config)
        return whole(config, folder)

    monkeypatch.setattr(trainings, "kept_run", stop)
    assert reproduced("optimum.dqn", tmp_path, "--runs", tmp_path / "kept", "--threads", "1").code == 130
    assert not folder_of("optimum.dqn", tmp_path).exists()
    assert {config.seed for config in done} == {0} and len(list((tmp_path / "kept").rglob("*.npz"))) == 4


def test_the_results_are_those_of_these_settings_and_reach_the_target():
    frame = pl.read_csv(REPOSITORY / "results" / "optimum" / "dqn" / "dqn_rates.csv")
    assert frame["setting"].to_list() == [one.name for one in SETTINGS]
    assert frame["opponent"].to_list() == [one.problem.opponent for one in SETTINGS]
    against_random, self_play = frame.head(2).to_dicts()
    assert against_random["low"] >= 0.8 and self_play["share"] >= 0.8
