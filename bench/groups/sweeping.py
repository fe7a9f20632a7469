"""A sweep on one thread and on two, and its memory with few runs and with many."""

import subprocess
import sys
import tempfile
from pathlib import Path

from groups.timing import CHILD_IMPORTS, Effort, Group, Rows, take_turns, value_row
from ttt_fast.learn.sweep import Sweep, run_units
from ttt_fast.running.executors import ThreadExecutor
from ttt_fast.running.timing import Candidate

SEEDS, EPISODES = 100, 1_000_000
FEW, MANY = 20, 200


def run_sweep(seeds: int, threads: int) -> None:
    """Run a sweep over seeds with the defaults, into a folder that is thrown away."""
    plan = Sweep({"episodes": EPISODES}, {}, range(seeds))
    executor = ThreadExecutor(threads)
    try:
        with tempfile.TemporaryDirectory() as folder:
            done = run_units(plan, range(seeds), Path(folder), executor)
    finally:
        executor.close()
    assert done == seeds, done


def sweep(effort: Effort) -> Rows:
    """Measure two threads beside one, in turns, and the peak of memory in processes of their own."""
    name = f"{SEEDS} seeds x {EPISODES // 10**6}M episodes v random, {{}} thread{{}}"
    one, two = (
        Candidate(
            name.format(threads, "s"[: threads - 1]),
            "episodes",
            SEEDS * EPISODES,
            lambda threads=threads: run_sweep(SEEDS, threads),
        )
        for threads in (1, 2)
    )
    apart = Candidate(
        f"two processes with {SEEDS // 2} of the seeds each: what the machine can give",
        "episodes",
        SEEDS * EPISODES,
        lambda: _two_processes(helpers),
    )
    helpers = [_helper(), _helper()]
    try:
        rows = take_turns([one, two, apart], effort, one.name)
    finally:
        for helper in helpers:
            helper.communicate("", timeout=60)
    return rows + [
        value_row(f"peak memory with {seeds} runs, MiB", _peak_memory(seeds), "two threads, a process of its own")
        for seeds in (FEW, MANY)
    ]


def _helper() -> "subprocess.Popen[str]":
    """Start a process that runs a sweep of one thread, with half of the seeds, for each line that it reads."""
    program = (
        CHILD_IMPORTS + "from groups.sweeping import SEEDS, run_sweep\n"
        "for _ in sys.stdin:\n"
        "    run_sweep(SEEDS // 2, 1)\n"
        "    print(flush=True)\n"
    )
    return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _two_processes(helpers: "list[subprocess.Popen[str]]") -> None:
    """Let the helpers run at the same time."""
    for helper in helpers:
        assert helper.stdin is not None
        helper.stdin.write("\n")
        helper.stdin.flush()
    for helper in helpers:
        assert helper.stdout is not None and helper.stdout.readline() == "\n"


def _peak_memory(seeds: int) -> float:
    """Return the most memory of a process that runs a sweep, in MiB."""
    program = (
        CHILD_IMPORTS + "from groups.sweeping import run_sweep\n"
        "from groups.timing import own_peak_bytes\n"
        f"run_sweep({seeds}, 2)\n"
        "print(own_peak_bytes())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    return int(done.stdout) / 2**20


SWEEP = Group("sweep", "Sweeps, one thread and two", sweep)
