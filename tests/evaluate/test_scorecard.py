"""The scorecard puts exact numbers of the other modules side by side."""

import numpy as np
import pytest

from cli_runner import run
from ttt_fast import Meter, Policy, agreement, as_policy, exact_outcome, exploitability, never_loses, regret, scorecard
from ttt_fast.play.tabular import join
from ttt_fast.policies.best_response import best_response
from ttt_fast.report.tables import seat_notes


def held_in(policy, table, *seats):
    return Policy.from_probabilities(table, policy.probabilities, policy.name, held=np.isin(table.player, seats))


def row_of(policy, opponent, seat):
    """The row of the scorecard for a seat and an opponent."""
    return next(row for row in scorecard(policy, [opponent]) if row.seat == "xo"[seat - 1])


def test_rows_of_both_seats_and_all_opponents(agent):
    rows = scorecard(agent("buggy2"), [agent("random"), agent("minimax")])
    assert [(row.seat, row.opponent) for row in rows] == [
        (seat, opponent) for seat in "xo" for opponent in ("random", "minimax", "its best response")
    ]
    assert {row.policy for row in rows} == {"buggy2"}
    assert [(row.x, row.o) for row in rows if row.opponent == "random"] == [
        ("buggy2", "random"),
        ("random", "buggy2"),
    ]


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("spec", ["minimax", "buggy2", "heuribot:as=coded"])
def test_every_number_of_a_row(agent, spec, seat):
    policy, opponent = agent(spec), agent("random")
    row = row_of(policy, opponent, seat)
    outcome = exact_outcome(policy, opponent) if seat == 1 else exact_outcome(opponent, policy)
    assert (row.x_wins, row.draws, row.o_wins) == (outcome.x_wins, outcome.draws, outcome.o_wins)
    assert row.value == (outcome.value if seat == 1 else -outcome.value)
    assert row.best_value == best_response(opponent, seat).value[0]
    agreed = agreement(policy, seat)
    assert (row.agreeing, row.states, row.agreement) == (*agreed, agreed.share)
    reached = agreement(policy, seat, reached=True)
    assert (row.reached_agreeing, row.reached_states, row.reached_agreement) == (*reached, reached.share)
    assert row.never_loses == never_loses(policy, seat)
    assert row.exploitability == exploitability(policy)
    assert row.regret == pytest.approx(row.best_value - row.value, abs=1e-15) and row.regret > 0
    assert row.as_row()["regret"] == row.regret and row.as_row()["seat"] == row.seat == "xo"[seat - 1]


def test_states_that_are_reached_and_were_never_learned_count_as_they_are_played(agent, table):
    policy = Policy.from_probabilities(table, agent("heuribot").probabilities, "q", held=table.ply == 1)
    (row, _) = scorecard(policy, [agent("minimax")])
    assert (row.seat, row.states, row.reached_learned) == ("o", 9, 9)
    whole = agreement(agent("heuribot"), "o", reached=True)
    assert (row.reached_agreeing, row.reached_states) == whole and row.reached_states > 9
    line = f"and in {whole.agreeing} of the {whole.states} that its own play reaches ({whole.share:.2%}); opponents can"
    assert f"{line} lead it to {whole.states - 9} states that it has not learned; " in seat_notes([row.as_row()])[0]


def test_the_last_row_of_a_seat_is_the_worst_case(agent):
    policy = agent("buggy2")
    worst = {row.seat: row.value for row in scorecard(policy) if row.opponent == "its best response"}
    assert worst["x"] == pytest.approx(-best_response(policy, 2).value[0], abs=1e-12)
    assert worst["o"] == pytest.approx(-5 / 6, abs=1e-12)
    row = row_of(agent("best-response:random"), agent("random"), 1)
    assert row.regret == pytest.approx(0, abs=1e-12) and row.value == pytest.approx(191 / 192, abs=1e-12)


@pytest.mark.parametrize(("seats", "shown"), [((1,), {"x"}), ((2,), {"o"}), ((1, 2), {"x", "o"}), ((), set())])
def test_only_seats_that_the_policy_holds_are_shown(agent, table, seats, shown):
    assert {row.seat for row in scorecard(held_in(agent("random"), table, *seats), [agent("minimax")])} == shown


@pytest.mark.parametrize("seat", [1, 2])
def test_a_missing_seat_is_played_by_minimax(agent, table, seat):
    policy, minimax = agent("buggy"), agent("minimax")
    expected = exploitability(join(policy, minimax) if seat == 1 else join(minimax, policy))
    assert {row.exploitability for row in scorecard(held_in(policy, table, seat))} == {expected}
    assert 0 < expected < exploitability(policy)


def test_a_policy_that_holds_nothing_has_no_share():
    row = scorecard(Policy.from_dict("tic-tac-toe", {".........": 4}), ["random"])[0].as_row()
    notes = seat_notes([row | {"agreeing": 0, "states": 0, "agreement": float("nan")}])
    assert notes[0].startswith("as X: agrees with minimax in 0 of its 0 states, and in ")


def test_a_seat_that_the_game_loses_is_no_contradiction_to_exploitability_0():
    lost = "connect4:columns=4,rows=4,length=3"  # X wins
    *seats, total = seat_notes([row.as_row() for row in scorecard(as_policy("minimax", lost))])
    assert total.startswith("exploitability 0") and seats[0].endswith("; never loses to any opponent")
    assert seats[1].endswith("; can be beaten, as can every policy of O")


@pytest.mark.parametrize(
    ("seats", "value", "line"),
    [
        ("xo", 0.25, "exploitability 0.25: the gain of best responses over perfect play, the mean of both seats"),
        (
            "x",
            0.5,
            "exploitability 0.5: half of what a best response gains over perfect play, since only X is evaluated",
        ),
        ("xo", -1e-16, "exploitability 0: no opponent gains anything over perfect play"),
        ("x", 0.0, "exploitability 0: no opponent gains anything over perfect play"),
    ],
)
def test_the_exploitability_of_one_seat_is_said_to_be_half_of_a_gain(seats, value, line):
    card = scorecard("buggy2", ["random"])
    rows = [row.as_row() | {"exploitability": value} for row in card if row.seat in seats]
    assert seat_notes(rows)[-1] == line


@pytest.mark.parametrize(
    ("spec", "player"),
    [
        ("tic-tac-toe:misere=yes", "minimax"),
        pytest.param("tic-tac-toe:rows=3,columns=4,misere=yes", "minimax", marks=pytest.mark.slow),
        pytest.param("openspiel:clobber(rows=2,columns=3)", "random", marks=pytest.mark.slow),
    ],
)
def test_what_no_opponent_gains_is_exactly_zero(spec, player):
    if spec.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    policy = as_policy(player, spec)
    assert exploitability(policy) == 0.0 and regret(policy).min() >= 0.0
    assert [row.exploitability for row in scorecard(policy, [policy])] == [0.0] * 4
    row = Meter(spec, opponent="self").record(0, policy)
    assert [row[name] for name in ("exploitability", "value", "regret")] == [0.0] * 3
    shown = run("score", player, "--game", spec, "-f", "json").json()["rows"]
    assert all(one[name] >= 0 for one in shown for name in ("exploitability", "regret") if one[name] is not None)
