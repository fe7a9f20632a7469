"""Write the kernels that common commands compile with an empty cache, with their seconds.

    python bench/compile_seconds.py

writes `src/ttt_fast/core/compile_seconds.json`, from which the program estimates how long a compilation takes.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ttt_fast.core.compilation import SECONDS

COMMANDS = {
    "match": "match heuribot random -n 1k",
    "match propagate": "match heuribot random -n 1k --method propagate",
    "compare": "compare heuribot random minimax -n 1k",
    "train": "train -n 1M -o q.npz",
    "train self": "train -n 20k --opponent self -o q.npz",
    "train dqn": "train --algorithm dqn -n 300 -o q.npz",
    "train td connect4": "train --algorithm td -n 300 --game connect4 -o q.npz",
    "solve": "solve 445 --game connect4",
    "states": "states --game tic-tac-toe",
    "exact connect4": "exact random minimax --game connect4:columns=4,rows=4",
    "states connect4": "states --game connect4:columns=4,rows=4",
    "match connect4": "match mcts-best:sims=20 random --game connect4 -n 2",
    "match ultimate": "match mcts-best:sims=20 random --game ultimate -n 2",
    "match mcts": "match mcts:sims=20 random -n 2",
    "match alphabeta": "match alphabeta:depth=2 random -n 2",
    "match alphabeta connect4": "match alphabeta:depth=2 random --game connect4 -n 2",
    "play connect4": "connect4",
    "play ultimate": "ultimate",
    "perft": "perft --game tic-tac-toe -d 4",
    "perft connect4": "perft --game connect4 -d 4",
    "perft ultimate": "perft --game ultimate -d 4",
}
"""The words by which a command line is recognized, and the command that is measured."""
RECORD = """
import json, sys, time
from ttt_fast.core.compilation import compiling
found, open_ones = {}, []
def timed_begin(kernel):
    open_ones.append((kernel, time.process_time()))
def timed_end():
    kernel, began = open_ones.pop()
    if not open_ones and not kernel.startswith("numba"):
        found[kernel] = round(found.get(kernel, 0.0) + time.process_time() - began, 2)
compiling.begin, compiling.end = timed_begin, timed_end
try:
    if sys.argv[1] == "-c":
        exec(sys.argv[2])
    else:
        from ttt_fast.cli.main import main
        main()
finally:
    json.dump(found, open("found.json", "w"))
"""


WARM = "from ttt_fast import parse_game; from ttt_fast.web.server.warming import warm; warm(parse_game({!r}))"
"""The game of a person, in a browser."""


def kernels_of(line: str) -> dict[str, float]:
    """Return the kernels that a command compiles outside of other kernels, in order, with their seconds."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "XDG_CACHE_HOME": folder}
        words = [sys.executable, "-c", RECORD, *(line.split() if " " in line else ("-c", WARM.format(line)))]
        subprocess.run(words, env=environment, cwd=folder, check=True, capture_output=True)
        return dict(json.loads(Path(folder, "found.json").read_text(encoding="utf-8")))


def main() -> None:
    """Measure all commands and write the file."""
    lines = [f" {json.dumps(words)}: {json.dumps(kernels_of(line))}" for words, line in COMMANDS.items()]
    SECONDS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
