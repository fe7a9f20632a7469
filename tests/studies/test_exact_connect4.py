"""The study of exact strength in Connect 4: its rows against plain recursions, its page from the csv files alone."""

import json
from fractions import Fraction
from functools import cache

import pytest

from conftest import REPOSITORY
from ttt_fast import Solver, exact_fractions, induced_table, parse_game
from ttt_fast.games import api
from ttt_fast.studies.engine.sources import plan_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.exact_connect4.decisions import COLUMNS, decision
from ttt_fast.studies.exact_connect4.strength import measured

SMALL = "connect4:columns=4,rows=4"
COMMITTED = Tables(REPOSITORY / "results" / "exact-connect4", "")


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


def test_rows_are_those_of_full_tables():
    exact = exact_fractions("random", "default", game=SMALL)
    settings = {"training": {}, "board": SMALL, "seat": "x", "limit": 200_000, "opponents": ["default"]}
    found = json.loads(measured("random", **settings)["found"])["outcomes"]["default"]
    [row] = COMMITTED.where("outcomes", board="4x4", agent="random", seat="x", opponent="default")
    for name in ("x_wins", "draws", "o_wins"):
        assert Fraction(found[f"{name}_fraction"]) == Fraction(row[f"{name}_fraction"]) == getattr(exact, name)
    strength = COMMITTED.one("strength", board="4x4", agent="random", seat="x")
    for value in (found["value"], row["value"], strength["value v default"]):
        assert value == pytest.approx(float(exact.x_wins - exact.o_wins), abs=1e-8)


def test_sizes_add_up_and_a_refused_table_has_bounds():
    for row in COMMITTED["strength"]:
        place = {key: row[key] for key in ("board", "agent", "seat")}
        own = [one["positions"] for one in COMMITTED.where("sizes", **place)]
        if row["status"] == "exact":
            assert sum(own) == row["positions"] and row["forecast"] is None
        else:
            assert not own and row["forecast"] > row["limit"] and row["positions"] is None
            assert 0 < row["wins"] + row["draws"] + row["losses"] < 1


def test_a_refused_piece_says_what_is_exact_so_far():
    settings = {"training": {}, "board": "connect4:columns=5,rows=5", "seat": "o", "opponents": ["random"]}
    found = json.loads(measured("default", limit=100_000, **settings)["found"])
    assert found["status"] == "refused" and found["forecast"] > 100_000
    assert 0 < found["x_wins"] < found["o_wins"] < 1 - found["x_wins"] - found["draws"]


def test_decisions_are_those_of_a_plain_recursion():
    game = parse_game(SMALL)
    moves_of, solver = values_of(game), Solver(game, table_mb=1)
    for state in (game.state_after(text) for text in ("22133144", "1213242", "12124343")):
        values = moves_of(state)
        for action, value in values.items():
            row = dict(zip(COLUMNS, decision(state, action, solver), strict=True))
            assert (row["before"], row["after"]) == (max(values.values()), value)
            assert bool(row["is_open"]) == (min(values.values()) < max(values.values()))
            assert (row["plies_to_loss"] > 0) == (row["is_open"] and value < 0)
    under = parse_game("connect4").state_after("337772331246354454")  # O completes four on top of a stone in column 5
    assert decision(under, 4, Solver(parse_game("connect4"))) == [0, -1, 1, 1]


def test_committed_refutations_replay_to_their_results():
    boards = plan_of("ttt_fast.studies.exact_connect4").boards
    known = [row for row in COMMITTED["strength"] if row["refutation"]]
    assert len(known) > 40
    for row in known:
        state = parse_game(boards[row["board"]]).state_after(row["refutation"])
        status = {api.X_WINS: "x_wins", api.DRAW: "draw", api.O_WINS: "o_wins"}[api.status(state)]
        assert status == row["refutation_result"]
        assert len(row["refutation"].replace(" ", "")) == row["refutation_plies"]


def test_committed_counts_are_those_of_the_rule():
    counts = {("4x4", "x"): 998, ("5x4", "x"): 5804, ("5x4", "o"): 11574, ("5x5", "x"): 29824,
              ("7x6", "x"): 7202835, ("7x6", "o"): 20006599}  # fmt: skip
    for (board, seat), count in counts.items():
        assert COMMITTED.one("strength", board=board, agent="centre-first", seat=seat)["positions"] == count


def test_committed_rows_on_a_small_board_are_made_again():
    for row in COMMITTED.where("strength", board="4x4", agent="alpha-beta 4, first"):
        induced = induced_table("alphabeta:depth=4,tie=first", row["seat"], SMALL)
        assert (induced.positions, induced.best_value) == (row["positions"], row["best_value"])
        assert induced.refutation.moves == row["refutation"].replace(" ", "")
