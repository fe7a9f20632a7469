"""How strong the players of a page are, and how long they take: games against an agent of the command line.

    python bench/page_match.py solver mcts:sims=2000 -n 100
    python bench/page_match.py learned mcts:sims=2000 --game ultimate -n 100

The page is made by `ttt-fast page` and opened in Chromium, from the file (extra `browser-tests`).  Each side begins
half of the games.  A move's time includes the exact values of all moves where the agent is `solver`.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

from ttt_fast.agents.convert import as_player
from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.web.render import page_html

ASK: Final = """async ([name, line]) => {
    const data = JSON.parse(document.getElementById("data").textContent);
    window.played ??= await (await import(`page/${data.module}`)).load(data);
    const { game, agents } = window.played;
    const state = game.line(game.first, line).at(-1);
    const before = performance.now();
    const { moves } = await agents.find((one) => one.name === name).ask(state);
    return [moves.find((move) => move.chance > 0).action, performance.now() - before];
}"""
"""Returns the move of an agent of the page after a line of play, and its milliseconds."""


class Played(NamedTuple):
    """Results of the agent of a page, the milliseconds of its longest move, and the number of distinct games."""

    results: Counter[str]
    longest: float
    distinct: int


def play(tab: Any, agent: str, opponent: str, spec: str, games: int) -> Played:
    """Play games between an agent of an opened page, which has the first seat in even games, and an opponent."""
    results: Counter[str] = Counter()
    player, longest, lines = as_player(opponent, spec), 0.0, set()
    for game in range(games):
        state, line, seat = parse_game(spec).initial_state, [], 1 + game % 2
        player.begin(chunk_stream(0, game))
        while api.status(state) == api.ONGOING:
            if api.player(state) == seat:
                action, time = tab.evaluate(ASK, [agent, line])
                longest = max(longest, time)
            else:
                action = player.search(state).action
            line.append(int(action))
            state = api.play(state, line[-1])
        lines.add((seat, *line))
        end = int(api.status(state))
        results["draws" if end == api.DRAW else "wins" if end == seat else "losses"] += 1
    return Played(results, longest, len(lines))


def main() -> None:
    """Print the results."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", help="an agent of the page")
    parser.add_argument("opponent", help="an agent of the command line")
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--games", "-n", type=int, default=100)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "page.html"
        path.write_bytes(page_html(given.game, [given.agent]))
        tab = driver.chromium.launch(executable_path=given.chromium, args=["--no-sandbox"]).new_page()
        tab.goto(path.as_uri())
        results, longest, distinct = play(tab, given.agent, given.opponent, given.game, given.games)
    low, high = wilson_interval(results["wins"], given.games, distinct=distinct)
    text = ", ".join(f"{results[name]} {name}" for name in ("wins", "draws", "losses"))
    print(f"{given.agent} on the page v {given.opponent}: {text} (wins {low:.3f} to {high:.3f},", end=" ")
    print(f"from {distinct} distinct games);", end=" ")
    print(f"longest move {longest:,.0f} ms")


if __name__ == "__main__":
    main()
