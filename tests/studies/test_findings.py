"""The page of the findings: a template over the csv files of the studies, and what is missing is named."""

import json
import re
import shutil

import pytest

from cli_runner import run
from study_checks import RESULTS, typed_facts
from ttt_fast.studies.engine.sources import claims_of, template_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.findings import measures
from ttt_fast.studies.statistics.homogeneity import homogeneity

NAME = "FINDINGS.md"
TEMPLATE = template_of("ttt_fast.studies.findings")


def test_the_template_holds_no_typed_digits():
    assert typed_facts(TEMPLATE) == []


def test_the_command_without_results(tmp_path):
    ran = run("reproduce", "findings", "--results", tmp_path)
    assert ran.code == 1
    assert re.search(r"expected .*langan.*opponents\.csv.*; run: ttt-fast reproduce langan --results", ran.err)
    assert not (tmp_path / NAME).exists()


def test_a_missing_part_names_its_command(tmp_path):
    copied = shutil.copytree(RESULTS, tmp_path / "results", ignore=shutil.ignore_patterns("dqn", NAME, "*.svg"))
    ran = run("reproduce", "findings", "--results", copied)
    assert ran.code == 1 and re.search(r"run: ttt-fast reproduce (smirnov|optimum) --part dqn --results ", ran.err)


def test_the_committed_page_is_that_of_the_committed_tables(tmp_path):
    """Made again from a copy of the committed results, without what the findings make."""
    folder = tmp_path / "results"
    shutil.copytree(RESULTS, folder, ignore=shutil.ignore_patterns("findings", NAME, "*.svg"))
    rows = run("reproduce", "findings", "--results", folder, "-f", "json").json()["rows"]
    assert [row["number"] for row in rows] == list(range(1, 10))
    assert (folder / NAME).read_bytes() == (RESULTS / NAME).read_bytes()
    made, kept = (sorted((place / "findings").glob("*.csv")) for place in (folder, RESULTS))
    assert [path.name for path in made] == [path.name for path in kept]
    for one, other in zip(made, kept, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_every_link_and_picture_is_there():
    for link in re.findall(r"\]\((.*?)\)", (RESULTS / NAME).read_text()):
        assert (RESULTS / link.partition("#")[0]).exists(), link


DISJOINT = {
    "langan": ("runs", "tuning"), "sai": ("strength", "kept_runs"), "optimum": ("share", "recipes"),
    "scaling": ("choice", "needed", "times"), "connect4": ("boards",),
    "alphazero": ("headline", "settings", "games", "heaps", "curve", "plies", "cloning"),
}  # fmt: skip
"""Tables without common pieces of work, of the studies whose times have no sum over all pieces."""
LEAST = {"langan", "sai", "alphazero"}
"""Of these, studies with further pieces."""


def test_the_page_of_the_results_has_the_seconds_of_each_study():
    """Core seconds: of all pieces of work, each counted once, or at least of those of some tables."""
    spent = {}
    for path in sorted(RESULTS.rglob("timing.json")):
        timing, study = json.loads(path.read_text(encoding="utf-8")), path.parent.relative_to(RESULTS).as_posix()
        parts = [timing["seconds"][name]["pieces"] for name in DISJOINT.get(study, ())]
        assert bool(parts) != ("pieces" in timing)
        spent[study] = "≥ " * (study in LEAST) + f"{round(sum(parts) or timing['pieces']):,}"
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(.+?)\]\(.+?\) \| `ttt-fast reproduce (.+?)` \| ([≥ \d,]+) \|", text, re.MULTILINE)
    assert {study: seconds for study, _, seconds in rows} == spent
    assert all(command.replace(" --part ", "/") == study for study, command, _ in rows)


def test_the_coded_decay_of_exploration_is_hardly_told_from_the_mended_one():
    rows = {row["player"]: row["unbeatable"] for row in Tables(RESULTS / "sai", "")["marks"]}
    good = [rows[f"learner, {name}"] for name in ("rewards mended", "corrected")]
    assert f"`p = {homogeneity(*((one, 40 - one) for one in good)).p_value:.3f}`" in TEMPLATE


def test_every_quotation_stands_in_the_lists_of_the_sources():
    """The words of each quotation are among the statements that are judged."""
    said = " ".join(
        " ".join(one.quotation.split())
        for study in measures.SOURCES
        for one in claims_of(f"ttt_fast.studies.{study.replace('/', '.')}")
    )
    quoted = re.findall(r'"([^"]+)"', re.sub(r"\{\{.*?\}\}", "", TEMPLATE, flags=re.DOTALL))
    unknown = [one for one in (" ".join(text.split()) for text in quoted) if re.search(r"[a-z]{3}", one)]
    assert [one for one in unknown if one.lower() not in said.lower()] == []


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
    tables = {f"{study}/{name}": [] for study in measures.SOURCES for name in ("cells", "tables")} | {"sai/cells": rows}
    [found] = [row for row in measures.numbers(tables) if row["source"] == "Sai"]
    assert [found[one] for one in KINDS] == [int(place == kind) for place in range(len(KINDS))]
    assert found["numbers"] == (kind is not None)
