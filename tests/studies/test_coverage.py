"""Where each item of the sources is found: every item has its line, every place is there, every statement a place."""

import re
import shlex
import shutil

import pytest
from typer.main import get_command

from conftest import REPOSITORY
from ttt_fast.cli.main import app, register
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.studies.engine import coverage
from ttt_fast.studies.engine.coverage import SEPARATOR, CoveragePlace, items_of, place_of
from ttt_fast.studies.engine.figures import figures_of
from ttt_fast.studies.engine.overviews import COVERAGE, write_overviews
from ttt_fast.studies.engine.pages import anchor_of
from ttt_fast.studies.engine.sources import cells_of, claims_of
from ttt_fast.studies.engine.study import measures_of, package_of
from ttt_fast.studies.engine.tables import Tables

RESULTS = REPOSITORY / "results"
ITEMS = {"hensler": 12, "langan": 65, "sai": 37, "smirnov": 34, "ultimate": 29}
"""The items that each source has at least, as they were counted by reading it."""
PARTS = {"smirnov": ("", "dqn")}
"""Studies whose places are those of parts, too."""
NOTHING_TO_SHOW = {("langan", "30"), ("smirnov", "28"), ("smirnov", "32"), ("ultimate", "9")}
"""Items with a reason instead of a place: pictures of boards, and methods that the source names and does not use."""


def places_of(study: str) -> list[CoveragePlace]:
    return [place_of(text) for item in items_of(study) for text in item.shown.split(SEPARATOR)]


def test_every_source_has_all_its_items():
    assert coverage.studies_with_items() == sorted(ITEMS)
    for study, count in ITEMS.items():
        items = items_of(study)
        assert [one.number for one in items] == [str(number) for number in range(1, len(items) + 1)]
        assert len({one.item for one in items}) == len(items) >= count
        assert all(one.item and one.shown for one in items)
        assert "later" not in str(items)
        each = [one.shown.split(SEPARATOR) for one in items]
        assert all(len(set(places)) == len(places) for places in each)


@pytest.fixture(scope="module")
def every_file(tmp_path_factory):
    """A file of one row for each measure, the numbers and statements without a verdict, and empty pictures."""
    results = tmp_path_factory.mktemp("results")
    for study in ITEMS:
        for part in PARTS.get(study, ("",)):
            of = CoveragePlace("", "", part)
            tables, package = Tables(results / study / part, ""), package_of(of.study(study))
            for name in measures_of(of.study(study)):
                tables.write(name, [{"found": 1}])
            cells = [{"table": one.table, "quantity": one.quantity, "verdict": "open"} for one in cells_of(package)]
            tables.write("cells", cells)
            claims = [{"where": one.where, "statement": one.quotation, "verdict": "so"} for one in claims_of(package)]
            tables.write("claims", claims)
            for one in figures_of(of.study(study)):
                (tables.folder / one.picture).write_text("")
    return results


@pytest.mark.parametrize("study", sorted(ITEMS))
def test_every_place_is_one_of_the_study(study, every_file):
    """Told from the data of the study alone, whatever results are there."""
    rows = coverage.coverage_rows(study, Tables(every_file / study, ""))
    assert len(rows) == len(items_of(study))
    assert all(row["found"] for row in rows)


@pytest.mark.parametrize("study", sorted(ITEMS))
def test_every_printed_number_and_statement_has_a_place(study):
    places = places_of(study)
    for part in PARTS.get(study, ("",)):
        of = [one for one in places if one.part == part]
        package = package_of(CoveragePlace("", "", part).study(study))
        words = {kind: {one.words for one in of if one.kind == kind} for kind in ("cells", "quantity", "claims")}
        quoted = [one.words for one in of if one.kind == "statement"]
        numbers = {cell.table for cell in cells_of(package) if cell.quantity not in words["quantity"]}
        assert numbers - words["cells"] == set()
        for claim in claims_of(package):
            assert claim.where in words["claims"] or any(one in claim.quotation for one in quoted), claim.quotation


@pytest.mark.parametrize("study", sorted(ITEMS))
def test_every_place_is_in_the_committed_results(study):
    tables = Tables(RESULTS / study, "")
    for item in items_of(study):
        for text in item.shown.split(SEPARATOR):
            assert coverage.found_of(study, text, tables)


def test_the_committed_page_is_that_of_the_committed_results():
    assert coverage.coverage_page(RESULTS) == (RESULTS / COVERAGE).read_text(encoding="utf-8")


def test_every_link_is_to_a_file_or_to_a_section():
    links = re.findall(r"\]\(([^)]+)\)", (RESULTS / COVERAGE).read_text(encoding="utf-8"))
    assert len(links) > 300
    for target, _, anchor in (link.partition("#") for link in links):
        text = (RESULTS / target).read_text(encoding="utf-8")
        headings = [anchor_of(one) for one in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
        assert headings.count(anchor) == 1 if anchor else not target.endswith("README.md"), (target, anchor)


def test_commands_are_those_of_the_program():
    register()
    commands = get_command(app).commands  # type: ignore[attr-defined]
    found = [one.words for study in ITEMS for one in places_of(study) if one.kind == "command"]
    assert len(found) > 30
    for words in map(shlex.split, found):
        assert words[0] == "ttt-fast"
        options = {name for one in commands[words[1]].params for name in (*one.opts, *one.secondary_opts)}
        assert {word for word in words[2:] if word.startswith("-")} <= options, words


def test_only_what_is_no_number_figure_feature_or_statement_is_left():
    left = {(study, one.number) for study in ITEMS for one in items_of(study) if "left " in one.shown}
    assert left == NOTHING_TO_SHOW


@pytest.mark.parametrize(
    "text",
    ["cells none", "quantity none", "claims none", "statement none", "statement the", "table none", "figure none",
     "seconds none", "nowhere", "command", "left", "dqn/cells his files"],
)  # fmt: skip
def test_a_place_that_is_not_there_is_one_line(text):
    with pytest.raises((UsageError, FileFormatError)) as caught:
        coverage.found_of("hensler", text, Tables(RESULTS / "hensler", ""))
    assert "\n" not in str(caught.value)


def test_one_statement_and_all_of_a_section(tmp_path):
    tables = Tables(tmp_path, "")
    tables.write("claims", [{"where": "1", "statement": "it wins", "verdict": "holds"},
                            {"where": "1", "statement": "it wins always", "verdict": "does not hold"}])  # fmt: skip
    page = "sai/README.md#statements-in-the-text"
    assert coverage.found_of("sai", "statement it wins", tables) == f'["it wins"]({page}): holds'
    assert coverage.found_of("sai", "statement always", tables) == f'["always"]({page}): does not hold'
    assert coverage.found_of("sai", "claims 1", tables) == f"[1]({page}): 1 holds, 1 does not hold"
    with pytest.raises(UsageError, match=r"expected a place of coverage\.csv that is there, got 'statement wins'"):
        coverage.found_of("sai", "statement wins", tables)


def test_numbers_have_the_verdicts_of_every_reading_and_count_once(tmp_path):
    """The text's own reading comes first; the section is the one that shows most of them, else the file."""
    tables = Tables(tmp_path, "")
    read = [("as described", True, "wrong", "once"), ("as coded", False, "exact", "once"),
            ("as described", True, "wrong", "once"), ("as coded", False, "wrong", "once"),
            ("as described", True, "wrong", "again")]  # fmt: skip
    rows = [{"table": "table 1", "quantity": "ties", "reading": reading, "own_reading": is_own, "verdict": verdict,
             "counts": counts} for reading, is_own, verdict, counts in read]  # fmt: skip
    tables.write("cells", rows)
    found = coverage.found_of("sai", "cells table 1", tables)
    assert found == "[table 1](sai/README.md#as-described): *as described* 2 wrong / *as coded* 1 exact, 1 wrong"
    tables.write("cells", [row | {"reading": "another"} for row in rows])
    assert coverage.found_of("sai", "quantity ties", tables).startswith("[ties](sai/cells.csv): ")


def test_what_is_missing_is_named_with_its_command(tmp_path):
    """A study that is not there is one line; a file of one that is there is missing in the items that need it."""
    write_overviews(tmp_path)
    text = (tmp_path / COVERAGE).read_text(encoding="utf-8")
    assert text.count("Its files are not there yet: run `ttt-fast reproduce ") == len(ITEMS)
    shutil.copytree(RESULTS / "hensler", tmp_path / "hensler")
    (tmp_path / "hensler" / "bleeding.csv").unlink()
    write_overviews(tmp_path)
    text = (tmp_path / COVERAGE).read_text(encoding="utf-8")
    assert text.count("Its files are not there yet") == len(ITEMS) - 1
    assert text.count("not there yet, run `ttt-fast reproduce hensler`") == 1
    (tmp_path / "smirnov").mkdir()
    rows = coverage.coverage_rows("smirnov", Tables(tmp_path / "smirnov", ""), partial=True)
    assert rows[22]["found"] == "not there yet, run `ttt-fast reproduce smirnov --part dqn`"
