"""Sweeps and comparisons as frames, and statistics over their seeds, beside plain NumPy and the commands."""

import io
import json
import os
import re
import subprocess
import sys
from functools import partial

import numpy as np
import polars as pl
import pytest

import ttt_fast
from cli_runner import assert_one_line, run
from conftest import PATIENCE, REPOSITORY
from ttt_fast import UsageError
from ttt_fast.files import encode_frame

SETTINGS = {"opponent": "minimax", "seat": "o", "episodes": 4000, "evaluations": 8, "epsilon": [0, 0.5]}
WORDS = ["--set", "opponent=minimax", "--set", "seat=o", "--set", "epsilon=0,0.5", "--set", "evaluations=8", "-n", "4k"]


STATISTICS = (
    ttt_fast.seed_intervals, ttt_fast.episodes_to_target, ttt_fast.performance_profile, ttt_fast.paired_tests,
)  # fmt: skip


def meter_frame(learner, seed):
    meter = ttt_fast.Meter(labels={"learner": learner, "seed": seed, "net": [8, 8]})
    meter.record(10, "random")
    assert "[8, 8]" in encode_frame(meter.to_frame(), "csv").decode()
    return meter.to_frame()


@pytest.fixture(scope="module")
def curves():
    return ttt_fast.sweep(SETTINGS, seeds=7, threads=2)


def test_a_sweep_has_the_rows_of_the_command(curves, tmp_path):
    merged = tmp_path / "all.parquet"
    printed = run("sweep", *WORDS, "--seeds", "7", "-o", tmp_path / "runs", "--merge", merged, "-f", "json").json()
    assert pl.read_parquet(merged).drop("seconds").equals(curves.drop("seconds"))
    assert {"value", "best_value", "regret", "exploitability", "episodes", "seed"} <= set(curves.columns)
    assert curves["regret"].min() == 0
    last = ttt_fast.seed_intervals(curves, "value").filter(pl.col("episodes") == 4000)
    middle = ttt_fast.seed_intervals(curves, "value", statistic="iqm").filter(pl.col("episodes") == 4000)
    times = ttt_fast.episodes_to_target(curves)
    for number, row in enumerate(printed["rows"]):
        names = ["mean_value", "mean_value_low", "mean_value_high"]
        assert [row[name] for name in names] == list(last.row(number)[3:])
        assert [row[name.replace("mean", "iqm")] for name in names] == list(middle.row(number)[3:])
        assert (row["seeds"], row["optimal_seeds"]) == times.row(number)[1:3]
        names = ["median_episodes", "median_episodes_low", "median_episodes_high"]
        assert [row[name] for name in names] == list(times.row(number)[3:])
    p_value = ttt_fast.paired_tests(curves, "value")["p_value"][0]
    assert [row["p_value"] for row in printed["rows"]] == [None, p_value]


def test_threads_give_the_same_bits_and_a_folder_is_continued(curves, tmp_path):
    ttt_fast.sweep(SETTINGS, seeds=range(3), folder=tmp_path, threads=1)
    first = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.parquet")}
    done = []
    again = ttt_fast.sweep(SETTINGS, 7, tmp_path, threads=1, on_progress=lambda runs, episodes: done.append(runs))
    assert again.drop("seconds").equals(curves.drop("seconds"))
    assert (len(first), max(done)) == (6, 8)
    assert all((tmp_path / name).stat().st_mtime_ns == time for name, time in first.items())


def test_the_intervals_are_those_of_a_plain_bootstrap(curves):
    found = ttt_fast.seed_intervals(curves, "value").row(3, named=True)
    rows = curves.filter((pl.col("epsilon") == "0") & (pl.col("episodes") == found["episodes"]))
    values = np.sort(rows["value"].to_numpy())
    means = values[np.random.default_rng(0).integers(7, size=(2000, 7))].mean(axis=1)
    assert found["runs"] == 7
    assert found["value"] == pytest.approx(values.mean(), abs=1e-12)
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=1e-12)
    middle = ttt_fast.seed_intervals(curves, "value", statistic="iqm").row(3, named=True)
    assert middle["value"] == pytest.approx(values[1:-1].mean(), abs=1e-12)
    shuffled = curves.sample(fraction=1, shuffle=True, seed=1).sort("epsilon", "episodes", maintain_order=True)
    assert ttt_fast.seed_intervals(shuffled, "value").equals(ttt_fast.seed_intervals(curves, "value"))


def test_copies_of_runs_count_once(curves):
    again = pl.concat([curves, curves.with_columns(seconds=pl.lit(0.5))])
    for one in STATISTICS:
        assert one(again).equals(one(curves))


def test_numbers_of_numpy_are_those_of_python(curves):
    seeds = [pl.Series(range(7)), np.arange(7), list(np.arange(7)), (*range(7),)]
    few = {"episodes": 1000, "evaluations": 1}
    expected = ttt_fast.sweep({**few, "epsilon": [0.25, 0.5]}, 7).drop("seconds")
    for given, grid in zip(
        seeds, [np.array([0.25, 0.5]), (0.25, 0.5), pl.Series([0.25, 0.5]), ["0.25", "0.5"]], strict=True
    ):
        found = ttt_fast.sweep({**few, "epsilon": grid}, given, threads=np.int64(2))
        assert found.drop("seconds").equals(expected)


def test_a_single_run_has_no_interval():
    found = ttt_fast.seed_intervals(ttt_fast.sweep({**SETTINGS, "epsilon": 0}, seeds=[3]))
    assert found["low"].null_count() == found.height and found["low"].dtype == pl.Float64


def test_a_target_is_reached_where_runs_keep_it():
    curve = {"a": [0.5, 0.0, 0.2, 0.0, 0.0], "b": [0.5, 0.4, 0.0, 0.0, 0.0], "c": [0.5, 0.0, 0.0, 0.0, 0.1]}
    rows = [
        {"learner": "mine", "seed": seed, "episodes": 10 * place, "regret": regret, "value": -regret}
        for seed, (_, regrets) in enumerate(curve.items())
        for place, regret in enumerate(regrets, 1)
    ]
    frame = pl.DataFrame(rows)
    found = ttt_fast.episodes_to_target(frame, by="learner").row(0)
    assert found == ("mine", 3, 2, 40.0, 30.0, None)
    assert ttt_fast.episodes_to_target(frame, "value", by="learner").row(0) == found
    assert ttt_fast.episodes_to_target(frame, target=0.1).row(0) == (3, 3, 30.0, 20.0, 40.0)
    assert ttt_fast.performance_profile(frame, thresholds=[0, 0.1])["share"].to_list() == pytest.approx([2 / 3, 1])


def test_what_is_refused_is_one_line(curves, tmp_path):
    twice = pl.concat([curves, curves.with_columns(package=pl.lit("0.9"))])
    several, named = "expected one run of each seed in each setting", "none with the name of a result"
    longer = pl.concat(
        [curves, curves.with_columns(pl.col("episodes") + 1, unit=pl.lit("x"), run_episodes=pl.lit(9, pl.Int64))]
    )
    meters = pl.concat([meter_frame(name, seed) for name in ("a", "b") for seed in range(2)])
    labelled = curves.with_columns(runs="epsilon", low="epsilon", share="epsilon", end="epsilon")
    for call, words in [
        (lambda: ttt_fast.sweep({"epsilonn": 1}), "did you mean epsilon"),
        (lambda: ttt_fast.sweep(SETTINGS, seeds=0), "a number of seeds"),
        (lambda: ttt_fast.sweep(SETTINGS, seeds=[0, 0]), "different values of seeds"),
        (lambda: ttt_fast.sweep(SETTINGS, seeds=[0.5]), "expected seeds"),
        (lambda: ttt_fast.sweep("epsilon"), "expected settings by name"),
        (lambda: ttt_fast.sweep({"opponent": ttt_fast.as_policy("random")}), "expected opponent to be"),
        (lambda: ttt_fast.compare(["random"]), "expected two agents or more, got 1"),
        (lambda: ttt_fast.compare(["random", "minimax"], gamess=5), "gamess"),
        (lambda: ttt_fast.seed_intervals(curves, "regrets"), "expected one of the columns .* got 'regrets'"),
        (lambda: ttt_fast.seed_intervals(curves, "seat"), "expected numbers in the column 'seat'"),
        (lambda: ttt_fast.seed_intervals(curves.head(0)), "with numbers in the column 'regret', got none"),
        (lambda: ttt_fast.seed_intervals(curves, statistic="mode"), "expected mean or iqm as the statistic"),
        (lambda: ttt_fast.paired_tests(twice), f"{several}, got several with .* which differ in package"),
        (lambda: ttt_fast.episodes_to_target(curves, by=[]), several),
        (lambda: ttt_fast.seed_intervals(curves, by=()), f"{several}, .* which differ in unit, epsilon"),
        (lambda: ttt_fast.performance_profile(longer, by="epsilon"), several),
        (lambda: ttt_fast.seed_intervals(meters), "with seed = 0, which differ in learner$"),
        *[(partial(one, labelled, by=name), named) for one in STATISTICS for name in ("runs", "low", "share", "end")],
        *[(partial(one, curves, by=name), named) for one in STATISTICS for name in ("seed", "episodes", "regret")],
        (lambda: ttt_fast.seed_intervals(labelled.with_columns(low=1.0), "low"), named),
        *[(partial(one, frame), "curves as a DataFrame") for one in STATISTICS for frame in (None, {}, curves.lazy())],
        (lambda: ttt_fast.seed_intervals(curves, by=3), "expected a list of columns, got 3"),
        *[
            (partial(ttt_fast.episodes_to_target, curves, target=one), "expected numbers as the target, got")
            for one in (float("nan"), None, "0", {})
        ],
        *[
            (
                partial(ttt_fast.performance_profile, curves, thresholds=one),
                "expected (numbers as|a list of) thresholds",
            )
            for one in ([], 0.1, "01", ["a"], [float("nan")])
        ],
        (lambda: ttt_fast.sweep(SETTINGS, threads=-1), "expected threads to be at least 1, got -1"),
        (lambda: ttt_fast.sweep(SETTINGS, threads=1.5), "expected threads to be a whole number, got 1.5"),
        (lambda: ttt_fast.sweep({"hidden": 8, "algorithm": "dqn"}), "expected a list of layers, got 8"),
        (lambda: ttt_fast.compare("random"), "expected a list of agents, got 'random'"),
        (lambda: ttt_fast.paired_tests(curves.filter(pl.col("epsilon") == "0")), "expected two or more settings"),
        (lambda: ttt_fast.paired_tests(curves.filter(pl.col("seed") == 0)), "two or more common seeds"),
    ]:
        with pytest.raises(UsageError, match=words) as error:
            call()
        assert "\n" not in str(error.value)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(ttt_fast.FileFormatError, match="choose another folder"):
        ttt_fast.sweep(SETTINGS, folder=tmp_path)
    assert_one_line(run("plot", tmp_path / "none.csv", "--band", "se"), 2, "expected sd, mean or iqm as the band")


def test_a_comparison_has_the_rows_of_the_command():
    agents = ["random", "minimax", "heuribot"]
    printed = run("compare", *agents, "-n", "100", "--all", "-f", "parquet")
    measured = ("seconds", "games_per_second")
    assert ttt_fast.compare(agents, 100).drop(measured).equals(pl.read_parquet(io.BytesIO(printed.out)).drop(measured))
    exact = ttt_fast.compare([ttt_fast.as_policy("random"), "minimax"])
    assert exact["games"].to_list() == [0] * 4
    assert json.loads(exact["plies"][0]) == {}
    played = ttt_fast.compare(["random", "centre-first"], 4, game="connect4", seed=5)
    assert played.select("x", "games").rows() == [("random", 2), ("centre-first", 2)]


class Highest:
    def action_values(self, observations):
        return np.tile(np.arange(9.0), (len(observations), 1))


def last(state):
    return ttt_fast.games.api.legal_actions(state)[-1]


def test_functions_and_networks_of_a_comparison_are_exact():
    asked = []

    def counted(state):
        asked.append(state)
        return last(state)

    found = ttt_fast.compare(["random", counted, Highest()])
    exact = ttt_fast.exact_outcome(last, "random")
    names = ["random", "python:given:counted", "python:given:Highest"]
    assert found["x"].unique(maintain_order=True).to_list() == names and set(found["games"]) == {0}
    for name in names[1:]:
        (row,) = found.filter(x=name, o="random").to_dicts()
        assert [row[f"exact_{one}"] for one in ("x_wins", "draws", "o_wins")] == list(exact[:3])
    assert len(asked) == 2 * int(ttt_fast.table_of("tic-tac-toe").decision_mask.sum())


def test_a_function_that_draws_or_fails_somewhere_is_compared_game_by_game():
    drawn = np.random.default_rng(0)

    def drawing(state):
        return drawn.choice(ttt_fast.games.api.legal_actions(state))

    def failing(state):
        return 1 // 0 if state.own == 0b1011 else last(state)  # which takes higher cells first

    for one in (drawing, failing):
        found = ttt_fast.contest(["random", one], config=ttt_fast.ContestConfig(2, openings=None))
        assert found.way == "one by one"
    assert ttt_fast.contest(["random", last, "mcts:sims=2"], config=ttt_fast.ContestConfig(2)).way == "one by one"


def test_the_picture_of_the_page_is_drawn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (REPOSITORY / "docs" / "PYTHON.md").read_text(encoding="utf-8")
    block = re.search(r"```python picture\n(.*?)```", text, re.DOTALL).group(1)
    exec(compile(block, "PYTHON.md", "exec"), {"__name__": "page"})
    picture = (tmp_path / "curves.svg").read_text(encoding="utf-8")
    assert "interquartile mean with its 95 % bootstrap interval, of 5 runs" in picture


FORKED = """
import os, sys, ttt_fast
run = ttt_fast.train(episodes=1000)
ttt_fast.sweep({"episodes": 1000}, 1)
process = os.fork()
if process:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
print(run.curve().height)
ttt_fast.sweep({"episodes": 1000}, 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_process_forked_after_a_sweep_has_curves_and_one_error():
    words = [sys.executable, "-W", "ignore", "-c", FORKED]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 1 and int(ran.stdout) >= 1
    assert ran.stderr.splitlines()[-1].startswith("ttt_fast.core.errors.TttFastError: expected a process of its own")
