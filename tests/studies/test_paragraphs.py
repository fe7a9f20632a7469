"""Paragraphs in lines of one width: the same Markdown before and after, whatever the words are."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from conftest import REPOSITORY
from ttt_fast.studies.engine.pages import filled_page
from ttt_fast.studies.engine.paragraphs import WIDTH, reflowed

SAFE = [
    "it",
    "wins",
    "**97",
    "%**",
    "of",
    "`a  b - c`",
    "games,",
    "[see",
    "here](x.md#a-b)",
    "x|y",
    "a-1",
    "(as",
    "coded)",
]
RISKY = ["100.", "1.", "2)", "-", "*", "+", "#", "##", "#7", ">", "---", "===", "|", "<b>", "```", "~~~", "![a](b.svg)"]
UNTOUCHED = ["| a | b |\n| --- | --- |\n| 1. | - |", "## A heading - 2. of all", "```\n1.   x\n\n- y\n```",
             "<details>\nit  wins\n</details>", "![a long - picture](b.svg)", "> quoted\n> - text", "---"]  # fmt: skip
PARSER = MarkdownIt("commonmark").enable("table")


def parsed(text):
    """The blocks of a page, and the words of each; lines of a paragraph may end elsewhere."""
    return [(one.type, one.markup, one.info, " ".join(one.content.split()) if one.type == "inline" else one.content)
            for one in PARSER.parse(text)]  # fmt: skip


@st.composite
def paragraphs(draw):
    """A paragraph or an item of a list whose lines begin with words that make nothing else of them."""
    marker = draw(st.sampled_from(["", "- ", "10. "]))
    lines = [draw(st.lists(st.sampled_from(SAFE + RISKY), max_size=9)) for _ in range(draw(st.integers(1, 4)))]
    return marker + f"\n{' ' * len(marker)}".join(" ".join(["so", *line]) for line in lines)


pages = st.lists(paragraphs() | st.sampled_from(UNTOUCHED), min_size=1, max_size=5).map("\n\n".join)


@given(pages, st.integers(8, 60))
def test_a_page_stays_the_same_markdown(page, width):
    found = reflowed(page, width)
    assert parsed(found) == parsed(page)
    assert reflowed(found, width) == found
    assert found.count("\n\n") == page.count("\n\n")


@given(st.lists(st.sampled_from(SAFE), min_size=1, max_size=60), st.integers(12, 40))
def test_lines_are_as_long_as_words_allow(words, width):
    lines = reflowed(" ".join(["so", *words]), width).split("\n")
    assert all(len(line) <= width or " " not in line for line in lines)
    for line, after in pairwise(lines):
        first = after.split("`")[0].split(" ")[0] if after[0] != "`" else "`a  b - c`"
        assert len(line) + 1 + len(first) > width


def test_a_filled_number_never_begins_a_list():
    """One that a line of the template begins with is told from an item of a list."""
    template = "It wins\n{{t.n}}. Then\n  {{t.n}}. not.\n\n- of\n  {{t.n}}. it\n\n{{table t}}\n"
    page = filled_page(template, {"t": [{"n": 1}]})
    assert page == "It wins 1. Then 1. not.\n\n- of 1. it\n\n| n |\n| ---: |\n| 1 |\n"


@pytest.mark.parametrize("page", ["FINDINGS.md", "CONFIRMED.md", "WORDS.md", *sorted(
    str(one.relative_to(REPOSITORY / "results")) for one in (REPOSITORY / "results").glob("**/README.md")
    if {"bench", "ntuples", "results"}.isdisjoint({one.parent.name}))])  # fmt: skip
def test_committed_pages_have_lines_of_one_width(page):
    text = Path(REPOSITORY / "results" / page).read_text(encoding="utf-8")
    assert reflowed(text) == text
    assert [line for line in text.split("\n") if len(line) > WIDTH and line[0] not in "|#!<"] == []
