"""The site in `_site`, which CI builds first, in a real browser: rules for access, search, and no outside request."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from browser_client import DESK, PHONE, assert_usable, expect, needs_browser, watched_tabs
from conftest import PATIENCE, REPOSITORY

SITE = REPOSITORY / "_site"
pytestmark = [
    needs_browser,
    pytest.mark.extra,
    pytest.mark.skipif(not SITE.is_dir(), reason="no site was built (CONTRIBUTING has the command)"),
]
PAGES = [
    "docs/index", "docs/TUTORIAL", "docs/GLOSSARY", "docs/teacher", "results/README", "results/langan/README",
    "docs/API", "docs/api/ttt_fast.Policy",
]  # fmt: skip


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        """Print nothing."""


@pytest.fixture(scope="module")
def address():
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def visit(browser, address):
    """Open a page; in the end there must have been no word on the console and no request to another machine."""
    with watched_tabs(browser, lambda url: url.startswith((address, "data:"))) as opened:
        yield lambda name, **words: opened(f"{address}{name}", **words)


@pytest.mark.parametrize(("viewport", "scheme"), [(PHONE, "dark"), (DESK, "light")], ids=["phone, dark", "desk, light"])
@pytest.mark.parametrize("name", PAGES)
def test_anybody_can_read_it(name, viewport, scheme, visit):
    assert_usable(visit(f"{name}.html", viewport=viewport, scheme=scheme))


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize(
    "name", ["docs/index", "docs/COMMANDS", "docs/GUIDE", "docs/PYTHON", "docs/api/ttt_fast.Meter"]
)
def test_code_is_never_cut_and_a_button_copies_it(name, viewport, visit):
    tab = visit(f"{name}.html", viewport=viewport)
    wide = "[...document.querySelectorAll('.highlight pre')].filter((one) => one.scrollWidth > one.clientWidth).length"
    assert tab.evaluate(wide) == 0
    tab.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    tab.locator(".highlight .copy").first.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_function("window.copied")
    copied = tab.evaluate("window.copied")
    assert copied and ">>>" not in copied


def test_the_search_finds_a_name(visit):
    tab = visit("search.html?q=exploitability")
    for place in ("api/ttt_fast.exploitability.html#ttt_fast.exploitability", "GLOSSARY.html#term-exploitability"):
        expect(tab.locator(f"ul.search li a[href='docs/{place}']")).to_be_visible(timeout=PATIENCE * 1000)


def test_the_root_leads_to_the_first_page(visit):
    visit("").wait_for_url("**/docs/index.html")
