"""The meter of learners of others: exact rows from functions, arrays and files, and one line for each mistake."""

from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest

import reference
import ttt_fast
from cli_runner import run
from conftest import random_policy
from ttt_fast import Environment, Meter, TttFastError, UsageError, as_policy, parse_game, save_policy, scorecard
from ttt_fast.games import api

SMALL = "connect4:columns=4,rows=4,length=3"


def board_of(state) -> reference.Board:
    """A state of tic-tac-toe as the reference knows boards."""
    marks = parse_game("tic-tac-toe").format_position(state)
    return tuple(".XO".index(mark) for mark in marks)


def heuristic(state) -> int:
    """Win or block, else the highest cell."""
    for ask in (api.winning_action, api.threat_action):
        if ask(state) >= 0:
            return ask(state)
    return api.legal_actions(state)[-1]


@pytest.mark.parametrize("seat", ["x", "o"])
def test_a_function_of_states_is_measured_as_the_reference_measures_it(seat):
    meter, number = Meter(seat=seat, opponent="random"), 1 + (seat == "o")
    row = meter.record(5, heuristic)
    actions = {board_of(meter.table.state(int(s))): heuristic(meter.table.state(int(s))) for s in meter.states}
    assert len(actions) == sum(
        not reference.is_over(b) and reference.mover(b) == number for b in reference.all_states()
    )

    def player(board):
        return {actions[board]: Fraction(1)}

    pair = (player, reference.random_player) if number == 1 else (reference.random_player, player)
    wins = reference.match(*pair)
    mine = wins if number == 1 else wins[::-1]
    found = [row[name] for name in ("x_wins", "draws", "o_wins")]
    assert found == pytest.approx([float(share) for share in wins], abs=1e-12)
    best = reference.best_score(reference.random_player, number)
    assert row["value"] == pytest.approx(float(mine[0] - mine[2]), abs=1e-12)
    assert row["best_value"] == pytest.approx(float(best), abs=1e-12)
    assert row["regret"] == pytest.approx(float(best - mine[0] + mine[2]), abs=1e-12)
    assert row["never_loses"] == (not reference.losing_boards(player, number))
    agreeing = [actions[board] in reference.optimal_actions(board) for board in actions]
    assert row["agreement"] == pytest.approx(sum(agreeing) / len(agreeing), abs=1e-12)
    reached = reference.reach(*pair)
    met = [actions[board] in reference.optimal_actions(board) for board in actions if board in reached]
    assert row["reached_agreement"] == pytest.approx(sum(met) / len(met), abs=1e-12) and len(met) < len(actions)
    worst = reference.best_score(player, 3 - number)
    assert row["exploitability"] == pytest.approx(float(worst) / 2, abs=1e-12)


def test_every_form_of_a_policy_gives_the_same_row():
    policy = random_policy(3)
    expected = next(row for row in scorecard(policy, ["buggy"]) if row.seat == "o")
    meter = Meter(seat="o", opponent="buggy")
    table, rows = meter.table, policy.probabilities
    index = {table.state(int(state)): int(state) for state in meter.states}
    forms = [
        policy,
        rows,
        rows[meter.states],
        policy.edge_probabilities,
        rows[meter.states].astype(np.float32),
        lambda state: rows[index[state]].tolist(),
        np.where((table.player == 2)[:, None], rows, np.nan),  # what is not asked about does not matter
    ]
    for form in forms:
        row = meter.record(0, form)
        for name in ("value", "best_value", "never_loses"):
            assert row[name] == pytest.approx(getattr(expected, name), abs=1e-6)
    assert {row["exploitability"] for row in meter.rows[:4]} == {meter.rows[0]["exploitability"]}


def test_actions_scores_and_files_give_the_same_row(tmp_path):
    policy = as_policy("minimax:tie=last")
    save_policy(tmp_path / "p.npz", policy)
    meter = Meter(seat="x", opponent="default")
    actions = policy.greedy_actions().astype(np.int64)
    scores = np.where(meter.legal_action_mask, policy.probabilities[meter.states], 5.0)  # illegal ones are ignored
    rows = [
        meter.record(1, actions),
        meter.record(1, actions[meter.states]),
        meter.record(1, scores, scores=True),
        meter.record(1, str(tmp_path / "p.npz")),
        meter.record(1, tmp_path / "p.npz"),
        meter.record(1, "minimax:tie=last"),
    ]
    assert all(row == rows[0] for row in rows)
    assert rows[0]["never_loses"] and rows[0]["exploitability"] == 0 and rows[0]["agreement"] == 1


@pytest.mark.parametrize(
    ("game", "opponent", "seat"), [("tic-tac-toe", "minimax", 2), (SMALL, "random", 1), (SMALL, "random", 2)]
)
def test_the_row_is_that_of_the_curve_of_a_training_run(game, opponent, seat):
    config = ttt_fast.TrainingConfig(opponent=opponent, seat=seat, episodes=3000, evaluations=3, game=game)
    done = ttt_fast.train(config)
    meter = Meter(game, seat, opponent)
    row = meter.record(3000, done.values.tables[0], scores=True)
    curve = done.curve().to_dicts()[-1]
    further = {"changed", "rms_error"}
    assert curve.keys() - further == row.keys() - {"reached_agreement", "never_loses"}
    assert {name: row[name] for name in curve if name not in further} == pytest.approx(
        {name: value for name, value in curve.items() if name not in further}, abs=1e-12
    )


def test_in_self_play_both_seats_are_measured_and_nobody_is_met():
    meter = Meter(SMALL, opponent="self")
    random = meter.record(0, "random")
    assert (
        not any(name.endswith("wins") for name in random)
        and random["best_value"] == 0
        and random["value"] == -random["exploitability"] < -0.9
    )
    best = meter.record(10, "minimax")
    assert (best["exploitability"], best["value"], best["regret"], best["agreement"]) == (0, 0, 0, 1)
    assert not best["never_loses"]  # O's game is lost
    assert meter.states.size == meter.table.decision_mask.sum()


def test_both_seats_against_an_opponent():
    row = Meter(seat="both", opponent="random").record(0, "heuribot")
    as_x, as_o = (one for one in scorecard("heuribot", ["random"]) if one.opponent == "random")
    assert row["x_v_opponent_wins"] == as_x.x_wins and row["o_v_opponent_wins"] == as_o.o_wins
    assert "x_wins" not in row
    assert row["value"] == pytest.approx((as_x.value + as_o.value) / 2)
    assert row["exploitability"] == as_x.exploitability and row["best_value"] == (as_x.best_value + as_o.best_value) / 2
    assert row["agreement"] == (as_x.agreeing + as_o.agreeing) / (as_x.states + as_o.states)
    reached = as_x.reached_agreeing + as_o.reached_agreeing, as_x.reached_states + as_o.reached_states
    assert row["reached_agreement"] == reached[0] / reached[1] and row["never_loses"]


@pytest.mark.parametrize("game", ["tic-tac-toe:misere=yes", SMALL])
def test_observations_and_masks_are_those_of_the_states(game):
    meter = Meter(game, "o")
    states = [meter.table.state(int(state)) for state in meter.states]
    assert (meter.observations == np.array([api.observe(state) for state in states])).all()
    assert meter.observations.dtype == np.float32
    assert (meter.legal_action_mask == np.array([api.legal_action_mask(state) for state in states])).all()


@pytest.mark.parametrize("name", ["mine.parquet", "mine.csv", "mine.jsonl"])
def test_the_curve_is_a_file_that_plot_reads(tmp_path, name):
    meter = Meter(opponent="random", labels={"learner": "mine", "seed": 3})
    meter.record(0, "random"), meter.record(100, "minimax")
    meter.save(tmp_path / name)
    shown = run("plot", tmp_path / name, "--by", "learner")
    assert shown.code == 0 and "regret by episodes" in shown.out.decode()
    config = ["--set", "epsilon=0.1", "--seeds", "2", "-n", "2k", "-o", tmp_path / "sweep"]
    assert run("sweep", *config).code == 0
    together = run("plot", tmp_path / name, tmp_path / "sweep", "--by", "seed", "--y", "agreement")
    assert together.code == 0
    if name.endswith("parquet"):
        frame = pl.read_parquet(tmp_path / name)
        assert frame.columns[:6] == ["game", "seat", "opponent", "learner", "seed", "episodes"]
        assert frame.equals(meter.to_frame())


def failing(state):
    raise ValueError("no such key\nand more")


WRONG = {
    "illegal action": (lambda state: 0, r"expected a legal action of 2, 3, 4, 5, 6, 7, 8 at 'XO\.{7}', got 0"),
    "no action": (lambda state: None, r"expected an action or 9 numbers at '\.{9}', got None"),
    "few numbers": (lambda state: [1, 0], r"expected an action or 9 numbers at '\.{9}', got \[1, 0\]"),
    "both kinds": (lambda s: api.legal_actions(s)[0] if api.ply(s) else [1 / 9] * 9, "in every state, got both"),
    "exception": (failing, r"the function failed at '\.{9}': ValueError: no such key$"),
    "shape": (np.zeros((3, 9)), r"\(2423, 9\), \(5478, 9\) or \(16167,\) numbers, got shape \(3, 9\) of float64"),
    "float actions": (np.zeros(2423), r"got shape \(2423,\) of float64"),
    "nan": (np.full((2423, 9), np.nan), "no mass on illegal actions|finite"),
    "nan of edges": (np.full(16167, np.nan), "expected finite probabilities, got nan"),
    "sum": (np.full(16167, 0.4), r"expected probabilities that sum to 1 at '\.{9}', got 3\.6"),
    "mass": (np.full((2423, 9), 1 / 9), "expected no mass on illegal actions"),
    "text": ("nobody", "unknown agent 'nobody'"),
    "things": ([["a", "b"]], "expected a policy, a function of a state, an array of numbers, a file or an agent"),
    "nothing": (None, "expected a policy, a function"),
    "another game": (as_policy("random", SMALL), f"expected a policy for tic-tac-toe, got 'random' for {SMALL}"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_policy_is_one_line_and_leaves_no_row(name):
    given, wanted = WRONG[name]
    meter = Meter()
    with pytest.raises(TttFastError, match=wanted) as told:
        meter.record(0, given)
    assert "\n" not in str(told.value) and meter.rows == []


def test_scores_must_be_finite_where_actions_are_legal():
    meter = Meter()
    with pytest.raises(UsageError, match="expected finite values, got nan"):
        meter.record(0, np.full((2423, 9), np.nan), scores=True)
    assert meter.record(0, np.where(meter.legal_action_mask, 0.0, np.nan), scores=True)["episodes"] == 0


def test_steps_seats_opponents_and_files_are_checked(tmp_path):
    meter = Meter()
    with pytest.raises(UsageError, match="expected a recorded step before the curve is saved, got none"):
        meter.save(tmp_path / "c.csv")
    meter.record(10, "random")
    for step, wanted in (
        (9, r"expected a number of episodes \(step\) of at least 10, the previous one, got 9"),
        (10.5, "the step to be a whole number"),
    ):
        with pytest.raises(UsageError, match=wanted):
            meter.record(step, "random")
    with pytest.raises(UsageError, match=r"expected a \.parquet, \.jsonl, \.csv file for the curve, got .*\.txt"):
        meter.save(tmp_path / "c.txt")
    for seat in ("z", 0, True, None):
        with pytest.raises(UsageError, match="expected seat to be x, o or both"):
            Meter(seat=seat)
    for make, seat in product((Meter, Environment), ("x", "O", 1)):
        with pytest.raises(UsageError, match=f"expected both as the seat with the opponent 'self', got {seat!r}"):
            make(seat=seat, opponent="self")
    assert Meter(seat="both", opponent="self").seats == Meter(opponent="self").seats == (1, 2)
    with pytest.raises(UsageError, match="unknown agent"):
        Meter(opponent="nobody")
    with pytest.raises(UsageError, match=f"expected a policy for {SMALL}, got 'random' for tic-tac-toe"):
        Meter(SMALL, opponent=as_policy("random"))
    with pytest.raises(UsageError, match="expected a game"):
        Meter("ultimate")
