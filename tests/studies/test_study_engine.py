"""The engine of the studies: printed numbers, evidence, verdicts, templates, and work that is kept."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given, strategies as st

from study_checks import typed_digits
from ttt_fast import FileFormatError, UsageError
from ttt_fast.cli.reproduce import DATA
from ttt_fast.studies.engine import evidence, judging, pages
from ttt_fast.studies.engine.sources import Cell, Claim, claims_of, template_of
from ttt_fast.studies.engine.study import measures_of, package_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import holds
from ttt_fast.studies.statistics.distributions import combined, corrected, student_p


@pytest.fixture
def tables(tmp_path):
    found = Tables(tmp_path, "ttt-fast reproduce nothing")
    found.write(
        "runs", [{"name": "a", "quantity": "wins", "seed": seed, "value": 0.5 + seed / 10} for seed in range(3)]
    )
    found.write("games", [{"name": "b", "x_wins": 600}])
    found.write("values", [{"name": "c", "quantity": "states", "value": 5478}])
    return found


def cell(printed, against, quantity="x_wins", games=0):
    return Cell("source", "table 1", "row", quantity, printed, games, against)


def games(one, words, tables):
    """A kind of evidence of a study: a share of 1,000 games."""
    return evidence.of_exact(one, 0.6)._replace(kind="games", size=1000)


KINDS = evidence.KINDS | {"games": games}


def verdicts(cells, tables):
    return [row["verdict"] for row in judging.judged_cells(cells, tables, KINDS)]


@pytest.mark.parametrize(
    ("printed", "games", "value", "half"),
    [("97 %", 100, 0.97, 0.005), ("0.968", 1000, 0.968, 0.0005), ("193,622", 200_000, 0.96811, 0.0), ("7", 0, 7.0, 0.0),
     ("13.33%", 200, 0.1333, 0.00005)],
)  # fmt: skip
def test_a_number_as_it_is_printed(printed, games, value, half):
    found = cell(printed, "-", games=games)
    assert (found.value, found.half_unit) == pytest.approx((value, half))


def test_verdicts_on_exact_values(tables):
    match = "exact minimax:tie=uniform,prefer=none v random"  # X wins 0.967811
    cells = [cell(printed, match, games=200_000) for printed in ("0.968", "193622", "190000")]
    cells += [cell(printed, match, "o_wins", 200_000) for printed in "01"]
    cells += [cell(printed, "value c", "states") for printed in ("5478", "5477")] + [cell("12", "-")]
    assert verdicts(cells, tables) == ["exact", "within noise", "wrong", "exact", "wrong", "exact", "wrong", "open"]
    counts = [row["counts"] for row in judging.judged_cells(cells, tables)]
    assert counts == ["once"] * 3 + ["certain"] * 2 + ["once"] * 3


def test_verdicts_on_runs_and_games(tables):
    cells = [cell("0.6", "runs a", "wins"), cell("0.99", "runs a", "wins"), cell("3.5", "runs a", "wins"),
             cell("58", "games b", games=100), cell("90", "games b", games=100)]  # fmt: skip
    assert verdicts(cells, tables) == ["reproduced", "reproduced", "wrong", "within noise", "wrong"]


def test_a_number_printed_twice_counts_once(tables):
    rows = judging.judged_cells([cell("0.6", "runs a", "wins")] * 3, tables)
    assert [row["counts"] for row in rows] == ["once", "again", "again"]
    assert judging.verdict_rows(rows)[0]["of them once"] == 1


def test_a_number_that_is_printed_again_has_the_verdict_of_the_first(tables):
    """Each by itself has p below the level; that of a family of two is not corrected a second time."""
    cells = [cell("69", "games b", games=100), cell("60", "games b", games=101), cell("69", "games b", games=100)]
    first, _, again = judging.judged_cells(cells, tables, KINDS)
    assert (again["counts"], again["p_corrected"], again["verdict"]) == (
        "again",
        first["p_corrected"],
        first["verdict"],
    )
    assert again["p"] < again["p_corrected"]


def test_equal_digits_against_other_rows_are_no_reprint(tables):
    """The words of a kind may leave the rows to the cell: what is found tells whether it is the same."""

    def at(one, words, tables):
        return evidence.of_runs(one, [float(one.place), float(one.place) + 0.1])

    cells = [cell("0.6", "at a", "wins")._replace(place=place) for place in ("0.5", "0.4", "0.5")]
    rows = judging.judged_cells(cells, tables, {"at": at})
    assert [row["counts"] for row in rows] == ["once", "once", "again"]

    def named(one, words, tables):
        return evidence.of_runs(one, [0.5, 0.5])._replace(rows=one.place)

    rows = judging.judged_cells(cells, tables, {"at": named})
    assert [row["counts"] for row in rows] == ["once", "once", "again"]


def test_the_numbers_of_a_table_together(tables):
    """Small deviations of many matches add up; those of one match, and of runs, count as one."""
    of = {"reading": "as coded", "own_reading": False, "counts": "once", "games": 100, "kind": "games", "p": 0.06}
    rows = [of | {"table": "many", "place": str(place)} for place in range(8)]
    rows += [of | {"table": "match", "place": "one", "p": p} for p in (0.06, 0.5, 0.02)]
    rows += [of | {"table": "runs", "place": str(place), "kind": "runs", "games": None} for place in range(8)]
    rows += [of | {"table": "runs", "place": "games", "p": 0.5}]
    rows += [of | {"table": "many", **left} for left in (
        {"place": "states", "games": None, "kind": "exact", "p": 0.0}, {"place": "0", "counts": "again", "p": 0.0},
        {"place": "open", "kind": None, "p": None})]  # fmt: skip
    many, match, runs = judging.table_rows(rows)
    assert (many["numbers"], many["groups"], many["low_p"]) == (8, 8, 0)
    assert many["p"] == pytest.approx(combined([0.06] * 8)) and many["p"] < 0.001
    assert (match["groups"], match["low_p"], match["p"]) == (1, 1, pytest.approx(0.06))
    assert (runs["numbers"], runs["groups"], runs["p"]) == (9, 2, pytest.approx(combined([0.48, 0.5])))
    assert [one["p_corrected"] for one in (many, match, runs)] == corrected([one["p"] for one in (many, match, runs)])


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=12))
def test_combined_p_values_beside_the_normal_integral(p_values):
    """Fisher's sum beside a plain integration of the gamma density."""
    seen, count = -sum(np.log(p_values)), len(p_values)
    x = np.linspace(0, seen, 4001)
    density = np.exp(-x) * x ** (count - 1) / factorial(count - 1)
    below = np.sum((density[1:] + density[:-1]) / 2) * (x[1] - x[0])
    assert combined(p_values) == pytest.approx(1 - below, abs=2e-4)


def test_each_reading_is_a_row_and_a_family(tables):
    both = cell("60", "[as written] exact random v random | [as coded] games b", games=100)
    rows = judging.judged_cells([both], tables, KINDS)
    assert [(row["reading"], row["own_reading"], row["kind"]) for row in rows] == [
        ("as written", True, "exact"), ("as coded", False, "games"),
    ]  # fmt: skip


@pytest.mark.parametrize("against", ["guess a", "runs none", "value none", "exact random"])
def test_evidence_that_is_not_there_is_one_line(tables, against):
    with pytest.raises((UsageError, FileFormatError)) as caught:
        judging.judged_cells([cell("0.5", against, "wins", 10)], tables)
    assert "\n" not in str(caught.value)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_corrected_p_values_are_ordered_and_never_smaller(p_values):
    found = corrected(p_values)
    assert all(one <= two <= 1 for one, two in zip(p_values, found, strict=True))
    order = sorted(range(len(found)), key=lambda place: p_values[place])
    assert [found[place] for place in order] == sorted(found)


@pytest.mark.parametrize(("t", "degrees"), [(12.706, 1), (4.303, 2), (3.182, 3), (2.776, 4), (2.228, 10), (2.064, 24)])
def test_students_distribution_against_its_table(t, degrees):
    assert student_p(t, degrees) == pytest.approx(0.05, abs=5e-5)


def test_templates(tables):
    text = (
        "{{games.x_wins name=b | ,d}} of {{values.value | .1f}}\n{{table runs | where seed=1 | columns value as ours}}"
    )
    assert pages.filled(text, tables) == "600 of 5478.0\n| ours |\n| --- |\n| 0.6000 |"


@pytest.mark.parametrize(
    "text", ["{{games.none}}", "{{value}}", "{{runs.value}}", "{{table runs | columns x}}", "{{table runs | seed 1}}",
             "{{table runs | where seed=9}}"],
)  # fmt: skip
def test_a_template_that_asks_for_nothing_is_one_line(tables, text):
    with pytest.raises(UsageError) as caught:
        pages.filled(text, tables)
    assert "\n" not in str(caught.value)


def test_statements(tables):
    claims = [
        Claim("s", "1", "it wins", "wins", "{{games.x_wins name=b}} games"),
        Claim("s", "2", "so", "holds", "yes"),
    ]
    rows = judging.judged_claims(claims, {"wins": lambda one: holds(one.one("games")["x_wins"] > 700)}, tables)
    assert [(row["verdict"], row["found"]) for row in rows] == [("does not hold", "600 games"), ("holds", "yes")]
    with pytest.raises(UsageError, match="expected a verdict or the name of a judge"):
        judging.judged_claims([Claim("s", "1", "it wins", "nobody", "")], {}, tables)


@pytest.mark.parametrize("study", DATA)
def test_the_data_of_a_study(study):
    """Digits stand only where they may; every statement has its judge; the same statement is not made twice."""
    assert typed_digits(template_of(package_of(study))) == []
    assert measures_of(study)
    claims = claims_of(package_of(study))
    assert len({(one.where, one.quotation) for one in claims}) == len(claims)


def test_runs_that_are_no_normal_deviates_are_ranked():
    """Two of a hundred runs lie far off: a number like theirs is no surprise to the ranks, but one beyond is."""
    values = [0.01 + seed / 1e5 for seed in range(97)] + [0.04, 0.041, 0.042]
    assert evidence.of_runs(cell("0.040", "runs a"), values).p > 0.05
    assert evidence.of_runs(cell("0.060", "runs a"), values).p < 1e-6
