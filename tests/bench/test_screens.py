"""The pictures of the pages: every name that the program writes is in results/pictures, and it still writes them."""

import struct

import pytest

from browser_client import CHROMIUM, needs_browser, playwright
from cli_runner import run

screens = pytest.importorskip("screens")

NAMES = sorted(
    f"{game}-{shot}"
    for game in screens.GAMES
    for shot in [*(f"{w}x{h}-{look}" for w, h in screens.SIZES for look in ("light", "dark")), "end"]
)


def size_of(content):
    """The width and the height of a PNG."""
    assert content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) <= screens.MAX_BYTES
    return struct.unpack(">II", content[16:24])


def test_every_picture_is_there_and_small():
    found = {path.stem: size_of(path.read_bytes()) for path in screens.PICTURES.glob("*.png")}
    assert sorted(found) == NAMES
    for name, (width, height) in found.items():
        assert name.endswith("end") or f"{width}x{height}" in name


@pytest.mark.extra
@needs_browser
def test_a_page_is_photographed_as_before(tmp_path, monkeypatch):
    """The pictures of tic-tac-toe, whose page is a file, have the sizes and about the bytes of those that are kept."""
    kept = screens.PICTURES
    monkeypatch.setattr(screens, "PICTURES", tmp_path)
    assert run("page", "-o", tmp_path / "page.html").code == 0
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        screens.photograph_game(browser, "tic-tac-toe", (tmp_path / "page.html").as_uri())
        browser.close()
    made = {path.name: path.read_bytes() for path in tmp_path.glob("*.png")}
    assert sorted(made) == [f"{name}.png" for name in NAMES if name.startswith("tic-tac-toe")]
    for name, content in made.items():
        before = (kept / name).read_bytes()
        assert size_of(content) == size_of(before)
        assert 0.5 < len(content) / len(before) < 2
