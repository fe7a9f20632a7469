"""The progress of compilation, and how numba is loaded.  This module imports nothing heavy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[str], object]
"""Called with a short text when the compilation of a kernel begins, and with an empty one when it has ended."""
_PLAIN_GAME = 1_000_000
"""Array elements up to which a program that mostly waits for the import of numba works in Python: a small game."""


class Compiling:
    """The compilations of this process; numba's lock admits one at a time, with its callees nested in it.

    Attributes
    ----------
    with_scipy
        Whether SciPy is imported with numba, as numba does wherever SciPy is installed.  It takes half of the time of
        the import, and is needed only for products of matrices in compiled code.
    plain_elements
        Array elements of the largest input that kernels process in Python (`core.jit`).  Set it before the work, which
        otherwise changes its form halfway.

    Examples
    --------
    >>> compiling = Compiling()
    >>> with compiling.watched_by(print):
    ...     compiling.begin()
    compiling kernel 1, once
    """

    def __init__(self) -> None:
        self.with_scipy, self.plain_elements = True, 1_000
        self._watchers: list[Watcher] = []
        self._number = self._depth = 0

    def prefer_python(self) -> None:
        """Process all of a small game in Python: for a program that would mostly wait for the import of numba."""
        self.plain_elements = _PLAIN_GAME

    @contextmanager
    def watched_by(self, watcher: Watcher) -> Iterator[None]:
        """Report the compilation of kernels to `watcher`."""
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    def begin(self) -> None:
        """Note that the compilation of a kernel begins; within that of its caller, it is not counted."""
        self._depth += 1
        if self._depth == 1:
            self._number += 1
            self._tell(f"compiling kernel {self._number}, once")

    def end(self) -> None:
        """Note that the compilation of the last kernel has ended."""
        self._depth -= 1
        if self._depth == 0:
            self._tell("")

    def _tell(self, now: str) -> None:
        for watcher in list(self._watchers):
            watcher(now)


compiling = Compiling()
"""The compilations of this process."""
