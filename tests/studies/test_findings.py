"""The page of the findings: a template over the csv files of the studies, and what is missing is named."""

import re
import shutil
from math import comb, erfc
from pathlib import Path

import pytest

from study_checks import typed_facts
from ttt_fast.cli.main import main
from ttt_fast.core.errors import FileFormatError
from ttt_fast.evaluate.statistics import two_proportion_z_test
from ttt_fast.studies import findings
from ttt_fast.studies.engine.sources import claims_of, template_of
from ttt_fast.studies.engine.study import package_of
from ttt_fast.studies.engine.tables import read_texts
from ttt_fast.studies.findings import measures
from ttt_fast.studies.findings.measures import MEASURES, NAME, SOURCES, AllTables

RESULTS = Path(__file__).parents[2] / "results"
TEMPLATE = template_of("ttt_fast.studies.findings")
HEADLINES = 20


def test_the_template_holds_no_typed_digits():
    assert typed_facts(TEMPLATE) == []


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
    for part in ("## In half a page", "## What was not contradicted"):
        assert f"\n{part}\n" in text


def test_every_link_and_picture_is_there():
    for link in re.findall(r"\]\((.*?)\)", (RESULTS / NAME).read_text()):
        assert (RESULTS / link.partition("#")[0]).exists(), link


def test_every_quotation_stands_in_the_lists_of_the_sources():
    """The words of each quotation are among the statements that are judged."""
    said = " ".join(
        " ".join(one.quotation.split()) for study in SOURCES for one in claims_of(package_of(study.replace("/", ".")))
    )
    quoted = re.findall(r'"([^"]+)"', re.sub(r"\{\{.*?\}\}", "", TEMPLATE, flags=re.DOTALL))
    unknown = [one for one in (" ".join(text.split()) for text in quoted) if re.search(r"[a-z]{3}", one)]
    assert [one for one in unknown if one.lower() not in said.lower()] == []


def test_published_samples_beside_a_plain_test(committed):
    folder, _ = committed
    rows = {(row["source"], row["table"]): row for row in measures.samples(AllTables(folder))}
    plain = two_proportion_z_test(23, 100, 17, 100).p_value
    assert rows["Bichot", "Table I"]["p"] == pytest.approx(plain, abs=0.1)
    assert rows["Bichot", "Fig. 5"]["printed"] == "38 : 48"
    assert rows["Bichot", "Fig. 5"]["p"] == pytest.approx(0.332, abs=0.001)
    assert rows["Sai", "table 3"]["p"] == pytest.approx(0.281, abs=0.001)


def test_the_seats_are_compared_by_an_exact_test_of_pairs(committed):
    folder, _ = committed
    sai, hensler = measures.seats(AllTables(folder))
    ends = {(row["seed"], row["quantity"]): row["value"] for row in read_texts(RESULTS / "hensler" / "runs.csv")}
    pairs = [tuple(float(ends[str(seed), f"{seat} never loses"]) for seat in "xo") for seed in range(hensler["runs"])]
    only = [pairs.count(one) for one in ((1, 0), (0, 1))]
    assert [hensler["only x"], hensler["only o"]] == only
    assert hensler["p"] == pytest.approx(2 * sum(comb(sum(only), k) for k in range(min(only) + 1)) / 2 ** sum(only))
    assert (sai["only x"], sai["only o"], sai["p"]) == (22, 0, pytest.approx(2 / 2**22))


KINDS = ("not contradicted as described", "only in another reading", "contradicted", "too wide to tell", "not compared")


@pytest.mark.parametrize(
    ("readings", "kind"),
    [
        ([("once", "exact", 0.1)], 0),
        ([("once", "wrong", 0.1), ("once", "reproduced", 0.1)], 1),
        ([("once", "wrong", 0.1), ("certain", "reproduced", 0.0)], 2),
        ([("once", "wrong", 0.1), ("once", "wrong", 0.1)], 2),
        ([("certain", "wrong", 0.0), ("once", "reproduced", 0.1)], 1),
        ([("certain", "wrong", 0.0), ("certain", "reproduced", 0.0)], None),
        ([("certain", "exact", 0.0), ("once", "reproduced", 0.1)], None),
        ([("again", "wrong", 0.1), ("once", "reproduced", 0.1)], None),
        ([("once", "reproduced", 0.4)], 3),
        ([("once", "wrong", 0.1), ("once", "reproduced", 0.4)], 3),
        ([("once", "open", 0.0)], 4),
    ],
)
def test_a_number_counts_by_its_reading_as_described(readings, kind):
    rows = [{"table": "1", "place": "a", "quantity": "wins", "counts": counts, "verdict": verdict, "printed_value": 0.5,
             "low": 0.2, "high": 0.2 + width} for counts, verdict, width in readings]  # fmt: skip
    tables = {f"{study}/{name}": [] for study in SOURCES for name in ("cells", "tables")} | {"sai/cells": rows}
    [found] = [row for row in measures.numbers(tables) if row["source"] == "Sai"]
    assert [found[one] for one in KINDS] == [int(place == kind) for place in range(len(KINDS))]
    assert found["numbers"] == (kind is not None)


def test_the_players_against_random_are_sorted_and_have_the_ends_of_the_runs(committed):
    folder, _ = committed
    rows = measures.ties(AllTables(folder))
    wins = [row["wins"] for row in rows]
    ends = [row["wins"] for row in rows if "the end of" in row["player"]]
    assert wins == sorted(wins)
    assert ends == pytest.approx([63 / 64, 95 / 96, 191 / 192], abs=1e-9)


def test_one_end_of_the_runs_alone_explains_the_printed_count(committed):
    folder, _ = committed
    rows = {row["wins exactly"]: row for row in measures.ends(AllTables(folder))}
    assert list(rows) == ["191/192", "95/96", "63/64"]
    assert sum(row["ended here"] for row in rows.values()) == 12
    z = (197_932 - 200_000 * 95 / 96) / (200_000 * 95 / 96**2) ** 0.5
    assert rows["95/96"]["p printed"] == pytest.approx(erfc(abs(z) / 2**0.5), abs=0.02)
    assert max(row["p printed"] for name, row in rows.items() if name != "95/96") < 1e-50


def test_five_steps_have_the_seats_swapped_in_both_programs(committed):
    folder, _ = committed
    tables = AllTables(folder)
    three, mcts = measures.strongest(tables)
    assert (three["against"], mcts["against"]) == ("minimax-3", "mcts-2000")
    mirror = tables.one("ultimate/games", part="corrected, seats swapped", name="minimax-3 v minimax-5")
    assert three["corrected"] == 1 - mirror["score"] and three["corrected low"] == 1 - mirror["score_high"]
    assert all(row[f"{kind} low"] < row[kind] < row[f"{kind} high"] for row in (three, mcts)
               for kind in ("as coded", "corrected"))  # fmt: skip


def test_numbers_are_counted_once_and_in_one_kind(committed):
    folder, _ = committed
    found = {row["source"]: row for row in measures.numbers(AllTables(folder))}
    assert all(row["numbers"] == sum(row[kind] for kind in KINDS) for row in found.values())
    assert all(0 <= row["tables contradicted"] <= row["tables"] > 0 for row in found.values())
