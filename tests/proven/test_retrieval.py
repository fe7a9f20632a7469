"""Static functions against a plain reading of their planes, with hashes in Python's integers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from proven_toys import hashed

from static_functions import build, values_of
from ttt_fast import UsageError
from ttt_fast.proven.retrieval import SlotShape, slots_from

pytestmark = pytest.mark.slow


def plain_value(planes, shape, key):
    """The value of a key: the exclusive or of four slots, bit by bit."""
    base, second, third = (hashed(key, shape.seed + i) for i in range(3))
    first = base * (shape.segments - 3) >> 32
    value = 0
    for i, offset in enumerate((second, second >> 16, third, third >> 16)):
        slot = (first + i) * 2**shape.log_length + offset % 2**shape.log_length
        for bit, plane in enumerate(planes.tolist()):
            value ^= (plane[slot // 8] >> slot % 8 & 1) << bit
    return value


@pytest.mark.hypothesis
@given(
    st.dictionaries(st.integers(0, 2**64 - 1), st.integers(0, 255), max_size=200),
    st.lists(st.integers(0, 2**64 - 1), max_size=20),
    st.integers(1, 8),
    st.booleans(),
)
def test_every_key_has_its_value_and_every_other_key_that_of_the_definition(known, others, bits, small):
    known = {key: value % 2**bits for key, value in known.items()}
    keys = np.array(list(known), np.uint64)
    planes, shape = build(keys, np.array(list(known.values()), np.uint8), bits, small=small)
    assert planes.shape == (bits, -(-shape.num_slots // 8)) and planes.dtype == np.uint8
    assert values_of(planes, shape, keys).tolist() == list(known.values())
    asked = [*known, *others]
    found = values_of(planes, shape, np.array(asked, np.uint64)).tolist()
    assert found == ([plain_value(planes, shape, key) for key in asked] if known else [0] * len(others))
    assert (slots_from(planes, shape) < 2**bits).all()


@pytest.mark.parametrize(("count", "most"), [(1_000, 1.4), (30_000, 1.18), (200_000, 1.115)])
def test_the_size_is_near_that_of_the_values(count, most):
    random = np.random.default_rng(count)
    keys = random.permutation(np.arange(count, dtype=np.uint64) ** np.uint64(3))
    planes, shape = build(keys, random.integers(0, 8, count), 3)
    smaller = build(keys, random.integers(0, 8, count), 3, small=True)[1]
    assert smaller.num_slots < shape.num_slots <= most * count
    assert planes.nbytes == 3 * (-(-shape.num_slots // 8))


@pytest.mark.parametrize(
    ("keys", "values", "bits", "problem"),
    [
        ([1, 1], [0, 0], 1, "expected distinct keys, got a key twice"),
        ([1, 2], [0, 2], 1, "expected values of 1 bits, got others"),
        ([1, 2], [0, -1], 8, "expected values of 8 bits, got others"),
        ([1, 2], [0], 1, "expected a value for each key"),
        ([1], [0], 9, "expected from 1 to 8 bits, got 9"),
    ],
)
def test_wrong_arguments_are_refused(keys, values, bits, problem):
    with pytest.raises(UsageError, match=problem):
        build(np.array(keys, np.uint64), np.array(values), bits)


def test_nothing_is_stored_without_keys():
    planes, shape = build(np.zeros(0, np.uint64), np.zeros(0, np.uint8), 3)
    assert planes.shape == (3, 0) and shape == SlotShape(0, 0, 0)
    assert values_of(planes, shape, np.array([7], np.uint64)).tolist() == [0]
