"""A pool of objects that are expensive to make and can be used by one thread at a time."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Item = TypeVar("Item")
MAX_BYTES = 1 << 30
"""Maximum memory of the objects in a pool, in bytes."""


class Pool(Generic[Item]):
    """A keyed pool of reusable objects with LRU eviction.

    Parameters
    ----------
    max_items
        Maximum number of objects.
    max_bytes
        Maximum memory of the objects that have an attribute `memory_bytes`.

    Examples
    --------
    >>> pool = Pool[list](max_items=1)
    >>> with pool.borrow("a", list) as one:
    ...     one.append(1)
    >>> with pool.borrow("a", list) as again, pool.borrow("a", list) as other:
    ...     print(again, other)
    [1] []
    >>> len(pool)
    1
    """

    def __init__(self, max_items: int = 8, max_bytes: int = MAX_BYTES) -> None:
        self._max_items, self._max_bytes = max_items, max_bytes
        self._items: list[tuple[Hashable, Item]] = []
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of unused objects."""
        return len(self._items)

    @contextmanager
    def borrow(self, key: Hashable, make: Callable[[], Item], *, keep_failed: bool = False) -> Iterator[Item]:
        """Borrow the object of a key, or make one; it returns to the pool, after an error only if `keep_failed`."""
        with self._lock:
            place = next((place for place, (known, _) in enumerate(self._items) if known == key), None)
            found = [] if place is None else [self._items.pop(place)[1]]
        item = found[0] if found else make()
        try:
            yield item
        except BaseException:
            if keep_failed:
                self._put_back(key, item)
            raise
        self._put_back(key, item)

    def _put_back(self, key: Hashable, item: Item) -> None:
        with self._lock:
            self._items.append((key, item))
            while len(self._items) > self._max_items or self._bytes() > self._max_bytes:
                del self._items[0]

    def _bytes(self) -> int:
        return sum(int(getattr(item, "memory_bytes", 0)) for _, item in self._items)
