"""The site in `_site`, which CI builds first: no dead link, nothing loaded from outside, words for every picture."""

import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

import ttt_fast
from conftest import REPOSITORY
from test_extending import POINTS, names_of

SITE = REPOSITORY / "_site"
pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(not SITE.is_dir(), reason="no site was built (CONTRIBUTING has the command)"),
]


class Page(HTMLParser):
    """What a page links to and loads, its anchors, and the words of its pictures."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors, self.words = set(), set(), {""}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found.get("id"), found.get("name") if tag == "a" else None} - {None}
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
        if tag == "link" and found["rel"] in ("stylesheet", "preload", "icon", "shortcut icon", "search"):
            self.loads.add(found["href"])
        if "src" in found:
            self.loads.add(found["src"])
        if tag == "img":
            self.words.append(found.get("alt", ""))


@cache
def pages():
    return {path: Page(path.read_text(encoding="utf-8")) for path in SITE.rglob("*.html")}


def test_links_lead_to_pages_and_anchors():
    dead = set()
    for path, page in pages().items():
        for link in page.links | page.loads:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme or (target.is_file() and (target not in pages() or not parts.fragment)):
                continue
            if not target.is_file() or unquote(parts.fragment) not in pages()[target].anchors:
                dead.add((str(path.relative_to(SITE)), link))
    assert dead == set() and len(pages()) > 100


def test_nothing_is_loaded_from_outside():
    loaded = {link for page in pages().values() for link in page.loads if urlsplit(link).scheme not in ("", "data")}
    styles = [path.read_text(encoding="utf-8") for path in [*SITE.rglob("*.css"), *pages()]]
    loaded |= {one for text in styles for one in re.findall(r"(?:url\(|@import\s)\s*[\"']?(?:https?:)?//[^)\s]*", text)}
    assert loaded == set()


def test_pictures_have_words():
    wordless = {
        str(path.relative_to(SITE)): words
        for path, page in pages().items()
        for words in page.words
        if not words or words.endswith((".svg", ".png"))
    }
    assert wordless == {}


def test_no_comment_in_code_is_cut():
    """A line of code with a comment fits into the page, or the comment stands above it."""
    conf = (REPOSITORY / "docs" / "conf.py").read_text(encoding="utf-8")
    width = int(re.search(r"^WIDTH = (\d+)$", conf, re.MULTILINE)[1])
    block = re.compile(r'<div class="highlight"><pre[^>]*>(.*?)</pre>', re.DOTALL)
    lines = [
        unescape(re.sub(r"<[^>]+>", "", line))
        for path in pages()
        for found in block.findall(path.read_text(encoding="utf-8"))
        for line in found.split("\n")
        if '<span class="c1">' in line
    ]
    cut = [line for line in lines if len(line) > width and not re.match(r"\s*((>>>|\.\.\.) )?#", line)]
    assert cut == [] and len(lines) > 80
    home = (SITE / "docs" / "index.html").read_text(encoding="utf-8")
    doors = [home.index(word) for word in (">exploitability<", ">Measure mine<", ">Train<", ">Teach<")]
    assert doors == sorted(doors)


def test_every_name_of_the_interface_and_every_term_has_its_place():
    api = SITE / "docs" / "api"
    names = {"ttt_fast": set(ttt_fast.__all__), **{f"ttt_fast.{point}": names_of(point) for point in POINTS}}
    full = [f"{module}.{name}" for module, ones in names.items() for name in ones]
    assert [name for name in full if name not in pages()[api / f"{name}.html"].anchors] == []
    assert {"term-regret", "term-visit-counts"} <= pages()[SITE / "docs" / "GLOSSARY.html"].anchors
