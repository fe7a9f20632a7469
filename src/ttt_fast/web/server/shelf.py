"""Things that take long to make and are used by one thread at a time: taken from a shelf, and put back."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
MAX_BYTES = 1 << 30
"""Memory of the things on a shelf."""


class Shelf(Generic[Thing]):
    """Things by key, each there for whoever comes first; what was used least recently goes when there are too many.

    Parameters
    ----------
    most
        Number of things.
    most_bytes
        Their memory, of things that tell it as `memory_bytes`.

    Examples
    --------
    >>> shelf = Shelf[list](most=1)
    >>> with shelf.taken("a", list) as one:
    ...     one.append(1)
    >>> with shelf.taken("a", list) as again, shelf.taken("a", list) as other:
    ...     print(again, other)
    [1] []
    >>> len(shelf)
    1
    """

    def __init__(self, most: int = 8, most_bytes: int = MAX_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._things: list[tuple[Hashable, Thing]] = []
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of things that nobody uses."""
        return len(self._things)

    @contextmanager
    def taken(self, key: Hashable, make: Callable[[], Thing], keeps_failed: bool = False) -> Iterator[Thing]:
        """Take the thing of a key, or make one, and put it back; after an error only if `keeps_failed`."""
        with self._lock:
            place = next((place for place, (known, _) in enumerate(self._things) if known == key), None)
            found = [] if place is None else [self._things.pop(place)[1]]
        thing = found[0] if found else make()
        is_kept = keeps_failed
        try:
            yield thing
            is_kept = True
        finally:
            if is_kept:
                self._put_back(key, thing)

    def _put_back(self, key: Hashable, thing: Thing) -> None:
        with self._lock:
            self._things.append((key, thing))
            while len(self._things) > self._most or self._bytes() > self._most_bytes:
                del self._things[0]

    def _bytes(self) -> int:
        return sum(int(getattr(thing, "memory_bytes", 0)) for _, thing in self._things)
