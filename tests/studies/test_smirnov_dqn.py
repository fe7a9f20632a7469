"""Smirnov's deep Q-learning: settings, rows against plain sums over the runs, and runs that are done once."""

import numpy as np
import pytest

from study_checks import folder_of, reproduced, undrawn
from ttt_fast import exact_outcome, train
from ttt_fast.learners import start_training
from ttt_fast.studies.engine import trainings
from ttt_fast.studies.engine.sources import plan_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.trainings import name_of
from ttt_fast.studies.smirnov.dqn import measures
from ttt_fast.studies.smirnov.dqn.measures import CURVES, FULL, TAUGHT

STUDY = "smirnov.dqn"
QUICK = plan_of(measures.__package__, quick=True)


@pytest.fixture(scope="module", autouse=True)
def _undrawn():
    with undrawn():
        yield


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    reproduced(STUDY, results, "--threads", "2", "--runs", results / "kept")
    return folder_of(STUDY, results), results / "kept"


@pytest.fixture(scope="module")
def tables(quick):
    return Tables(quick[0], "")


def test_settings_are_those_of_the_source():
    main = CURVES[0].config(FULL, 1, 7)
    own = main.settings
    assert (own.hidden, own.leak, own.optimizer, own.step_size.text) == ((31, 31), 0.01, "adam", "0.0001")
    assert (own.minibatch, own.clip, own.discount, own.epsilon.text) == (2, 1.0, 0.9, "0.1")
    assert (own.replay, own.warm_up, own.target_every, own.double) == (300_000, 300_000, 1, False)
    assert (main.episodes, main.evaluations, main.seed, main.seat) == (600_000, 60, 7, 1)
    assert next(one for one in CURVES if one.name == "128x128").changes == {"hidden": "127,127"}
    plots = {plot: sum(one.plot == plot for one in CURVES) for plot in dict.fromkeys(one.plot for one in CURVES)}
    assert list(plots.values()) == [2, 4, 4, 4, 4, 4]
    names = {name_of(one.config(FULL, seat, 0)) for one in CURVES for seat in one.seats}
    assert len(names) == 2 * 18  # the program is a setting of four plots, the page's reading of one more


@pytest.mark.slow
def test_a_curve_is_that_of_its_runs(tables):
    curve = tables.where("curves", plot="optimizer", setting="sgd", seat="o")
    config = next(one for one in CURVES if one.name == "sgd").config(QUICK, 2, 0)
    runs = [train(start_training(config.replace(seed=seed))) for seed in range(2)]
    wins = np.array([run.history[-3:, run.columns.index("wins")] for run in runs])
    assert [row["mean"] for row in curve] == pytest.approx(wins.mean(axis=0).tolist(), abs=1e-6)
    assert [row["sd"] for row in curve] == pytest.approx(wins.std(axis=0, ddof=1).tolist(), abs=1e-6)


@pytest.mark.slow
def test_matches_are_those_of_the_networks_kept(tables):
    """O of seed 1, as described, against random: from a run by itself."""
    config = CURVES[1].config(QUICK, 2, 1)
    exact = exact_outcome("random", train(start_training(config)).policy())
    name = "as described: X Random, O DQN, first move chosen"
    assert tables.one("runs", name=name, quantity="o_wins", seed=1)["value"] == pytest.approx(exact.o_wins, abs=1e-9)


def test_a_diverged_network_has_no_wins():
    assert set(measures._ends([]).values()) == {None}
    ends = measures._ends([np.array([0.2, 0.4, 0.3])])
    assert (ends["best"], ends["last"], ends["highest"]) == (0.4, 0.3, 0.4)
    assert set(measures._ends([])) == set(ends)


@pytest.mark.slow
def test_fewer_seeds_are_a_part_of_the_same_runs(quick, tmp_path, monkeypatch):
    monkeypatch.setattr(trainings, "train", lambda *_, **__: pytest.fail("it trains again"))
    reproduced(STUDY, tmp_path, "--seeds", "1", "--threads", "1", "--runs", quick[1])
    folder = folder_of(STUDY, tmp_path)
    assert {row["size"] for row in Tables(folder, "")["cells"]} == {1}
    assert "--seeds 1" in (folder / "README.md").read_text()


@pytest.mark.slow
def test_the_safest_checkpoint_of_a_run(tables):
    """Of O against random, and of both seats of a run by itself: fewest losses, then most wins, in whole lines."""
    rows = tables["safest_runs"]
    assert all(row["wins"] + row["draws"] + row["losses"] == row["lines"] for row in rows)
    (taught,) = TAUGHT
    for opponent, prefix, config in (
        ("random", "", CURVES[0].config(QUICK, 2, 1)), ("itself", "o_v_random_", taught.config(QUICK, 1, 1))
    ):  # fmt: skip
        run = train(start_training(config))
        shares = [run.history[-3:, run.columns.index(f"{prefix}{name}")] * 945 for name in ("losses", "wins")]
        losses, wins = sorted(zip(shares[0], -shares[1], strict=True))[0]
        row = tables.one("safest_runs", opponent=opponent, network="o", seed=1)
        assert (row["losses"], row["wins"]) == pytest.approx((losses, -wins), abs=1e-6)
    of = tables.where("safest_runs", opponent="random", network="o")
    assert tables.one("safest", opponent="random", network="o")["never lose"] == sum(row["losses"] == 0 for row in of)


@pytest.mark.slow
def test_what_a_learner_against_random_aims_at(tables):
    """The best discounted reward as O takes a risk; as X it is safe, and the most that there is."""
    aims = {row["network"]: (row["wins"], row["draws"], row["losses"]) for row in tables["aims"]}
    assert aims == {"o": (878, 63, 4), "x chosen": (382, 2, 0), "x drawn": (3424, 32, 0)}
    assert tables.one("fractions", seat="O", table="pairs, first move drawn")["fewest wins"] == 860
