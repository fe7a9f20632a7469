"""The page of the findings: a template over the csv files of the studies, and what is missing is named."""

import re
import shutil
from pathlib import Path

import pytest

from study_checks import typed_digits
from ttt_fast.cli.main import main
from ttt_fast.core.errors import FileFormatError
from ttt_fast.evaluate.statistics import two_proportion_z_test
from ttt_fast.report.row_files import read_texts
from ttt_fast.studies import findings
from ttt_fast.studies.engine.sources import template_of
from ttt_fast.studies.findings import measures
from ttt_fast.studies.findings.measures import MEASURES, SOURCES, AllTables
from ttt_fast.studies.findings.page import NAME

RESULTS = Path(__file__).parents[2] / "results"
TEMPLATE = template_of("ttt_fast.studies.findings")
HEADLINES = 20


def test_the_template_holds_no_typed_digits():
    assert typed_digits(TEMPLATE) == []


def test_the_command_without_results(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["ttt-fast", "reproduce", "findings", "--results", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert re.search(
        r"expected .*langan.*opponents\.csv.*; run: ttt-fast reproduce langan --results", capsys.readouterr().err
    )
    assert not (tmp_path / NAME).exists()


def test_a_missing_part_names_its_command(tmp_path):
    with pytest.raises(FileFormatError, match=r"run: ttt-fast reproduce smirnov --part dqn --results "):
        AllTables(tmp_path)["smirnov/dqn/settings"]


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """A copy of the committed results, without what the findings make, and the rows of the page made again."""
    folder = tmp_path_factory.mktemp("findings") / "results"
    shutil.copytree(RESULTS, folder, ignore=shutil.ignore_patterns("findings", NAME, "*.svg"))
    return folder, findings.run(folder)


def test_the_committed_page_is_that_of_the_committed_tables(committed):
    folder, _ = committed
    assert (folder / NAME).read_bytes() == (RESULTS / NAME).read_bytes()
    for name in MEASURES:
        assert (folder / "findings" / f"{name}.csv").read_bytes() == (RESULTS / "findings" / f"{name}.csv").read_bytes()


def test_each_finding_is_a_heading_with_its_number(committed):
    folder, rows = committed
    text = (folder / NAME).read_text()
    assert [row["number"] for row in rows] == list(range(1, HEADLINES + 1))
    assert "{{" not in text
    for part in ("## In half a page", "## What was confirmed", "## Errata"):
        assert f"\n{part}\n" in text


def test_every_link_and_picture_is_there():
    for link in re.findall(r"\]\((.*?)\)", (RESULTS / NAME).read_text()):
        assert (RESULTS / link).exists(), link


def test_every_quotation_stands_in_the_lists_of_the_sources():
    """The words of each quotation are among the statements that are judged."""
    said = " ".join(
        " ".join(row["statement"].split()) for study in SOURCES for row in read_texts(RESULTS / study / "claims.csv")
    )
    quoted = re.findall(r'"([^"]+)"', re.sub(r"\{\{.*?\}\}", "", TEMPLATE, flags=re.DOTALL))
    unknown = [one for one in (" ".join(text.split()) for text in quoted) if re.search(r"[a-z]{3}", one)]
    assert [one for one in unknown if one.lower() not in said.lower()] == []


def test_published_samples_beside_a_plain_test(committed):
    folder, _ = committed
    rows = {(row["source"], row["table"]): row for row in measures.samples(AllTables(folder))}
    plain = two_proportion_z_test(23, 100, 17, 100).p_value
    assert rows["Bichot", "Table I"]["p"] == pytest.approx(plain, abs=0.1)
    assert rows["Bichot", "Fig. 5"]["printed"] == "43 : 41"
    assert rows["Bichot", "Fig. 5"]["p"] == pytest.approx(0.913, abs=0.001)
    assert rows["Sai", "table 3"]["p"] == pytest.approx(0.281, abs=0.001)


def test_numbers_are_counted_once_and_in_one_kind(committed):
    folder, _ = committed
    for row in measures.numbers(AllTables(folder)):
        assert row["numbers"] == sum(value for key, value in row.items() if key not in ("source", "numbers"))
