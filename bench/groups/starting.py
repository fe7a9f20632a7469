"""How long commands take from the shell, warm, and the first time, with an empty cache."""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from groups.timing import Effort, Group, Rows, seconds_row
from ttt_fast.running.timing import timed

PROGRAM = [sys.executable, str(Path(__file__).resolve().parent.parent.parent / "cli.py")]
COMMANDS = {
    "--help": ["--help"],
    "exact random random": ["exact", "random", "random"],
    "match random random -n 1M": ["match", "random", "random", "-n", "1M"],
    "train -n 1M": ["train", "-n", "1M", "-o", os.devnull],
}


def run(arguments: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a command."""
    subprocess.run([*PROGRAM, *arguments], capture_output=True, check=True, env=environment)


def start(effort: Effort) -> Rows:
    """Measure each command."""
    rows = []
    for name, arguments in COMMANDS.items():
        run(arguments)
        spent = [timed(lambda arguments=arguments: run(arguments)) for _ in range(effort.repeats)]
        rows.append(seconds_row(f"ttt-fast {name}", statistics.median(spent), "warm"))
    with tempfile.TemporaryDirectory() as folder:
        cold = timed(lambda: run(COMMANDS["train -n 1M"], dict(os.environ, NUMBA_CACHE_DIR=folder)))
    return [*rows, seconds_row("ttt-fast train -n 1M", cold, "first time: compiles its kernels")]


START = Group("start", "Start", start)
