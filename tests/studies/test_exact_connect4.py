"""The study of exact strength in Connect 4: its rows against plain recursions, its page from the csv files alone."""

import json
import shutil
from fractions import Fraction
from functools import cache
from math import isnan

import numpy as np
import pytest

from conftest import REPOSITORY
from study_checks import pictures, same_files, typed_digits, undrawn
from ttt_fast import Solver, exact_fractions, induced_table, parse_game
from ttt_fast.games import api
from ttt_fast.studies.engine.sources import package_of, plan_of, template_of
from ttt_fast.studies.engine.study import reproduce
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.exact_connect4 import measures
from ttt_fast.studies.exact_connect4.decisions import COLUMNS, can_win, decision
from ttt_fast.studies.exact_connect4.strata import difference
from ttt_fast.studies.exact_connect4.strength import measured

NAME = "exact-connect4"
SMALL = "connect4:columns=4,rows=4"
COMMITTED = Tables(REPOSITORY / "results" / NAME, "")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("new") / NAME
    with undrawn():
        reproduce(NAME, folder, quick=True, threads=2)
    return Tables(folder, "")


def values_of(game):
    """The value of each position for the player to move, by plain recursion; and the values of its moves."""

    @cache
    def value(state):
        return max(of_moves(state).values())

    def of_moves(state):
        found = {}
        for action in api.legal_actions(state):
            child = api.play(state, action)
            status = api.status(child)
            found[action] = -value(child) if status == api.ONGOING else int(status != api.DRAW)
        return found

    return of_moves


def test_the_files_of_a_quick_run(quick):
    files = {"README.md", "timing.json"} | {f"{name}.csv" for name in measures.MEASURES}
    assert {path.name for path in quick.folder.iterdir()} == files
    assert f"ttt-fast reproduce {NAME} --quick" in (quick.folder / "README.md").read_text()


def test_rows_are_those_of_the_library_and_of_full_tables(quick):
    row = quick.one("strength", board="4x4", agent="centre-first", seat="x")
    assert (row["positions"], row["never_loses"], row["best_value"]) == (998, False, 1.0)
    [random] = quick.where("outcomes", board="4x4", agent="centre-first", seat="x", opponent="random")
    assert random["x_wins_fraction"] == "515/864"
    for seat in "xo":
        pair = ("minimax", "random") if seat == "x" else ("random", "minimax")
        exact = exact_fractions(*pair, game=SMALL)
        [row] = quick.where("outcomes", board="4x4", agent="minimax", seat=seat, opponent="random")
        found = [Fraction(row[f"{name}_fraction"]) for name in ("x_wins", "draws", "o_wins")]
        assert found == [exact.x_wins, exact.draws, exact.o_wins]
        assert row["value"] == pytest.approx(float(found[0] - found[2]) * (1 if seat == "x" else -1), abs=1e-8)
        strength = quick.one("strength", board="4x4", agent="minimax", seat=seat)
        assert (strength["never_loses"], strength["refutation_result"]) == (True, "draw")
        assert strength["wins"] == pytest.approx(float(found[0 if seat == "x" else 2]), abs=1e-8)


def test_sizes_add_up_and_a_refused_table_has_bounds(quick):
    for row in quick["strength"]:
        own = [
            one["positions"] for one in quick.where("sizes", **{key: row[key] for key in ("board", "agent", "seat")})
        ]
        if row["status"] == "exact":
            assert sum(own) == row["positions"] and row["forecast"] is None
        else:
            assert not own and row["forecast"] > 100_000 and row["positions"] is None
            assert 0 < row["wins"] + row["draws"] + row["losses"] < 1
    assert {row["agent"] for row in quick["strength"] if row["status"] == "refused"} == {"random"}


def test_a_refused_piece_says_what_is_exact_so_far():
    settings = {"training": {}, "board": "connect4:columns=5,rows=5", "seat": "o", "opponents": ["random"]}
    found = json.loads(measured("default", limit=100_000, **settings)["found"])
    assert found["status"] == "refused" and found["forecast"] > 100_000
    assert 0 < found["x_wins"] < found["o_wins"] < 1 - found["x_wins"] - found["draws"]


def test_decisions_are_those_of_a_plain_recursion():
    game = parse_game(SMALL)
    moves_of, solver = values_of(game), Solver(game, table_mb=1)
    states = [game.state_after(text) for text in ("112233", "22133144", "1213242", "12123434")]
    for state in states:
        values = moves_of(state)
        best = max(values.values())
        keeping = [action for action, value in values.items() if value == best]
        for action, value in values.items():
            row = dict(zip(COLUMNS, decision(state, action, solver), strict=True))
            assert (row["ply"], row["before"], row["after"]) == (api.ply(state), best, value)
            assert (row["keeping"], bool(row["is_open"])) == (len(keeping), len(keeping) < len(values))
            if row["is_open"]:
                assert row["played"] == abs(2 * action - 3)
                assert row["kept"] == min(abs(2 * one - 3) for one in keeping)
                assert bool(row["outer"]) == (row["kept"] > 2)
                assert (row["plies_to_loss"] > 0) == (value < 0)


def test_quiet_decisions_and_replies_on_top():
    game = parse_game("connect4")
    solver = Solver(game)
    threatened = game.state_after("112233")  # both complete four in column 4, X in the first row
    assert can_win(threatened)
    at_once, elsewhere = (dict(zip(COLUMNS, decision(threatened, one, solver), strict=True)) for one in (3, 0))
    assert (at_once["quiet"], at_once["after"], at_once["above"]) == (0, 1, 0)
    assert (elsewhere["quiet"], elsewhere["before"]) == (0, 1)
    under = game.state_after("337772331246354454")  # O completes four on top of a stone in column 5
    row = dict(zip(COLUMNS, decision(under, 4, solver), strict=True))
    assert (row["before"], row["after"], row["plies_to_loss"]) == (0, -1, 1)
    assert (row["quiet"], row["above"], row["keeping"]) == (1, 1, 1)
    assert (row["played"], row["kept"], row["outer"]) == (2, 4, 1)


def test_differences_within_strata():
    found = difference([(30, 40, 10, 40), (5, 10, 5, 10), (3, 3, 0, 0)])
    weights = (20.0, 5.0)
    assert found.first == pytest.approx(np.average([0.75, 0.5], weights=weights))
    assert found.difference == pytest.approx(found.first - found.second) == pytest.approx(0.4)
    assert found.low < found.difference < found.high and found.p < 0.001
    assert isnan(difference([(1, 1, 0, 0)]).difference)
    assert difference([(5, 5, 0, 5)]).low < 1.0  # shares of 0 and 1 have an interval, too


def test_intervals_hold_the_truth():
    """Samples of two shares that differ by 0.3 in strata of unequal level: 95 % of the intervals contain it."""
    random, held = np.random.default_rng(1), 0
    for _ in range(1000):
        strata = [
            (random.binomial(m, p + 0.3), m, random.binomial(n, p), n) for m, n, p in ((20, 60, 0.1), (30, 30, 0.5))
        ]
        found = difference([tuple(map(int, one)) for one in strata])
        held += found.low <= 0.3 <= found.high
    assert 925 <= held <= 985


def test_the_page_comes_from_the_csv_files_alone(quick, tmp_path):
    copy = shutil.copytree(quick.folder, tmp_path / NAME)
    (copy / "README.md").unlink()
    with undrawn():
        reproduce(NAME, copy, quick=True, pages=True)
    assert (copy / "README.md").read_text() == (quick.folder / "README.md").read_text()


@pytest.mark.slow
def test_the_same_bits_with_other_threads(quick, tmp_path):
    with undrawn():
        reproduce(NAME, tmp_path / "again", quick=True, threads=1)
    assert same_files(quick.folder, tmp_path / "again")


def test_no_digits_are_typed():
    assert typed_digits(template_of(package_of(NAME))) == []


def test_committed_refutations_replay_to_their_results():
    boards = plan_of(package_of(NAME)).boards
    known = [row for row in COMMITTED["strength"] if row["refutation"]]
    assert len(known) > 40
    for row in known:
        state = parse_game(boards[row["board"]]).state_after(str(row["refutation"]))
        status = {api.X_WINS: "x_wins", api.DRAW: "draw", api.O_WINS: "o_wins"}[api.status(state)]
        assert status == row["refutation_result"]
        assert len(str(row["refutation"])) == row["refutation_plies"]


def test_committed_counts_are_those_of_the_rule():
    counts = {("4x4", "x"): 998, ("5x4", "x"): 5804, ("5x4", "o"): 11574, ("5x5", "x"): 29824,
              ("7x6", "x"): 7202835, ("7x6", "o"): 20006599}  # fmt: skip
    for (board, seat), count in counts.items():
        assert COMMITTED.one("strength", board=board, agent="centre-first", seat=seat)["positions"] == count


def test_committed_rows_on_a_small_board_are_made_again():
    for row in COMMITTED.where("strength", board="4x4", agent="alpha-beta 4, first"):
        induced = induced_table("alphabeta:depth=4,tie=first", row["seat"], SMALL)
        assert (induced.positions, induced.best_value) == (row["positions"], row["best_value"])
        assert induced.refutation.moves == str(row["refutation"])


def test_committed_files_are_small_and_pictures_are_there():
    files = list(COMMITTED.folder.iterdir())
    assert all(path.stat().st_size < 200_000 for path in files)
    assert pictures(NAME) <= {path.name for path in files}
