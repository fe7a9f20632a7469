"""Langan's study: its plan, its intervals, and the page with its files and pictures."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from study_checks import check_pictures, same_files
from ttt_fast.agents.registry import parse_agent
from ttt_fast.running.interrupts import StopRequest
from ttt_fast.studies import langan
from ttt_fast.studies.langan import ablation, figures, published
from ttt_fast.studies.langan.plan import (
    AS_CODED,
    AS_WRITTEN,
    FULL,
    MEND_ALL,
    OVER_LEGAL,
    QUICK,
    SELF_PLAY,
    VARIANTS,
    Job,
    jobs_of,
)
from ttt_fast.studies.langan.runs import segments, train_all, train_job
from ttt_fast.studies.sample import Sample


def test_runs_do_not_depend_on_threads_and_stop_between_segments():
    jobs = [Job(SELF_PLAY, str(MEND_ALL), seed, (500, 2000)) for seed in (1, 0)]
    one, two = (train_all(jobs, threads)[SELF_PLAY, str(MEND_ALL)] for threads in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert first.job == second.job
        assert np.array_equal(first.last.actions, second.last.actions)
    assert [run.job.seed for run in one] == [0, 1]
    stop = StopRequest()
    stop.requested = True
    with pytest.raises(KeyboardInterrupt):
        train_job(jobs[0], stop)


def test_segments_cover_the_checkpoints():
    parts = segments((1000, 2_500_000, 2_500_001))
    assert parts[0][0] == 0 and parts[-1][1] == 2_500_001
    assert all(before[1] == after[0] for before, after in pairwise(parts))


def test_the_full_plan_holds_what_was_published():
    jobs = jobs_of(FULL)
    assert len(set(jobs)) == len(jobs)
    assert FULL.published == FULL.random == 100_000_000
    for mended in VARIANTS:
        seeds = [job for job in jobs if (job.opponent, job.variant) == (SELF_PLAY, str(mended))]
        assert len(seeds) >= 10 and all(5_000_000 in job.checkpoints for job in seeds)
    repaired = [job for job in jobs if job.variant == str(MEND_ALL)]
    assert all(20_000_000 in job.checkpoints for job in repaired)
    assert {job.variant for job in jobs if job.opponent == langan.MINIMAX} == {AS_CODED, OVER_LEGAL, AS_WRITTEN}


def test_prediction_intervals():
    """Two runs: Student's t with one degree of freedom; no spread: the sampling error alone."""
    assert Sample((1.0, 3.0)).prediction() == pytest.approx(
        (2 - 12.706 * 2**0.5 * 1.5**0.5, 2 + 12.706 * 2**0.5 * 1.5**0.5)
    )
    assert Sample((0.5, 0.5, 0.5)).prediction(0.01) == pytest.approx((0.5 - 0.0196, 0.5 + 0.0196), abs=1e-5)
    assert Sample((0.25,)).mean_interval() == (0.25, 0.25)


def test_positions_of_a_search():
    """From the empty board a full search visits 549,945 positions, so that a game takes a little more."""
    first, second, both = ablation.search_rows()
    assert 549_945 < first["positions a game"] < 565_000
    assert both["positions a game"] > 549_945 + second["positions a game"] / 2
    assert first["nanoseconds a position"] == round(660 * 60 / 200_000 / first["positions a game"] * 1e9)


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quick") / "langan"
    lines: list[str] = []
    return folder, langan.run(folder, quick=True, threads=2, on_progress=lines.append), lines


def test_every_published_figure_has_a_row_with_a_verdict_and_a_reason(quick):
    _, rows, _ = quick
    assert len(rows) == len(langan.BASE_CELLS) + len(published.LEARNED_CELLS) == 93
    assert {row["source"] for row in rows if "table" in row["source"]} == {f"langan table {n}" for n in range(1, 7)}
    verdicts = {"reproduced", "not reproduced", "equal", "within noise", "wrong"}
    for row in rows:
        assert row["verdict"] in verdicts and row["reason"], row
        assert row["published_low"] <= row["published_value"] + row.get("rounding", 1e-4)
        assert row["runs"] == 0 or row["as_coded_low"] <= row["as_coded"] <= row["as_coded_high"]
        if row["exact"] is not None and row["quantity"] == "agreement":
            assert row["corrected"] <= row["exact"] == 1.0


def test_published_rows_of_a_match_sum_to_all_games():
    sums: dict[tuple[str, str], int] = {}
    for cell in published.LEARNED_CELLS:
        if cell.is_match and "." not in cell.published:
            key = (cell.source, cell.label)
            sums[key] = sums.get(key, 0) + int(cell.published)
    assert len(sums) == 14 and set(sums.values()) == {langan.GAMES}
    shares = {cell.x: cell for cell in published.LEARNED_CELLS if cell.quantity == "agreement"}
    counts = {(cell.x, cell.quantity): cell.value for cell in published.LEARNED_CELLS if not cell.is_match}
    for name, cell in shares.items():
        exact = counts[name, "agreeing"] / counts[name, "states"]
        is_slip = cell.published == "0.9558"  # 498 of 521 is 0.95585
        assert cell.value == pytest.approx(exact, abs=cell.rounding * (1.1 if is_slip else 1.0))


def test_the_quick_page_and_its_tables(quick):
    folder, rows, lines = quick
    told = [line for line in lines if " runs: " in line]
    assert len(told) == len(jobs_of(QUICK)) and told[-1].startswith(f"{len(told)} of {len(told)} runs")
    page = (folder / "README.md").read_text()
    assert "`ttt-fast reproduce langan --quick`" in page
    assert all(f"| {row['cell']} |" in page for row in rows)
    names = (
        "cells",
        "ablation",
        "ablation_runs",
        "curves",
        "twins",
        "evidence",
        "minimax",
        "lengths",
        "search",
        "claims",
    )
    frames = {name: pl.read_csv(folder / f"{name}.csv") for name in names}
    assert frames["cells"].height == len(rows)
    assert frames["twins"]["same at every checkpoint"].all()
    assert set(frames["ablation"]["mended"]) == set(map(str, VARIANTS))
    assert frames["claims"].select(pl.all().is_not_null().all()).row(0) == (True,) * frames["claims"].width
    assert all(len(line) <= 120 for line in page.splitlines() if not line.startswith(("|", "- ", "Made by", "Of ")))


def test_figures_show_columns_of_the_tables(quick):
    folder, _, _ = quick
    check_pictures("langan", folder)
    for one in figures.FIGURES:
        columns = set(one.frame(folder).columns)
        assert {one.figure.x, one.figure.y, one.figure.series, one.figure.panels} - {None} <= columns


def test_the_same_bits_each_time_whatever_the_threads(quick, tmp_path):
    folder, rows, _ = quick
    assert langan.run(tmp_path, quick=True, threads=1) == rows
    assert same_files(tmp_path, folder)


def test_agents_of_the_study_exist():
    for spec in (langan.MINIMAX, published.BUGGY, published.BUGGY2):
        assert parse_agent(spec).is_exact
