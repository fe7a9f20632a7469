"""Smirnov's study: every printed number has a row, the files repeat in their bits, measures agree with plain ones."""

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from training_checks import step_size_of

from study_checks import check_pictures, pictures, same_files
from ttt_fast.agents.registry import parse_agent
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import never_loses
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.policies.policy import Policy
from ttt_fast.studies import smirnov
from ttt_fast.studies.sample import Sample
from ttt_fast.studies.smirnov import claims, curves, lengths, published, runs, tables
from ttt_fast.tables import table_of

FILES = {
    "README.md", "timing.json", "cells.csv", "claims.csv", "strength.csv", "lengths.csv", "gamma_lengths.csv",
    "readings.csv", "ties.csv", "alpha.csv", "alpha_runs.csv", "gamma.csv", "gamma_long.csv", "epsilon.csv",
    "double.csv", "visits.csv",
}  # fmt: skip


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smirnov")
    told = []
    return folder, smirnov.run(folder, quick=True, threads=2, on_progress=told.append), told


def test_every_number_is_transcribed():
    assert len(published.BASE_CELLS) == 39
    assert len(published.SCRIPTED_PAIR_CELLS) == 2 * 9 * 3
    assert len(published.LEARNED_PAIR_CELLS) == 2 * 16 * 3
    assert sum(cell.is_dqn for cell in published.LEARNED_PAIR_CELLS) == 2 * 9 * 3
    assert [len(row) for row in published.GAMMA_TABLE.values()] == [11] * 4


def test_printed_shares_of_a_match_sum_to_one_but_for_the_known_slip():
    sums: dict[tuple[str, str], float] = {}
    for cell in (*published.SCRIPTED_PAIR_CELLS, *published.LEARNED_PAIR_CELLS):
        key = cell.source, cell.label
        sums[key] = sums.get(key, 0.0) + float(cell.published)
    assert len(sums) == 50
    assert {label for (_, label), total in sums.items() if abs(total - 1) > 1e-9} == {"X Random, O Random"}


def test_printed_wins_at_each_length_sum_to_the_wins():
    table = np.array([[float(text) for text in row] for row in published.GAMMA_TABLE.values()])
    assert np.abs(table[1:].sum(axis=0) - table[0]).max() < 0.0016


def test_verdicts_on_what_needs_no_learning(quick):
    rows = [row for row in quick[1] if row["runs"] == 0 and row["verdict"] != tables.LATER]
    assert Counter(row["verdict"] for row in rows) == {"equal": 80, "wrong": 13}
    wrong = [row for row in rows if row["verdict"] == "wrong" and "pairs" in row["source"]]
    assert [(row["cell"], row["published"]) for row in wrong] == [("X Random, O Random", "0.228")] * 2
    assert all("0.288" in row["reason"] for row in wrong)


def test_every_printed_number_has_a_row_with_a_reason(quick):
    rows = quick[1]
    assert len(rows) == 39 + 150 + 44
    assert Counter(row["verdict"] for row in rows)["left for later"] == 54
    assert all(row["reason"] and row["published_low"] <= row["published_high"] for row in rows)
    learned = [row for row in rows if row["runs"]]
    assert len(learned) == 42 + 44
    assert all(row["lowest"] - 1e-12 <= row["ours"] <= row["highest"] + 1e-12 for row in learned)


def test_optima_are_the_known_ones(quick):
    optima = {(row["source"], row["cell"]): row["optimum"] for row in quick[1] if row["optimum"] and row["runs"]}
    assert optima[published.PAIRS_CHOSEN, "X Tabular Q, O Random"] == pytest.approx(191 / 192, abs=1e-12)
    assert optima[published.PAIRS_DRAWN, "X Tabular Q, O Random"] == pytest.approx(107 / 108, abs=1e-12)
    assert optima[published.PAIRS_DRAWN, "X Random, O Tabular Q"] == pytest.approx(0.938624338624, abs=1e-9)
    assert published.OPTIMUM_DRAWN == pytest.approx(107 / 108)


def test_the_files_of_a_study(quick):
    folder, rows, told = quick
    assert {path.name for path in folder.iterdir()} == FILES | pictures("smirnov")
    check_pictures("smirnov", folder)
    assert pl.read_csv(folder / "cells.csv", infer_schema_length=None).height == len(rows)
    page = (folder / "README.md").read_text()
    assert "ttt-fast reproduce smirnov --quick" in page
    assert len(told) >= 5
    claims = pl.read_csv(folder / "claims.csv")
    assert set(claims["verdict"]) <= {"holds", "holds in part", "does not hold", "cannot be told", "left for later"}
    assert all(statement in page for statement in claims["statement"])


@pytest.mark.slow
def test_the_same_bits_on_each_run_and_for_any_threads(quick, tmp_path):
    smirnov.run(tmp_path, quick=True, threads=1)
    assert same_files(tmp_path, quick[0])


def test_curves_have_their_settings_runs_and_checkpoints(quick):
    size = runs.QUICK
    alpha = pl.read_csv(quick[0] / "alpha.csv")
    assert alpha.height == len(runs.ALPHAS) * size.points
    assert set(alpha["n"]) == {size.alpha_runs}
    gamma = pl.read_csv(quick[0] / "gamma.csv")
    assert set(gamma["n"]) == {size.gamma_runs}
    assert gamma["episodes"].max() == size.short
    assert pl.read_csv(quick[0] / "gamma_long.csv")["episodes"].max() == size.long
    double = pl.read_csv(quick[0] / "double.csv")
    assert set(double["opponent"]) == set(curves.OPPONENTS)
    assert (double["not_lost"] >= double["wins"] - 1e-9).all()


def config_of(episodes=3_000, **more):
    return replace(runs.annealed(episodes, 5, **more), chunk_episodes=500)


@pytest.mark.parametrize("more", [{}, {"algorithm": "double-q"}, {"opponent": "random"}])
def test_a_trace_measures_what_train_learns(more):
    """The last checkpoint equals the exact results of the policy that the public `train` ends with."""
    config = config_of(**more)
    judges = [parse_agent("random"), parse_agent("minimax:tie=first")]
    trace = runs.trace(config, judges)
    policy = train(start_training(config)).policy()
    for number, judge in enumerate(judges):
        outcome = exact_outcome(policy, judge, random_opening=True)
        suffix = f" {number}" if number else ""
        for name, exact in (("wins", outcome.x_wins), ("draws", outcome.draws), ("losses", outcome.o_wins)):
            assert trace[f"{name}{suffix}"][-1] == pytest.approx(exact, abs=1e-12)
    assert trace.episodes.tolist() == [500, 1000, 1500, 2000, 2500, 3000]


@pytest.mark.parametrize("name", ["minimax:tie=first", "random", "heuribot"])
def test_unbeaten_is_the_proof_for_every_first_move(name):
    """Against the definition: never_loses from each of the nine first moves."""
    table = table_of("tic-tac-toe")
    actions = parse_agent(name).greedy_actions()
    values = np.zeros(table.child.shape)
    values[np.arange(table.num_states), actions] = 1.0
    measures = runs.drawn_measures([parse_agent("random")])
    place = measures.columns.index("exploitability")
    found = measures(values[table.legal_action_mask])[place] == 0.0
    proofs = []
    for first in range(9):
        chosen = actions.copy()
        chosen[0] = first
        proofs.append(never_loses(Policy.from_actions(table, chosen), 1))
    assert found == all(proofs)


def test_a_short_run_is_the_beginning_of_a_long_one():
    judges = [parse_agent("random")]
    long = runs.constant(4_000, 1, alpha=0.1, gamma=0.9, epsilon=0.4, points=8)
    short = runs.constant(2_000, 1, alpha=0.1, gamma=0.9, epsilon=0.4, points=4)
    begun = curves.cut(runs.trace(long, judges), 2_000)
    assert np.array_equal(begun.values, runs.trace(short, judges).values)


def test_the_pages_schedules():
    config = runs.annealed(3_000_000, 0)
    assert step_size_of(config, 0) == 1.0
    assert config.step_sizes.value(2_999_999, 3_000_000) == pytest.approx(0.9**99)
    assert config.epsilons.value(999_999, 3_000_000) == pytest.approx(0.2)
    assert config.epsilons.value(1_000_000, 3_000_000) == pytest.approx(0.1)


def test_verdicts_on_differences():
    low = Sample(np.array([0.1, 0.2, 0.3]))
    high = Sample(np.array([0.8, 0.9, 1.0]))
    assert claims.greater(high, low) is True
    assert claims.greater(low, high) is False
    assert claims.greater(low, low) == claims.UNDECIDED
    assert tables.among(low, 0.3004) and not tables.among(low, 0.301)


def test_the_nearest_reading_is_found():
    table = lengths.published()
    found = {
        lengths.Reading("self", True, drawn): np.repeat(table[:, None], 2, axis=1) + (0.0 if drawn else 0.1)
        for drawn in (False, True)
    }
    assert lengths.best_reading(found).played_drawn
    rows = lengths.gamma_cells(found)
    assert {row["verdict"] for row in rows} == {"reproduced"}
    assert lengths.reading_rows(found)[0]["cells within 0.005"] == 44


def test_ties_are_counted_in_the_seats_that_were_trained():
    assert claims._ties(parse_agent("minimax"), True) == [True, True, True]
    assert claims._ties(parse_agent("random"), False) == [False, False, True]
    arms = claims.tie_arms(runs.QUICK)
    assert len(arms) == 8
    assert all(isinstance(arm.config, TrainingConfig) for arm in arms)
