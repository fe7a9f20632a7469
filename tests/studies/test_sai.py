"""Sai's study: every printed count has its row and its reason; the searches and the odds are the plain ones."""

import json
import random
from itertools import product

import numpy as np
import pytest

from study_checks import check_pictures, pictures, same_files
from ttt_fast.agents.registry import parse_agent
from ttt_fast.studies import sai
from ttt_fast.studies.page import verdict_counts
from ttt_fast.studies.sai import learning, odds, published, search, tables
from ttt_fast.studies.sai.claims import games_until_the_floor
from ttt_fast.tables import table_of
from ttt_fast.tables.boards import boards_of

TABLE = table_of("tic-tac-toe")
FILES = (
    "cells", "claims", "extremes", "readings", "searches", "strength",
    *(f"connect_four_{name}" for name in ("claims", "curve", "readings", "searches", "strength", "truth", "values")),
)  # fmt: skip
SOURCES = {one.source for one in published.TABLES}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sai") / "new" / "sai"
    told = []
    rows = sai.run(folder, quick=True, threads=2, on_progress=told.append)
    news = [f"{done} of 8 training runs" for done in range(1, 9)]
    assert told[:16] == news + [f"Connect 4: {one}" for one in news]
    return folder, rows


def test_every_printed_count_has_a_row(quick):
    _, rows = quick
    assert [row["source"] for row in rows[::3]] == [f"sai table {n}" for n in (1, 2, 3, 7, 8, 4, 5, 6, 9, 10)]
    counts = "0 9 1 0 138 12 424 457 119 0 0 5 0 44 6 0 5 0 1 49 0 548 449 3 2 2 0 1 49 0"
    assert [row["published"] for row in rows] == counts.split()
    for table in (*published.TABLES, *published.CONNECT_FOUR_TABLES):
        assert table.printed == sum(table.counts.values()) == (4 if table.number == 9 else table.rounds)


def test_verdicts(quick):
    """As described the three larger matches cannot be; as coded every count is what it should be."""
    _, rows = quick
    exact = [row for row in rows if row["source"] in SOURCES]
    assert {row["how"] for row in exact} == {"exact"}
    assert verdict_counts(exact) == {"equal": 6, "within noise": 2, "wrong": 7}
    assert {row["verdict_as_coded"] for row in rows} == {"equal", "within noise"}
    assert {row["source"] for row in exact if row["verdict"] == "wrong"} == {f"sai table {n}" for n in (2, 3, 8)}
    for row in rows:
        assert bool(row["why"]) == bool(row["fits"]) == (row["verdict"] == "wrong"), row
        assert (row["share_of_fit"] is not None) == bool(row["fits"])
        assert row["share_low"] <= row["published_share"] <= row["share_high"]
    for row in exact:  # a small sample's share may lie outside of what a further match gives
        assert row["as_described_low"] <= row["as_described"] <= row["as_described_high"]
        assert row["as_coded_low"] <= row["as_coded"] <= row["as_coded_high"]


def test_a_best_response_wins_most(quick):
    """Of tables 3 and 8, whose learner plays: nobody scores more than a best response; the others have none."""
    _, rows = quick
    shares = {(row["source"], row["quantity"]): row for row in rows}
    assert {row["source"] for row in rows if row["possible"] is not None} == {"sai table 3", "sai table 8"}
    for source, other in (("sai table 3", "default wins"), ("sai table 8", "minimax with alpha-beta wins")):
        own, theirs = shares[source, "tabular Q-learning wins"], shares[source, other]
        assert own["possible"] - theirs["possible"] >= own["as_described"] - theirs["as_described"] - 1e-12
        assert sum(row["possible"] for row in rows if row["source"] == source) == pytest.approx(1.0)


def test_exact_shares_of_the_matches_without_a_learner(quick):
    _, rows = quick
    shares = {(row["source"], row["quantity"]): (row["as_described"], row["as_coded"]) for row in rows}
    assert shares["sai table 1", "minimax wins"] == pytest.approx((0.535912698, 0.898442006), abs=1e-8)
    assert shares["sai table 7", "ties"] == (1.0, 1.0)


def test_the_page_and_its_files(quick):
    folder, rows = quick
    names = {"README.md", "timing.json", *(f"{name}.csv" for name in FILES)}
    assert {path.name for path in folder.iterdir()} == names | pictures("sai")
    check_pictures("sai", folder)
    page = (folder / "README.md").read_text()
    assert all(row["why"] in page for row in rows)
    assert "ttt-fast reproduce sai --quick" in page
    assert "\n## Connect 4\n" in page
    assert len((folder / "readings.csv").read_text().splitlines()) == 1 + 2 + 2 + 24 + 1 + 12
    assert len((folder / "searches.csv").read_text().splitlines()) == 1 + 10
    timing = json.loads((folder / "timing.json").read_text())
    assert [row["source"] for row in timing["games"]] == [f"sai table {n}" for n in (2, 2, 3, 3, 8, 8)]
    assert all(row["seconds"] > 0 and row["summed_peaks_bytes"] > 0 for row in timing["games"])


@pytest.mark.slow
def test_threads_and_repetition_change_no_bit(quick, tmp_path):
    folder, rows = quick
    assert sai.run(tmp_path, quick=True, threads=1) == rows
    assert same_files(tmp_path, folder)


# --- What the text says.


def test_epsilon_is_at_its_floor_after_1095_games():
    assert games_until_the_floor() == 1095
    assert games_until_the_floor(start=0.2) == 0


def test_the_fixed_point_of_a_double_update():
    value = 0.0
    for _ in range(500):
        value += 0.1 * (0.9 * 1 - value)
        value += 0.1 * (0.9 * 0 - value)
    assert value == pytest.approx(published.FIXED_POINT, abs=1e-15)
    assert f"{value:.5f}" == "0.42632"


# --- Odds.


def test_counts_of_two_halves_are_enumerated():
    """All 3 ** 6 courses of six games, three begun by each."""
    halves = odds.Halves(np.array([0.5, 0.2, 0.3]), np.array([0.1, 0.7, 0.2]))
    for outcome in range(3):
        chances = np.zeros(7)
        for course in product(range(3), repeat=6):
            chance = np.prod([halves[i // 3][one] for i, one in enumerate(course)])
            chances[course.count(outcome)] += chance
        found = odds.count_distribution([halves], outcome, 3)
        assert np.allclose(found, chances, rtol=0, atol=1e-14)
        assert np.allclose(odds.count_distribution([halves, halves], outcome, 3), chances, rtol=0, atol=1e-14)


def test_how_surprising_a_count_is():
    coin = odds.binomial(1000, 0.5)
    assert coin.sum() == pytest.approx(1.0, abs=1e-12)
    middle, far = odds.surprise(coin, 500), odds.surprise(coin, 560)
    assert (middle.sigmas, middle.p_value) == (pytest.approx(0.0, abs=1e-9), pytest.approx(1.0, abs=1e-9))
    assert far.sigmas == pytest.approx(60 / 250**0.5)
    assert far.verdict == "wrong"
    assert (middle.low, middle.high) == (469, 531)
    certain = odds.binomial(4, 0.0)
    assert odds.surprise(certain, 0).verdict == "equal"
    impossible = odds.surprise(certain, 1)
    assert (impossible.verdict, impossible.sigmas, impossible.p_value) == ("wrong", float("inf"), 0.0)


def test_naming_the_other_player_first():
    halves = odds.play_halves(parse_agent("minimax"), parse_agent("random"))
    swapped = odds.play_halves(parse_agent("random"), parse_agent("minimax"))
    assert all(np.array_equal(*pair) for pair in zip(halves.swapped(), swapped, strict=True))


# --- Searches.


def board_of(state: int) -> search.PlainBoard:
    return search.PlainBoard(boards_of(TABLE)[state].tolist(), int(TABLE.player[state]))


def test_nodes_and_moves_of_the_searches():
    """The plain players on a sample of boards: nodes of the table walks, and the move of `minimax:tie=first`."""
    minimax = parse_agent(learning.MINIMAX).greedy_actions()
    nodes = {False: search.plain_nodes(TABLE), True: search.alpha_beta_nodes(TABLE)}
    sample = np.flatnonzero((TABLE.ply >= 3) & TABLE.decision_mask)[::37].tolist()
    for prune, counts in nodes.items():
        for state in sample + ([0, 1, 5] if prune else []):
            searcher = search.Searcher(prune)
            assert searcher(board_of(state)) == minimax[state]
            assert searcher.nodes == counts[state]


def test_the_plain_default_opponent_is_the_agent():
    """With skill 1 wins and blocks are certain; the rest is drawn from the legal moves."""
    policy = parse_agent("default:skill=1").probabilities
    player = search.default_player(1.0, random.Random(0))
    for state in np.flatnonzero(TABLE.decision_mask)[::11].tolist():
        assert policy[state, player(board_of(state))] > 0


def test_a_table_player_takes_the_last_of_the_best():
    player = search.table_player({"[0, 0, 1, 0, 0, 0, 0, 0, 0]": 0.5}, -1.0, random.Random(0))
    assert player(board_of(0)) == 2
    assert player(board_of(1)) == 8


def test_exact_nodes_of_a_game_are_those_of_a_measured_one():
    """Two minimax players: one course of the game for each order."""
    minimax = parse_agent(learning.MINIMAX)
    expected, moves = search.spent_exactly(minimax, minimax, search.alpha_beta_nodes(TABLE))
    first, second = search.Searcher(True), search.Searcher(True)
    spent = search.play_measured(first, second, trace=False)
    assert (first.nodes + second.nodes) / 2 == expected
    assert sum(one.moves for one in spent) / 2 == moves == 4.5


def test_readings_are_named():
    texts = [str(one) for one in tables.readings(published.TABLES[2])]
    assert len(set(texts)) == 24
    assert str(tables.as_coded(published.TABLES[2])) in texts
    assert str(tables.as_described(published.TABLES[2])) in texts
    assert str(tables.as_coded(published.TABLES[3])) == "minimax in both seats"
