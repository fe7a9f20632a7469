"""How long commands take from the shell, warm, and the first time, with an empty cache."""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from groups.timing import Effort, Group, Rows, seconds_row, take_turns
from ttt_fast.running.timing import Candidate, timed

PROGRAM = [sys.executable, str(Path(__file__).resolve().parent.parent.parent / "cli.py")]
NUMPY = "python -c 'import numpy'"
EXACT = {
    "exact heuribot random": ["exact", "heuribot", "random"],
    "show XO..X....": ["show", "XO..X...."],
    "compare random minimax heuribot -n 0": ["compare", "random", "minimax", "heuribot", "-n", "0"],
    "score minimax": ["score", "minimax"],
}
"""Questions that need no compiled code, beside the import of numpy, which all of them need."""
OTHERS = {
    "--help": ["--help"],
    "match random random -n 1M": ["match", "random", "random", "-n", "1M"],
    "train -n 1M": ["train", "-n", "1M", "-o", os.devnull],
}


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a command."""
    subprocess.run(command, capture_output=True, check=True, env=environment)


def start(effort: Effort) -> Rows:
    """Measure each command, warm, in turn with the import of numpy; then one with an empty cache."""
    numpy = [sys.executable, "-c", "import numpy"]
    found = [Candidate(NUMPY, "calls", 1, lambda: run(numpy))]
    for name, arguments in {**EXACT, **OTHERS}.items():
        found.append(Candidate(f"ttt-fast {name}", "calls", 1, partial(run, [*PROGRAM, *arguments])))
    rows = take_turns(found, effort, NUMPY)
    with tempfile.TemporaryDirectory() as folder:
        train = [*PROGRAM, *OTHERS["train -n 1M"]]
        cold = timed(lambda: run(train, dict(os.environ, NUMBA_CACHE_DIR=folder)))
    return [*rows, seconds_row("ttt-fast train -n 1M", cold, "first time: compiles its kernels")]


START = Group("start", "Start", start)
