"""The suite: its problems and measure, the same bits for every number of threads, the door for learners of others."""

import csv
import json
import shutil
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from conftest import PATIENCE, REPOSITORY
from ttt_fast import exploitability
from ttt_fast.agents.convert import as_policy
from ttt_fast.core.errors import FileFormatError, PolicyError, TttFastError, UsageError
from ttt_fast.evaluate.scorecard import score_against
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.running.executors import ThreadExecutor
from ttt_fast.studies.engine.figures import figures_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.statistics.interquartile import interquartile_interval
from ttt_fast.studies.suite import exercise
from ttt_fast.studies.suite.learners import load_learner, run_foreign
from ttt_fast.studies.suite.measures import ALL, problem_rows, score_rows
from ttt_fast.studies.suite.problems import BASELINES, PROBLEMS, SEEDS, chosen, problem_of, scale_of
from ttt_fast.studies.suite.runs import SuitePlan, read_values
from ttt_fast.studies.suite.study import run, write_page, write_results

QUICK = (problem_of("o-v-minimax"),)
EXAMPLES = REPOSITORY / "docs" / "examples"


@pytest.fixture
def pool():
    executor = ThreadExecutor(2)
    yield executor
    executor.close()


@pytest.fixture
def learner(tmp_path, monkeypatch):
    """Writes a module of a learner into the present folder and returns how it is spelled."""
    monkeypatch.chdir(tmp_path)

    def write(body, name="mine"):
        sys.modules.pop(name, None)
        load_learner.cache_clear()
        (tmp_path / f"{name}.py").write_text(body)
        return f"python:{name}:learn"

    yield write
    sys.modules.pop("mine", None)
    load_learner.cache_clear()


def payload(spec, problem="o-v-minimax", seed=3):
    return json.dumps({"learner": spec, "problem": problem, "seed": seed, "unit": "u"}).encode()


def test_the_problems_are_those_of_version_1():
    found = [(one.name, one.game, one.opponent, one.seat, one.episodes) for one in PROBLEMS]
    assert found == [
        ("x-v-random", "tic-tac-toe", "random", "x", 20_000),
        ("o-v-random", "tic-tac-toe", "random", "o", 50_000),
        ("o-v-minimax", "tic-tac-toe", "minimax", "o", 5_000),
        ("self-play", "tic-tac-toe", "self", "x", 100_000),
        ("misere", "tic-tac-toe:misere=yes", "random", "x", 50_000),
        ("connect-3", "connect4:columns=4,rows=4,length=3", "minimax", "x", 10_000),
        ("3x4", "tic-tac-toe:rows=3,columns=4,length=3", "random", "o", 200_000),
        ("connect-4", "connect4:columns=4,rows=4", "self", "x", 1_000_000),
    ]
    rows = problem_rows()
    assert [row["states"] for row in rows] == sorted(row["states"] for row in rows)
    for problem, row in zip(PROBLEMS, rows, strict=True):
        random = as_policy("random", problem.game)
        assert row["random_exploitability"] == exploitability(random)
        if problem.opponent == "self":
            assert (row["random_value"], row["best_value"]) == (-exploitability(random), 0)
        else:
            card = score_against(random, as_policy(problem.opponent, problem.game), 1 + (problem.seat == "o"))
            assert (row["random_value"], row["best_value"]) == (card.value, card.best_value)


@pytest.mark.parametrize("name", ["o-v-minimax", "self-play"])
def test_a_baseline_is_a_training_run_and_its_score_is_exact(tmp_path, pool, name):
    problem = problem_of(name)
    plan = SuitePlan((problem,), ["sarsa", "afterstate"], 2)
    rows = run(plan, tmp_path, pool)
    values = read_values(plan, tmp_path)
    for algorithm in plan.algorithms:
        found = values[algorithm, name]
        assert found.shape == (2, 10)
        for seed in range(2):
            done = train(start_training(TrainingConfig(**problem.settings, algorithm=algorithm, seed=seed)))
            row = problem.meter().record(0, done.policy())
            assert found[seed, -1] == pytest.approx(row["value"], abs=1e-12)
    scale, ends = scale_of(problem), values["sarsa", name][:, -1]
    scores = (ends - scale.random_value) / (scale.best_value - scale.random_value)
    assert rows[0]["normalised_score"] == pytest.approx(scores.mean())
    assert rows[0]["min_normalised_score"] == scores.min()
    assert [row["problem"] for row in rows] == [name, name]  # not all problems, hence no mean over all


def test_threads_and_interruptions_change_no_bit(tmp_path, pool):
    plan, single = SuitePlan(QUICK, ["q", "double-q"], 3), ThreadExecutor(1)
    first = run(plan, tmp_path / "one", single)
    single.close()
    assert run(SuitePlan(QUICK, ["q"], 2), tmp_path / "two", pool) is not None
    told = []
    assert run(plan, tmp_path / "two", pool, lambda runs, episodes: told.append((runs, episodes))) == first
    assert told[0] == (2, 10_000)
    damaged = next((tmp_path / "two").glob("*.parquet"))
    damaged.write_bytes(damaged.read_bytes()[:-9])
    with pytest.raises(FileFormatError, match="damaged or of another kind"):
        read_values(plan, tmp_path / "two")
    assert run(plan, tmp_path / "two", pool) == first
    for folder in ("one", "two"):
        write_results(plan, tmp_path / folder, first, tmp_path / f"page-{folder}")
    for name in ("README.md", "scores.csv", "curves.csv", "runs.csv", "problems.csv"):
        assert (tmp_path / "page-one" / name).read_bytes() == (tmp_path / "page-two" / name).read_bytes()


def test_all_problems_together_are_pooled_in_strata():
    generator = np.random.default_rng(2)
    plan = SuitePlan(PROBLEMS, ["q"], 5)
    values = {("q", one.name): generator.uniform(-1, scale_of(one).best_value, (5, 10)) for one in PROBLEMS}
    rows = score_rows(plan, values)
    ends = [scale_of(one).scores(values["q", one.name][:, -1]) for one in PROBLEMS]
    assert rows[-1]["problem"] == ALL and len(rows) == 9
    assert tuple(rows[-1][f"normalised_score{end}"] for end in ("", "_low", "_high")) == interquartile_interval(ends)
    assert rows[-1]["at_best"] == 0 and rows[-1]["episodes"] == 1_435_000


def test_a_learner_in_forty_lines_of_python_is_nearly_perfect(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    sys.modules.pop("tabular_q", None)
    load_learner.cache_clear()
    assert len((EXAMPLES / "tabular_q.py").read_text().splitlines()) <= 42
    learn = load_learner("python:tabular_q:learn")
    for name, least in (("x-v-random", 0.95), ("o-v-minimax", 0.95)):
        problem = exercise(name, seed=1)
        learn(problem, 1)
        assert [row["episodes"] for row in problem.meter.rows] == problem.checkpoints
        assert scale_of(problem_of(name)).scores(np.array([problem.meter.rows[-1]["value"]]))[0] > least


RANDOM = """
def learn(problem, seed):
    for state in problem.games():
        is_over = False
        while not is_over:
            state, reward, is_over = problem.step(problem.legal_actions[0])
        if problem.episodes_begun == 1_700:
            problem.record("minimax")
    problem.reset()  # one more than there are: the run ends here
    raise AssertionError
"""


def test_a_learner_of_others_beside_ours(learner, tmp_path, pool):
    spec = learner(RANDOM)
    plan = SuitePlan(QUICK, ["q"], 2, spec)
    rows = run(plan, tmp_path / "runs", pool)
    assert [row["learner"] for row in rows] == ["q", spec]
    assert rows[1]["normalised_score"] == 1 and rows[1]["at_best"] == 2
    values = read_values(plan, tmp_path / "runs")[spec, "o-v-minimax"]
    assert (values[:, :3] == scale_of(QUICK[0]).random_value).all() and (values[:, 3:] == 0).all()
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("*.parquet")}
    assert run(plan, tmp_path / "runs", pool) == rows
    assert before == {path.name: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("*.parquet")}
    frame = pl.read_parquet(next(iter((tmp_path / "runs").glob("*.parquet"))))
    assert {"episodes", "exploitability", "agreement", "wins"} <= set(frame.columns)
    learner(RANDOM + "# another one")
    assert run(plan, tmp_path / "runs", pool) == rows
    assert len(list((tmp_path / "runs").glob("*.parquet"))) == len(before) + 2


WRONG_RUNS = {
    "fails": ("def learn(problem, seed):\n    raise KeyError('a\\nb')", r"KeyError: 'a\\nb'"),
    "illegal": (
        "def learn(problem, seed):\n    problem.reset()\n    problem.step(99)",
        "expected one of the actions .*, got 99",
    ),
    "records nothing": ("def learn(problem, seed):\n    pass", r"expected a call of problem\.record, got none"),
    "no policy": ("def learn(problem, seed):\n    problem.record(7)", "policy 'policy': expected "),
    "arguments": ("def learn():\n    pass", r"TypeError: learn\(\) takes 0 positional arguments but 2 were given"),
}


@pytest.mark.parametrize("name", WRONG_RUNS)
def test_a_learner_that_fails_is_one_line(learner, name):
    body, reason = WRONG_RUNS[name]
    spec = learner(body)
    with pytest.raises(TttFastError, match=rf"^{spec} \(o-v-minimax, seed 3\): .*{reason}") as told:
        run_foreign(payload(spec))
    assert "\n" not in str(told.value)


def test_a_learner_must_be_there(learner):
    spec = learner("import nothing_of_this_name")
    with pytest.raises(UsageError, match="cannot load a learner 'python:mine:learn': ModuleNotFoundError"):
        load_learner(spec)
    learner("other = 1")
    for wrong, reason in (
        ("python:mine:learn", "AttributeError"),
        ("python:mine:other", "expected a function of a problem and a seed, got .*, a int"),
        ("mine:learn", "expected a learner as python:MODULE:NAME"),
        ("python:mine", "expected a learner as python:MODULE:NAME"),
        ("python:no_such_module_here:learn", "ModuleNotFoundError"),
    ):
        with pytest.raises(UsageError, match=reason):
            load_learner(wrong)


def test_words_that_mean_nothing():
    for names in (["q", "sarsah"], []):
        with pytest.raises(
            UsageError, match=r"unknown algorithm 'sarsah'; expected sarsa|expected at least one algorithm"
        ):
            chosen(names, BASELINES, "algorithm")
    with pytest.raises(UsageError, match="unknown problem 'self'; expected self-play"):
        problem_of("self")


class Model:
    """As Stable-Baselines3 has them: `predict` returns actions, and None for a network without memory."""

    def predict(self, observation, deterministic=False):
        assert deterministic and observation.shape == (2423, 18) and observation.dtype == np.float32
        return observation[:, :9].argmin(axis=1), None  # the first cell that is not the mover's: often taken


def example(name):
    """A module of the examples, without what it does as a program."""
    spec = {"__name__": name}
    exec((EXAMPLES / f"{name}.py").read_text(), spec)
    return spec


def test_the_example_of_stable_baselines_with_another_model(monkeypatch):
    from types import SimpleNamespace

    class Spaces:
        Box = Discrete = staticmethod(lambda *_: None)

    monkeypatch.setitem(sys.modules, "gymnasium", SimpleNamespace(Env=object, spaces=Spaces))
    found = example("stable_baselines")
    env, meter = found["Game"](seed=1), found["Meter"]()
    observation, _ = env.reset()
    is_over, steps = False, 0
    while not is_over:
        observation, reward, is_over, _, _ = env.step(8)
        steps += 1
    assert observation.shape == (18,) and reward in (-1, 0, 1) and 3 <= steps <= 5
    row = found["record"](meter, 10, Model())
    assert row["episodes"] == 10 and -1 < row["value"] < row["best_value"]
    with pytest.raises(PolicyError, match="expected a legal action"):
        meter.record(11, Model().predict(meter.observations.reshape(2423, -1), deterministic=True)[0])


@pytest.mark.slow
def test_the_example_of_stable_baselines():
    pytest.importorskip("stable_baselines3")
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "stable_baselines.py")],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 5


def test_the_committed_page_is_that_of_the_whole_suite(tmp_path):
    folder = REPOSITORY / "results" / "suite"
    with open(folder / "scores.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["learner"], row["problem"]) for row in rows] == [
        (learner, problem) for learner in BASELINES for problem in (*(one.name for one in PROBLEMS), ALL)
    ]
    assert {row["seeds"] for row in rows} == {str(SEEDS)}
    for row in rows:
        score, low, high = (float(row[f"normalised_score{end}"]) for end in ("", "_low", "_high"))
        assert low <= score <= high <= 1 + 1e-9
    page = (folder / "README.md").read_text()
    shutil.copytree(folder, tmp_path / "suite")
    (tmp_path / "suite" / "README.md").unlink()
    write_page(SuitePlan(PROBLEMS, BASELINES, SEEDS), Tables(tmp_path / "suite", ""))
    assert (tmp_path / "suite" / "README.md").read_text() == page
    assert "Made by `ttt-fast suite --results results`" in page and "quick" not in page
    assert all((folder / one.picture).stat().st_size < 200_000 for one in figures_of("suite"))
    assert all(path.stat().st_size < 200_000 for path in folder.iterdir())
