"""The pool of the server: objects by key, the longest unused goes first, and none is used twice at a time."""

import pytest

from ttt_fast.web.server.pool import Pool


class Item:
    def __init__(self, memory_bytes=0):
        self.memory_bytes = memory_bytes


def put(pool, key, memory_bytes=0):
    with pool.borrow(key, lambda: Item(memory_bytes)) as item:
        return item


def test_eight_objects_are_kept_and_the_longest_unused_goes():
    pool = Pool()
    items = {key: put(pool, key) for key in range(8)}
    assert len(pool) == 8 and put(pool, 0) is items[0]
    put(pool, 8)
    assert len(pool) == 8 and put(pool, 0) is items[0] and put(pool, 1) is not items[1]


def test_objects_of_too_much_memory_go():
    pool = Pool(max_bytes=10)
    small, large = put(pool, "small", 4), put(pool, "large", 6)
    assert len(pool) == 2 and put(pool, "small") is small
    put(pool, "more", 1)
    assert len(pool) == 2 and put(pool, "large", 6) is not large
    put(pool, "huge", 11)
    assert len(pool) == 0


@pytest.mark.parametrize("keeps", [True, False])
def test_an_object_returns_after_an_error_only_on_request(keeps):
    pool = Pool()
    with pytest.raises(ValueError), pool.borrow("a", Item, keep_failed=keeps):
        raise ValueError
    assert len(pool) == keeps
