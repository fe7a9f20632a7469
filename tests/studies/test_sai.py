"""Sai's study: the printed counts, and the odds of each, which are the plain ones."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

from study_checks import RESULTS
from ttt_fast import as_policy
from ttt_fast.studies.engine.sources import Cell, cells_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.sai import connect4_runs, evidence, learners, measures
from ttt_fast.studies.sai.matches import exact_match, shares_of, summaries
from ttt_fast.studies.statistics.distributions import beta_binomial, binomial


@pytest.fixture
def tables():
    return Tables(RESULTS / "sai", "")


def test_the_printed_counts():
    cells = [cell for cell in cells_of("ttt_fast.studies.sai") if cell.games]
    counts = "0 9 1 0 138 12 424 457 119 0 5 0 1 49 0 548 449 3 0 0 5 0 44 6 2 2 0 1 49 0"
    assert [cell.printed for cell in cells] == counts.split()
    for table in {cell.table for cell in cells}:
        own = [cell for cell in cells if cell.table == table]
        assert sum(cell.value for cell in own) == pytest.approx(1.0)
        assert len({cell.place for cell in own}) == 1


# --- Odds.


def row_of(counts):
    return summaries(np.array(counts, float))[0]


def test_counts_of_two_halves_are_enumerated():
    """All 3 ** 6 courses of six games, three begun by each."""
    halves = [[0.5, 0.2, 0.3], [0.1, 0.7, 0.2]]
    for result, summary in enumerate(summaries(np.array([halves]))):
        chances = np.zeros(7)
        for course in product(range(3), repeat=6):
            chances[course.count(result)] += np.prod([halves[i // 3][one] for i, one in enumerate(course)])
        found = evidence.chances(summary, 3)
        assert np.allclose(found, chances, rtol=0, atol=1e-14)


def variance(chances):
    counts = np.arange(chances.size)
    return chances @ counts**2 - (chances @ counts) ** 2


def test_games_of_a_sample_count_once():
    """A match of 50 games after one of 200 has 5 / 4 of its variance; six runs of one program have no more."""
    exact = variance(np.convolve(binomial(25, 0.6), binomial(25, 0.4)))
    one = row_of([[[60, 30, 10], [40, 50, 10]]])
    assert one["sd_of_runs"] == 0.0
    assert variance(evidence.chances(one, 25)) == pytest.approx(1.25 * exact, rel=0.02)
    generator = np.random.default_rng(3)
    runs = [[generator.multinomial(5000, share) for share in ([0.6, 0.3, 0.1], [0.4, 0.5, 0.1])] for _ in range(6)]
    many = row_of(runs)
    assert variance(evidence.chances(many, 25)) == pytest.approx(exact, rel=0.05)
    assert beta_binomial(20, 300_000, 1_000_000) == pytest.approx(binomial(20, 0.3), abs=1e-4)


def test_evidence_of_a_count(tmp_path):
    tables = Tables(tmp_path, "")
    tables.write("matches", [{"name": "a", "quantity": "ties", **row_of([[[0.5, 0.3, 0.2], [0.3, 0.4, 0.3]]] * 2)},
                             {"name": "b", "quantity": "ties", **row_of([[[1, 0, 0], [1, 0, 0]]])}])  # fmt: skip
    found = [
        evidence.match(Cell("s", "1", "p", "ties", printed, 1000, ""), name, tables)
        for printed, name in (("400", "a"), ("460", "a"), ("1000", "b"), ("999", "b"))
    ]
    assert [one.kind for one in found] == ["runs", "runs", "exact", "exact"]
    assert [one.p > 0.05 for one in found] == [True, False, True, False]
    assert found[2].is_certain
    half = evidence.match(Cell("s", "1", "p", "ties", "5", 5, ""), "b", tables)  # five rounds leave four games
    assert half.p == 1.0


def test_matches_are_told_from_the_first_players_side():
    minimax, random = as_policy("minimax"), as_policy("random")
    one, two = (exact_match(*pair) for pair in ((minimax, random), (random, minimax)))
    assert np.array_equal(one, two[::-1][:, [1, 0, 2]])
    assert shares_of(one) == pytest.approx(one.mean(axis=0))
    assert shares_of(np.array([[3.0, 1, 0], [0, 0, 0]])) == pytest.approx([0.75, 0.25, 0])


def test_epsilon_is_at_its_floor():
    assert measures._floor() == 1095


def test_a_further_run_plays_the_games_of_the_study():
    """Training, match and streams are the same."""
    key = learners.best_of("connect4", learners.CORRECTED)
    whole = learners.learned("connect4", learners.CORRECTED, 1, 1000, 5, 5, False)
    alone = learners.connect4_run(learners.CORRECTED, 1, 1000, 5)
    assert alone["lines"] == whole["lines"] and len(alone["lines"]) == 10
    assert np.array_equal(alone["counts"], whole["counts"][whole["keys"].index(key)])


def test_the_interval_of_kept_moves_is_that_of_the_runs(tmp_path, monkeypatch):
    rows = [{"player": "a", "board": "b", "seed": seed, "open": 100, "kept": kept, "by chance": 0.4}
            for seed, kept in enumerate((0.3, 0.5, 0.7))]  # fmt: skip
    monkeypatch.setattr(connect4_runs, "kept_runs", lambda work: rows)
    [found] = connect4_runs.kept_means(Runner(tmp_path, True, 1))
    half = 4.303 * 0.2 / sqrt(3)
    assert (found["runs"], found["open"], found["by chance"]) == (3, 300, pytest.approx(0.4))
    assert found["gain"] == pytest.approx(0.1)
    assert (found["gain low"], found["gain high"]) == pytest.approx((0.1 - half, 0.1 + half), abs=1e-3)
