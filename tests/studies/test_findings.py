"""The page of the findings: every figure is the one of the csv files, and what is missing is named."""

import csv
import math
import re

import pytest

from ttt_fast.cli.main import main
from ttt_fast.cli.reproduce import STUDIES, run_of
from ttt_fast.core.errors import FileFormatError
from ttt_fast.studies import findings
from ttt_fast.studies.findings.page import NAME, gather, page
from ttt_fast.studies.findings.quotes import Results, shown
from ttt_fast.studies.findings.statements import SOURCES


@pytest.fixture
def table(tmp_path):
    (tmp_path / "study").mkdir()
    text = "learner,runs at best,share\nfirst,3,0.5\nsecond,4,0.25\nfirst,1000,0.75\nempty,,\n"
    (tmp_path / "study" / "cells.csv").write_text(text)
    return Results(tmp_path)


def test_a_quote_is_the_last_row_that_fits(table):
    assert table.quote("study", "cells", "share", ".1%", learner="first") == "75.0%"
    assert table.quote("study", "cells", "runs at best", ",d", learner="first") == "1,000"
    assert table.quote("study", "cells", "share", learner="second", runs_at_best=4) == "0.25"
    assert [(quote.text, quote.column) for quote in table.quotes] == [
        ("75.0%", "share"), ("1,000", "runs at best"), ("0.25", "share"),
    ]  # fmt: skip
    assert table.quotes[2].where == {"learner": "second", "runs at best": "4"}


@pytest.mark.parametrize(
    ("study", "column", "where"),
    [("other", "share", {}), ("study", "share", {"learner": "third"}), ("study", "none", {}),
     ("study", "share", {"learner": "empty"})],
)  # fmt: skip
def test_what_is_missing_names_the_command(table, study, column, where):
    with pytest.raises(FileFormatError, match=f"^expected .*; run: ttt-fast reproduce {study} --results ") as caught:
        table.quote(study, "cells", column, **where)
    assert "\n" not in str(caught.value)


def test_the_command_without_results(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["ttt-fast", "reproduce", "findings", "--results", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert re.search(
        r"expected '.*langan.*cells\.csv'; run: ttt-fast reproduce langan --results", capsys.readouterr().err
    )
    assert not (tmp_path / NAME).exists()


class Marked(Results):
    """Results in which every figure is another word, so that it can be seen where they go."""

    def quote(self, study, table, column, form="", /, **where):
        text = f"figure{len(self.quotes)}of{study}."
        self.quotes.append((text, study))
        return text


def test_every_figure_that_is_read_stands_in_its_finding_and_its_study_is_named(tmp_path):
    found = Marked(tmp_path)
    for source in SOURCES.values():
        found.quotes.clear()
        done = 0
        for finding in source(found):
            for text, study in found.quotes[done:]:
                assert text in (finding.claim + finding.truth + finding.why).replace("Figure", "figure")
                assert study in finding.studies
            done = len(found.quotes)


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Quick results of all studies."""
    folder = tmp_path_factory.mktemp("results")
    for name in STUDIES:
        settings = {"quick": True, "threads": 2}
        run_of(name)(folder / name, **settings)
    return folder


@pytest.mark.slow
def test_the_page_of_quick_results(quick):
    rows = findings.run(quick)
    text = (quick / NAME).read_text()
    assert text == page(gather(Results(quick)))
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    assert text.count("\n## ") == len(SOURCES)
    for number in range(1, len(rows) + 1):
        assert f"\n{number}. " in text
    for link in re.findall(r"\]\((.*?)\)", text):
        assert (quick / link).exists()


@pytest.mark.slow
def test_each_figure_equals_the_csv(quick):
    """Read again without the package: the last row that fits, in the printed form of its digits."""
    number = 0
    for _, finding, quotes in gather(Results(quick)):
        for quote in quotes:
            with (quick / quote.study / f"{quote.table}.csv").open(newline="") as stream:
                rows = list(csv.DictReader(stream))
            cell = [row for row in rows if all(row[key] == value for key, value in quote.where.items())][-1]
            said = finding.claim + finding.truth + finding.why
            assert quote.text.lower() in said.lower()
            assert quote.text == cell[quote.column] or is_rounded(quote.text, float(cell[quote.column]))
            number += 1
    assert number > 60


def is_rounded(text: str, value: float) -> bool:
    """Whether a printed number is a value, rounded to its digits."""
    if text == "p < 1e-15":
        return 0 <= value <= 1e-15
    if text.startswith("p = "):  # three significant digits
        return math.isclose(float(text.removeprefix("p = ")), value, rel_tol=0.005)
    digits = text.replace(",", "").removesuffix("%")
    scale = 100 if text.endswith("%") else 1
    return abs(float(digits) - scale * value) <= 0.5 * 10.0 ** -len(digits.partition(".")[2]) + 1e-9


@pytest.mark.parametrize(
    ("cell", "form", "text"), [("0.69299", ".2%", "69.30%"), ("7", "", "7"), ("4e-1", ".2f", "0.40")]
)
def test_forms(cell, form, text):
    assert shown(cell, form) == text
