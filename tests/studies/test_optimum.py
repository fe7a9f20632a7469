"""The study `optimum`: what counts as exact is exact, counts are those of the runs, and the page has the same bits."""

import csv
import sys
from fractions import Fraction
from math import inf

import numpy as np
import pytest

import reference
from conftest import REPOSITORY, as_strategy
from ttt_fast.agents.registry import parse_agent
from ttt_fast.evaluate.strength import never_loses
from ttt_fast.learn.training import start_training, train
from ttt_fast.studies import optimum
from ttt_fast.studies.optimum import figures, plan, study
from ttt_fast.studies.optimum.plan import BY_NAME, PROBLEMS, RECIPES, SEEDS, Job
from ttt_fast.studies.optimum.runs import Run, best_value, train_all, train_job, value_of


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("new") / "optimum"
    return optimum.run(folder, quick=True, threads=2), folder


def rows_of(folder, name) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def run_of(at_best, job=None, value=Fraction(0)):
    """A run with checkpoints at 10, 20, ... episodes."""
    episodes = np.arange(10, 10 * len(at_best) + 1, 10)
    return Run(job or Job(BY_NAME["self-play"], None, 10 * len(at_best), 0, 1), value, episodes, np.array(at_best))


@pytest.mark.parametrize("problem", [one for one in PROBLEMS if one.opponent != "self"], ids=lambda one: one.name)
def test_the_best_value_is_that_of_the_best_response(problem):
    """By recursion over dictionaries, in fractions."""
    opponent = as_strategy(parse_agent(problem.opponent))
    assert best_value(problem) == reference.best_score(opponent, problem.seat, problem.objective)


def test_the_best_values_are_those_that_are_known():
    known = {
        "X v random": Fraction(191, 192), "O v random, wins": Fraction(887, 945), "X v buggy2": Fraction(5, 6),
        "X v buggy": Fraction(1), "X v minimax": Fraction(0), "self-play": Fraction(0),
    }  # fmt: skip
    assert {name: best_value(BY_NAME[name]) for name in known} == known
    assert float(best_value(BY_NAME["O v random, wins"])) == pytest.approx(0.938624, abs=5e-7)


@pytest.mark.parametrize(
    ("name", "agent"),
    [("X v random", "heuribot"), ("O v random, score", "heuribot"), ("X v buggy2", "minimax:tie=first")],
)
def test_values_are_those_of_the_reference(name, agent):
    """By recursion over dictionaries, in fractions."""
    problem, policy = BY_NAME[name], parse_agent(agent)
    pair = [as_strategy(policy), as_strategy(parse_agent(problem.opponent))]
    x, o = pair if problem.seat == 1 else pair[::-1]
    x_wins, _, o_wins = reference.match(x, o)[:3]
    assert value_of(problem, policy) == (x_wins - o_wins if problem.seat == 1 else o_wins - x_wins)


def test_self_play_is_valued_by_its_exploitability():
    assert value_of(BY_NAME["self-play"], parse_agent("minimax:tie=first")) == 0
    assert value_of(BY_NAME["self-play"], parse_agent("best-response:random")) < 0


@pytest.mark.parametrize(
    ("at_best", "needed"),
    [([True, True], 10), ([False, True, True], 20), ([True, False, True], 30), ([True, False], inf), ([False], inf)],
)
def test_episodes_needed(at_best, needed):
    assert run_of(at_best).needed == needed


def test_the_shortest_length_after_which_all_are_enough():
    problem, seeds = BY_NAME["self-play"], 20
    runs = []
    for episodes, exact in ((10, 19), (20, 18), (30, 19), (40, 20)):
        for seed in range(seeds):
            job = Job(problem, None, episodes, seed, 1)
            runs.append(run_of([seed < exact], job, Fraction(0 if seed < exact else -1)))
    shares = study.share_rows(runs)
    assert [row["exact"] for row in shares] == [19, 18, 19, 20]
    assert [row["mean_value"] for row in shares] == [-0.05, -0.1, -0.05, 0.0]
    for other in PROBLEMS:
        if other != problem:
            runs.append(run_of([False], Job(other, None, 10, 0, 1), Fraction(-2)))
    rows = {row["problem"]: row for row in study.problem_rows(runs, study.share_rows(runs))}
    own = rows["self-play"]
    assert (own["enough"], own["target"], own["exact"], own["verdict"]) == (30, 19, 20, "reached")
    assert rows["X v random"]["verdict"] == "missed"
    assert rows["X v random"]["needed, median"] is None


def test_a_run_is_training_with_its_settings():
    """Its verdict is that of the trained policy; a run at the optimum of self-play never loses."""
    job = Job(BY_NAME["self-play"], None, 200_000, 0, plan.CHECKPOINTS)
    config, run = plan.config_of(job), train_job(job)
    trained = train(start_training(config))
    assert (config.step_size, config.epsilon) == (plan.STEP_SIZE, plan.EPSILON)
    assert run.episodes.tolist() == list(range(2_000, 200_001, 2_000))
    assert run.at_best.tolist() == (trained.history[:, trained.columns.index("exploitability")] == 0).tolist()
    assert run.is_exact == (never_loses(trained.policy(), 1) and never_loses(trained.policy(), 2))
    assert run.is_exact


def test_curves_and_final_values_agree(quick):
    """The checkpoints are judged by floats, the ends by fractions: the last checkpoint must be the end."""
    jobs = [job for job in plan.jobs_of(True) if job.seed == 0]
    for job in jobs:
        run = train_job(job)
        assert run.is_exact == bool(run.at_best[-1]), job
        assert run.value <= best_value(job.problem), job


def test_the_recipes_are_those_published():
    by_source = {
        recipe.source: plan.config_of(Job(BY_NAME[recipe.problem], recipe, recipe.episodes, 0, 1)) for recipe in RECIPES
    }
    random, single, own = by_source["langan, Q_random"], by_source["smirnov, single Q"], by_source["hensler"]
    assert (random.step_size, random.epsilon, random.discount, random.opponent) == ("0.1", "0.2", 1.0, "random")
    assert single.step_size_of(99) == pytest.approx(0.9**99)
    assert (single.epsilon_of(0), single.epsilon_of(99), single.discount) == (1.0, pytest.approx(0.1), 0.999)
    assert own.rewards.tolist() == [10.0, 2.0, -10.0]
    assert own.epsilon_of(99) == 0.05


def test_quick_rows_and_files(quick):
    rows, folder = quick
    assert [row["problem"] for row in rows] == [problem.name for problem in PROBLEMS]
    files = {"README.md", "timing.json", "share.svg", "settled.svg"}
    assert {path.name for path in folder.iterdir()} == files | {
        f"{name}.csv" for name in ("problems", "share", "settled", "recipes")
    }
    assert all((folder / one.picture).stat().st_size < 200_000 for one in figures.FIGURES)
    page = (folder / "README.md").read_text()
    assert "ttt-fast reproduce optimum --quick" in page
    assert all(one.link() in page for one in figures.FIGURES)


def test_the_csv_files_are_consistent(quick):
    shares, problems = rows_of(quick[1], "share"), rows_of(quick[1], "problems")
    settled = rows_of(quick[1], "settled")
    for problem in problems:
        own = [row for row in shares if row["problem"] == problem["problem"]]
        assert (own[-1]["exact"], own[-1]["episodes"]) == (problem["exact"], problem["episodes"])
        line = [float(row["settled"]) for row in settled if row["problem"] == problem["problem"]]
        assert line == sorted(line)
        assert line[-1] * int(problem["runs"]) == int(problem["exact"])
    for row in shares:
        assert float(row["low"]) <= float(row["share"]) <= float(row["high"])
        assert float(row["mean_value"]) <= float(Fraction(row["best"])) + 1e-9  # files have nine digits


def test_the_same_bits_with_other_threads_and_without_pictures(quick, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # importing it fails
    again = optimum.run(tmp_path / "again", quick=True, threads=1, on_progress=seen.append)
    assert again == quick[0]
    files = {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir() if path.name != "timing.json"}
    assert all((quick[1] / name).read_bytes() == content for name, content in files.items())
    assert not any(name.endswith(".svg") for name in files)
    number = len(plan.jobs_of(True))
    assert seen[-2] == f"{number} of {number} training runs"
    assert "ttt-fast[plot]" in seen[-1]


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda one: one.name)
def test_runs_are_those_of_the_results(problem):
    """The first five of the longest runs end at the optimum; the shortest hundred are those of the committed table."""
    shortest, longest = problem.lengths[0], problem.lengths[-1]
    ends = train_all([Job(problem, None, longest, seed, 1) for seed in range(5)], threads=1)
    assert all(one.is_exact for one in ends)
    short = train_all([Job(problem, None, shortest, seed, 1) for seed in range(SEEDS)], threads=1)
    row = next(
        one
        for one in rows_of(REPOSITORY / "results" / "optimum", "share")
        if (one["problem"], one["episodes"]) == (problem.name, str(shortest))
    )
    assert sum(one.is_exact for one in short) == int(row["exact"])
    assert np.mean([float(one.value) for one in short]) == pytest.approx(float(row["mean_value"]), rel=0, abs=1e-9)


def test_the_committed_page_reaches_its_target():
    """At least 95 of 100 runs of every problem end exactly at the optimum."""
    rows = rows_of(REPOSITORY / "results" / "optimum", "problems")
    assert {row["problem"] for row in rows} == set(BY_NAME)
    assert all(row["verdict"] == "reached" and int(row["exact"]) >= 95 and row["runs"] == "100" for row in rows)
