"""A pool of objects that are expensive to make and can be used by one thread at a time."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
MAX_BYTES = 1 << 30
"""Maximum memory of the objects in a pool, in bytes."""


class Shelf(Generic[Thing]):
    """A keyed pool of reusable objects with LRU eviction.

    Parameters
    ----------
    most
        Maximum number of objects.
    most_bytes
        Maximum memory of the objects that have an attribute `memory_bytes`.

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
        """Return the number of unused objects."""
        return len(self._things)

    @contextmanager
    def taken(self, key: Hashable, make: Callable[[], Thing], keeps_failed: bool = False) -> Iterator[Thing]:
        """Borrow the object of a key, or make one; it returns to the pool, after an error only if `keeps_failed`."""
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
