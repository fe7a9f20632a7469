"""Verdicts on published figures."""

from dataclasses import replace
from math import sqrt

import pytest

from ttt_fast.agents.registry import parse_agent
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.studies.cells import NOISE_SIGMAS, Cell, Setting, result_cells

RANDOM = Setting("random", "random")
X_WINS = 737 / 1260
GAMES = 1_000_000
ERROR = sqrt(X_WINS * (1 - X_WINS) / GAMES)


def cell(published: str, quantity: str = "x_wins", games: int = GAMES, **more) -> Cell:
    return Cell("a source", "a row", quantity, published, games, more.pop("setting", RANDOM), **more)


@pytest.mark.parametrize(
    ("published", "verdict"),
    [
        ("0.585", "equal"),  # 737/1260 = 0.58492...
        ("0.5849", "equal"),
        ("0.58492063", "equal"),
        ("0.584", "within noise"),
        ("0.5", "wrong"),
        ("584920", "within noise"),
        ("584921", "within noise"),
        (str(round(GAMES * (X_WINS + 3.4 * ERROR))), "within noise"),
        (str(round(GAMES * (X_WINS - 3.4 * ERROR))), "within noise"),
        (str(round(GAMES * (X_WINS + 3.6 * ERROR))), "wrong"),
        (str(round(GAMES * (X_WINS - 3.6 * ERROR))), "wrong"),
        ("0", "wrong"),
        (str(GAMES), "wrong"),
    ],
)
def test_verdicts_on_random_against_random(published, verdict):
    row = cell(published).judge()
    assert row["verdict"] == verdict
    assert row["exact"] == pytest.approx(X_WINS, abs=1e-12)
    assert (row["sigmas"] > NOISE_SIGMAS) == (verdict == "wrong")
    assert (row["sigmas"] == 0) == (verdict == "equal")


def test_a_count_is_equal_only_if_it_is_exactly_the_expected_one():
    assert cell("737", games=1260).judge()["verdict"] == "equal"
    assert cell("738", games=1260).judge()["verdict"] == "within noise"


@pytest.mark.parametrize(
    ("quantity", "published", "verdict"),
    [
        ("draws", "1000000", "equal"),
        ("draws", "1.000", "equal"),
        ("draws", "999999", "wrong"),
        ("x_wins", "0", "equal"),
        ("x_wins", "0.000", "equal"),
        ("x_wins", "1", "wrong"),
        ("o_wins", "0.001", "wrong"),
    ],
)
def test_what_is_certain_leaves_no_room_for_noise(quantity, published, verdict):
    row = cell(published, quantity, setting=Setting("minimax", "minimax")).judge()
    assert row["verdict"] == verdict
    assert row["sigmas"] in (0.0, float("inf"))


def test_sigmas_are_beyond_the_rounding_of_the_figure():
    rounded = cell("0.590")
    assert rounded.rounding == pytest.approx(0.0005)
    assert rounded.sigmas(X_WINS) == pytest.approx((0.590 - 0.0005 - X_WINS) / ERROR)
    counted = cell("590000")
    assert counted.rounding == 0
    assert counted.sigmas(X_WINS) == pytest.approx((0.59 - X_WINS) / ERROR)


@pytest.mark.parametrize(("plies", "share"), [(5, 0.0952), (9, 0.3524), (4, 0.0)])
def test_lengths(plies, share):
    row = cell(f"{share:.4f}", f"plies_{plies}").judge()
    assert row["verdict"] == "equal"


def test_a_wrong_figure_has_a_reason_and_perhaps_a_match_that_fits():
    minimax = exact_outcome(parse_agent("minimax"), parse_agent("random")).x_wins
    wrong = cell(f"{minimax:.4f}", instead=Setting("minimax", "random"), why="another player").judge()
    assert (wrong["verdict"], wrong["why"], wrong["fits"]) == ("wrong", "another player", "minimax v random")
    assert wrong["exact_of_fit"] == pytest.approx(minimax)
    no_fit = cell("0.123", instead=Setting("minimax", "random"), why="?").judge()
    assert (no_fit["fits"], no_fit["exact_of_fit"]) == ("", None)
    right = cell("0.585", instead=Setting("minimax", "random"), why="no need").judge()
    assert (right["why"], right["fits"]) == ("", "")


def test_a_setting_says_what_it_is():
    drawn = replace(RANDOM, random_opening=True)
    assert (str(RANDOM), str(drawn)) == ("random v random", "random v random, first move drawn uniformly")
    minimax = Setting("minimax:tie=first", "random")
    assert minimax.outcome().x_wins != replace(minimax, random_opening=True).outcome().x_wins


def test_three_cells_of_a_match():
    cells = result_cells("s", "l", 10, RANDOM, ("1", "2", "7"), why="because")
    assert [(one.quantity, one.published, one.why) for one in cells] == [
        ("x_wins", "1", "because"),
        ("draws", "2", "because"),
        ("o_wins", "7", "because"),
    ]
