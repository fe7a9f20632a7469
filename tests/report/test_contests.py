"""The report of a match, line by line, beside its rows; numbers as a person reads them."""

import re
from math import inf

import pytest

from cli_runner import run
from ttt_fast import ContestConfig, contest
from ttt_fast.report.contests import contest_report, round_robin_report, summary_lines
from ttt_fast.report.results import length_rows, outcome_rows

RESULTS = "x_wins", "draws", "o_wins"
SUMMARY = {
    "agent": "a", "wins": 1200, "draws": 30, "losses": 4, "games": 1234, "score": 0.98460, "score_low": 0.97,
    "score_high": 0.9901, "exact_score": None,
    "pentanomial": None, "elo": inf, "elo_low": 12.34, "elo_high": -inf, "normalised_elo": -7.06,
    "superiority": 0.99996, "distinct_games": None, "sprt": "continue", "llr": 0.456, "llr_low": -2.94,
    "llr_high": 2.94,
}  # fmt: skip


@pytest.fixture(autouse=True)
def wide_lines(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture(scope="module")
def held():
    return contest("minimax", "random", ContestConfig(40_000, seed=3, seats="both"), threads=1)


def test_the_tables_of_counted_games_have_the_exact_values_and_the_counts(held):
    seat = held.seats[0]
    exact, sample = seat.exact.row(), seat.row()
    rows, lengths = outcome_rows(exact, sample), length_rows(exact, sample)
    assert [row["result"] for row in rows] == ["X wins", "draws", "O wins"]
    assert [row["games"] for row in rows] == list(seat.ends) and sum(seat.ends) == 20_000
    assert [row["share"] for row in rows] == [count / 20_000 for count in seat.ends]
    assert [row["exact"] for row in rows] == [seat.exact.x_wins, seat.exact.draws, 0]
    for row in rows[:2]:
        low, high = map(float, row["95 % interval"].split(" to "))
        assert low < row["share"] < high and high - low < 0.01
        deviation = (row["exact"] * (1 - row["exact"]) / 20_000) ** 0.5
        assert float(row["z"]) == pytest.approx((row["share"] - row["exact"]) / deviation, abs=0.01)
    assert rows[2]["95 % interval"] == "0 to 0.00019"  # 1.96**2 / (20,000 + 1.96**2)
    assert [row["plies"] for row in lengths] == [5, 7, 9]
    assert [row["games"] for row in lengths] == [int(seat.lengths[:, plies].sum()) for plies in (5, 7, 9)]
    for row in lengths:
        assert row["exact"] == pytest.approx(sum(row[name] for name in ("X wins", "draws", "O wins")), abs=1e-12)
        assert row["share"] == row["games"] / 20_000 == pytest.approx(row["exact"], abs=0.02)


def test_fractions_are_shown_up_to_the_length_that_is_worth_reading():
    """24 characters, and not 25."""
    row = {"x_wins": 0.5, "draws": 0.25, "o_wins": 0.25}
    row |= {"x_wins_fraction": "1" * 24, "draws_fraction": "1" * 25, "o_wins_fraction": None}
    assert [row["fraction"] for row in outcome_rows(row)] == ["1" * 24, "", ""]


LONG = "mix:1/9973*random+9972/9973*heuribot"


@pytest.mark.parametrize("words", [
    ["exact", LONG, "random"], ["exact", LONG, "random", "--fixed-seat", "x"], ["best-response", LONG],
    ["match", LONG, "random", "-n", "10"],
], ids=" ".join)  # fmt: skip
def test_fractions_that_are_not_shown_are_mentioned(words):
    note = "fractions of more than 24 characters are not shown; --format json has them\n"
    assert note in run(*words).text and note not in run(words[0], "random", *words[2:]).text
    rows = run(*words, "-f", "json").json()["rows"]
    assert max(len(value) for row in rows for name, value in row.items() if name.endswith("_fraction")) > 24


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(0.25, 0.3, "0.250000 to 0.300000"), (0.25, 0.25000003, "0.250000000 to 0.250000030"),
     (0.25, 0.25, "0.250000 to 0.250000"), (0.0, 0.012345, "0 to 0.012")],
)  # fmt: skip
def test_intervals_have_the_digits_that_tell_their_ends_apart(held, low, high, text):
    row = {f"x_wins{name}": value for name, value in {"": 1, "_low": low, "_high": high, "_z": 0.0}.items()}
    row |= {name.replace("x_wins", other): value for other in ("draws", "o_wins") for name, value in row.items()}
    rows = outcome_rows(held.seats[0].exact.row(), row | {"games": 4})
    assert {one["95 % interval"] for one in rows} == {text}


def test_the_report_of_counted_games(held):
    seat = held.seats[0]
    lines = contest_report(held, held.rows, "tic-tac-toe").splitlines()
    end = f"; {seat.distinct_boards} of {seat.reachable_boards} possible final boards seen"
    (closing,) = (line for line in lines if line.endswith(end))
    assert closing.startswith(f"20,000 games in {seat.seconds:.2f} s, ") and " games/s" in closing
    assert lines[0] == "minimax v random" and "game length" in lines and "interrupted" not in closing
    assert lines[-2:] == summary_lines(held.summary[0]) and "minimax v random: tic-tac-toe" not in lines


def test_the_report_of_played_games():
    held = contest("default", "random", ContestConfig(10, game="connect4:columns=5,rows=6", seed=3), threads=1)
    text = contest_report(held, held.rows, "connect4")
    assert text.startswith("default v random: connect4\n") and "what the moves cost" in text
    assert "possible final boards" not in text and text.splitlines()[-1] == summary_lines(held.summary[0])[-1]
    for seat in held.seats:
        assert re.search(r"[ │]+".join(map(str, (seat.x, seat.o, seat.games, *seat.ends))), text)


@pytest.mark.parametrize("changes", [{}, {"exact_score": 0.5, "pentanomial": "1/2/3/4/5"}])
def test_the_summary_in_words(changes):
    row = {**SUMMARY, **changes}
    exact = ", exactly 0.500000" if "exact_score" in changes else ""
    pairs = "; pairs 0 to 2 points: 1/2/3/4/5" if "pentanomial" in changes else ""
    first, second = summary_lines(row)
    assert first == f"a: 1,200 wins, 30 draws, 4 losses in 1,234 games; score 0.9846 [0.9700, 0.9901]{exact}"
    assert second == f"Elo +inf [+12.3, -inf], normalised -7.1; likelihood of superiority 1.0000{pairs}"


@pytest.mark.parametrize(
    ("verdict", "said"), [("H1", "20 Elo accepted"), ("H0", "-5 Elo accepted"), ("continue", "not decided yet")]
)
def test_the_verdict_of_a_test(verdict, said):
    line, *more = summary_lines({**SUMMARY, "sprt": verdict}, (-5, 20))[2:]
    biased = "the games decided when the test stopped: score, Elo and their intervals are biased"
    assert more == ([biased] if verdict != "continue" else [])
    assert line == f"test of 20 against -5 Elo: {said}; log likelihood ratio 0.46 of [-2.94, 2.94]"


def test_costs_of_moves(held):
    costs = {"seconds_per_move": 0.0015, "slowest_move": 1.0, "nodes_per_move": 3.5}
    costs = {f"{side}_{name}": value for side in "xo" for name, value in costs.items()}
    for sizes, texts in (((0, 1023), ("0 B", "1023 B")), ((1024, 2**20 - 2**10), ("1 KiB", "1.02e+03 KiB")),
                         ((2**20, 3 << 19), ("1 MiB", "1.5 MiB"))):  # fmt: skip
        seat = held.seats[0]._replace(costs=costs | {"x_memory_bytes": sizes[0], "o_memory_bytes": sizes[1]})
        text = contest_report(held._replace(seats=[seat]), [seat.row()], "tic-tac-toe")
        for agent, side, size in zip(("minimax", "random"), "XO", texts, strict=True):
            line = f"{agent} {side} 1.5 ms 1 s 3.500000 {size}"
            assert line in [" ".join(shown.replace("│", " ").split()) for shown in text.splitlines()]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0"), (5e-10, "0.5 ns"), (1e-6, "1 µs"), (1e-3, "1 ms"), (0.9, "900 ms"), (1.0, "1 s"), (75.0, "75 s")],
)
def test_times_of_moves(held, seconds, text):
    costs = {f"{side}_{name}": seconds for side in "xo" for name in ("seconds_per_move", "slowest_move")}
    costs |= {f"{side}_{name}": 1 for side in "xo" for name in ("nodes_per_move", "memory_bytes")}
    seat = held.seats[0]._replace(costs=costs)
    shown = contest_report(held._replace(seats=[seat]), [seat.row()], "tic-tac-toe")
    assert f"minimax X {text} {text} 1 1 B" in [" ".join(line.replace("│", " ").split()) for line in shown.splitlines()]


@pytest.mark.parametrize(
    ("shares", "text"),
    [((0.0, 1 - 1e-13, 0.5), "0    1 .500"), ((0.9996, 0.0004, 1.0), "1.00 .000    1"),
     ((0.9994, 0.25, 0), ".999 .250    0")],
)  # fmt: skip
def test_shares_in_four_characters(shares, text):
    found = contest(["random", "minimax"], config=0)
    exact = found.seats[0].exact._replace(**dict(zip(RESULTS, shares, strict=True)))
    changed = found._replace(seats=[found.seats[0]._replace(exact=exact)], summary=[])
    assert text in round_robin_report(changed, ContestConfig(0))
