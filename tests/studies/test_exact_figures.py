"""The exact figures of the findings against a script in plain Python that shares no code with the package."""

import csv
import re
from fractions import Fraction
from pathlib import Path

import pytest

import exact_figures
from conftest import REPOSITORY
from reference import all_states, minimax_with, random_player
from ttt_fast import as_policy, table_of

RESULTS = REPOSITORY / "results"


def rows_of(name: str, /, **wanted: str) -> list[dict[str, str]]:
    """The rows of a committed file that have these texts."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [row for row in rows if all(row[key] == text for key, text in wanted.items())]


@pytest.fixture(scope="module")
def bounds():
    return exact_figures.bounds()


def test_the_script_shares_no_code_with_the_package():
    for name in ("exact_figures.py", "reference.py"):
        text = (Path(exact_figures.__file__).parent / name).read_text(encoding="utf-8")
        imported = set(re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE))
        assert imported <= {"collections", "fractions", "functools", "itertools", "typing", "reference"}


@pytest.mark.slow
def test_the_bounds_against_random(bounds):
    rows = {(row["seat"], row["opening"], row["goal"]): row for row in rows_of("smirnov/bounds")}
    assert rows.keys() == bounds.keys()
    for place, result in bounds.items():
        row = rows[place]
        assert tuple(Fraction(row[f"{one} exactly"]) for one in ("wins", "draws", "losses")) == result
        assert Fraction(row["not won"]) == 1 - result[0]
        assert [float(row[one]) for one in ("wins", "draws", "losses")] == pytest.approx(
            [*map(float, result)], abs=1e-9
        )
    safe, most = (bounds["O", "first move chosen", goal] for goal in ("never loses, most wins", "most wins"))
    assert (safe, most) == (
        (Fraction(866, 945), Fraction(79, 945), 0),
        (Fraction(887, 945), Fraction(43, 945), Fraction(1, 63)),
    )


def test_the_opponents_of_the_report():
    for name, (drawn, first, most) in exact_figures.opponents().items():
        [row] = rows_of("langan/opponents", opponent=name)
        found = [float(row[one]) for one in ("minimax, random ties", "minimax, first tie", "best possible")]
        assert found == pytest.approx([float(drawn), float(first), float(most)], abs=1e-9)
    best, second = sorted(exact_figures.answers_to_buggy2(), reverse=True)[:2]
    ends = [float(row["x_wins"]) for row in rows_of("langan/ends", policy="Q_buggy2", opponent="buggy2")]
    assert (best, second) == (Fraction(5, 6), Fraction(3, 4)) and ends == pytest.approx([5 / 6, 3 / 4], abs=1e-9)
    assert [Fraction(row["best"]) for row in rows_of("optimum/problems", problem="X v buggy2")] == [best]


def test_the_ends_of_the_runs_are_lines_of_random():
    """A run against random ends at so many of the 384 lines of O: 191/192, 95/96 and 63/64."""
    wins = [float(row["x_wins"]) for row in rows_of("langan/ends", policy="Q_random", opponent="random")]
    lines = [round(share * exact_figures.LINES_OF_O) for share in wins]
    assert lines == [382, 380, 378] and wins == pytest.approx(
        [one / exact_figures.LINES_OF_O for one in lines], abs=1e-9
    )
    assert [Fraction(one, 384) for one in lines] == [Fraction(191, 192), Fraction(95, 96), Fraction(63, 64)]


@pytest.mark.slow
def test_minimax_with_the_first_tie_beats_every_frozen_player():
    [row] = rows_of("langan/opponents", opponent="frozen random")
    boards = ["".join(".XO"[mark] for mark in board) for board in all_states()]
    states, winners = [table_of("tic-tac-toe").state_index(text) for text in boards], []
    for seed in range(int(row["players"])):
        policy = as_policy(f"random:frozen={seed}")
        chosen = policy.probabilities.argmax(axis=1).tolist()
        choices = {text: chosen[state] for text, state in zip(boards, states, strict=True)}
        winners.append(exact_figures.winner_v_frozen(choices))
    assert winners == ["X"] * 100
    assert float(row["minimax, first tie"]) == float(row["best possible, at least"]) == 1


def test_positions_and_values_of_moves():
    [states] = rows_of("langan/values", name="boards that can come up")
    assert float(states["value"]) == len(all_states()) == 5478
    moves = {row["value"]: row for row in rows_of("langan/moves")}
    found = exact_figures.moves_by_value()
    assert {name: int(row["moves"]) for name, row in moves.items()} == found
    for name, count in found.items():
        assert float(moves[name]["share"]) == pytest.approx(count / sum(found.values()), abs=1e-9)
    met = {one: float(rows_of("langan/strength", policy=one, variant="corrected")[0]["states"])
           for one in ("Q_minimax", "Q_random")}  # fmt: skip
    assert exact_figures.positions_of_x(random_player) == met["Q_random"] == 2423
    assert met["Q_minimax"] <= exact_figures.positions_of_x(minimax_with()) == 569


@pytest.mark.parametrize(
    ("seat", "place", "opening", "lines", "counts"),
    [
        ("o", "X Random, O DQN", "chosen", exact_figures.LINES_OF_X, (860, 85, 0)),
        ("x", "X DQN, O Random", "chosen", exact_figures.LINES_OF_O, (382, 2, 0)),
    ],
)
def test_printed_digits_are_those_of_one_fraction(seat, place, opening, lines, counts):
    """Wins, draws and losses of a player that draws nothing, as they are printed, leave one count of lines each."""
    rows = rows_of("smirnov/dqn/cells", table=f"pairs, first move {opening}", place=place, own_reading="true")
    printed = {row["quantity"]: row["printed"] for row in rows}
    other = "o" if seat == "x" else "x"
    texts = (printed[f"{seat}_wins"], printed["draws"], printed[f"{other}_wins"])
    assert exact_figures.rounding_to(texts, lines) == [counts]


@pytest.mark.slow
def test_every_fraction_on_the_page_is_one_of_these(bounds):
    known = {share for result in bounds.values() for share in (*result, 1 - result[0], result[0] - result[2])}
    known |= (
        exact_figures.answers_to_buggy2() | {Fraction(count, 384) for count in (378, 380, 382)} | {Fraction(1, 384)}
    )
    known |= {Fraction(860, 945), Fraction(85, 945), Fraction(1, 945)}
    text = (RESULTS / "FINDINGS.md").read_text(encoding="utf-8")
    fractions = re.findall(r"(?<![\w/.])\d+/\d+(?![\w/])", text)
    assert [one for one in fractions if Fraction(one) not in known] == []
