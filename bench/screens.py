"""Photograph the pages in a browser: the three games, at three sizes of the window, light and dark.

python bench/screens.py        writes results/pictures/*.png; needs Playwright and Chromium (extra `browser-tests`)
"""

import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zlib
from base64 import b64decode, b64encode
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "results" / "pictures"
SIZES = ((1920, 1080), (1280, 800), (390, 844))
OPPONENT = "mcts:sims=2000"
GAMES = {
    "tic-tac-toe": ({"x": "you", "o": "minimax", "moves": "4.1"}, "4.1.0.8.6.2.3"),
    "connect4": ({"x": "you", "o": OPPONENT, "moves": "4.4.4.5.3.3"}, "4.4.5.5.6.6.7"),
    "ultimate": (
        {"x": "you", "o": OPPONENT, "moves": "55.51.15.53.35.56"},
        "91.18.89.97.74.48.87.72.21.17.75.53.33.38.88.77.76.69.95.54.43.37.99",
    ),
}
"""The settings of a game in progress, and a line of play; X wins with its last move."""
WAITING_MS = 30_000
MAX_BYTES = 200_000
PALETTE = """async (content) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${content}`)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  for (let step = 8; ; step += 4) {  // coarser boxes, until there are 256: each takes its commonest colour
    const colours = new Map(), places = new Uint8Array(data.length / 4);
    for (let pixel = 0; pixel < places.length && colours.size <= 256; pixel++) {
      const seen = data.subarray(4 * pixel, 4 * pixel + 3);
      const box = seen.map((value) => value / step).join();
      if (!colours.has(box)) colours.set(box, { place: colours.size, counts: new Map() });
      const { place, counts } = colours.get(box), colour = 65536 * seen[0] + 256 * seen[1] + seen[2];
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
      places[pixel] = place;
    }
    if (colours.size > 256) continue;
    const text = Array.from(places, (one) => String.fromCharCode(one)).join("");
    const commonest = ({ counts }) => [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
    return [image.width, image.height, [...colours.values()].map(commonest), btoa(text)];
  }
}"""
"""Reduces the colours of a PNG to a palette, which takes a third of the bytes."""


def with_palette(width: int, height: int, colours: list[int], places: bytes) -> bytes:
    """Return a PNG of the places of its pixels in a palette."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    lines = b"".join(b"\0" + places[line : line + width] for line in range(0, width * height, width))
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    palette = b"".join(colour.to_bytes(3, "big") for colour in colours)
    parts = ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def photograph(tab: Page, name: str, hints: bool) -> None:
    """Wait until the page waits for nothing, and write its picture."""
    tab.wait_for_selector("body[data-ready=yes]")
    if name.endswith("end"):
        tab.wait_for_selector("[data-part=status]:has-text('X has won')")
    if hints:
        tab.click("[data-part=hint]")
        tab.wait_for_selector(".board .hinted")
    for pending in ("[data-part=thinks]", "[data-part=preparing]", "[data-part=facts]:has-text('looked for')"):
        tab.locator(pending).first.wait_for(state="hidden")
    tab.locator("[data-part=moves]").get_by_text("…", exact=True).first.wait_for(state="hidden")
    tab.mouse.move(0, 0)
    taken = b64encode(tab.screenshot()).decode()
    tab.goto("about:blank")  # which has no content security policy
    width, height, colours, places = tab.evaluate(PALETTE, taken)
    content = with_palette(width, height, colours, b64decode(places))
    if len(content) > MAX_BYTES:
        raise SystemExit(f"expected a picture of at most {MAX_BYTES:,} bytes, got {len(content):,} of {name}")
    (PICTURES / f"{name}.png").write_bytes(content)


def main() -> None:
    """Photograph each game with its values (light) and with a hint (dark), and the end of a game."""
    command = [sys.executable, str(ROOT / "cli.py")]
    server = subprocess.Popen([*command, "play", "--browser", "--no-open"], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().partition("#")[0].strip() if server.stdout else ""
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
            page = Path(folder) / "page.html"
            subprocess.run([*command, "page", "-o", str(page)], check=True)
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for game in GAMES:
                photograph_game(browser, game, page.as_uri() if game == "tic-tac-toe" else address)
            browser.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def photograph_game(browser: Browser, game: str, address: str) -> None:
    """Photograph a game at all sizes, and its end at one."""
    settings, ended = GAMES[game]
    shots = [(f"{w}x{h}-{look}", w, h, look) for w, h in SIZES for look in ("light", "dark")]
    for shot, width, height, look in [*shots, ("end", *SIZES[1], "light")]:
        shown = {**settings, "game": game, "seed": 1, "values": "shown" if look == "light" else ""}
        if shot == "end":
            shown |= {"moves": ended, "o": "you", "values": ""}
        tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme=look)
        tab.set_default_timeout(WAITING_MS)
        tab.goto(f"{address}#play?{urlencode(shown)}")
        photograph(tab, f"{game}-{shot}", hints=look == "dark")
        tab.close()


if __name__ == "__main__":
    main()
