"""Candidates that take turns, so that a slow minute of a shared machine meets them all."""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ttt_fast.running.timing import Candidate, Timing, time_in_turn

Rows = list[dict[str, Any]]
CHILD_IMPORTS = f"import sys; sys.path.insert(0, {str(Path(__file__).parent.parent)!r})\n"
"""The first line of a program that imports from the folder of benchmarks."""


class Effort(NamedTuple):
    """How long to measure: least seconds of a repeat, repeats, and the other programs that may take part."""

    seconds: float
    repeats: int
    peers: frozenset[str]


class Group(NamedTuple):
    """Rows that belong together.

    Attributes
    ----------
    name
        What `--only` takes.
    title
        What it measures, for readers of bench.json.
    measure
        Returns the rows.
    peers
        Other programs that take part where they are installed: names of `peers.PACKAGES`.
    """

    name: str
    title: str
    measure: Callable[[Effort], Rows]
    peers: tuple[str, ...] = ()


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core, so that no program uses two."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def own_peak_bytes() -> int:
    """Return the most memory that this program has had (`ru_maxrss` counts that of the process that started it)."""
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert peak is not None
    return 1024 * int(peak[1])


def take_turns(
    candidates: list[Candidate],
    effort: Effort,
    baseline: str | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Rows:
    """Time candidates in turn, warm; `ratio` is against the baseline, `ttt_fast_is` our first row against each."""
    found = time_in_turn(candidates, effort.seconds, effort.repeats, clock)
    base = next((one for one in found if one.candidate.name == baseline), None)
    ours = next((one for one in found if one.candidate.name.startswith("ttt_fast")), found[0])
    return [
        {
            "what": one.candidate.name,
            "unit": one.candidate.unit,
            "per_second": one.per_second,
            "slowest": min(one.rates),
            "fastest": max(one.rates),
            "ratio": _ratio(one, base) if base else None,
            "ttt_fast_is": _ratio(ours, one) if base else None,
            "first_call_seconds": one.first_call_seconds,
            "repeats": effort.repeats,
        }
        for one in found
    ]


def _ratio(one: Timing, other: Timing) -> float:
    """Return the median of the ratios of two rates, repeat by repeat."""
    return statistics.median(ours / theirs for ours, theirs in zip(one.rates, other.rates, strict=True))


def seconds_row(what: str, seconds: float, note: str = "") -> dict[str, Any]:
    """Return a row that is a length of time."""
    return {"what": what, "unit": "seconds", "seconds": seconds, "note": note}


def value_row(what: str, value: float, note: str = "") -> dict[str, Any]:
    """Return a row that is some other figure, in the unit that its name tells."""
    return {"what": what, "unit": "value", "value": value, "note": note}


def compile_row(
    statement: str, what: str = "compiling the kernels, once", imports: str | None = None
) -> dict[str, Any]:
    """Return a row with the seconds that a statement takes to compile its kernels, in a process without a cache.

    `imports` are lines that the statement needs, instead of those of tic-tac-toe.
    """
    program = f"{CHILD_IMPORTS}import time\n{_IMPORTS if imports is None else imports}\n"
    program += f"started = time.perf_counter()\n{statement}\nprint(time.perf_counter() - started)"
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in ("cold", "warm"):
            environment = dict(os.environ, NUMBA_CACHE_DIR=folder)
            done = subprocess.run(
                [sys.executable, "-c", program], capture_output=True, check=True, text=True, env=environment
            )
            spent.append(float(done.stdout.split()[-1]))
    return seconds_row(what, spent[0] - spent[1], f"`{statement}` without and with a cache")


_IMPORTS = """from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.loop import start_training, train
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.tabular import play_chunks
from ttt_fast.agents.convert import as_policy
from ttt_fast.evaluate.outcome import exact_outcome"""
