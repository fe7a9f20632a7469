"""The text of the pages and docstrings: phrases over which a reader stumbles, long sentences and long paragraphs."""

import ast
import re

import pytest

from conftest import REPOSITORY

PAGES = {
    str(path.relative_to(REPOSITORY)): path
    for path in [
        *(REPOSITORY / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
        *sorted((REPOSITORY / "docs").glob("*.md")),
    ]
}
STUMBLING = re.compile(
    r"\b(what|who|whom|whoever|whatever|somebody|nobody|of others|of theirs|of ours|is told|are told|as it has"
    r"|as they have|so that nobody|there is none|that is there|whether or not)\b",
    re.IGNORECASE,
)
MOST_IN_DOCSTRINGS, MOST_IN_PAGES = 0.5, 0.5
"""Stumbling phrases in a thousand words; the numbers only shrink."""
MOST_WORDS_OF_A_SENTENCE, MOST_WORDS_OF_A_PARAGRAPH = 25, 80
MOST_LINES = {"README.md": 110, "ARCHITECTURE.md": 150}


def prose_of(page):
    """The text of a page without code blocks and comments."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def paragraphs_of(page):
    """Paragraphs, headings, list items and table cells: inline code is a word, links are their text."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`+[^`]+`+", "code", prose_of(page)))
    text = re.sub(r"^(?=\s*(?:[-*#]|\d+\.)\s*\S)", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"^\|.*$", lambda row: row.group().replace("\\|", "/").replace("|", "\n\n"), text, flags=re.MULTILINE)
    text = re.sub(r"^( {4}\S.*|[-:| ]*)$", "", text, flags=re.MULTILINE)
    return [" ".join(one.split()) for one in re.split(r"\n\s*\n", text) if one.strip()]


def words_of(text):
    return [word for word in text.split() if re.search(r"\w", word)]


def sentences_of(paragraph):
    return re.split(r"(?<=[.!?])[)*\"]*\s+(?=[\"(*]*[A-Z0-9]|code\b)", paragraph)


def phrases_per_thousand(texts):
    words = sum(len(text.split()) for text in texts)
    return 1000 * sum(len(STUMBLING.findall(text)) for text in texts) / words


def docstrings():
    kinds = ast.Module | ast.FunctionDef | ast.ClassDef
    for path in sorted((REPOSITORY / "src").rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        yield from (ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds))


def test_docstrings_have_few_stumbling_phrases():
    assert phrases_per_thousand(list(docstrings())) <= MOST_IN_DOCSTRINGS


def test_pages_have_few_stumbling_phrases():
    texts = [prose_of(page) for page in PAGES.values()]
    found = {name: STUMBLING.findall(prose_of(page)) for name, page in PAGES.items()}
    assert phrases_per_thousand(texts) <= MOST_IN_PAGES, {name: words for name, words in found.items() if words}


@pytest.mark.parametrize("name", PAGES)
def test_sentences_are_short(name):
    sentences = [one for paragraph in paragraphs_of(PAGES[name]) for one in sentences_of(paragraph)]
    assert [one for one in sentences if len(words_of(one)) > MOST_WORDS_OF_A_SENTENCE] == []


@pytest.mark.parametrize("name", PAGES)
def test_paragraphs_are_short(name):
    assert [one for one in paragraphs_of(PAGES[name]) if len(words_of(one)) > MOST_WORDS_OF_A_PARAGRAPH] == []


@pytest.mark.parametrize("name", MOST_LINES)
def test_the_first_pages_are_short(name):
    assert len(PAGES[name].read_text(encoding="utf-8").splitlines()) <= MOST_LINES[name]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_files(name):
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose_of(PAGES[name]))
    local = [one for one in targets if not re.match(r"\w+:", one)]
    assert [one for one in local if not (PAGES[name].parent / one).exists()] == []


def test_a_paragraph_is_split_into_sentences(tmp_path):
    page = tmp_path / "PAGE.md"
    page.write_text(
        "# Title\n\nOne `a b`, [two](x.md). `code` three, i.e. four:\n- five\n- six\n\n| a | b |\n| --- | --- |\n"
    )
    assert [sentences_of(one) for one in paragraphs_of(page)] == [
        ["# Title"], ["One code, two.", "code three, i.e. four:"], ["- five"], ["- six"], ["a"], ["b"]
    ]  # fmt: skip
