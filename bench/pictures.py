"""Draw the pictures of the README: what some commands print, as SVG.

python bench/pictures.py        writes results/pictures/*.svg
"""

import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = {
    "match": "match heuribot random -n 100M --seed 1",
    "show": "show XO..X...O",
    "compare": "compare random minimax heuribot -n 10M",
}


def main() -> None:
    """Run each command on a pretended terminal and save what it shows."""
    folder = ROOT / "results" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, command in COMMANDS.items():
        printed = subprocess.run(
            [sys.executable, str(ROOT / "cli.py"), *shlex.split(command)], capture_output=True, check=True, text=True
        ).stdout
        console = Console(record=True, width=max(map(len, printed.splitlines())) + 2, file=io.StringIO())
        console.print(Text(f"$ ttt-fast {command}", style="bold green"))
        console.print(Text(printed.rstrip()))
        svg = console.export_svg(title="ttt-fast")
        svg = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)  # no fonts from the network
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
