"""Bichot's study: every printed number has its row, the emulation fits the published results, runs repeat exactly."""

import csv
import json

import numpy as np
import pytest

from conftest import SHARED
from study_checks import check_pictures, pictures, same_files
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.homogeneity import homogeneity
from ttt_fast.games import api
from ttt_fast.games.ultimate_duplicates import DuplicatesState
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.studies import ultimate
from ttt_fast.studies.page import verdict_counts
from ttt_fast.studies.ultimate import plan, published, tables, ties
from ttt_fast.studies.ultimate.claims import claim_rows
from ttt_fast.studies.ultimate.matches import Contest, play_all
from ttt_fast.studies.ultimate.players import GAME, PLAYED, Agent, as_coded, corrected
from ttt_fast.studies.ultimate.published import AGENTS, DQN, FIG_5, PRINTED, TABLE_1, Counts

FILES = (
    "cells", "claims", "defects", "deterministic", "exploration", "first_player", "fit", "ratings", "readings",
    "strength", "ties",
)  # fmt: skip


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ultimate") / "new" / "ultimate"
    told = []
    rows = ultimate.run(folder, quick=True, threads=2, on_progress=told.append)
    assert told[0] == f"as coded: {36 * plan.QUICK.coded} games of 36 contests"
    return folder, rows


def read(folder, name):
    with (folder / f"{name}.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


# --- What was published.


def test_the_published_counts_are_those_of_the_source():
    assert len(FIG_5) == 45
    assert all(counts.games == published.GAMES for counts in FIG_5.values())
    path = SHARED / "data" / "ultimate_fig5_raw_counts.json"
    if path.exists():
        raw = json.loads(path.read_text())
        assert tuple(raw["agents"]) == AGENTS
        for (first, second), counts in FIG_5.items():
            i, j = AGENTS.index(first), AGENTS.index(second)
            assert counts == (raw["wins"][i][j], raw["equalities"][i][j], raw["losses"][i][j])


def test_the_printed_scores_are_those_of_the_counts_but_for_one_match():
    assert len(PRINTED) == 81
    off = {pair: published.printed_error(*pair) for pair in PRINTED}
    assert {pair for pair, error in off.items() if abs(error) > 0.5 + 1e-9} == {
        ("mcts-500", "mcts-1000"), ("mcts-1000", "mcts-500"),
    }  # fmt: skip
    assert max(map(abs, off.values())) == 1.0


def test_exploration_parameters():
    assert [published.exploration(name) for name in TABLE_1] == [0, 0.5, 2**0.5, 3, 5]
    with pytest.raises(UsageError, match="got 'x'"):
        published.exploration("x")


# --- Rows, page, bits.


def test_every_printed_number_has_a_row(quick):
    _, rows = quick
    assert [(row["row"], row["column"], row["published"]) for row in rows[:81]] == [
        (*pair, str(score)) for pair, score in PRINTED.items()
    ]
    assert [row["published"] for row in rows[81:]] == [str(rate) for rate in TABLE_1.values()]
    for row in rows:
        without = DQN in (row["row"], row["column"])
        assert (row["verdict"] == tables.LATER) == (row["verdict_corrected"] == tables.LATER) == without
        if without:
            assert "later" in row["reason"] and "as_coded" not in row
            continue
        assert 0 < row["p"] <= 1 and 0 < row["p_corrected"] <= 1
        for name in ("as_coded", "corrected"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert verdict_counts(rows)[tables.LATER] == 17


def test_a_mirror_has_the_same_games_and_the_same_verdict(quick):
    _, rows = quick
    cells = {(row["row"], row["column"]): row for row in rows[:81] if "as_coded" in row}
    for (row, column), cell in cells.items():
        other = cells[column, row]
        assert cell["first_mover"] == other["first_mover"]
        assert cell["as_coded_wins"] == other["as_coded_losses"] or row == column
        assert cell["verdict"] == other["verdict"] and cell["p"] == other["p"]


def test_numbers_of_games(quick):
    _, rows = quick
    for row in rows[:81]:
        if "as_coded" in row:
            assert sum(row[f"as_coded_{kind}"] for kind in ("wins", "draws", "losses")) == plan.QUICK.coded
            assert sum(row[f"corrected_{kind}"] for kind in ("wins", "draws", "losses")) == plan.QUICK.corrected
    assert plan.FULL.coded >= 1000
    assert {one.games for one in plan.coded_contests(plan.FULL)} == {plan.FULL.coded}
    assert not any(one.swapped for one in plan.coded_contests(plan.FULL))
    swapped = [one.swapped for one in plan.corrected_contests(plan.FULL)]
    assert swapped == [first != second for first, second in plan.PAIRS]
    keys = [
        one.key
        for make in (plan.coded_contests, plan.corrected_contests, plan.defect_contests, plan.our_contests)
        for one in make(plan.FULL)
    ]
    keys += [one.key for make in (plan.table_1_contests, plan.tuned_contests) for one in make(plan.FULL).values()]
    assert len(set(keys)) == len(keys)


def test_the_page_and_its_files(quick):
    folder, _ = quick
    names = {"README.md", "timing.json", *(f"{name}.csv" for name in FILES)}
    assert {path.name for path in folder.iterdir()} == names | pictures("ultimate")
    check_pictures("ultimate", folder)
    page = (folder / "README.md").read_text()
    assert "ttt-fast reproduce ultimate --quick" in page
    assert "**The DQN's row and column are left for a later version**" in page
    assert all(row["statement"] in page for row in read(folder, "claims"))
    assert all(len(line) <= 120 or line.startswith("|") for line in page.splitlines())
    assert len(read(folder, "readings")) == len(plan.READINGS) * (len(TABLE_1) + 1)
    assert [row["agent"] for row in read(folder, "ratings")] == list(PLAYED)
    assert float(read(folder, "ratings")[0]["published"]) == 0.0
    timing = json.loads((folder / "timing.json").read_text())
    assert timing["games"] > 36 * plan.QUICK.coded
    assert set(timing["milliseconds_a_move"]["as coded"]) == set(PLAYED)


@pytest.mark.slow
def test_threads_and_repetition_change_no_bit(quick, tmp_path):
    folder, rows = quick
    assert ultimate.run(tmp_path, quick=True, threads=1) == rows
    assert same_files(tmp_path, folder)


# --- The emulation.


@pytest.mark.slow
def test_the_cheap_cells_are_the_published_ones_as_coded_and_not_without_the_defects():
    """Whole cells of Fig. 5 at 300 games; true ties would show in minimax-3 against itself and others."""
    pairs = [pair for pair in plan.PAIRS if set(pair) <= {"random", "minimax-1", "minimax-3", "mcts-100"}]
    contests = [
        Contest(as_coded(first), as_coded(second), 300, False, (9, number))
        for number, (first, second) in enumerate(pairs)
    ]
    found = [homogeneity(FIG_5[pair], one.counts) for pair, one in zip(pairs, play_all(contests, 2), strict=True)]
    assert len(found) == 10
    assert min(test.p_value for test in found) > tables.NOISE_P
    assert tables.total_row(found)["p"] > 0.01


def test_seats_threads_and_counts():
    contest = Contest(Agent("minimax-1"), Agent("random"), 25, True, (8,))
    [one], [two] = list(play_all([contest], 1)), list(play_all([contest], 3))
    assert (one.as_x, one.as_o, one.plies) == (two.as_x, two.as_o, two.plies)
    assert (one.as_x.games, one.as_o.games, one.counts.games) == (13, 12, 25)
    assert one.counts.wins > 20  # told from the first agent, in both seats
    moves = [effort.moves for effort in one.efforts]
    assert sum(moves) == one.plies and abs(moves[0] - moves[1]) <= 25
    [first] = play_all([contest._replace(swapped=False)], 2)
    assert (first.as_x.games, first.as_o) == (25, Counts(0, 0, 0))


def test_the_player_with_duplicates_searches_the_lists():
    wrapped, plain = as_coded("mcts-100").make(), MctsPlayer("mcts", MctsConfig(sims=100, formula="log-ratio"))
    state = GAME.initial_state
    for action in (40, 36, 4, 37, 13, 38):  # X wins nothing; O has the left column of the centre board
        state = api.play(state, action)
    free = GAME.state_after("55 51 15 52 25 53 35")
    for one in (state, free):
        for stream in (1, 2):
            wrapped.begin(np.uint64(stream)), plain.begin(np.uint64(stream))
            assert wrapped.think(one) == plain.think(DuplicatesState(one))
    assert wrapped.memory_bytes > 0


def test_agents_are_spelled_as_the_command_line_spells_them():
    assert as_coded("mcts-2000") == Agent("mcts:sims=2000,formula=log-ratio", True)
    assert corrected("minimax-3").spec == "alphabeta:depth=3,eval=complex,rule=published"
    assert corrected("mcts-500", 2**0.5).spec == f"mcts:sims=500,c={2**0.5!r}"
    for one in (*plan.ours(),):
        assert one.agent.make().name == one.agent.spec
        one.opponent.make()
    assert {one.version for one in plan.ours()} == set(plan.TARGETS)
    assert len([one for one in plan.ours() if one.version == plan.CODED]) == len(PLAYED) + 1


# --- Ties and claims.


def test_a_search_of_one_ply_has_true_ties_and_deeper_ones_do_not():
    rows = {row["agent"]: row for row in ties.tie_rows(80)}
    assert rows["minimax-1"]["with a worse move among the ties"] == 0
    for agent in ("minimax-3", "minimax-5"):
        assert 0 < rows[agent]["chance of a worse move"] <= rows[agent]["with a worse move among the ties"] < 1


def test_without_randomness_there_is_one_game():
    games = ties.without_randomness()
    assert games == ties.without_randomness()
    assert len(games) == 9
    assert {row["winner"] for row in games} <= {"first", "second", "nobody"}
    for row in games:
        assert len(row["moves"].split()) == row["plies"]


def test_claims_follow_the_rows(quick):
    """Verdicts change with the rows that they are about."""
    folder, _ = quick
    parts = {name: [numbers(row) for row in read(folder, name)] for name in FILES}
    parts["cells"] = [{key: value for key, value in row.items() if value != ""} for row in parts["cells"]]
    parts["first_player"] = [{k: v for k, v in row.items() if v != ""} for row in parts["first_player"]]
    assert [row["verdict"] for row in claim_rows(parts)] == [row["verdict"] for row in parts["claims"]]
    for row in parts["first_player"]:
        row |= {"as_coded": 0.6, "as_coded_low": 0.55, "as_coded_high": 0.65} if "as_coded" in row else {}
    for row in parts["ties"]:
        row["with a worse move among the ties"] = 0.0
    changed = {row["statement"]: row["verdict"] for row in claim_rows(parts)}
    assert changed["beginning does not seem to make a big difference"] == "does not hold"
    assert changed["pruning does not change the resulting decision"] == "holds"


def numbers(row):
    """A row of a csv file with its numbers as numbers."""

    def parsed(text):
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
        return text

    return {key: parsed(text) if key not in ("c", "cell", "published") else text for key, text in row.items()}
