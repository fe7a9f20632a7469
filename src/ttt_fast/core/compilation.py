"""The progress of compilation: which kernel of how many is compiled, and an estimate of the remaining seconds.

The kernels that a command will compile are known from experience: `compile_seconds.json` lists them for common commands
with an empty cache, in order, with their seconds (`bench/compile_seconds.py` writes it).  Kernels that the disk cache
already contains do not count, and the seconds are scaled by the measured ones.  This module imports nothing heavy.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

SECONDS = Path(__file__).with_name("compile_seconds.json")
_SCALED_FROM = 1.0
"""Seconds of compilation after which the speed of this machine replaces that of the table."""


class Compilation(NamedTuple):
    """The state of the compilation.

    Attributes
    ----------
    kernel
        The module and the name of the kernel that is being compiled.
    number, total
        The number of this kernel, and of all kernels of the command; the total is 0 if it is unknown.
    seconds
        Estimate of the remaining seconds.

    Examples
    --------
    >>> print(Compilation("play.packed._play_games", 3, 7, 8.6))
    compiling 3 of 7 kernels, about 9 s, once
    """

    kernel: str
    number: int
    total: int
    seconds: float

    def __str__(self) -> str:
        """Return a short text for a person who waits."""
        if not self.total:
            return f"compiling kernel {self.number}, {self.kernel} (some seconds, once)"
        return f"compiling {self.number} of {self.total} kernels, about {max(round(self.seconds), 1)} s, once"


Watcher = Callable[[Compilation | None], object]
"""Called whenever the compilation proceeds; with None when a kernel is finished."""


class Compiling:
    """The compilations of this process; numba's lock admits one at a time, with its callees nested in it.

    Attributes
    ----------
    with_scipy
        Whether SciPy is imported with numba, as numba does.
    plain_elements
        Array elements of the largest input that kernels process in Python (`core.jit`).
    is_cached
        Returns whether the disk cache has a kernel; `core.jit` sets it.
    """

    def __init__(self) -> None:
        self.with_scipy, self.plain_elements = True, 1_000
        self.is_cached: Callable[[str], bool] = lambda kernel: False
        self._watchers: list[Watcher] = []
        self._kernel, self._depth, self._began = "", 0, 0.0
        self.expect(())

    def leave_scipy_out(self) -> None:
        """Do not import SciPy while numba loads, for a program that computes no product of matrices in compiled code.

        numba imports `scipy.linalg` with its registries wherever SciPy is installed, which takes half of their time.
        """
        self.with_scipy = False

    def prefer_plain(self) -> None:
        """Process a small game in Python (0.05 s), for a program that mostly waits for the import of numba otherwise.

        It must be called before the work, which otherwise changes its form halfway.
        """
        self.plain_elements = 1_000_000

    @contextmanager
    def watched_by(self, watcher: Watcher) -> Iterator[None]:
        """Report the compilation of kernels to `watcher`."""
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    def expect(self, words: Sequence[str]) -> None:
        """Count the kernels of a command line from now on."""
        self._words = words
        self._expected: dict[str, float] | None = None
        self._number = 0
        self._planned = self._measured = self._planned_of_measured = 0.0

    def is_compiled(self, words: Sequence[str]) -> bool:
        """Return whether the disk cache has every kernel that a command line is known to compile."""
        return all(map(self.is_cached, kernels_of(words)))

    def begin(self, kernel: str) -> None:
        """Note that the compilation of a kernel begins, perhaps within that of its caller."""
        self._depth += 1
        if self._depth == 1:
            if self._expected is None:
                kernels = kernels_of(self._words)
                self._expected = {name: cost for name, cost in kernels.items() if not self.is_cached(name)}
            self._kernel, self._began, self._planned = kernel, time.perf_counter(), 0.0
            self._number += 1
            if kernel in self._expected:
                after = list(self._expected).index(kernel) + 1
                self._planned = self._expected[kernel]
                self._expected = dict(list(self._expected.items())[after:])
        if self._watchers:
            self._tell(self._now())

    def end(self) -> None:
        """Note that the compilation of the last kernel has ended."""
        self._depth -= 1
        if self._depth == 0:
            if self._planned:
                self._measured += time.perf_counter() - self._began
                self._planned_of_measured += self._planned
            self._tell(None)

    def _tell(self, now: Compilation | None) -> None:
        for watcher in list(self._watchers):
            watcher(now)

    def _now(self) -> Compilation:
        """Return the state of the compilation, with the seconds of the remaining kernels at this machine's speed."""
        expected = self._expected or {}
        is_known = bool(expected or self._planned or self._measured)
        scale = self._measured / self._planned_of_measured if self._measured > _SCALED_FROM else 1.0
        left = max(self._planned * scale - (time.perf_counter() - self._began), 0.0) + scale * sum(expected.values())
        return Compilation(self._kernel, self._number, self._number + len(expected) if is_known else 0, left)


def kernels_of(words: Sequence[str]) -> dict[str, float]:
    """Return the kernels that a command line compiles with an empty cache, in order, with their seconds.

    The recorded command with the most words, all of which the line contains, counts.

    Examples
    --------
    >>> "play.packed._play_games" in kernels_of(["match", "minimax", "random"])
    True
    >>> kernels_of(["glossary"])
    {}
    """
    recorded: dict[str, dict[str, float]] = json.loads(SECONDS.read_text(encoding="utf-8"))
    given = {part for word in words for part in (word, *re.split("[:=]", word))}
    known = [line for line in recorded if given.issuperset(line.split())]
    return dict(recorded[max(known, key=lambda line: len(line.split()))]) if known else {}


compiling = Compiling()
"""The compilations of this process."""
