"""Measure this checkout against another one: every candidate of a group here, then there, turn by turn.

    git worktree add ../before COMMIT
    python bench/against.py ../before                         all groups; a line for each candidate that both have
    python bench/against.py ../before --only training,games

Each checkout runs its own groups in a process of its own, warm; only one of the two works at a time.  The ratio is the
time here over the time there: its median over the turns, and an interval of order statistics around it, with 95 % or
more.  A line is marked where its whole interval lies above 1.05.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from math import ceil, comb
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOLERATED = 1.05
CONFIDENCE = 0.95


def serve(root: Path, name: str, seconds: float) -> None:
    """Measure a group of a checkout by order of the parent process: lists of names go out, places come in."""
    sys.path[0] = str(root / "bench")
    from groups import GROUPS, timing

    out, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr

    def tell(content: object) -> None:
        print(json.dumps(content), file=out, flush=True)

    def take_turns(candidates: list[Any], *_: object, **__: object) -> list[dict[str, Any]]:
        tell([one.name for one in candidates])
        calls: dict[int, int] = {}
        for line in sys.stdin:
            place = json.loads(line)
            if place is None:
                break
            run = candidates[place].run
            if place not in calls:
                run()
                calls[place] = ceil(seconds / timing.timed(run))
            tell(sum(timing.timed(run) for _ in range(calls[place])) / calls[place])
        return [{"what": one.name, "per_second": 1.0, "ratio": None, "seconds": 1.0} for one in candidates]

    if not hasattr(timing, "timed"):
        from ttt_fast.running.timing import timed

        timing.timed = timed
    for module in [one for key, one in sys.modules.items() if key.startswith("groups.")]:
        for known, instead in (("take_turns", take_turns), ("compile_row", lambda *_, **__: {})):
            if hasattr(module, known):
                setattr(module, known, instead)
    GROUPS[name].measure(timing.Effort(seconds, 1, frozenset()))
    tell(None)


class Checkout:
    """The process that measures a group in a checkout."""

    def __init__(self, root: Path, name: str, seconds: float) -> None:
        command = [sys.executable, __file__, str(root), "--serve", name, "--seconds", str(seconds)]
        environment = {**os.environ, "PYTHONPATH": str(root / "src")}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=root
        )

    def answer(self) -> Any:
        """Return the next thing that the process says."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"expected an answer of {self.process.args}, got none")
        return json.loads(line)

    def ask(self, place: int | None) -> None:
        """Let the process run a candidate, or go on to the next list of candidates."""
        assert self.process.stdin
        print(json.dumps(place), file=self.process.stdin, flush=True)


def interval_of(ratios: list[float]) -> tuple[float, float, float]:
    """Return the median, and the narrowest order statistics around it that hold it with the confidence."""
    ordered, n = sorted(ratios), len(ratios)
    left_out = 0
    while 1 - 2 * sum(comb(n, k) for k in range(left_out + 2)) / 2**n >= CONFIDENCE:
        left_out += 1
    return statistics.median(ordered), ordered[left_out], ordered[-1 - left_out]


def compare(name: str, other: Path, seconds: float, turns: int) -> None:
    """Print a line for each candidate of a group that both checkouts have."""
    here, there = Checkout(ROOT, name, seconds), Checkout(other, name, seconds)
    ours, theirs = here.answer(), there.answer()
    while ours is not None and theirs is not None:
        places = [(ours.index(one), theirs.index(one), one) for one in ours if one in theirs]
        if not places:  # candidates that only this checkout has
            here.ask(None)
            ours = here.answer()
            continue
        ratios: dict[str, list[float]] = {one: [] for _, _, one in places}
        for turn in range(turns + 1):
            for mine, yours, what in places:
                spent = {}
                for checkout, place in [(here, mine), (there, yours)][:: 1 if turn % 2 else -1]:
                    checkout.ask(place)
                    spent[checkout] = checkout.answer()
                if turn:  # the first one is warm-up
                    ratios[what].append(spent[here] / spent[there])
        for what, found in ratios.items():
            middle, low, high = interval_of(found)
            mark = "  SLOWER" if low > TOLERATED else ""
            print(f"{name:20} {what:75} {middle:6.3f} [{low:.3f}, {high:.3f}]{mark}", flush=True)
        for checkout in (here, there):
            checkout.ask(None)
        ours, theirs = here.answer(), there.answer()
    for checkout in (here, there):
        checkout.process.kill()


def main() -> None:
    """Compare, or serve one side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--only", metavar="GROUP[,GROUP]")
    parser.add_argument("--seconds", type=float, default=0.2, help="least length of a repeat")
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.other, given.serve, given.seconds)
        return
    from groups import GROUPS

    wanted = given.only.split(",") if given.only else list(GROUPS)
    if unknown := [name for name in wanted if name not in GROUPS]:
        parser.error(f"expected groups among {', '.join(GROUPS)}, got {unknown[0]!r}")
    for name in wanted:
        compare(name, given.other.resolve(), given.seconds, given.turns)


if __name__ == "__main__":
    main()
