"""The study `optimum`: what counts as exact is exact, counts are those of the runs, and the page has the same bits."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from training_checks import epsilon_of, step_size_of

import reference
from conftest import as_strategy
from study_checks import RESULTS
from ttt_fast import as_policy, never_loses, train
from ttt_fast.learners import start_training
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.optimum import measures, plan
from ttt_fast.studies.optimum.measures import best_value, learn, needed, value_of
from ttt_fast.studies.optimum.plan import BY_NAME, PROBLEMS, RECIPES, config_of


def run_of(at_best, value="0"):
    """A run with checkpoints at 10, 20, ... episodes."""
    episodes = np.arange(10, 10 * len(at_best) + 1, 10)
    return {"value": np.array(value), "episodes": episodes, "at_best": np.array(at_best)}


@pytest.mark.parametrize("problem", [one for one in PROBLEMS if one.opponent != "self"], ids=lambda one: one.name)
def test_the_best_value_is_that_of_the_best_response(problem):
    """By recursion over dictionaries, in fractions."""
    opponent = as_strategy(as_policy(problem.opponent))
    assert best_value(problem) == reference.best_score(opponent, problem.seat, problem.objective)


@pytest.mark.parametrize(
    ("name", "agent"),
    [("X v random", "heuribot"), ("O v random, score", "heuribot"), ("X v buggy2", "minimax:tie=first")],
)
def test_values_are_those_of_the_reference(name, agent):
    """By recursion over dictionaries, in fractions."""
    problem, policy = BY_NAME[name], as_policy(agent)
    pair = [as_strategy(policy), as_strategy(as_policy(problem.opponent))]
    x, o = pair if problem.seat == 1 else pair[::-1]
    x_wins, _, o_wins = reference.match(x, o)[:3]
    assert value_of(problem, policy) == (x_wins - o_wins if problem.seat == 1 else o_wins - x_wins)


@pytest.mark.parametrize(
    ("at_best", "expected"),
    [([True, True], 10), ([False, True, True], 20), ([True, False, True], 30), ([True, False], inf), ([False], inf)],
)
def test_episodes_needed(at_best, expected):
    assert needed(run_of(at_best)) == expected


def test_the_shortest_length_after_which_all_are_enough(monkeypatch, tmp_path):
    lengths = {10: 19, 20: 18, 30: 19, 40: 20}

    def runs(work, problem, episodes, recipe="", evaluations=1):
        exact = lengths[episodes] if problem == "self-play" else 0
        return [run_of([seed < exact], "0" if seed < exact else "-1") for seed in range(20)]

    monkeypatch.setattr(measures, "runs_of", runs)
    monkeypatch.setattr(measures, "lengths_of", lambda problem, quick: tuple(lengths))
    work = Runner(tmp_path, quick=True, threads=1)
    shares = [row for row in measures.share(work) if row["problem"] == "self-play"]
    assert [row["exact"] for row in shares] == [19, 18, 19, 20]
    assert [row["mean_value"] for row in shares] == [-0.05, -0.1, -0.05, 0.0]
    rows = {row["problem"]: row for row in measures.problems(work)}
    assert (rows["self-play"]["enough"], rows["self-play"]["exact"]) == (30, 20)
    assert rows["X v random"]["enough"] is None
    assert rows["X v random"]["needed median"] is None


def test_a_run_is_training_with_its_settings():
    """Its verdict is that of the trained policy; a run at the optimum of self-play never loses."""
    settings = {"episodes": 200_000, "seed": 0, "evaluations": plan.CHECKPOINTS}
    config, run = config_of("self-play", "", **settings), learn("self-play", "", **settings)
    trained = train(start_training(config))
    assert (config.settings.step_size.text, config.settings.epsilon.text) == (plan.STEP_SIZE, plan.EPSILON)
    assert run["episodes"].tolist() == list(range(2_000, 200_001, 2_000))
    assert run["at_best"].tolist() == (trained.history[:, trained.columns.index("exploitability")] == 0).tolist()
    is_exact = Fraction(run["value"]) == 0
    assert is_exact == (never_loses(trained.policy(), 1) and never_loses(trained.policy(), 2))
    assert is_exact


def test_the_recipes_are_those_published():
    by_source = {recipe.source: config_of(recipe.problem, recipe.source) for recipe in RECIPES}
    random, single, own = by_source["langan, Q_random"], by_source["smirnov, single Q"], by_source["hensler"]
    langan = random.settings
    assert (langan.step_size.text, langan.epsilon.text, langan.discount, random.opponent.text) == (
        "0.1",
        "0.2",
        1.0,
        "random",
    )
    assert step_size_of(single, 99) == pytest.approx(0.9**99)
    assert (
        epsilon_of(single, 0),
        epsilon_of(single, 99),
        single.settings.discount,
    ) == (1.0, pytest.approx(0.1), 0.999)
    assert own.settings.rewards.tolist() == [10.0, 2.0, -10.0]
    assert epsilon_of(own, 99) == 0.05


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda one: one.name)
def test_runs_are_those_of_the_results(problem):
    """The first two of the longest runs end at the optimum; the shortest hundred are those of the committed table."""
    best = best_value(problem)
    ends = [learn(problem.name, "", problem.lengths[-1], seed, 1)["value"] for seed in range(2)]
    assert all(Fraction(one) == best for one in ends)
    short = [Fraction(learn(problem.name, "", problem.lengths[0], seed, 1)["value"]) for seed in range(100)]
    row = Tables(RESULTS / "optimum", "").where("share", problem=problem.name)[0]
    assert sum(one == best for one in short) == row["exact"]
    assert np.mean([float(one) for one in short]) == pytest.approx(row["mean_value"], rel=0, abs=1e-9)


def test_the_committed_page_reaches_the_optimum():
    """At least 95 of 100 runs of every problem end exactly at the optimum."""
    rows = Tables(RESULTS / "optimum", "")["problems"]
    assert {row["problem"] for row in rows} == set(BY_NAME)
    assert all(row["exact"] >= 95 and row["runs"] == 100 for row in rows)
