"""A real browser for tests of pages: Chromium, the extra `browser-tests`; a machine without them skips and says so."""

import shutil
from contextlib import contextmanager

import pytest

from conftest import PATIENCE

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra browser-tests)")
axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed (extra browser-tests)")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip
PHONE, DESK = {"width": 375, "height": 740}, {"width": 1200, "height": 900}
expect = playwright.expect


@contextmanager
def opened_browser():
    """A browser, until the end."""
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@contextmanager
def watched_tabs(browser, is_wanted, expected="nothing is"):
    """Yield what opens an address; in the end there must have been no unwanted request.

    Nor any word on a console, but for those that begin as expected.
    """
    contexts, wrong = [], []

    def heard(message):
        if not message.text.startswith(expected):
            wrong.append(f"console: {message.text}")

    def open_page(address, viewport=DESK, scheme="light", before=""):
        context = browser.new_context(viewport=viewport, color_scheme=scheme)
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", heard)
        tab.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        tab.on("dialog", lambda dialog: (wrong.append("a dialog"), dialog.dismiss()))
        tab.on("request", lambda sent: None if is_wanted(sent.url) else wrong.append(sent.url))
        tab.add_init_script(before)
        tab.goto(address)
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == [], wrong


def said(tab, part, view="play"):
    return tab.locator(f"#{view}-view [data-part={part}]")


def says(tab, part, text, view="play"):
    expect(said(tab, part, view)).to_have_text(text, timeout=PATIENCE * 1000)


def click_cell(tab, action):
    tab.locator(f"#play-view .cell[data-action='{action}']").click()


def assert_usable(tab):
    """Nothing is wider than the screen, and axe knows no violation of WCAG 2.1 A and AA."""
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.evaluate(axe.AXE_FILE_PATH.read_text(encoding="utf-8"))
    tags = "wcag2a wcag2aa wcag21a wcag21aa".split()
    found = tab.evaluate("(tags) => axe.run(document, { runOnly: tags })", tags)
    told = {one["id"]: [node["failureSummary"] for node in one["nodes"]][:3] for one in found["violations"]}
    assert told == {} and len(found["passes"]) > 5
