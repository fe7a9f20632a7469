"""The shelf of the server: things by key, the longest unused goes first, and none is used twice at a time."""

import pytest

from ttt_fast.web.server.shelf import Shelf


class Thing:
    def __init__(self, memory_bytes=0):
        self.memory_bytes = memory_bytes


def put(shelf, key, memory_bytes=0):
    with shelf.taken(key, lambda: Thing(memory_bytes)) as thing:
        return thing


def test_eight_things_are_kept_and_the_longest_unused_goes():
    shelf = Shelf()
    things = {key: put(shelf, key) for key in range(8)}
    assert len(shelf) == 8 and put(shelf, 0) is things[0]
    put(shelf, 8)
    assert len(shelf) == 8 and put(shelf, 0) is things[0] and put(shelf, 1) is not things[1]


def test_things_of_too_much_memory_go():
    shelf = Shelf(most_bytes=10)
    small, large = put(shelf, "small", 4), put(shelf, "large", 6)
    assert len(shelf) == 2 and put(shelf, "small") is small
    put(shelf, "more", 1)
    assert len(shelf) == 2 and put(shelf, "large", 6) is not large
    put(shelf, "huge", 11)
    assert len(shelf) == 0


@pytest.mark.parametrize("keeps", [True, False])
def test_what_has_failed_is_kept_if_told(keeps):
    shelf = Shelf()
    with pytest.raises(ValueError), shelf.taken("a", Thing, keeps_failed=keeps):
        raise ValueError
    assert len(shelf) == keeps
