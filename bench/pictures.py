"""Draw the pictures of the README and of docs/: what some commands print, a learning curve, and environments.

python bench/pictures.py [NAME ...]        writes results/pictures/*.svg, or only these: match show compare ansi
                                           rgb_array exploitability (the last two need the extras rl and plot)
"""

import io
import re
import shlex
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = {
    "match": "match heuribot random -n 100M",
    "show": "show XO..X...O",
    "compare": "compare random minimax heuribot -n 10M",
}
CURVE = (
    "train --opponent self -n 200k --chunk 2k --evaluations 100 --curve {0}/curve.csv -o {0}/q.npz",
    "plot {0}/curve.csv --y exploitability --log-x -o {1}",
)
"""Commands of the learning curve in docs/TUTORIAL.md."""


def run(command: str) -> str:
    """Return what a command prints on stdout."""
    words = [sys.executable, str(ROOT / "cli.py"), *shlex.split(command)]
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout


def terminal_svg(first: str, printed: str) -> str:
    """Return a pretended terminal with a line of input and what it prints."""
    console = Console(record=True, width=max(map(len, [first, *printed.splitlines()])) + 2, file=io.StringIO())
    console.print(Text(first, style="bold green"))
    console.print(Text(printed.rstrip()))
    svg = console.export_svg(title="ttt-fast")
    return re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)  # no fonts from the network


def environment(mode: str) -> Any:
    """Return what an environment of Connect 4 renders after some moves."""
    from ttt_fast.adapters.pettingzoo_games import GameAEC

    env = GameAEC("connect4", render_mode=mode)
    env.reset()
    for action in (3, 3, 2, 4, 1):
        env.step(action)
    return env.render()


def squares_svg(pixels: Any) -> str:
    """Return an array of pixels as SVG, equal neighbours in one rectangle."""
    rows, columns, _ = pixels.shape
    parts, y = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns} {rows}" width="{columns}">'], 0
    for row, equal_rows in groupby(pixels.tolist()):
        height, x = len(list(equal_rows)), 0
        for colour, equal in groupby(row):
            width = len(list(equal))
            parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="rgb{tuple(colour)}"/>')
            x += width
        y += height
    return "\n".join([*parts, "</svg>", ""])


def draw(name: str, path: Path) -> None:
    """Draw one picture."""
    if name == "exploitability":
        with TemporaryDirectory() as folder:
            for command in CURVE:
                run(command.format(folder, path))
        return
    if name in COMMANDS:
        svg = terminal_svg(f"$ ttt-fast {COMMANDS[name]}", run(COMMANDS[name]))
    elif name == "ansi":
        svg = terminal_svg(">>> print(env.render())", environment(name))
    else:
        svg = squares_svg(environment(name))
    path.write_text(svg, encoding="utf-8")


def main() -> None:
    """Draw the pictures that are named, or all."""
    folder = ROOT / "results" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or [*COMMANDS, "ansi", "rgb_array", "exploitability"]:
        draw(name, folder / f"{name}.svg")


if __name__ == "__main__":
    main()
